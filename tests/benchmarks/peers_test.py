#!/usr/bin/env python3
"""What benchmarks/peers.py does without a GPU: plans, statistics, tables, files, options, and hiptune's C interface from
Python. usage: peers_test.py LIBHIPTUNE [TEST ...]"""
import array
import contextlib
import ctypes
import io
import json
import math
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "benchmarks"))
import peers  # noqa: E402

LIBRARY = sys.argv.pop(1)


def times(*rounds_us):
    return peers.summarize(list(rounds_us))


def result_of(contenders, dtype="f32"):
    return {"rows": 8, "cols": 16, "dtype": dtype, "contenders": contenders}


def refusal_of(words):
    """What argparse says to stderr."""
    said = io.StringIO()
    with contextlib.redirect_stderr(said):
        try:
            peers.parse_options(["--library", LIBRARY, *words])
        except SystemExit:
            return said.getvalue()
    return None


class Plans(unittest.TestCase):
    def test_sets_exceed_the_cache_three_times(self):
        sets = peers.plan_sets(1000, 10_000, 1e9, 2048)
        self.assertEqual(sets, 30)
        self.assertTrue(peers.exceeds_cache(sets, 1000, 10_000))
        self.assertFalse(peers.exceeds_cache(sets - 1, 1000, 10_000))

    def test_sets_keep_to_memory_and_number_and_are_two_at_least(self):
        self.assertEqual(peers.plan_sets(1000, 10_000, 12_345, 2048), 12)
        self.assertEqual(peers.plan_sets(1000, 10_000, 1e9, 7), 7)
        self.assertEqual(peers.plan_sets(10**9, 10_000, 1e9, 2048), 2)

    def test_a_set_is_two_matrices_and_a_row(self):
        self.assertEqual(peers.set_bytes(3, 5, "f32"), (15 + 15 + 5) * 4)
        self.assertEqual(peers.set_bytes(3, 5, "bf16"), (15 + 15 + 5) * 2)

    def test_launches_are_whole_rotations_that_last_long_enough(self):
        self.assertEqual(peers.plan_launches(7, 1e-5, 1e-3), 105)
        self.assertEqual(peers.plan_launches(1, 1e-5, 1e-3), 100)
        self.assertEqual(peers.plan_launches(500, 1e-2, 1e-3), 500)
        self.assertEqual(peers.plan_launches(1, 0, 1e-3, most_launches=64), 64)

    def test_every_round_has_everybody_in_an_order_of_its_own_that_the_seed_repeats(self):
        orders = peers.shuffled_orders("abcdef", 50, 1)
        self.assertEqual({"".join(sorted(order)) for order in orders}, {"abcdef"})
        self.assertGreater(len({tuple(order) for order in orders}), 40)
        self.assertEqual(orders, peers.shuffled_orders("abcdef", 50, 1))
        self.assertNotEqual(orders, peers.shuffled_orders("abcdef", 50, 2))

    def test_shapes_are_those_given_or_the_list_with_more_for_16_bits(self):
        self.assertEqual(peers.shapes_for("f32", [(1, 2)]), [(1, 2)])
        self.assertNotIn((16384, 8192), peers.shapes_for("f32", None))
        self.assertIn((16384, 8192), peers.shapes_for("f16", None))
        self.assertEqual(len(peers.shapes_for("bf16", None)), 13)


