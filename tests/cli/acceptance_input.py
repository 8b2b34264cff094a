#!/usr/bin/env python3
"""Bad words on the command line. usage: acceptance_input.py HIPTUNE [TEST ...]"""
import os
import shutil
import subprocess

import home
from home import ROOT, SHAPE, Home


class BadInput(Home):
    # arguments, exit code, phrases of stderr
    TABLE = [
        ([], 2, ["Usage: hiptune", "tune", "check"]),
        (["tnue"], 2, ["no verb \"tnue\"", "did you mean \"tune\"", "devices"]),
        (["--rows", "4", "tune"], 2, ["the verb comes first"]),
        (["tune"], 2, ["right after the verb", "row_rms"]),
        (["tune", "--rows", "4", "row_rms"], 2, ["right after the verb"]),
        (["tune", "row_rsm", *SHAPE], 2, ["no kernel \"row_rsm\"", "did you mean \"row_rms\"", "searched"]),
        (["tune", "../row_rms", *SHAPE], 2, ["no kernel"]),
        (["tune", "row_rms", *SHAPE, "row_rms"], 2, ["row_rms"]),
        (["tune", "row_rms", "--rows", "4"], 2, ["--cols is missing", "--rows 1024 --cols 1024"]),
        (["tune", "row_rms", "--rows", "4", "--columns", "16"], 2, ["no option --columns", "--cols"]),
        (["tune", "row_rms", "--rows", "4", "--clos", "16"], 2, ["did you mean \"--cols\""]),
        (["tune", "row_rms", *SHAPE, "--rows", "5"], 2, ["--rows", "more than once"]),
        (["tune", "row_rms", *SHAPE, "--seed", "1", "--seed", "1"], 2, ["--seed", "more than once"]),
        (["tune", "row_rms", "--rows", "0", "--cols", "16"], 2, ["--rows 0", "from 1 to"]),
        (["tune", "row_rms", "--rows", "4", "--cols", "0"], 2, ["--cols 0", "from 1 to"]),
        (["verify", "row_rms", "--rows", "-4", "--cols", "16"], 2, ["--rows -4", "from 1 to"]),
        (["dispatch", "row_rms", "--rows", "four", "--cols", "16"], 2, ["--rows four", "not a number", "1..1024"]),
        (["tune", "row_rms", "--rows", "4.5", "--cols", "16"], 2, ["--rows 4.5", "not a number"]),
        (["tune", "row_rms", "--rows", "", "--cols", "16"], 2, ["--rows"]),
        (["tune", "row_rms", "--rows", "8..4", "--cols", "16"], 2, ["--rows 8..4", "goes up"]),
        (["tune", "row_rms", *SHAPE, "--timeout", "nan"], 2, ["--timeout", "nan is no number"]),
        (["tune", "row_rms", *SHAPE, "--seed", "-1"], 2, ["--seed", "not a whole number"]),
        (["verify", "row_rms", "--rows", "1..1000000", "--cols", ",".join(map(str, range(1, 9000)))], 2,
         ["more than 100,000 problems"]),
        (["check", "/proc"], 2, ["/proc: no cache entry"]),
        (["check", "/tmp", "--cache", "/var"], 2, ["check /tmp --cache /var", "drop --cache, or drop DIR"]),
        (["check", ""], 2, ["DIR is empty"]),
        (["check", "--device", "host"], 2, ["no option --device", "--cache"]),
        (["check", "a" * 5000], 2, ["File name too long"]),
        (["tune", "row_rms", "--rows", "1,,4", "--cols", "16"], 2, ["--rows", "a number is missing"]),
        (["tune", "row_rms", "--rows", "99999999999999999999", "--cols", "16"], 2, ["--rows", "beyond 64 bits"]),
        (["tune", "row_rms", "--rows", "9223372036854775807", "--cols", "16"], 2, ["--rows", "from 1 to"]),
        (["tune", "row_rms", "--rows", "1000000000", "--cols", "4096"], 2, ["TB", "smaller dimensions"]),
        (["verify", "row_rms", "--rows", "1000000000", "--cols", "4096"], 2, ["TB", "smaller dimensions"]),
        (["dispatch", "row_rms", "--rows", "1000000000", "--cols", "4096"], 2, ["TB", "smaller dimensions"]),
        (["tune", "row_rms", *SHAPE, "--dtype", "f16"], 2, ["--dtype f16", "f32"]),
        (["tune", "row_rms", *SHAPE, "--trait", "ALIGN=16"], 2, ["--trait"]),
        (["tune", "copy", "--elements", "64", "--trait", "ALIGN=3"], 2, ["ALIGN=3", "4, 8, 16"]),
        (["tune", "row_rms", *SHAPE, "--fix", "BLOCK=32"], 2, ["no tunable \"BLOCK\"", "BLOCK_SIZE"]),
        (["tune", "row_rms", *SHAPE, "--fix", "BLOCK_SIZE=33"], 2, ["BLOCK_SIZE=33", "32, 64, 128"]),
        (["verify", "row_rms", *SHAPE, "--fix", "BLOCK_SIZE"], 2, ["--fix", "BLOCK_SIZE"]),
        (["tune", "row_rms", *SHAPE, "--fix", "BLOCK_SIZE=32,33"], 2, ["BLOCK_SIZE=33", "32, 64, 128"]),
        (["compile", "row_rms", *SHAPE, "--fix", "BLOCK_SIZE=32,32"], 2, ["BLOCK_SIZE=32 is listed twice"]),
        (["verify", "row_rms", *SHAPE, "--fix", "BLOCK_SIZE=32,"], 2, ["a value of BLOCK_SIZE is missing"]),
        (["tune", "row_rms", *SHAPE, "--fix", "BLOCK_SIZE=32", "--fix", "BLOCK_SIZE=64"], 2,
         ["BLOCK_SIZE is given twice", "BLOCK_SIZE=VALUE,VALUE"]),
        (["tune", "row_rms", *SHAPE, "--jobs", "0"], 2, ["--jobs"]),
        (["verify", "row_rms", *SHAPE, "--jobs", "many"], 2, ["--jobs"]),
        (["dispatch", "row_rms", *SHAPE, "--jobs", "2"], 2, ["no option --jobs"]),
        (["tune", "row_rms", *SHAPE, "--strategy", "magic"], 2, ["--strategy magic", "exhaustive"]),
        (["tune", "row_rms", *SHAPE, "--objective", "hot"], 2, ["--objective", "cold", "warm"]),
        (["tune", "row_rms", *SHAPE, "--timeout", "soon"], 2, ["--timeout"]),
        (["tune", "row_rms", *SHAPE, "--timeout"], 2, ["--timeout"]),
        (["tune", "row_rms", *SHAPE, "--trials", "0"], 2, ["--trials"]),
        (["dispatch", "row_rms", *SHAPE, "--fix", "BLOCK_SIZE=32"], 2, ["no option --fix"]),
        (["tune", "row_rms", *SHAPE, "--device", "abacus"], 3, ["no device 'abacus'", "host"]),
        (["tune", "row_rms", *SHAPE, "--device", "host:wave48"], 2, ["host:wave48", "host:wave64"]),
        (["tune", "row_rms", *SHAPE, "--cache", "/dev/null/cache"], 2, ["/dev/null/cache", "--cache"]),
        (["tune", "row_rms", *SHAPE, "--cache", ""], 2, ["--cache"]),
        (["tune", "row_rms", *SHAPE, "--kernel-path", "/nowhere"], 2, ["--kernel-path /nowhere"]),
        (["tune", "row_rms", *SHAPE, "--kernel-path", "/dev"], 2, ["holds no kernel"]),
        (["check", "/nowhere"], 2, ["/nowhere", "no such folder"]),
        (["check", "/", "/"], 2, ["/"]),
        (["devices", "row_rms"], 2, ["row_rms"]),
        (["show", "row_rms", "--rows", "x"], 2, ["--rows x", "not a number"]),
    ]

    def test_each_is_named_and_leaves_no_trace(self):
        for words, code, phrases in self.TABLE:
            with self.subTest(" ".join(words)):
                done = self.run_hiptune(*words, expect=code, phrases=phrases)
                self.assertEqual(done.stdout, "")
        self.assertEqual(list(self.cache.glob("*/*.json")), [])

    def test_check_of_a_part_of_a_cache_names_the_whole(self):
        self.run_hiptune("check", ROOT / "README.md", expect=2, phrases=["is a file"])
        cache = self.home / "a cache"
        (cache / "device").mkdir(parents=True)
        (cache / "device" / "row_rms.json").write_text("{}")
        whole = f"give the cache's folder: hiptune check '{cache}'"
        self.run_hiptune("check", cache / "device", expect=2, phrases=["one device's folder", whole])
        self.run_hiptune("check", f"{cache}/device/", expect=2, phrases=["one device's folder", whole])
        self.run_hiptune("check", cache / "device" / "row_rms.json", expect=2, phrases=["a file of a cache", whole])
        self.run_hiptune("check", cache, expect=5)

    def test_json_reports_errors_as_well(self):
        for words in (["tnue"], ["tune", "row_rms", "--rows", "x", "--cols", "4"], ["tune", "row_rms", "--bogus"]):
            lines = self.json_of(*words, expect=2)
            self.assertEqual(list(lines[-1]), ["error"])

    def test_an_empty_cache_shows_nothing_and_says_how_to_fill_it(self):
        cache = self.home / "empty"
        said = self.run_hiptune("show", "rmsnorm", "--rows", "7", "--cache", cache, expect=1).stdout
        self.assertIn(f"`hiptune tune rmsnorm --rows 7 --cols 1024 --cache {cache}` makes one", said)
        said = self.run_hiptune("dispatch", "rmsnorm", *SHAPE, "--cache", cache).stdout
        self.assertIn(f"in {cache} and ", said)
        self.assertIn(f"make one with `hiptune tune rmsnorm --rows 4 --cols 16 --device host --cache {cache}`", said)

    def test_no_compiler_is_exit_3(self):
        for environment in ({"HIPTUNE_CXX": "nonexistent"}, {"PATH": "/nonexistent"}):
            for verb in ("tune", "verify", "dispatch"):
                self.run_hiptune(verb, "row_rms", *SHAPE, expect=3, phrases=["no C++ compiler", "g++"], **environment)
            self.assertIn("not available", self.run_hiptune("devices", **environment).stdout)

    def test_a_program_that_is_no_compiler_is_exit_3_and_the_kernel_is_not_blamed(self):
        for program in ("/bin/cat", "/bin/true"):
            for verb in ("tune", "verify", "dispatch"):
                done = self.run_hiptune(verb, "row_rms", *SHAPE, expect=3, HIPTUNE_CXX=program,
                                        phrases=[f"'{program}' cannot build a trivial", "HIPTUNE_CXX"])
                self.assertNotIn("row_rms", done.stderr)

    def test_a_compiler_without_its_parts_is_exit_3(self):
        compiler = shutil.which("c++")
        self.run_hiptune("verify", "row_rms", *SHAPE, expect=3, HIPTUNE_CXX=compiler, PATH="/nonexistent",
                         phrases=[f"'{compiler}' cannot build a trivial", "error"])

    def test_a_relative_compiler_works(self):
        script = self.home / "my-g++"
        script.write_text("#!/bin/sh\nexec c++ \"$@\"\n")
        script.chmod(0o755)
        relative = os.path.relpath(script)
        for environment in ({"HIPTUNE_CXX": relative},
                            {"HIPTUNE_CXX": "my-g++", "PATH": f"{os.path.dirname(relative)}:{os.environ['PATH']}"}):
            self.run_hiptune("verify", "row_rms", *SHAPE, "--fix", "BLOCK_SIZE=32", **environment)

    def test_a_folder_for_temporary_files_that_cannot_be_used_is_named(self):
        for verb in ("tune", "verify", "dispatch"):
            self.run_hiptune(verb, "row_rms", *SHAPE, expect=2, phrases=["/nowhere", "set TMPDIR"], TMPDIR="/nowhere")

    def test_long_words_are_cut(self):
        long = "x" * 5000
        for words in ([long], ["tune", long], ["tune", "row_rms", "--rows", long, "--cols", "4"],
                      ["tune", "row_rms", *SHAPE, "--" + long, "1"], ["tune", "row_rms", *SHAPE, "--dtype", long],
                      ["tune", "row_rms", *SHAPE, "--fix", long], ["tune", "row_rms", *SHAPE, "--fix", long + "=1"],
                      ["tune", "row_rms", *SHAPE, "--fix", "BLOCK_SIZE=" + long],
                      ["tune", "row_rms", *SHAPE, "--strategy", long]):
            done = self.run_hiptune(*words, expect=2, phrases=["xxx..."])
            self.assertLess(len(done.stderr), 1000)

    def test_no_home_is_said(self):
        self.run_hiptune("show", "row_rms", expect=2, phrases=["HIPTUNE_CACHE", "HOME"], HOME="")

    def test_results_that_cannot_be_written_are_a_failure(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run([self.program, "devices"], stdout=full, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("cannot be written", done.stderr)


if __name__ == "__main__":
    home.main()
