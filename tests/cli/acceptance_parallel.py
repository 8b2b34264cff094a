#!/usr/bin/env python3
"""Compiling in several processes, and what later problems and runs find compiled. usage: acceptance_parallel.py HIPTUNE
[TEST ...]"""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import time

import home
from home import SHAPE, Home, made_up_gpu

# A search that ends soon, over a part of the space that lists say.
FEW = ["--fix", "BLOCK_SIZE=128,64", "--fix", "REDUCTION=lds_tree,serial"]
QUICK = ["--samples", "5", "--launches", "1", "--warmups", "1", "--processes", "1"]
TRIALS = [f"REDUCTION={reduction} BLOCK_SIZE={block}" for reduction in ("serial", "lds_tree") for block in (64, 128)]
VARIANTS = 4 + 2 + 1  # those, the baselines and the fallback


def wait_until(condition):
    for _ in range(6000):
        if condition():
            return True
        time.sleep(0.01)
    return False


def is_running(process):
    try:
        state = pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


class WithCompiler(Home):
    def compiler(self, name, body=""):
        """A compiler that notes the sources that it compiles, one a line. Returns the environment and the notes."""
        script, notes = self.home / name, self.home / f"{name}.notes"
        script.write_text(f"""#!/bin/sh
for word; do case "$word" in *.hip|*.cpp) echo "$word" >> {notes}; {body} ;; esac; done
exec c++ "$@"
""")
        script.chmod(0o755)
        notes.touch()
        return {"HIPTUNE_CXX": str(script)}, notes

    def one_copy(self):
        """The option for a yardstick of one configuration: what these tests are about is elsewhere."""
        folder = self.home / "copy"
        if not folder.exists():
            self.own_kernel("copy", "copy")
            space = json.loads((folder / "copy.json").read_text())
            for name, tunable in space["tunables"].items():
                if name != "HINT":  # the template names both of its values
                    tunable["values"] = [space["fallback"][name]]
            space["constraints"].append({"require": "HINT == HINT.none", "reason": "one is enough"})
            space["baselines"] = {"only": space["fallback"]}
            (folder / "copy.json").write_text(json.dumps(space))
        return ["--kernel-path", folder]

    @staticmethod
    def forget_results(cache):
        """All but what was compiled: neither code of winners nor an entry that is faster is then in the way."""
        for folder in cache.iterdir():
            if folder.name != "compiled":
                shutil.rmtree(folder)

    @staticmethod
    def configs(lines):
        return [" ".join(f"{name}={value}" for name, value in line["trial"]["config"].items())
                for line in lines if "trial" in line]


class SharedCode(WithCompiler):
    def test_another_shape_compiles_nothing_in_this_run_and_in_the_next(self):
        environment, notes = self.compiler("counting")
        options = [*FEW, *QUICK, *self.one_copy(), "--cache", self.home / "shapes"]
        self.run_hiptune("tune", "row_norm2", "--rows", "4", "--cols", "16,32", *options, "--jobs", "2", **environment)
        compiled = notes.read_text().splitlines()
        # Each once as it is, and once more to be watched.
        self.assertEqual(compiled.count("row_norm2.hip"), 2 * VARIANTS, compiled)
        self.assertEqual(compiled.count("row_norm2.reference.hip"), 1, compiled)
        self.assertEqual(compiled.count("hiptune_check.hip"), 1, compiled)
        self.run_hiptune("tune", "row_norm2", "--rows", "5", "--cols", "64", *options, **environment)
        self.assertEqual(notes.read_text().splitlines(), compiled)

    def test_what_was_compiled_can_be_deleted_or_damaged(self):
        environment, notes = self.compiler("mending")
        cache = self.home / "mended"
        words = ["tune", "row_norm2", *SHAPE, "--fix", "BLOCK_SIZE=64", "--fix", "REDUCTION=serial", *QUICK,
                 *self.one_copy(), "--precheck", "none", "--cache", cache]
        self.run_hiptune(*words, **environment)
        compiled = len(notes.read_text().splitlines())
        code = list((cache / "compiled").rglob("*.code"))
        self.assertEqual(len(code), compiled)
        for file in code:
            file.write_bytes(file.read_bytes()[:-1] + b"?")
        self.forget_results(cache)
        self.run_hiptune(*words, **environment)
        self.assertEqual(len(notes.read_text().splitlines()), 2 * compiled)
        shutil.rmtree(cache / "compiled")
        self.forget_results(cache)
        self.run_hiptune(*words, **environment)
        self.assertEqual(len(notes.read_text().splitlines()), 3 * compiled)