class Statistics(unittest.TestCase):
    def test_ratios_are_of_rounds_so_that_drift_does_not_count(self):
        self.assertAlmostEqual(peers.median_ratio([2, 20, 200], [1, 10, 100]), 2)
        with self.assertRaises(ValueError):
            peers.median_ratio([1, 2], [1])

    def test_a_summary_has_median_spread_and_rounds(self):
        summary = peers.summarize([1, 2, 3, 4, 5])
        self.assertEqual((summary["median_us"], summary["spread_us"]), (3, 1))
        self.assertEqual(peers.summarize([7.0])["spread_us"], 0)

    def test_the_best_peer_is_neither_hiptune_nor_the_copy_nor_one_that_failed(self):
        contenders = {"hiptune": {"cold": times(10, 20)}, "torch copy": {"cold": times(5, 10)},
                      "hiptune block": {"cold": times(1, 2)}, "triton 4 warps": {"cold": times(12, 24)},
                      "torch.compile": {"cold": times(11, 22)}, "triton 8 warps": {"failure": "no"}}
        name, ratio = peers.best_peer(result_of(contenders), "cold")
        self.assertEqual(name, "torch.compile")
        self.assertAlmostEqual(ratio, 1.1)
        self.assertAlmostEqual(peers.share_of_copy(result_of(contenders), "cold"), 0.5)
        contenders["copy kernel"] = {"cold": times(4, 8)}
        self.assertAlmostEqual(peers.share_of_copy(result_of(contenders), "cold"), 0.4)

    def test_without_hiptune_or_a_copy_there_are_no_ratios(self):
        contenders = {"hiptune": {"failure": "no"}, "torch.compile": {"cold": times(1)}}
        self.assertIsNone(peers.best_peer(result_of(contenders), "cold"))
        self.assertIsNone(peers.share_of_copy(result_of(contenders), "cold"))
        self.assertIsNone(peers.best_peer(result_of({"hiptune": {"cold": times(1)}}), "cold"))


