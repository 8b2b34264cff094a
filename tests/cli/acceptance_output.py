#!/usr/bin/env python3
"""--json and --help. usage: acceptance_output.py HIPTUNE [TEST ...]"""
import os
import subprocess

import home
from home import QUICK, SHAPE, VERBS, Home, replace


class Json(Home):
    def test_the_last_line_of_each_verb_is_its_result(self):
        self.assertIn("backends", self.json_of("devices")[-1])
        tuned = self.json_of("tune", "row_rms", *SHAPE, *QUICK)
        self.assertEqual(tuned[-1]["result"], "stored")
        self.assertEqual(tuned[-1]["problem"], "rows=4 cols=16 dtype=f32")
        self.assertEqual(len([line for line in tuned if "trial" in line and "baseline" not in line]), 3)
        self.assertTrue(any("yardstick" in line for line in tuned))
        self.assertEqual({line["problem"] for line in tuned}, {"rows=4 cols=16 dtype=f32"})
        shown = self.json_of("show", "row_rms")
        self.assertEqual(shown[0]["entry"], tuned[-1]["entry"])
        self.assertEqual(shown[-1], {"result": "found", "entries": 1})
        self.assertEqual(self.json_of("show", "row_rms", "--rows", "5", expect=1)[-1]["result"], "none")
        self.assertEqual(self.json_of("show", "row_rms", "--device", "host")[-1]["entries"], 1)
        self.assertEqual(self.json_of("show", "row_rms", "--device", "host:wave64", expect=1)[-1]["entries"], 0)
        call = self.json_of("dispatch", "row_rms", *SHAPE)
        self.assertEqual((call[0]["choice"], call[-1]["result"]), ("exact", "right"))
        checked = self.json_of("check")
        self.assertEqual(checked[-1], {"result": "fresh", "fresh": 1, "stale": 0, "unknown": 0, "damaged": 0})
        verified = self.json_of("verify", "row_rms", *SHAPE, "--fix", "BLOCK_SIZE=32")
        self.assertEqual({line["problem"] for line in verified[:-1]}, {"rows=4 cols=16 dtype=f32"})
        self.assertEqual(verified[-1], {"result": "passed", "passed": 3, "variants": 3, "rejected": 0, "failures": "none"})

    def test_lists_and_doubling_ranges_make_every_combination(self):
        lines = self.json_of("dispatch", "row_rms", "--rows", "1..5", "--cols", "7,9")
        self.assertEqual([line["problem"] for line in lines[:-1]],
                         [f"rows={rows} cols={cols} dtype=f32" for rows in (1, 2, 4, 5) for cols in (7, 9)])
        self.assertEqual(lines[-1], {"result": "right", "calls": 8, "right": 8})

    def test_a_wrong_variant_fails_verify(self):
        own = self.own_kernel()
        replace(own / "row_rms.hip", "lds[thread] += lds[thread + stride];", "lds[thread] -= lds[thread + stride];")
        lines = self.json_of("verify", "row_rms", *SHAPE, "--fix", "BLOCK_SIZE=32", "--kernel-path", own, expect=1)
        self.assertEqual(lines[-1], {"result": "failed", "passed": 2, "variants": 3, "rejected": 0, "failures": "1 wrong"})


class StandardStreams(Home):
    def test_closed_ones_are_not_taken_for_what_is_opened_next(self):
        for stream in (0, 1, 2):
            done = subprocess.run([self.program, "verify", "row_norm2", *SHAPE, "--fix", "BLOCK_SIZE=64", "--device", "host"],
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                  env={"PATH": os.environ["PATH"], "HOME": str(self.home)},
                                  preexec_fn=lambda: os.close(stream))
            self.assertEqual((done.returncode, done.stderr), (0, ""), stream)
            self.assertEqual("3 of 3 variants passed" in done.stdout, stream != 1)

    def test_a_compiler_s_name_that_is_no_utf_8_is_bad_input(self):
        self.run_hiptune("devices", expect=2, phrases=["HIPTUNE_CXX", "is not UTF-8"],
                         HIPTUNE_CXX=b"/usr/bin/\xff".decode(errors="surrogateescape"))


class Help(Home):
    def test_check_has_no_device_and_says_why(self):
        text = self.run_hiptune("check", "--help").stdout
        self.assertIn("every device", text)
        self.assertNotIn("--device ", text.replace("there is no --device.", ""))

    def test_each_verb_tells_its_options(self):
        overview = self.run_hiptune("--help").stdout
        for verb in VERBS:
            self.assertIn(f"  {verb} ", overview)
            text = self.run_hiptune(verb, "--help").stdout
            self.assertIn(f"Usage: hiptune {verb}", text)
            self.assertIn("--json", text)
        self.assertNotIn("worker", overview)

    def test_with_a_kernel_its_dimensions_and_tunables_are_told(self):
        for verb in ("tune", "verify", "show", "dispatch"):
            text = self.run_hiptune(verb, "rmsnorm", "--help").stdout
            self.assertIn("--rows", text)
            self.assertIn("--cols", text)
        text = self.run_hiptune("tune", "rmsnorm", "--help").stdout
        self.assertIn("SCHEME is one of fused, split, serial, block, unfused", " ".join(text.split()))
        self.assertIn("MIN_BLOCKS is one of 1, 2, 3, 4, 8, 16", " ".join(text.split()))

    def test_how_far_a_search_goes_by_default_is_told(self):
        text = " ".join(self.run_hiptune("tune", "--help").stdout.split())
        self.assertIn("exhaustive where at most 256 configurations are valid, else covering", text)
        self.assertIn("where more than 256 are valid, 256 on a GPU and 16 on the CPU", text)

    def test_help_of_a_kernel_is_told(self):
        self.assertIn("KERNEL --help", self.run_hiptune("tune", "--help").stdout)

    def test_the_version_is_told(self):
        self.assertRegex(self.run_hiptune("--version").stdout, r"^hiptune \d+\.\d+\.\d+\n$")


if __name__ == "__main__":
    home.main()
