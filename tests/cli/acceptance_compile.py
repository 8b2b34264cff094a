#!/usr/bin/env python3
"""The verb compile. usage: acceptance_compile.py HIPTUNE [TEST ...]"""
import os
import platform
import shutil

import home
from home import SHAPE, Home, made_up_gpu, replace

HOST = f"{platform.machine()}-wave32,{platform.machine()}-wave64"
SMALL = [*SHAPE, "--fix", "BLOCK_SIZE=32"]
HEADINGS = ["configuration", "registers", "SGPRs", "LDS bytes", "scratch bytes", "spilled", "ISA", "compiled in"]


class Compile(Home):
    # arguments, exit code, phrases of stderr
    BAD = [
        (["--arch", "gfy90a"], 2, ["no compiler builds for 'gfy90a'", "gfx (amd)", "sm_ (nvidia)"]),
        (["--arch", f"{HOST},{HOST}"], 2, ["listed twice"]),
        (["--arch", "gfx90a,"], 2, ["--arch gfx90a,", "a name is missing"]),
        (["--arch", f"{platform.machine()}-wave128"], 2, ["-wave128", "-wave32 and"]),
        (["--arch", "gfx" + "9" * 5000], 2, ["no name of an architecture", "999..."]),
        (["--arch", b"gfx\xff".decode(errors="surrogateescape")], 2, ["no name of an architecture"]),
        (["--arch", "gfx90a -v"], 2, ["--arch gfx90a -v", "no name of an architecture"]),
        (["--isa", b"/tmp/\xff".decode(errors="surrogateescape")], 2, ["not UTF-8"]),
        (["--device", b"\xff".decode(errors="surrogateescape")], 2, ["--device", "not UTF-8"]),
        (["--arch", "gfx90a", "--device", "host"], 2, ["--arch gfx90a --device host", "drop one"]),
        (["--device", "abacus"], 3, ["no device 'abacus'"]),
        (["--fix", "BLOCK_SIZE=33"], 2, ["BLOCK_SIZE=33"]),
        (["--seed", "1"], 2, ["no option --seed"]),
        (["--isa", ""], 2, ["--isa", "empty"]),
        (["--isa", "/dev/null/isa"], 2, ["--isa: /dev/null: is a file", "choose another folder"]),
        (["--arch", "sm90"], 2, ["no compiler builds for 'sm90'", "did you mean \"sm_90\"?"]),
        (["--arch", "GFX90A"], 2, ["did you mean \"gfx90a\"?"]),
        (["--isa", "--seed"], 2, ["--isa --seed: no folder but an option"]),
        (["--isa", "/proc/isa"], 2, ["--isa: /proc/isa", "choose another folder"]),
    ]

    def test_bad_input_shows_before_anything_is_compiled(self):
        for words, code, phrases in self.BAD:
            with self.subTest(repr(words)):
                done = self.run_hiptune("compile", "row_rms", *SHAPE, *words, expect=code, phrases=phrases)
                self.assertEqual(done.stdout, "")

    def test_the_cpu_s_compiler_says_no_figures(self):
        said = self.run_hiptune("compile", "row_rms", *SMALL, "--arch", HOST).stdout
        for heading in HEADINGS:
            self.assertIn(heading, said)
        self.assertNotIn("entry point", said)
        self.assertEqual(said.count("3 of 3 variants compiled; failures: none"), 2)
        lines = self.json_of("compile", "row_rms", *SMALL, "--arch", HOST)
        self.assertEqual(lines[-1], {"result": "compiled", "compiled": 6, "variants": 6, "rejected": 0, "invalid": 0,
                                     "failures": "none", "notes": []})
        self.assertEqual([line["architecture"] for line in lines[:-1]], [HOST.split(",")[i // 3] for i in range(6)])
        for line in lines[:-1]:
            entry, = line["entries"]
            self.assertEqual([entry[name] for name in ("vgprs", "sgprs", "lds_bytes", "scratch_bytes")], [None] * 4)
            self.assertEqual(entry["dynamic_lds_bytes"], 0 if line["config"]["REDUCTION"] == "serial" else 128)

    def test_without_arch_it_compiles_for_the_device(self):
        line, *_ = self.json_of("compile", "row_rms", *SMALL, "--device", "host:wave64")
        self.assertEqual(line["architecture"], f"{platform.machine()}-wave64")

    def test_invalid_configurations_are_counted(self):
        own = self.own_kernel()
        replace(own / "row_rms.json", '"constraints": [',
                '"constraints": [{"require": "BLOCK_SIZE > 32 || REDUCTION == REDUCTION.serial", "reason": "small"},')
        words = ["compile", "row_rms", *SMALL, "--kernel-path", own, "--device", "host"]
        self.assertIn("1 variant, 2 more are invalid here: ", self.run_hiptune(*words).stdout)
        self.assertEqual(self.json_of(*words)[-1]["invalid"], 2)

    def test_a_variant_that_does_not_compile_is_a_failure_with_its_line(self):
        own = self.own_kernel(folder="broken")
        lines = (own / "row_rms.hip").read_text().splitlines()
        lines.insert(4, "static_assert(REDUCTION != Reduction::lds_tree, \"as asked for\");")
        lines.insert(4, "#include \"hiptune_config.h\"")
        (own / "row_rms.hip").write_text("\n".join(lines) + "\n")
        words = ["compile", "row_rms", *SMALL, "--kernel-path", own, "--device", "host"]
        said = self.run_hiptune(*words, expect=1).stdout
        self.assertIn("2 of 3 variants compiled; failures: 1 compile_failed\nfirst failure: REDUCTION=lds_tree", said)
        self.assertIn("row_rms.hip:6:", said)
        failed = self.json_of(*words, expect=1)[1]
        self.assertEqual((failed["outcome"], failed["entries"], failed["isa_hash"]), ("compile_failed", [], None))

    def test_a_plan_with_several_entry_points_shows_each(self):
        own = self.own_kernel(folder="two")
        replace(own / "row_rms.json", '"plan": [', '"plan": [{"entry": "first", "grid": "1", "block": "32", '
                '"dynamic_lds": "4"}, {"entry": "first", "grid": "1", "block": "32", "dynamic_lds": "8"},')
        with open(own / "row_rms.hip", "a") as template:
            template.write("extern \"C\" __global__ void first(const float*, const float*, float*, hiptune::int64, "
                           "hiptune::int64, hiptune::int64, hiptune::int64, float) {}\n")
        words = ["compile", "row_rms", *SMALL, "--kernel-path", own, "--device", "host"]
        said = self.run_hiptune(*words).stdout
        self.assertIn("entry point", said)
        self.assertEqual(said.count(" first "), 3)
        entries = self.json_of(*words)[0]["entries"]
        self.assertEqual([(one["entry"], one["dynamic_lds_bytes"]) for one in entries], [("first", 8), ("row_rms", 0)])


class CompileForGpus(Home):
    def test_a_compiler_that_aborts_is_a_failed_trial(self):
        words = ["compile", "row_rms", *SHAPE, "--fix", "REDUCTION=serial", "--arch", "gfxaborts,gfxfine"]
        said = self.run_hiptune(*words, expect=1, **made_up_gpu()).stdout
        self.assertIn("5 of 6 variants compiled; failures: 1 crashed\nfirst failure: REDUCTION=serial BLOCK_SIZE=64", said)
        self.assertIn("LLVM ERROR: out of registers", said)
        self.assertIn("6 of 6 variants compiled; failures: none", said)
        line = self.json_of(*words, expect=1, **made_up_gpu())[0]
        entry, = line["entries"]
        self.assertEqual([entry[name] for name in ("vgprs", "sgprs", "lds_bytes", "scratch_bytes", "spilled_registers")],
                         [101, None, 1000, 0, 7])

    def test_an_architecture_that_is_not_known_stops_the_others(self):
        done = self.run_hiptune("compile", "row_rms", *SHAPE, "--arch", "gfxfine,gfxunknown", expect=3,
                                phrases=["does not know 'gfxunknown'"], **made_up_gpu())
        self.assertEqual(done.stdout, "")

    def test_the_compilers_that_there_are_compile_for_gpus(self):
        for backend, architectures in (("amd", "gfx906,gfx90a,gfx1030"), ("nvidia", "sm_90")):
            with self.subTest(backend):
                if not self.has_compiler(backend):
                    self.skipTest(f"there is no compiler for {backend}")
                lines = self.json_of("compile", "row_rms", *SMALL, "--arch", architectures)
                self.assertEqual(lines[-1]["compiled"], 3 * len(architectures.split(",")))
                for line in lines[:-1]:
                    self.assertGreater(line["entries"][0]["vgprs"], 0)
                    self.assertIsNotNone(line["entries"][0]["lds_bytes"])
                    self.assertEqual(line["entries"][0]["sgprs"] is None, backend == "nvidia")


class Disassembly(Home):
    WORDS = ["compile", "row_rms", *SMALL, "--fix", "REDUCTION=serial", "--device", "host"]
    NAME = f"{platform.machine()}-wave32/row_rms-REDUCTION.serial-BLOCK_SIZE.32"

    def test_code_and_text_are_written(self):
        if not shutil.which("objdump"):
            self.skipTest("there is no objdump")
        folder = self.home / "code"
        said = self.run_hiptune(*self.WORDS, "--isa", folder).stdout
        self.assertIn(f"written to {folder}", said)
        self.assertEqual((folder / (self.NAME + ".co")).read_bytes()[:4], b"\x7fELF")
        self.assertIn("<row_rms", (folder / (self.NAME + ".s")).read_text())

    def test_without_a_disassembler_a_note_says_which_to_install(self):
        tools = self.home / "tools"
        tools.mkdir()
        for tool in ("c++", "as", "ld", "collect2"):
            if shutil.which(tool):
                os.symlink(shutil.which(tool), tools / tool)
        folder = self.home / "bare"
        said = self.run_hiptune(*self.WORDS, "--isa", folder, PATH=str(tools)).stdout
        self.assertIn("note: ", said)
        self.assertIn("no objdump is installed; install binutils", said)
        self.assertTrue((folder / (self.NAME + ".co")).exists())
        self.assertFalse((folder / (self.NAME + ".s")).exists())

    def test_problems_that_differ_in_code_have_files_of_their_own(self):
        folder = self.home / "traits"
        words = ["compile", "copy", "--elements", "64,128", "--dtype", "f32", "--device", "host", "--covering"]
        lines = self.json_of(*words, "--isa", folder, "--jobs", "2")[:-1]
        self.assertEqual({line["problem"].split()[0] for line in lines}, {"elements=64", "elements=128"})
        files = {line["code_file"] for line in lines}
        self.assertEqual(len(files) * 2, len(lines))  # dimensions are not compiled in
        self.assertEqual([file for file in files if not os.path.exists(file)], [])  # also of what was compiled ahead


if __name__ == "__main__":
    home.main()