class Tables(unittest.TestCase):
    REPORT = {"also": ["hiptune block"], "results": [
        result_of({"hiptune": {"cold": times(10.0), "warm": times(1234.5)}, "torch copy": {"cold": times(8.0)},
                   "hiptune block": {"cold": times(99.999)}, "triton 4 warps": {"failure": "out of resources"},
                   "torch rms_norm": {"cold": times(15.0), "warm": times(123.45)}}),
        result_of({}, dtype="bf16")]}

    def test_each_dtype_has_a_cold_and_a_warm_one_with_a_dash_where_nothing_was_timed(self):
        text = peers.tables_of(self.REPORT)
        self.assertEqual([line for line in text.splitlines() if line.startswith("###")],
                         ["### f32, cold", "### f32, warm", "### bf16, cold", "### bf16, warm"])
        self.assertIn("| 8x16 | 10.00 | 100.00 | - | - | 15.00 | - | - | - | 8.00 | 1.500 (torch rms_norm) | 0.800 |", text)
        self.assertIn("| 8x16 | 1234 | - | - | - | 123.5 | - | - | - | - | 0.100 (torch rms_norm) | - |", text)
        widths = {line.count("|") for line in text.splitlines() if line.startswith("|")}
        self.assertEqual(len(widths), 1)

    def test_a_report_is_written_whole_and_rendered_again(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "report.json"
            peers.write_report(file, {"also": [], "results": []})
            peers.write_report(file, self.REPORT)
            self.assertEqual(json.loads(file.read_text()), self.REPORT)
            self.assertEqual(list(pathlib.Path(folder).iterdir()), [file])
            said = io.StringIO()
            with contextlib.redirect_stdout(said):
                self.assertEqual(peers.main(["--library", LIBRARY, "--render", str(file)]), 0)
            self.assertEqual(said.getvalue(), peers.tables_of(self.REPORT) + "\n")


    def test_what_is_no_report_is_refused_in_words(self):
        strange = {"also": [], "results": [result_of({"stopwatch": {"cold": times(1)}})]}
        torn = {"also": [], "results": [result_of({"hiptune": {"cold": times(1, 2)}, "torch copy": {"cold": times(1)}})]}
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "report.json"
            for text in ("", "{}", "[1]", "no json", json.dumps(strange), json.dumps(torn)):
                file.write_text(text)
                with self.assertRaises(SystemExit) as refused:
                    peers.main(["--library", LIBRARY, "--render", str(file)])
                self.assertIn(f"{file} is no report", str(refused.exception.code), text)
            for absent in (file.with_name("absent.json"), file.parent):
                with self.assertRaises(SystemExit) as refused:
                    peers.main(["--library", LIBRARY, "--render", str(absent)])
                self.assertIn("is no report", str(refused.exception.code))


class CommandLine(unittest.TestCase):
    def test_options_may_be_repeated(self):
        options = peers.parse_options(["--library", LIBRARY, "--shape", "8x16", "--shape", "1x2", "--dtype", "f16",
                                       "--skip", "torch.compile", "--also", "block=some/cache", "--budget", "60"])
        self.assertEqual(options.shape, [(8, 16), (1, 2)])
        self.assertEqual((options.dtype, options.skip, options.budget), (["f16"], ["torch.compile"], 60))
        self.assertEqual(options.also, [("hiptune block", "some/cache")])

    def test_what_is_wrong_is_named(self):
        for words, said in ((["--shape", "8"], "8 is no shape"), (["--shape", "0x4"], "0x4 is no shape"),
                            (["--skip", "hiptune"], "invalid choice"), (["--also", "block"], "NAME=CACHE"),
                            (["--rounds", "0"], "at least one"), (["--budget", "-1"], "no number of seconds"),
                            (["--budget", "nan"], "no number of seconds"), (["--shape", "²x4"], "is no shape"), (["--dtype", "f64"], "invalid choice")):
            self.assertIn(said, refusal_of(words) or "", words)

    def test_defaults_leave_nobody_out(self):
        options = peers.parse_options(["--library", LIBRARY])
        self.assertEqual((options.skip, options.also, options.shape), ([], [], None))
        self.assertEqual(options.budget, math.inf)


class TimeLimit(unittest.TestCase):
    def test_what_takes_too_long_is_left_out_with_words(self):
        with self.assertRaisesRegex(peers.LeftOut, "longer than --limit 0.05 seconds"):
            with peers.time_limit(0.05):
                while True:
                    pass

    def test_what_is_quick_enough_is_not_interrupted_later(self):
        with peers.time_limit(0.05):
            pass
        total = 0
        for i in range(2_000_000):
            total += i
        self.assertGreater(total, 0)


class CInterface(unittest.TestCase):
    """From Python, on the host device, whose memory is the program's own."""

    def test_a_kernel_is_bound_explained_and_launched(self):
        with tempfile.TemporaryDirectory() as cache:
            library = peers.Library(LIBRARY)
            self.assertRegex(library.version, r"^\d+\.\d+\.\d+$")
            dispatcher = library.open("host", cache)
            bound = library.bind(dispatcher, "rmsnorm", "f32")
            rows, cols = 3, 20
            x, w, y = (array.array("f", [value] * count) for value, count in ((2, rows * cols), (3, cols), (0, rows * cols)))
            address = lambda values: ctypes.c_void_p(values.buffer_info()[0])
            values = {"x": address(x), "w": address(w), "y": address(y), "rows": ctypes.c_int64(rows),
                      "cols": ctypes.c_int64(cols), "x_stride": ctypes.c_int64(cols), "y_stride": ctypes.c_int64(cols),
                      "epsilon": ctypes.c_float(peers.EPSILON)}
            call = bound.call(values)
            bound.prepare(call)
            self.assertEqual(bound.explain(call)["choice"], "fallback")
            bound.launch(None, call)
            for value in y:
                self.assertAlmostEqual(value, 3, places=4)
            with self.assertRaisesRegex(peers.HiptuneError, "does not know: "):
                bound.call({})
            values["cols"].value = 0
            with self.assertRaisesRegex(peers.HiptuneError, "cols is 0"):
                bound.launch(None, call)
            bound.release()
            library.library.hiptune_close(dispatcher)

    def test_a_type_that_the_kernel_does_not_know_is_that_contender_s_failure(self):
        library = peers.Library(LIBRARY)
        dispatcher = library.open("host", None)
        with peers.bound_kernels(library, {"hiptune": dispatcher}, "f33") as bound:
            with self.assertRaisesRegex(peers.HiptuneError, "dtype f33"):
                peers.hiptune_contender(bound["hiptune"], None)
        library.library.hiptune_close(dispatcher)


if __name__ == "__main__":
    unittest.main(verbosity=2)
