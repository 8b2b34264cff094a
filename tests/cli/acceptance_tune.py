#!/usr/bin/env python3
"""From tuning to dispatch, with shipped kernels and a user's own. usage: acceptance_tune.py HIPTUNE [TEST ...]"""
import json
import os
import re
import shlex
import subprocess
import tempfile

import home
from home import QUICK, SHAPE, Home, replace

GATE_KERNELS = home.ROOT / "tests" / "gate" / "kernels"


class Traits(Home):
    """A kernel in 16 bits, without one of its buffers, and in place."""
    problem = ["--rows", "5", "--cols", "24", "--dtype", "f16", "--trait", "WEIGHT=none", "--trait", "IN_PLACE=yes"]
    here = ["--kernel-path", GATE_KERNELS]
    name = "rows=5 cols=24 dtype=f16 ALIGN=16 WEIGHT=none MEANS=f32 IN_PLACE=yes"

    def test_tune_show_dispatch_and_check(self):
        quick = [word if word != "BLOCK_SIZE=32" else "BLOCK_SIZE=64" for word in QUICK]
        tuned = self.run_hiptune("tune", "weigh_rows", *self.problem, *quick, *self.here, "--self-test").stdout
        self.assertIn(self.name, tuned)
        self.assertIn("stored: BLOCK_SIZE=64", tuned)
        self.assertIn("precheck on the CPU: 1 passed", tuned)
        self.assertIn(self.name, self.run_hiptune("show", "weigh_rows", *self.problem, *self.here).stdout)
        call = self.run_hiptune("dispatch", "weigh_rows", *self.problem, *self.here, "--explain").stdout
        self.assertIn(f"{self.name}: BLOCK_SIZE=64 (exact)", call)
        self.assertIn("right: largest error", call)
        apart = [word for word in self.problem if word != "IN_PLACE=yes"] + ["IN_PLACE=no"]
        call = self.run_hiptune("dispatch", "weigh_rows", *apart, *self.here).stdout
        self.assertIn("(nearest)", call)
        self.assertIn("right: largest error", call)
        self.assertIn("1 fresh, 0 stale, 0 damaged", self.run_hiptune("check", *self.here).stdout)

    def test_lists_make_each_problem_once_and_name_its_own_dtype_the_same(self):
        lists = ["--rows", "5", "--cols", "24", "--dtype", "f16,f32", "--trait", "WEIGHT=same,f32", "--trait",
                 "IN_PLACE=no,yes", "--fix", "BLOCK_SIZE=64"]
        trials = self.json_of("verify", "weigh_rows", *lists, *self.here)
        problems = [trial["problem"] for trial in trials[:-1]]
        self.assertEqual(len(problems), 2 * 2 + 2)
        self.assertEqual(len(set(problems)), len(problems))
        self.assertEqual(sum("dtype=f32" in problem and "WEIGHT=same" in problem for problem in problems), 2)
        self.assertEqual(trials[-1]["result"], "passed")

    def test_an_impossible_alignment_is_refused_and_one_for_16_bits_is_checked(self):
        shape = ["--rows", "5", "--cols", "24", "--trait", "ALIGN=2", *self.here]
        self.run_hiptune("verify", "weigh_rows", *shape, expect=2, phrases=["below the element size, 4 bytes"])
        said = self.run_hiptune("verify", "weigh_rows", *shape, "--dtype", "bf16", "--trait", "WEIGHT=f32",
                                "--precheck").stdout
        self.assertIn("2 of 2 variants passed", said)