class Jobs(WithCompiler):
    def test_the_trials_do_not_depend_on_the_jobs(self):
        searches = []
        for jobs in ("1", "3"):
            lines = self.json_of("tune", "row_norm2", *SHAPE, *FEW, *QUICK, "--strategy", "random", "--seed", "7",
                                 "--precheck", "none", *self.one_copy(), "--jobs", jobs,
                                 "--cache", self.home / f"jobs{jobs}")
            self.assertEqual({line["trial"]["outcome"] for line in lines if "trial" in line}, {"timed"})
            self.assertTrue(all(line["trial"]["compile_seconds"] > 0 for line in lines if "trial" in line))
            journal, = (self.home / f"jobs{jobs}" / "journal").iterdir()
            events = [json.loads(line) for line in journal.read_text().splitlines()]
            searches.append((self.configs(lines), [next(iter(event)) for event in events], self.configs(events)))
        self.assertEqual(searches[0], searches[1])
        self.assertLessEqual(set(TRIALS), set(searches[0][0]))

    def test_a_list_of_values_is_gone_through_in_the_space_s_order(self):
        lines = self.json_of("verify", "row_norm2", *SHAPE, *FEW)
        self.assertEqual(self.configs(lines), TRIALS)
        lines = self.json_of("compile", "row_norm2", *SHAPE, *FEW)
        self.assertEqual([" ".join(f"{name}={value}" for name, value in line["config"].items()) for line in lines[:-1]],
                         TRIALS)

    def test_a_compiler_that_hangs_costs_its_variant(self):
        hangs = 'if grep -q "BLOCK_SIZE = 64;" hiptune_config.h; then sleep 1000; fi'
        environment, _ = self.compiler("hanging", hangs)
        for jobs in ("1", "3"):
            lines = self.json_of("verify", "row_norm2", *SHAPE, "--fix", "BLOCK_SIZE=64,128,256", "--fix",
                                 "REDUCTION=serial", "--timeout", "10", "--jobs", jobs, expect=1, **environment)
            trials = [line["trial"] for line in lines if "trial" in line]
            self.assertEqual([trial["outcome"] for trial in trials], ["timed_out", "passed", "passed"])
            self.assertIn("compile took longer than 10 s", trials[0]["detail"])

    def test_a_compiler_that_aborts_costs_its_variant_and_the_order_stays(self):
        words = ["compile", "row_norm2", *SHAPE, "--fix", "REDUCTION=serial", "--arch", "gfxaborts"]
        runs = []
        for jobs in ("1", "4"):
            lines = self.json_of(*words, "--jobs", jobs, expect=1, **made_up_gpu())
            runs.append([(line["config"], line["outcome"], line["isa_hash"]) for line in lines[:-1]])
        self.assertEqual(runs[0], runs[1])
        self.assertEqual([outcome for _, outcome, _ in runs[0]].count("crashed"), 1)

    def test_a_run_that_is_killed_leaves_no_compiler_and_no_files(self):
        for ending in (signal.SIGKILL, signal.SIGINT, signal.SIGTERM):
            folder = self.home / f"temporary{ending}"
            folder.mkdir()
            processes = self.home / f"processes{ending}"
            environment, _ = self.compiler(f"lasting{ending}", f"""
if [ "$word" = row_norm2.hip ]; then echo $$ >> {processes}; exec sleep 1000; fi""")
            environment |= {"PATH": os.environ["PATH"], "HOME": str(self.home), "TMPDIR": str(folder)}
            run = subprocess.Popen([self.program, "verify", "row_norm2", *SHAPE, "--jobs", "3"], env=environment,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            try:
                self.assertTrue(wait_until(lambda: processes.exists() and len(processes.read_text().split()) == 3))
            finally:
                run.send_signal(ending)
                run.wait()
            for process in processes.read_text().split():
                self.assertTrue(wait_until(lambda: not is_running(process)), "a compiler goes on")
            self.assertTrue(wait_until(lambda: not any(folder.iterdir())), list(folder.iterdir()))


if __name__ == "__main__":
    home.main()
