#!/usr/bin/env python3
"""The program as a user meets it: a fresh home and cache, the CPU device. usage: acceptance.py HIPTUNE [TEST ...]"""
import ctypes
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM = None
ROOT = pathlib.Path(__file__).resolve().parents[2]
# A search that ends soon: one block size, few samples.
QUICK = ["--fix", "BLOCK_SIZE=32", "--samples", "5", "--launches", "1", "--warmups", "1"]
SHAPE = ["--rows", "4", "--cols", "16"]
VERBS = ["devices", "tune", "verify", "show", "dispatch", "check"]


class Home(unittest.TestCase):
    """A home folder per test class; nothing of the caller's environment but PATH gets in."""

    @classmethod
    def setUpClass(cls):
        cls.home = pathlib.Path(tempfile.mkdtemp(prefix="hiptune-acceptance-"))
        cls.cache = cls.home / ".cache" / "hiptune"

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.home)

    def run_hiptune(self, *words, expect=0, phrases=(), **environment):
        env = {"PATH": os.environ["PATH"], "HOME": str(self.home), "TMPDIR": tempfile.gettempdir(), **environment}
        done = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, env=env, timeout=120)
        said = f"hiptune {' '.join(map(str, words))}\n{done.stdout}{done.stderr}"
        self.assertEqual(done.returncode, expect, said)
        self.assertNotIn("internal error", done.stderr, said)
        for phrase in phrases:
            self.assertIn(phrase, done.stderr, said)
        return done

    def json_of(self, *words, expect=0):
        """Every line of stdout is JSON; returns them."""
        lines = self.run_hiptune(*words, "--json", expect=expect).stdout.splitlines()
        self.assertTrue(lines)
        return [json.loads(line) for line in lines]

    def own_kernel(self, name="rmsnorm", folder="own"):
        """The three files of a shipped kernel side by side, outside of the repository."""
        own = self.home / folder
        own.mkdir()
        for file in (f"kernel_templates/{name}.hip", f"kernel_templates/{name}.reference.hip",
                     f"search_spaces/{name}.json"):
            shutil.copy(ROOT / file, own)
        return own

    def change_entry(self, file, old, new):
        """Changes the only entry of a cache file as if hiptune had written it so: with the checksum that fits."""
        replace(file, old, new)
        line = file.read_text().splitlines()[1]
        checksum = re.search(r'"checksum":"(\w+)",', line)
        replace(file, checksum.group(1), xxh3_128(line.replace(checksum.group(0), "").encode()))

    def cache_file(self):
        return next(self.cache.glob("*/rmsnorm.json"))


def replace(file, old, new):
    text = file.read_text()
    assert old in text, (file, old)
    file.write_text(text.replace(old, new, 1))


def xxh3_128(data):
    """As the program hashes: the library is there wherever the program runs."""

    class Hash(ctypes.Structure):
        _fields_ = [("low", ctypes.c_uint64), ("high", ctypes.c_uint64)]

    function = ctypes.CDLL("libxxhash.so.0").XXH3_128bits
    function.restype, function.argtypes = Hash, [ctypes.c_char_p, ctypes.c_size_t]
    value = function(data, len(data))
    return f"{value.high:016x}{value.low:016x}"