class Acceptance(Home):
    def test_tune_show_dispatch_check_change_and_damage(self):
        own = self.own_kernel()
        here = ["--kernel-path", own]
        tuned = self.run_hiptune("tune", "row_rms", *SHAPE, *QUICK, *here).stdout
        winner = re.search(r"^stored: (.*?)( \(tied with.*)?$", tuned, re.M).group(1)
        for heading in ("configuration", "rel. error", "threads", "cold", "of copy cold", "vs serial", "vs block"):
            self.assertIn(heading, tuned)
        self.assertIn("failures: none", tuned)
        self.assertIn("yardstick: ", tuned)

        shown = self.run_hiptune("show", "row_rms", *SHAPE, *here).stdout
        self.assertIn("rows=4 cols=16 dtype=f32", shown)
        self.assertIn(winner, shown)
        self.assertFalse(shown.endswith("\n\n"))

        call = self.run_hiptune("dispatch", "row_rms", *SHAPE, *here, "--explain").stdout
        self.assertIn(f"{winner} (exact)", call)
        self.assertIn("right: largest error", call)
        near = self.run_hiptune("dispatch", "row_rms", "--rows", "5", "--cols", "17", *here, "--explain").stdout
        self.assertIn("(nearest)", near)
        self.assertIn("tuned for rows=4 cols=16", near)

        self.assertIn("1 fresh, 0 stale, 0 damaged", self.run_hiptune("check", *here).stdout)
        template = own / "row_rms.hip"
        template.write_text("// A comment.\n" + template.read_text())
        self.run_hiptune("check", *here)

        replace(template, "sum += x[c] * x[c]", "sum -= x[c] * x[c]")
        stale = self.run_hiptune("check", *here, expect=4).stdout
        self.assertIn("the template changed", stale)
        self.assertIn("run `hiptune tune row_rms --rows 4 --cols 16 --device host "
                      f"--cache {self.cache} --kernel-path {own}`\n", stale)
        fallback = self.run_hiptune("dispatch", "row_rms", *SHAPE, *here, "--explain", expect=1)
        self.assertIn("(fallback)", fallback.stdout)
        self.assertIn("WRONG", fallback.stdout)
        replace(template, "sum -= x[c] * x[c]", "sum += x[c] * x[c]")
        self.run_hiptune("check", *here)

        damaged = self.cache_file().read_text().replace("lds_tree", "lds_flee", 1).replace("serial", "cereal", 1)
        self.cache_file().write_text(damaged)
        said = self.run_hiptune("check", *here, expect=5).stdout
        self.assertIn("damaged", said)
        self.assertNotIn(" \n", said)
        self.assertIn("row_rms rows=4 cols=16 dtype=f32\n", said)
        shown = self.run_hiptune("show", "row_rms", *SHAPE, *here, expect=1).stdout
        self.assertIn(f"no sound entry for row_rms in {self.cache}; 1 is damaged", shown)
        self.assertIn(f"`hiptune check {self.cache} --kernel-path {own}`", shown)
        self.assertIn(f"`hiptune tune row_rms --rows 4 --cols 16 --cache {self.cache} --kernel-path {own}`", shown)
        self.assertEqual(self.cache_file().read_text(), damaged)
        self.run_hiptune("tune", "row_rms", *SHAPE, *QUICK, *here)
        kept = list(self.cache.glob("*/row_rms.json.damaged-*"))
        self.assertEqual([file.read_text() for file in kept], [damaged])
        self.run_hiptune("check", *here)
        self.run_hiptune("check", self.cache, *here)

    def test_an_entry_dated_in_the_future_is_replaced(self):
        cache = self.home / "ahead"
        own = self.own_kernel(folder="changing")
        here = ["--kernel-path", own, "--cache", cache]
        self.run_hiptune("tune", "row_rms", *SHAPE, *QUICK, *here)
        file = next(cache.glob("*/row_rms.json"))
        date = json.loads(file.read_text())["entries"][0]["provenance"]["date"]
        self.change_entry(file, date, "2099-01-01T00:00:00.000Z")
        self.run_hiptune("check", *here)
        replace(own / "row_rms.hip", "sum += x[c] * x[c]", "sum += 1.0f * x[c] * x[c]")
        self.run_hiptune("check", *here, expect=4)
        stored = self.json_of("tune", "row_rms", *SHAPE, *QUICK, *here)[-1]
        self.assertEqual(stored["result"], "stored")
        self.assertEqual(stored["entry"]["provenance"]["revision"], 1)
        self.assertEqual(json.loads(file.read_text())["entries"], [stored["entry"]])
        self.run_hiptune("check", *here)

        # Where even a revision cannot win, tune does not claim that it stored.
        self.change_entry(file, '"revision":1,', '"revision":1000000000,')
        self.change_entry(file, stored["entry"]["provenance"]["date"], "2099-01-01T00:00:00.000Z")
        lost = self.run_hiptune("tune", "row_rms", *SHAPE, *QUICK[2:], *here, expect=1, phrases=["readers of", "2099"])
        self.assertNotIn("stored: ", lost.stdout)


