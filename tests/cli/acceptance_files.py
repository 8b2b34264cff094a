#!/usr/bin/env python3
"""Bad space files and bad caches. usage: acceptance_files.py HIPTUNE [TEST ...]"""
import json
import os

import home
from home import QUICK, SHAPE, Home, replace


class BadSpaces(Home):
    # what is replaced in row_rms.json, and phrases of the error
    TABLE = [
        ('"kernel": "row_rms",', '"kernel": "row_rms"', ["row_rms.json", "line", "column"]),
        ('"description": "y[r', '"descripton": "y[r', ["row_rms.json", "descripton"]),
        ('"ceil_div(rows, REDUCTION', '"ceil_div(rows, REDUCTIONS', ["/plan/0/grid", "REDUCTIONS", "did you mean"]),
        ('"constraints": [', '"constraints": [{"require": "rows > 4", "reason": "why"},',
         ["/constraints/0", "batch dimension \"rows\""]),
        ('"constraints": [', '"constraints": [{"require": "BLOCK_SIZE > 4096", "reason": "too small"},',
         ["no valid configuration", "too small"]),
        ('"schema_version": 1', '"schema_version": 2', ["schema_version"]),
    ]

    def test_each_names_the_file_and_the_place(self):
        for number, (old, new, phrases) in enumerate(self.TABLE):
            with self.subTest(new):
                own = self.own_kernel(folder=f"space{number}")
                replace(own / "row_rms.json", old, new)
                self.run_hiptune("tune", "row_rms", *SHAPE, "--kernel-path", own, expect=2, phrases=phrases)

    def test_an_empty_file_is_said_to_be_empty(self):
        own = self.own_kernel(folder="empty")
        for name in ("row_rms.hip", "row_rms.json"):
            text = (own / name).read_text()
            (own / name).write_text("")
            self.run_hiptune("tune", "row_rms", *SHAPE, "--kernel-path", own, expect=2,
                             phrases=[f"{own / name}: the file is empty"])
            (own / name).write_text(text)

    def test_an_expression_without_a_value_names_the_configuration(self):
        own = self.own_kernel(folder="novalue")
        replace(own / "row_rms.json", '"constraints": [',
                '"constraints": [{"require": "cols / (BLOCK_SIZE - 64) < 1e9", "reason": "why"},')
        self.run_hiptune("tune", "row_rms", *SHAPE, "--kernel-path", own, expect=2,
                         phrases=["/constraints/0/require", "division by zero", "for REDUCTION=serial BLOCK_SIZE=64"])

    def test_a_constraint_that_this_problem_breaks_is_told(self):
        own = self.own_kernel()
        replace(own / "row_rms.json", '"constraints": [',
                '"constraints": [{"require": "BLOCK_SIZE == 256 || cols > 64", "reason": "few columns"},')
        self.run_hiptune("tune", "row_rms", *SHAPE, "--fix", "BLOCK_SIZE=32", "--kernel-path", own, expect=2,
                         phrases=["no valid configuration", "few columns"])


class BadCaches(Home):
    def test_none_is_lost_or_overwritten(self):
        self.run_hiptune("tune", "row_rms", *SHAPE, *QUICK)
        sound = self.cache_file().read_text()
        newer = sound.replace('"schema_version":2', '"schema_version":99')
        self.assertNotEqual(newer, sound)

        self.cache_file().write_text(newer)
        self.run_hiptune("tune", "row_rms", *SHAPE, *QUICK, expect=2, phrases=["row_rms.json", "newer"])
        self.assertEqual(self.cache_file().read_text(), newer)
        self.run_hiptune("check", expect=5)
        self.run_hiptune("show", "row_rms", expect=2, phrases=["newer"])
        self.assertIn("(fallback)", self.run_hiptune("dispatch", "row_rms", *SHAPE).stdout)
        self.assertEqual(self.cache_file().read_text(), newer)

        for damaged in (sound[:len(sound) // 2], "not JSON", ""):
            self.cache_file().write_text(damaged)
            self.run_hiptune("check", expect=5)
            self.run_hiptune("show", "row_rms", expect=1, phrases=["row_rms.json"])
            call = self.run_hiptune("dispatch", "row_rms", *SHAPE).stdout
            self.assertIn("(fallback)", call)
            self.assertIn("row_rms.json", call)
            self.assertEqual(self.cache_file().read_text(), damaged)

    def damage_of(self, *words):
        """The reasons of check's damaged lines."""
        *lines, result = self.json_of("check", *words, expect=5)
        self.assertEqual(result["result"], "damaged")
        return [reason for line in lines if line["freshness"] == "damaged" for reason in line["reasons"]]

    def fresh_cache(self, name):
        """A cache folder of its own with one entry."""
        cache = self.home / name
        self.run_hiptune("tune", "row_rms", *SHAPE, *QUICK, "--cache", cache)
        return cache, next(cache.glob("*/row_rms.json"))

    def test_a_fifo_in_place_of_the_file_is_named_at_once(self):
        cache, file = self.fresh_cache("fifo")
        file.unlink()
        os.mkfifo(file)
        said = f"{file}: is not a regular file but a FIFO"
        self.assertEqual(self.damage_of(cache), [f"{said}: move it elsewhere"])
        self.run_hiptune("show", "row_rms", "--cache", cache, expect=1, phrases=[said])
        self.run_hiptune("tune", "row_rms", *SHAPE, *QUICK, "--cache", cache, expect=1, phrases=[said])
        self.assertIn(said, self.run_hiptune("dispatch", "row_rms", *SHAPE, "--cache", cache).stdout)
        self.assertTrue(file.is_fifo())

    def test_a_link_in_place_of_the_file_stays_and_is_followed(self):
        cache, file = self.fresh_cache("linked")
        target = self.home / "shared.json"
        file.rename(target)
        file.symlink_to(target)
        self.run_hiptune("tune", "row_rms", "--rows", "5", "--cols", "16", *QUICK, "--cache", cache)
        self.assertEqual(os.readlink(file), str(target))
        self.assertEqual(len(json.loads(target.read_text())["entries"]), 2)

    def test_what_is_no_cache_is_one_line_each(self):
        cache, file = self.fresh_cache("strange")
        for name, content in (("foreign.json", b'{"name": "a package",\n "version": 1}'),
                              ("random.json", bytes(range(256)) * 999), ("long.json", b'"' + b"x" * 999_999)):
            (file.parent / name).write_bytes(content)
        (file.parent / "row_rms.segments" / "renamed.jsn").write_bytes(b"{}")
        (file.parent / "row_rms.segments" / ".DS_Store").write_bytes(b"")
        reasons = self.damage_of(cache)
        for name, phrase in zip(("foreign", "long", "random", "renamed"),
                                ("is JSON, but no hiptune cache: no /about", "not valid JSON: column",
                                 "not valid JSON: column", "an unknown file among the segments")):
            of_file = [reason for reason in reasons if f"/{name}.js" in reason]
            self.assertEqual(len(of_file), 1, reasons)
            self.assertIn(phrase, of_file[0])
            self.assertLess(len(of_file[0]), 700)
        self.assertEqual(len(reasons), 4)
        self.assertLess(len(self.run_hiptune("check", cache, expect=5).stdout.splitlines()), 12)


if __name__ == "__main__":
    home.main()