class Acceptance(Home):
    def test_tune_show_dispatch_check_change_and_damage(self):
        own = self.own_kernel()
        here = ["--kernel-path", own]
        tuned = self.run_hiptune("tune", "rmsnorm", *SHAPE, *QUICK, *here).stdout
        winner = re.search(r"^stored: (.*?)( \(tied with.*)?$", tuned, re.M).group(1)
        for heading in ("configuration", "rel. error", "threads", "cold", "of copy cold", "vs serial", "vs block"):
            self.assertIn(heading, tuned)
        self.assertIn("failures: none", tuned)
        self.assertIn("yardstick: ", tuned)

        shown = self.run_hiptune("show", "rmsnorm", *SHAPE, *here).stdout
        self.assertIn("rows=4 cols=16 dtype=f32", shown)
        self.assertIn(winner, shown)
        self.assertFalse(shown.endswith("\n\n"))

        call = self.run_hiptune("dispatch", "rmsnorm", *SHAPE, *here, "--explain").stdout
        self.assertIn(f"{winner} (exact)", call)
        self.assertIn("right: largest error", call)
        near = self.run_hiptune("dispatch", "rmsnorm", "--rows", "5", "--cols", "17", *here, "--explain").stdout
        self.assertIn("(nearest)", near)
        self.assertIn("tuned for rows=4 cols=16", near)

        self.assertIn("1 fresh, 0 stale, 0 damaged", self.run_hiptune("check", *here).stdout)
        template = own / "rmsnorm.hip"
        template.write_text("// A comment.\n" + template.read_text())
        self.run_hiptune("check", *here)

        replace(template, "sum += x[c] * x[c]", "sum -= x[c] * x[c]")
        stale = self.run_hiptune("check", *here, expect=4).stdout
        self.assertIn("the template changed", stale)
        self.assertIn("run `hiptune tune rmsnorm --rows 4 --cols 16 --device host "
                      f"--cache {self.cache} --kernel-path {own}`\n", stale)
        fallback = self.run_hiptune("dispatch", "rmsnorm", *SHAPE, *here, "--explain", expect=1)
        self.assertIn("(fallback)", fallback.stdout)
        self.assertIn("WRONG", fallback.stdout)
        replace(template, "sum -= x[c] * x[c]", "sum += x[c] * x[c]")
        self.run_hiptune("check", *here)

        damaged = self.cache_file().read_text().replace("lds_tree", "lds_flee", 1).replace("serial", "cereal", 1)
        self.cache_file().write_text(damaged)
        said = self.run_hiptune("check", *here, expect=5).stdout
        self.assertIn("damaged", said)
        self.assertNotIn(" \n", said)
        self.assertIn("rmsnorm rows=4 cols=16 dtype=f32\n", said)
        shown = self.run_hiptune("show", "rmsnorm", *SHAPE, *here, expect=1).stdout
        self.assertIn(f"no sound entry for rmsnorm in {self.cache}; 1 is damaged", shown)
        self.assertIn(f"`hiptune check {self.cache} --kernel-path {own}`", shown)
        self.assertIn(f"`hiptune tune rmsnorm --rows 4 --cols 16 --cache {self.cache} --kernel-path {own}`", shown)
        self.assertEqual(self.cache_file().read_text(), damaged)
        self.run_hiptune("tune", "rmsnorm", *SHAPE, *QUICK, *here)
        kept = list(self.cache.glob("*/rmsnorm.json.damaged-*"))
        self.assertEqual([file.read_text() for file in kept], [damaged])
        self.run_hiptune("check", *here)
        self.run_hiptune("check", self.cache, *here)


    def test_an_entry_dated_in_the_future_is_replaced(self):
        cache = self.home / "ahead"
        own = self.own_kernel(folder="changing")
        here = ["--kernel-path", own, "--cache", cache]
        self.run_hiptune("tune", "rmsnorm", *SHAPE, *QUICK, *here)
        file = next(cache.glob("*/rmsnorm.json"))
        date = json.loads(file.read_text())["entries"][0]["provenance"]["date"]
        self.change_entry(file, date, "2099-01-01T00:00:00.000Z")
        self.run_hiptune("check", *here)
        replace(own / "rmsnorm.hip", "sum += x[c] * x[c]", "sum += 1.0f * x[c] * x[c]")
        self.run_hiptune("check", *here, expect=4)
        stored = self.json_of("tune", "rmsnorm", *SHAPE, *QUICK, *here)[-1]
        self.assertEqual(stored["result"], "stored")
        self.assertEqual(stored["entry"]["provenance"]["revision"], 1)
        self.assertEqual(json.loads(file.read_text())["entries"], [stored["entry"]])
        self.run_hiptune("check", *here)

        # Where even a revision cannot win, tune does not claim that it stored.
        self.change_entry(file, '"revision":1,', '"revision":1000000000,')
        self.change_entry(file, stored["entry"]["provenance"]["date"], "2099-01-01T00:00:00.000Z")
        lost = self.run_hiptune("tune", "rmsnorm", *SHAPE, *QUICK[2:], *here, expect=1, phrases=["readers of", "2099"])
        self.assertNotIn("stored: ", lost.stdout)


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
        lines = (own / "rmsnorm.hip").read_text().splitlines()
        lines.insert(4, "int oops = this_is_not_declared;")
        (own / "rmsnorm.hip").write_text("\n".join(lines) + "\n")
        done = self.run_hiptune("tune", "rmsnorm", *SHAPE, *QUICK, "--kernel-path", own, expect=1)
        self.assertRegex(done.stdout, r"rmsnorm\.hip:5:\d+: error: .*this_is_not_declared")
        self.assertRegex(done.stdout, r"failures: \d+ compile_failed")
        self.assertIn("nothing was stored", done.stdout)
        self.assertEqual(list(self.cache.glob("*/rmsnorm.json")), [])


    def test_a_name_that_shadows_another_is_told_once(self):
        own = self.own_kernel(folder="shadow")
        options = ["verify", "rmsnorm", *SHAPE, "--fix", "BLOCK_SIZE=32"]
        done = self.run_hiptune(*options, "--kernel-path", own, phrases=[f"taken from {own}/rmsnorm.hip", "shadows"])
        self.assertEqual(done.stderr.count("shadows"), 1)
        done = self.run_hiptune(*options, HIPTUNE_KERNEL_PATH=str(own), phrases=[f"shadows {own}/rmsnorm.hip"])
        self.assertEqual(done.stderr.count("shadows"), 1)
        self.assertEqual(self.run_hiptune(*options).stderr, "")

    def test_a_crash_is_told_once_per_trial(self):
        own = self.own_kernel(folder="crash")
        replace(own / "rmsnorm.hip", "extern \"C\" __global__", "extern \"C\" void _exit(int);\nextern \"C\" __global__")
        body = re.compile(r"(extern \"C\" __global__[^{]*\{)")
        template = own / "rmsnorm.hip"
        template.write_text(body.sub(r"\1 _exit(3);", template.read_text(), count=1))
        done = self.run_hiptune("verify", "rmsnorm", *SHAPE, "--fix", "BLOCK_SIZE=32", "--fix", "REDUCTION=serial",
                                "--kernel-path", own, expect=1)
        self.assertIn("crashed", done.stdout)
        self.assertNotIn("exited with code", done.stderr)

    def test_hip_s_own_names_are_answered_with_the_device_layer_s(self):
        own = self.own_kernel(folder="shared")
        template = own / "rmsnorm.hip"
        template.write_text(template.read_text() + "__global__ void f() { __shared__ int lds[4]; __syncthreads(); }\n")
        done = self.run_hiptune("verify", "rmsnorm", *SHAPE, "--fix", "BLOCK_SIZE=32", "--kernel-path", own, expect=1)
        self.assertIn("hint: instead of __shared__ hiptune_device.h has hiptune::dynamic_lds<T>()", done.stdout)
        self.assertIn("hint: instead of __syncthreads hiptune_device.h has hiptune::barrier()", done.stdout)