class ShippedRmsnorm(Home):
    """The large space: searched in part unless one asks for all of it."""
    few = ["--samples", "5", "--launches", "1", "--warmups", "1", "--processes", "1", "--precheck", "none"]
    problem = ["--rows", "4", "--cols", "64", "--dtype", "bf16", "--trait", "WEIGHT=f32", "--trait", "IN_PLACE=yes"]
    name = "rows=4 cols=64 dtype=bf16 WEIGHT=f32 ALIGN=16 IN_PLACE=yes"

    def test_some_trials_are_a_part_and_dispatch_takes_what_they_found(self):
        tuned = self.run_hiptune("tune", "rmsnorm", *self.problem, *self.few, "--trials", "4", "--device", "host").stdout
        self.assertIn(self.name, tuned)
        self.assertRegex(tuned, r"tries 4 of \d{3,4} valid configurations, strategy covering, as --trials says\n")
        self.assertRegex(tuned, r"searched: 4 of \d{3,4} valid configurations, strategy covering, as --trials says\n")
        for baseline in ("serial", "block", "unfused"):
            self.assertIn(f"baseline {baseline}", tuned)
        self.assertIn("failures: none", tuned)
        self.assertIn("stored: SCHEME=", tuned)
        call = self.run_hiptune("dispatch", "rmsnorm", *self.problem).stdout
        self.assertIn("(exact)", call)
        self.assertIn("right: largest error", call)
        self.assertIn("1 fresh, 0 stale, 0 damaged", self.run_hiptune("check").stdout)

    def test_a_part_of_the_space_that_is_small_is_searched_entirely(self):
        lines = self.json_of("tune", "rmsnorm", *self.problem, *self.few, "--fix", "SCHEME=fused", "--fix",
                             "REREAD=yes", "--fix", "HINT=none", "--fix", "UNROLL=1", "--fix", "ROW_THREADS=64,128",
                             "--cache", self.home / "small")
        result = lines[-1]
        self.assertEqual((result["result"], result["strategy"]), ("stored", "exhaustive"))
        self.assertEqual(result["trials"], result["candidates"])
        self.assertGreaterEqual(result["trials"], 2)

    def test_by_default_a_large_space_is_covered_in_part(self):
        """Stopped when it says so: what follows takes a minute."""
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.home), "TMPDIR": tempfile.gettempdir()}
        words = [self.program, "tune", "rmsnorm", "--rows", "4", "--cols", "4096", "--device", "host", "--cache",
                 self.home / "large"]
        run = subprocess.Popen(words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            said = run.stdout.readline() + run.stdout.readline()
        finally:
            run.terminate()
            run.stdout.close()
            run.wait()
        self.assertRegex(said, r"tries 16 of \d{3,4} valid configurations, strategy covering; "
                               r"--strategy exhaustive tries all\n$")


class OwnKernel(Home):
    def test_a_new_kernel_tunes_with_no_rebuild(self):
        own = self.own_kernel("row_norm2")
        for file in list(own.iterdir()):
            text = file.read_text().replace("row_norm2", "brand_new")
            (own / file.name.replace("row_norm2", "brand_new")).write_text(text)
            file.unlink()
        space = json.loads((own / "brand_new.json").read_text())
        shape = [word for name in space["dimensions"] for word in (f"--{name}", "8")]
        fixed = [f"{name}={tunable['values'][0]}" for name, tunable in space["tunables"].items()][1:]
        options = [word for one in fixed for word in ("--fix", one)] + QUICK[2:]
        tuned = self.run_hiptune("tune", "brand_new", *shape, *options, "--kernel-path", own).stdout
        self.assertIn("stored: ", tuned)
        self.run_hiptune("dispatch", "brand_new", *shape, "--kernel-path", own)
        self.run_hiptune("tune", "brand_new", *shape, expect=2, phrases=["no kernel \"brand_new\""])
        unknown = self.run_hiptune("check", expect=4).stdout
        self.assertTrue(unknown.startswith("unknown "))
        self.assertIn("add --kernel-path FOLDER", unknown)
        self.assertIn("0 fresh, 0 stale, 0 damaged, 1 of unknown kernels", unknown)
        self.assertEqual(self.json_of("check", expect=4)[-1]["result"], "unknown")

        # A dimension gets another name: the command that check gives puts an end to the stale entry.
        name = next(iter(space["dimensions"]))
        for file in own.iterdir():
            file.write_text(re.sub(rf"\b{name}\b", "lines", file.read_text()))
        stale = self.run_hiptune("check", "--kernel-path", own, expect=4).stdout
        command = re.search(r"run `hiptune (tune .*)`", stale).group(1)
        self.assertIn("--lines 8", command)
        self.run_hiptune(*shlex.split(command), *options)
        self.assertIn("1 fresh, 0 stale", self.run_hiptune("check", "--kernel-path", own).stdout)

        # The problem is gone: only pruning does.
        replace(own / "brand_new.json", '"minimum": 1', '"minimum": 9')
        stale = self.run_hiptune("check", "--kernel-path", own, expect=4).stdout
        command = re.search(r"run `hiptune (check .* --prune.*)`", stale).group(1)
        self.run_hiptune("check", "--prune", expect=4)  # of a kernel that is not found nothing is removed
        pruned = self.run_hiptune(*shlex.split(command)).stdout
        self.assertTrue(pruned.startswith("pruned "))
        self.assertIn("0 fresh, 0 stale, 0 damaged; 1 pruned", pruned)

    def test_a_template_that_does_not_compile_shows_its_own_line(self):
        own = self.own_kernel(folder="broken")
        lines = (own / "row_rms.hip").read_text().splitlines()
        lines.insert(4, "int oops = this_is_not_declared;")
        (own / "row_rms.hip").write_text("\n".join(lines) + "\n")
        done = self.run_hiptune("tune", "row_rms", *SHAPE, *QUICK, "--kernel-path", own, expect=1)
        self.assertRegex(done.stdout, r"row_rms\.hip:5:\d+: error: .*this_is_not_declared")
        self.assertRegex(done.stdout, r"failures: \d+ compile_failed")
        self.assertIn("nothing was stored", done.stdout)
        self.assertEqual(list(self.cache.glob("*/row_rms.json")), [])

    def test_a_name_that_shadows_another_is_told_once(self):
        own = self.own_kernel("row_norm2", folder="shadow")
        options = ["verify", "row_norm2", *SHAPE, "--fix", "BLOCK_SIZE=64"]
        done = self.run_hiptune(*options, "--kernel-path", own, phrases=[f"taken from {own}/row_norm2.hip", "shadows"])
        self.assertEqual(done.stderr.count("shadows"), 1)
        done = self.run_hiptune(*options, HIPTUNE_KERNEL_PATH=str(own), phrases=[f"shadows {own}/row_norm2.hip"])
        self.assertEqual(done.stderr.count("shadows"), 1)
        self.assertEqual(self.run_hiptune(*options).stderr, "")

    def test_a_crash_is_told_once_per_trial(self):
        own = self.own_kernel(folder="crash")
        replace(own / "row_rms.hip", "extern \"C\" __global__", "extern \"C\" void _exit(int);\nextern \"C\" __global__")
        body = re.compile(r"(extern \"C\" __global__[^{]*\{)")
        template = own / "row_rms.hip"
        template.write_text(body.sub(r"\1 _exit(3);", template.read_text(), count=1))
        done = self.run_hiptune("verify", "row_rms", *SHAPE, "--fix", "BLOCK_SIZE=32", "--fix", "REDUCTION=serial",
                                "--kernel-path", own, expect=1)
        self.assertIn("crashed", done.stdout)
        self.assertNotIn("exited with code", done.stderr)

    def test_hip_s_own_names_are_answered_with_the_device_layer_s(self):
        own = self.own_kernel(folder="shared")
        template = own / "row_rms.hip"
        template.write_text(template.read_text() + "__global__ void f() { __shared__ int lds[4]; __syncthreads(); }\n")
        done = self.run_hiptune("verify", "row_rms", *SHAPE, "--fix", "BLOCK_SIZE=32", "--kernel-path", own, expect=1)
        self.assertIn("hint: instead of __shared__ hiptune_device.h has hiptune::dynamic_lds<T>()", done.stdout)
        self.assertIn("hint: instead of __syncthreads hiptune_device.h has hiptune::barrier()", done.stdout)


if __name__ == "__main__":
    home.main()
