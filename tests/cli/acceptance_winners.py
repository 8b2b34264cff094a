"""The settings that are expected to win on AMD GPUs, where none is at hand to tune on: what won on an H200 and is valid
there, and rows too long for that, which are read twice. They must compile without spills, and load 16 bytes at once."""
import json
import pathlib
import re

import home
from home import ROOT, Home

H200 = ROOT / "cache" / "sm_90-NVIDIA-H200" / "rmsnorm.json"
LOADS = {"amd": re.compile(r"\bglobal_load_dwordx4\b"), "nvidia": re.compile(r"\bLDG(STS)?\.E\b[.\w]*\.128\b")}
READ_TWICE = {"SCHEME": "fused", "ROWS_PER_BLOCK": 1, "SPLIT": 1, "REREAD": "yes", "LDS_VECTORS": 0, "AHEAD": "no",
              "REDUCTION": "one_barrier", "WEIGHT_LOAD": "late", "BLOCKS_PER_CU": 0, "MIN_BLOCKS": 1, "ROW_THREADS": 512}


def won_on_h200(changes=()):
    """(cols, dtype, settings), each once. What won in f16 won in bf16, too."""
    found = {}
    for entry in json.loads(H200.read_text())["entries"]:
        if entry["dtype"] != "f16":
            settings, cols = dict(entry["config"]) | dict(changes), dict(entry["dimensions"])["cols"]
            found[cols, entry["dtype"], str(settings)] = (cols, entry["dtype"], settings)
    return list(found.values())


def read_twice():
    return [(131072, dtype, READ_TWICE | {"VECTOR_ELEMENTS": elements, "REGISTER_VECTORS": kept, "UNROLL": unroll,
                                          "KEEP": "stored" if kept and elements == 8 else "numbers", "HINT": "both"})
            for dtype, elements in (("f32", 4), ("bf16", 8)) for kept in (0, 4) for unroll in (4, 8)]


class Winners(Home):
    def compile(self, architecture, cols, dtype, settings):
        """The variant's line; none: it is not valid there."""
        fixed = [word for name, value in settings.items() for word in ("--fix", f"{name}={value}")]
        folder = self.home / f"{cols}-{dtype}-{abs(hash(str(settings)))}"
        done = self.run_hiptune("compile", "rmsnorm", "--arch", architecture, "--rows", 1024, "--cols", cols, "--dtype",
                                dtype, *fixed, "--isa", folder, "--json", expect=None)
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertIn(done.returncode, (0, 2), done.stdout + done.stderr)
        if done.returncode == 2:
            self.assertIn("no valid", done.stderr)
            return None
        self.assertEqual(len(lines), 2, done.stdout)
        return lines[0]

    def check(self, backend, line, settings):
        self.assertEqual(line["outcome"], "compiled", line)
        for entry in line["entries"]:
            self.assertEqual((entry["spilled_registers"] or 0, entry["scratch_bytes"]), (0, 0), line)
        if "disassembly" in line:  # else there is no disassembler
            loads = LOADS[backend].findall(pathlib.Path(line["disassembly"]).read_text())
            kept = settings["REGISTER_VECTORS"] + settings["LDS_VECTORS"]
            self.assertGreaterEqual(len(loads), max(kept, settings["UNROLL"]), line)

    def valid(self, backend, architecture, wanted):
        """How many of these are valid there; those are right."""
        if not self.has_compiler(backend):
            self.skipTest(f"there is no compiler for {backend}")
        compiled = [(self.compile(architecture, *one), one[2]) for one in wanted]
        for line, settings in compiled:
            if line:
                self.check(backend, line, settings)
        return sum(line is not None for line, _ in compiled)


# Registers for several blocks, as NVIDIA's GPUs have them, make these spill.
ON_AMD = {"MIN_BLOCKS": 1}
FEWEST = 10  # of those in the cache; long rows on an H200 take clusters, or more LDS than there is elsewhere


class WinnersOnGfx906(Winners):
    def test_do_not_spill_and_load_16_bytes(self):
        self.assertGreaterEqual(self.valid("amd", "gfx906", won_on_h200(ON_AMD)), FEWEST)
        self.assertEqual(self.valid("amd", "gfx906", read_twice()), len(read_twice()))


class WinnersOnGfx90a(Winners):
    def test_do_not_spill_and_load_16_bytes(self):
        self.assertGreaterEqual(self.valid("amd", "gfx90a", won_on_h200(ON_AMD)), FEWEST)
        self.assertEqual(self.valid("amd", "gfx90a", read_twice()), len(read_twice()))


class WinnersOnGfx1030(Winners):
    def test_do_not_spill_and_load_16_bytes(self):
        self.assertGreaterEqual(self.valid("amd", "gfx1030", won_on_h200(ON_AMD)), FEWEST)
        self.assertEqual(self.valid("amd", "gfx1030", read_twice()), len(read_twice()))


class WinnersOnSm90(Winners):
    def test_do_not_spill_and_load_16_bytes(self):
        self.assertEqual(self.valid("nvidia", "sm_90", won_on_h200()), len(won_on_h200()))


if __name__ == "__main__":
    home.main()