class BadInput(Home):
    # arguments, exit code, phrases of stderr
    TABLE = [
        ([], 2, ["Usage: hiptune", "tune", "check"]),
        (["tnue"], 2, ["no verb \"tnue\"", "did you mean \"tune\"", "devices"]),
        (["--rows", "4", "tune"], 2, ["the verb comes first"]),
        (["tune"], 2, ["right after the verb", "rmsnorm"]),
        (["tune", "--rows", "4", "rmsnorm"], 2, ["right after the verb"]),
        (["tune", "rmsnrom", *SHAPE], 2, ["no kernel \"rmsnrom\"", "did you mean \"rmsnorm\"", "searched"]),
        (["tune", "../rmsnorm", *SHAPE], 2, ["no kernel"]),
        (["tune", "rmsnorm", *SHAPE, "rmsnorm"], 2, ["rmsnorm"]),
        (["tune", "rmsnorm", "--rows", "4"], 2, ["--cols is missing", "--rows 1024 --cols 1024"]),
        (["tune", "rmsnorm", "--rows", "4", "--columns", "16"], 2, ["no option --columns", "--cols"]),
        (["tune", "rmsnorm", "--rows", "4", "--clos", "16"], 2, ["did you mean \"--cols\""]),
        (["tune", "rmsnorm", *SHAPE, "--rows", "5"], 2, ["--rows", "more than once"]),
        (["tune", "rmsnorm", *SHAPE, "--seed", "1", "--seed", "1"], 2, ["--seed", "more than once"]),
        (["tune", "rmsnorm", "--rows", "0", "--cols", "16"], 2, ["--rows 0", "from 1 to"]),
        (["tune", "rmsnorm", "--rows", "4", "--cols", "0"], 2, ["--cols 0", "from 1 to"]),
        (["verify", "rmsnorm", "--rows", "-4", "--cols", "16"], 2, ["--rows -4", "from 1 to"]),
        (["dispatch", "rmsnorm", "--rows", "four", "--cols", "16"], 2, ["--rows four", "not a number", "1..1024"]),
        (["tune", "rmsnorm", "--rows", "4.5", "--cols", "16"], 2, ["--rows 4.5", "not a number"]),
        (["tune", "rmsnorm", "--rows", "", "--cols", "16"], 2, ["--rows"]),
        (["tune", "rmsnorm", "--rows", "8..4", "--cols", "16"], 2, ["--rows 8..4", "goes up"]),
        (["tune", "rmsnorm", *SHAPE, "--timeout", "nan"], 2, ["--timeout", "nan is no number"]),
        (["tune", "rmsnorm", *SHAPE, "--seed", "-1"], 2, ["--seed", "not a whole number"]),
        (["verify", "rmsnorm", "--rows", "1..1000000", "--cols", ",".join(map(str, range(1, 9000)))], 2,
         ["more than 100,000 problems"]),
        (["check", "/proc"], 2, ["/proc: no cache entry"]),
        (["check", "/tmp", "--cache", "/var"], 2, ["check /tmp --cache /var", "drop --cache, or drop DIR"]),
        (["check", ""], 2, ["DIR is empty"]),
        (["check", "--device", "host"], 2, ["no option --device", "--cache"]),
        (["check", "a" * 5000], 2, ["File name too long"]),
        (["tune", "rmsnorm", "--rows", "1,,4", "--cols", "16"], 2, ["--rows", "a number is missing"]),
        (["tune", "rmsnorm", "--rows", "99999999999999999999", "--cols", "16"], 2, ["--rows", "beyond 64 bits"]),
        (["tune", "rmsnorm", "--rows", "9223372036854775807", "--cols", "16"], 2, ["--rows", "from 1 to"]),
        (["tune", "rmsnorm", "--rows", "1000000000", "--cols", "4096"], 2, ["TB", "smaller dimensions"]),
        (["verify", "rmsnorm", "--rows", "1000000000", "--cols", "4096"], 2, ["TB", "smaller dimensions"]),
        (["dispatch", "rmsnorm", "--rows", "1000000000", "--cols", "4096"], 2, ["TB", "smaller dimensions"]),
        (["tune", "rmsnorm", *SHAPE, "--dtype", "f16"], 2, ["--dtype f16", "f32"]),
        (["tune", "rmsnorm", *SHAPE, "--trait", "ALIGN=16"], 2, ["--trait"]),
        (["tune", "copy", "--elements", "64", "--trait", "ALIGN=3"], 2, ["ALIGN=3", "4, 8, 16"]),
        (["tune", "rmsnorm", *SHAPE, "--fix", "BLOCK=32"], 2, ["no tunable \"BLOCK\"", "BLOCK_SIZE"]),
        (["tune", "rmsnorm", *SHAPE, "--fix", "BLOCK_SIZE=33"], 2, ["BLOCK_SIZE=33", "32, 64, 128"]),
        (["verify", "rmsnorm", *SHAPE, "--fix", "BLOCK_SIZE"], 2, ["--fix", "BLOCK_SIZE"]),
        (["tune", "rmsnorm", *SHAPE, "--strategy", "magic"], 2, ["--strategy magic", "exhaustive"]),
        (["tune", "rmsnorm", *SHAPE, "--objective", "hot"], 2, ["--objective", "cold", "warm"]),
        (["tune", "rmsnorm", *SHAPE, "--timeout", "soon"], 2, ["--timeout"]),
        (["tune", "rmsnorm", *SHAPE, "--timeout"], 2, ["--timeout"]),
        (["tune", "rmsnorm", *SHAPE, "--trials", "0"], 2, ["--trials"]),
        (["dispatch", "rmsnorm", *SHAPE, "--fix", "BLOCK_SIZE=32"], 2, ["no option --fix"]),
        (["tune", "rmsnorm", *SHAPE, "--device", "abacus"], 3, ["no device 'abacus'", "host"]),
        (["tune", "rmsnorm", *SHAPE, "--device", "host:wave48"], 2, ["host:wave48", "host:wave64"]),
        (["tune", "rmsnorm", *SHAPE, "--cache", "/dev/null/cache"], 2, ["/dev/null/cache", "--cache"]),
        (["tune", "rmsnorm", *SHAPE, "--cache", ""], 2, ["--cache"]),
        (["tune", "rmsnorm", *SHAPE, "--kernel-path", "/nowhere"], 2, ["--kernel-path /nowhere"]),
        (["tune", "rmsnorm", *SHAPE, "--kernel-path", "/dev"], 2, ["holds no kernel"]),
        (["check", "/nowhere"], 2, ["/nowhere", "no such folder"]),
        (["check", "/", "/"], 2, ["/"]),
        (["devices", "rmsnorm"], 2, ["rmsnorm"]),
        (["show", "rmsnorm", "--rows", "x"], 2, ["--rows x", "not a number"]),
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
        (cache / "device" / "rmsnorm.json").write_text("{}")
        whole = f"give the cache's folder: hiptune check '{cache}'"
        self.run_hiptune("check", cache / "device", expect=2, phrases=["one device's folder", whole])
        self.run_hiptune("check", f"{cache}/device/", expect=2, phrases=["one device's folder", whole])
        self.run_hiptune("check", cache / "device" / "rmsnorm.json", expect=2, phrases=["a file of a cache", whole])
        self.run_hiptune("check", cache, expect=5)

    def test_json_reports_errors_as_well(self):
        for words in (["tnue"], ["tune", "rmsnorm", "--rows", "x", "--cols", "4"], ["tune", "rmsnorm", "--bogus"]):
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
                self.run_hiptune(verb, "rmsnorm", *SHAPE, expect=3, phrases=["no C++ compiler", "g++"], **environment)
            self.assertIn("not available", self.run_hiptune("devices", **environment).stdout)

    def test_a_program_that_is_no_compiler_is_exit_3_and_the_kernel_is_not_blamed(self):
        for program in ("/bin/cat", "/bin/true"):
            for verb in ("tune", "verify", "dispatch"):
                done = self.run_hiptune(verb, "rmsnorm", *SHAPE, expect=3, HIPTUNE_CXX=program,
                                        phrases=[f"'{program}' cannot build a trivial", "HIPTUNE_CXX"])
                self.assertNotIn("rmsnorm", done.stderr)

    def test_a_compiler_without_its_parts_is_exit_3(self):
        compiler = shutil.which("c++")
        self.run_hiptune("verify", "rmsnorm", *SHAPE, expect=3, HIPTUNE_CXX=compiler, PATH="/nonexistent",
                         phrases=[f"'{compiler}' cannot build a trivial", "error"])

    def test_a_relative_compiler_works(self):
        script = self.home / "my-g++"
        script.write_text("#!/bin/sh\nexec c++ \"$@\"\n")
        script.chmod(0o755)
        relative = os.path.relpath(script)
        for environment in ({"HIPTUNE_CXX": relative},
                            {"HIPTUNE_CXX": "my-g++", "PATH": f"{os.path.dirname(relative)}:{os.environ['PATH']}"}):
            self.run_hiptune("verify", "rmsnorm", *SHAPE, "--fix", "BLOCK_SIZE=32", **environment)

    def test_a_folder_for_temporary_files_that_cannot_be_used_is_named(self):
        for verb in ("tune", "verify", "dispatch"):
            self.run_hiptune(verb, "rmsnorm", *SHAPE, expect=2, phrases=["/nowhere", "set TMPDIR"], TMPDIR="/nowhere")

    def test_long_words_are_cut(self):
        long = "x" * 5000
        for words in ([long], ["tune", long], ["tune", "rmsnorm", "--rows", long, "--cols", "4"],
                      ["tune", "rmsnorm", *SHAPE, "--" + long, "1"], ["tune", "rmsnorm", *SHAPE, "--dtype", long],
                      ["tune", "rmsnorm", *SHAPE, "--fix", long], ["tune", "rmsnorm", *SHAPE, "--fix", long + "=1"],
                      ["tune", "rmsnorm", *SHAPE, "--fix", "BLOCK_SIZE=" + long],
                      ["tune", "rmsnorm", *SHAPE, "--strategy", long]):
            done = self.run_hiptune(*words, expect=2, phrases=["xxx..."])
            self.assertLess(len(done.stderr), 1000)

    def test_no_home_is_said(self):
        self.run_hiptune("show", "rmsnorm", expect=2, phrases=["HIPTUNE_CACHE", "HOME"], HOME="")

    def test_results_that_cannot_be_written_are_a_failure(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run([PROGRAM, "devices"], stdout=full, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("cannot be written", done.stderr)


class BadSpaces(Home):
    # what is replaced in rmsnorm.json, and phrases of the error
    TABLE = [
        ('"kernel": "rmsnorm",', '"kernel": "rmsnorm"', ["rmsnorm.json", "line", "column"]),
        ('"description": "y[r', '"descripton": "y[r', ["rmsnorm.json", "descripton"]),
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
                replace(own / "rmsnorm.json", old, new)
                self.run_hiptune("tune", "rmsnorm", *SHAPE, "--kernel-path", own, expect=2, phrases=phrases)

    def test_an_empty_file_is_said_to_be_empty(self):
        own = self.own_kernel(folder="empty")
        for name in ("rmsnorm.hip", "rmsnorm.json"):
            text = (own / name).read_text()
            (own / name).write_text("")
            self.run_hiptune("tune", "rmsnorm", *SHAPE, "--kernel-path", own, expect=2,
                             phrases=[f"{own / name}: the file is empty"])
            (own / name).write_text(text)

    def test_an_expression_without_a_value_names_the_configuration(self):
        own = self.own_kernel(folder="novalue")
        replace(own / "rmsnorm.json", '"constraints": [',
                '"constraints": [{"require": "cols / (BLOCK_SIZE - 64) < 1e9", "reason": "why"},')
        self.run_hiptune("tune", "rmsnorm", *SHAPE, "--kernel-path", own, expect=2,
                         phrases=["/constraints/0/require", "division by zero", "for REDUCTION=serial BLOCK_SIZE=64"])

    def test_a_constraint_that_this_problem_breaks_is_told(self):
        own = self.own_kernel()
        replace(own / "rmsnorm.json", '"constraints": [',
                '"constraints": [{"require": "BLOCK_SIZE == 256 || cols > 64", "reason": "few columns"},')
        self.run_hiptune("tune", "rmsnorm", *SHAPE, "--fix", "BLOCK_SIZE=32", "--kernel-path", own, expect=2,
                         phrases=["no valid configuration", "few columns"])


class BadCaches(Home):
    def test_none_is_lost_or_overwritten(self):
        self.run_hiptune("tune", "rmsnorm", *SHAPE, *QUICK)
        sound = self.cache_file().read_text()
        newer = sound.replace('"schema_version":1', '"schema_version":99')
        self.assertNotEqual(newer, sound)

        self.cache_file().write_text(newer)
        self.run_hiptune("tune", "rmsnorm", *SHAPE, *QUICK, expect=2, phrases=["rmsnorm.json", "newer"])
        self.assertEqual(self.cache_file().read_text(), newer)
        self.run_hiptune("check", expect=5)
        self.run_hiptune("show", "rmsnorm", expect=2, phrases=["newer"])
        self.assertIn("(fallback)", self.run_hiptune("dispatch", "rmsnorm", *SHAPE).stdout)
        self.assertEqual(self.cache_file().read_text(), newer)

        for damaged in (sound[:len(sound) // 2], "not JSON", ""):
            self.cache_file().write_text(damaged)
            self.run_hiptune("check", expect=5)
            self.run_hiptune("show", "rmsnorm", expect=1, phrases=["rmsnorm.json"])
            call = self.run_hiptune("dispatch", "rmsnorm", *SHAPE).stdout
            self.assertIn("(fallback)", call)
            self.assertIn("rmsnorm.json", call)
            self.assertEqual(self.cache_file().read_text(), damaged)

    def damage_of(self, *words):
        """The reasons of check's damaged lines."""
        *lines, result = self.json_of("check", *words, expect=5)
        self.assertEqual(result["result"], "damaged")
        return [reason for line in lines if line["freshness"] == "damaged" for reason in line["reasons"]]

    def fresh_cache(self, name):
        """A cache folder of its own with one entry."""
        cache = self.home / name
        self.run_hiptune("tune", "rmsnorm", *SHAPE, *QUICK, "--cache", cache)
        return cache, next(cache.glob("*/rmsnorm.json"))

    def test_a_fifo_in_place_of_the_file_is_named_at_once(self):
        cache, file = self.fresh_cache("fifo")
        file.unlink()
        os.mkfifo(file)
        said = f"{file}: is not a regular file but a FIFO"
        self.assertEqual(self.damage_of(cache), [f"{said}: move it elsewhere"])
        self.run_hiptune("show", "rmsnorm", "--cache", cache, expect=1, phrases=[said])
        self.run_hiptune("tune", "rmsnorm", *SHAPE, *QUICK, "--cache", cache, expect=1, phrases=[said])
        self.assertIn(said, self.run_hiptune("dispatch", "rmsnorm", *SHAPE, "--cache", cache).stdout)
        self.assertTrue(file.is_fifo())

    def test_a_link_in_place_of_the_file_stays_and_is_followed(self):
        cache, file = self.fresh_cache("linked")
        target = self.home / "shared.json"
        file.rename(target)
        file.symlink_to(target)
        self.run_hiptune("tune", "rmsnorm", "--rows", "5", "--cols", "16", *QUICK, "--cache", cache)
        self.assertEqual(os.readlink(file), str(target))
        self.assertEqual(len(json.loads(target.read_text())["entries"]), 2)

    def test_what_is_no_cache_is_one_line_each(self):
        cache, file = self.fresh_cache("strange")
        for name, content in (("foreign.json", b'{"name": "a package",\n "version": 1}'),
                              ("random.json", bytes(range(256)) * 999), ("long.json", b'"' + b"x" * 999_999)):
            (file.parent / name).write_bytes(content)
        (file.parent / "rmsnorm.segments" / "renamed.jsn").write_bytes(b"{}")
        (file.parent / "rmsnorm.segments" / ".DS_Store").write_bytes(b"")
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


class Json(Home):
    def test_the_last_line_of_each_verb_is_its_result(self):
        self.assertIn("backends", self.json_of("devices")[-1])
        tuned = self.json_of("tune", "rmsnorm", *SHAPE, *QUICK)
        self.assertEqual(tuned[-1]["result"], "stored")
        self.assertEqual(tuned[-1]["problem"], "rows=4 cols=16 dtype=f32")
        self.assertEqual(len([line for line in tuned if "trial" in line and "baseline" not in line]), 3)
        self.assertTrue(any("yardstick" in line for line in tuned))
        self.assertEqual({line["problem"] for line in tuned}, {"rows=4 cols=16 dtype=f32"})
        shown = self.json_of("show", "rmsnorm")
        self.assertEqual(shown[0]["entry"], tuned[-1]["entry"])
        self.assertEqual(shown[-1], {"result": "found", "entries": 1})
        self.assertEqual(self.json_of("show", "rmsnorm", "--rows", "5", expect=1)[-1]["result"], "none")
        self.assertEqual(self.json_of("show", "rmsnorm", "--device", "host")[-1]["entries"], 1)
        self.assertEqual(self.json_of("show", "rmsnorm", "--device", "host:wave64", expect=1)[-1]["entries"], 0)
        call = self.json_of("dispatch", "rmsnorm", *SHAPE)
        self.assertEqual((call[0]["choice"], call[-1]["result"]), ("exact", "right"))
        checked = self.json_of("check")
        self.assertEqual(checked[-1], {"result": "fresh", "fresh": 1, "stale": 0, "unknown": 0, "damaged": 0})
        verified = self.json_of("verify", "rmsnorm", *SHAPE, "--fix", "BLOCK_SIZE=32")
        self.assertEqual({line["problem"] for line in verified[:-1]}, {"rows=4 cols=16 dtype=f32"})
        self.assertEqual(verified[-1], {"result": "passed", "passed": 3, "variants": 3, "failures": "none"})

    def test_lists_and_doubling_ranges_make_every_combination(self):
        lines = self.json_of("dispatch", "rmsnorm", "--rows", "1..5", "--cols", "7,9")
        self.assertEqual([line["problem"] for line in lines[:-1]],
                         [f"rows={rows} cols={cols} dtype=f32" for rows in (1, 2, 4, 5) for cols in (7, 9)])
        self.assertEqual(lines[-1], {"result": "right", "calls": 8, "right": 8})

    def test_a_wrong_variant_fails_verify(self):
        own = self.own_kernel()
        replace(own / "rmsnorm.hip", "lds[thread] += lds[thread + stride];", "lds[thread] -= lds[thread + stride];")
        lines = self.json_of("verify", "rmsnorm", *SHAPE, "--fix", "BLOCK_SIZE=32", "--kernel-path", own, expect=1)
        self.assertEqual(lines[-1], {"result": "failed", "passed": 2, "variants": 3, "failures": "1 wrong"})


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
        self.assertIn("REDUCTION is one of serial", self.run_hiptune("tune", "rmsnorm", "--help").stdout)
        self.assertIn("KERNEL --help", self.run_hiptune("tune", "--help").stdout)

    def test_the_version_is_told(self):
        self.assertRegex(self.run_hiptune("--version").stdout, r"^hiptune \d+\.\d+\.\d+\n$")


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main(verbosity=2)
