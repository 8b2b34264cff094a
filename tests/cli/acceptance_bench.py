#!/usr/bin/env python3
"""bench: the winner, the baselines and a copy side by side. usage: acceptance_bench.py HIPTUNE [TEST ...]"""
import home
from home import QUICK, SHAPE, Home, replace

# Making a large cache cold takes a while, so that most of these tests do without.
FEW = ["--device", "host", "--samples", "5", "--launches", "1", "--warmups", "1"]
WARM = [*FEW, "--objective", "warm"]


class Bench(Home):
    def test_the_cached_winner_is_timed_beside_baselines_and_copies_and_nothing_is_stored(self):
        self.run_hiptune("tune", "row_rms", *SHAPE, *QUICK, "--device", "host")
        before = {file: file.read_bytes() for file in self.cache.rglob("*") if file.is_file()}
        said = self.run_hiptune("bench", "row_rms", *SHAPE, *FEW).stdout
        self.assertTrue(said.startswith("row_rms rows=4 cols=16 dtype=f32 on host ("), said)
        for heading in ("name", "configuration", "cold", "spread", "warm", "bytes/s cold", "of copy cold", "vs winner cold"):
            self.assertIn(heading, said.splitlines()[1])
        self.assertRegex(said, r"\nwinner[^\n]* 1\.000\n")
        self.assertRegex(said, r"\n(winner, )?baseline ")
        self.assertRegex(said, r"\ndevice copy +- ")
        self.assertIn("winner: tuned for this very problem\n", said)
        self.assertRegex(said, r"\nyardstick cold: .*\nyardstick warm: ")
        self.assertEqual({file: file.read_bytes() for file in self.cache.rglob("*") if file.is_file()}, before)
        near = self.run_hiptune("bench", "row_rms", "--rows", "4", "--cols", "17", *WARM).stdout
        self.assertIn("winner: tuned for the nearest problem, rows=4 cols=16 dtype=f32", near)
        self.assertNotIn("cold", near)

    def test_each_problem_is_a_line_of_json_and_the_last_line_is_the_result(self):
        lines = self.json_of("bench", "row_norm2", "--rows", "3", "--cols", "8,9", *WARM, "--cache", self.home / "none")
        self.assertEqual(lines[-1], {"result": "timed", "problems": 2, "timed": 2})
        self.assertEqual([line["problem"] for line in lines[:-1]],
                         ["rows=3 cols=8 dtype=f32", "rows=3 cols=9 dtype=f32"])
        for line in lines[:-1]:
            self.assertEqual((line["choice"], line["tuned_for"]), ("fallback", ""))
            self.assertEqual(line["contenders"][0]["names"][0], "winner")
            self.assertEqual(line["contenders"][0]["warm"]["vs_winner"], {"ratio": 1.0, "lower": 1.0, "upper": 1.0})
            self.assertEqual(line["copies"][-1]["names"], ["device copy"])
            for one in line["contenders"] + line["copies"]:
                self.assertEqual(one["outcome"], "timed")
                self.assertEqual(len(one["warm"]["rounds_ns"]), 5)
                self.assertNotIn("cold", one)
            yardstick = line["copies"][line["yardstick"]["warm"]]
            self.assertEqual(yardstick["warm"]["share_of_yardstick"], 1.0)
            self.assertEqual(yardstick["warm"]["median_ns"], min(one["warm"]["median_ns"] for one in line["copies"]))
        self.assertFalse((self.home / "none").exists())

    def test_what_the_gate_rejects_is_told_and_never_timed(self):
        own = self.own_kernel("row_norm2")
        replace(own / "row_norm2.reference.hip", "double sum = 0.0;", "double sum = 1e3;")
        shape = ["--rows", "3", "--cols", "8", "--kernel-path", own]
        said = self.run_hiptune("bench", "row_norm2", *shape, *WARM, expect=1).stdout
        self.assertRegex(said, r"\nwinner[^\n]*: wrong: ")
        lines = self.json_of("bench", "row_norm2", *shape, *WARM, expect=1)
        self.assertEqual(lines[-1], {"result": "failed", "problems": 1, "timed": 0})
        for one in lines[0]["contenders"]:
            self.assertEqual(one["outcome"], "wrong")
            self.assertNotIn("warm", one)

    def test_bad_input_is_told_before_anything_runs(self):
        self.run_hiptune("bench", "row_rms", "--rows", "4", expect=2, phrases=["--cols"])
        self.run_hiptune("bench", "row_rms", *SHAPE, "--objective", "hot", expect=2, phrases=["--objective"])
        self.run_hiptune("bench", "row_rms", *SHAPE, "--device", "abacus", expect=3, phrases=["abacus"])


if __name__ == "__main__":
    home.main()
