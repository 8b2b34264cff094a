"""What the acceptance tests share: the program as a user meets it, in a fresh home."""
import ctypes
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Small kernels for tests that want just some kernel: row_rms has 18 variants, and compiles in a moment.
TEST_KERNELS = ROOT / "tests" / "kernels"
# A search that ends soon: one block size, few samples.
QUICK = ["--fix", "BLOCK_SIZE=32", "--samples", "5", "--launches", "1", "--warmups", "1", "--processes", "1"]
SHAPE = ["--rows", "4", "--cols", "16"]
VERBS = ["devices", "tune", "verify", "compile", "show", "dispatch", "bench", "check"]


class Home(unittest.TestCase):
    """A home folder per test class; nothing of the caller's environment but PATH gets in."""
    program = None

    @classmethod
    def setUpClass(cls):
        cls.home = pathlib.Path(tempfile.mkdtemp(prefix="hiptune-acceptance-"))
        cls.cache = cls.home / ".cache" / "hiptune"

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.home)

    def run_hiptune(self, *words, expect=0, phrases=(), **environment):
        env = {"PATH": os.environ["PATH"], "HOME": str(self.home), "TMPDIR": tempfile.gettempdir(),
               "HIPTUNE_KERNEL_PATH": str(TEST_KERNELS), **environment}
        done = subprocess.run([self.program, *map(str, words)], capture_output=True, text=True, env=env, timeout=120)
        said = f"hiptune {' '.join(map(str, words))}\n{done.stdout}{done.stderr}"
        if expect is not None:
            self.assertEqual(done.returncode, expect, said)
        self.assertNotIn("internal error", done.stderr, said)
        for phrase in phrases:
            self.assertIn(phrase, done.stderr, said)
        return done

    def json_of(self, *words, expect=0, **environment):
        """Every line of stdout is JSON; returns them."""
        lines = self.run_hiptune(*words, "--json", expect=expect, **environment).stdout.splitlines()
        self.assertTrue(lines)
        return [json.loads(line) for line in lines]

    def has_compiler(self, name):
        survey = self.json_of("devices")[-1]["backends"]
        return any(backend["backend"] == name and "compiler" in backend for backend in survey)

    def own_kernel(self, name="row_rms", folder="own"):
        """The three files of a shipped or a test kernel side by side, outside of the repository."""
        own = self.home / folder
        own.mkdir()
        for place in (ROOT / "kernel_templates", ROOT / "search_spaces", TEST_KERNELS):
            for file in (f"{name}.hip", f"{name}.reference.hip", f"{name}.json"):
                if (place / file).exists():
                    shutil.copy(place / file, own)
        return own

    def change_entry(self, file, old, new):
        """Changes the only entry of a cache file as if hiptune had written it so: with the checksum that fits."""
        replace(file, old, new)
        line = file.read_text().splitlines()[1]
        checksum = re.search(r'"checksum":"(\w+)",', line)
        replace(file, checksum.group(1), xxh3_128(line.replace(checksum.group(0), "").encode()))

    def cache_file(self):
        return next(self.cache.glob("*/row_rms.json"))


def made_up_gpu(wish=""):
    """The environment in which tests/made_up_gpu stands in for the amd backend."""
    return {"LD_LIBRARY_PATH": os.environ["MADE_UP_GPU_FOLDER"], "MADE_UP_GPU": wish}


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


def main():
    """usage: FILE.py HIPTUNE [TEST ...]"""
    Home.program = sys.argv.pop(1)
    unittest.main(verbosity=2)
