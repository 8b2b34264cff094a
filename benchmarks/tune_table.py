#!/usr/bin/env python3
"""Tunes RMSNorm for the shapes that peers.py compares, within the settings that are worth a try there, and the copy
kernel for as many bytes.

usage: tune_table.py --cache DIR [--shape 1024x4096 ...] [--dtype f32 ...] [--budget SECONDS] [-- OPTIONS OF TUNE]

A full search of one shape takes minutes, most of them for settings that lose by far. Which can win depends on the bytes
of a row: rows of up to 2 KiB lie side by side in a block; longer ones are kept by one block in registers, beyond 64 KiB
in LDS, too; the longest by the blocks of a cluster that loop over rows. What is left are some dozens of configurations
at most, all tried. Whatever follows -- goes to `hiptune tune`.
"""
import argparse
import math
import pathlib
import shutil
import subprocess
import sys
import time

import peers

KIB = 1024
COPY_SETTINGS = {"BLOCK_SIZE": [128, 256]}


def settings_for(cols, dtype):
    """Values of tunables that are worth a try, by name."""
    element = peers.ELEMENT_BYTES[dtype]
    row = cols * element
    settings = {"SCHEME": ["fused"], "VECTOR_ELEMENTS": [16 // element], "REDUCTION": ["one_barrier", "wave_only"],
                "UNROLL": [1]}
    one_block = settings | {"SPLIT": [1], "AHEAD": ["no"], "BLOCKS_PER_CU": [0]}
    in_registers = one_block | {"REREAD": ["no"], "LDS_VECTORS": [0]}
    if row <= 2 * KIB:
        hints = ["none", "both"] if element == 4 else ["none"]  # the L2 holds some of what has 16 bits anyway
        return in_registers | {"ROW_THREADS": [16, 32], "REGISTER_VECTORS": [1, 2, 3, 4], "WEIGHT_LOAD": ["early"],
                               "ROWS_PER_BLOCK": [1, 2, 4, 8], "MIN_BLOCKS": [1], "HINT": hints}
    if row <= 8 * KIB:
        return in_registers | {"ROW_THREADS": [64, 128, 256], "REGISTER_VECTORS": [2, 3, 4], "ROWS_PER_BLOCK": [1, 2],
                               "WEIGHT_LOAD": ["early"], "MIN_BLOCKS": [1, 4, 8], "HINT": ["none", "store", "both"]}
    if row <= 32 * KIB:
        return in_registers | {"ROW_THREADS": [128, 256, 512], "REGISTER_VECTORS": [3, 4, 5, 6, 8],
                               "ROWS_PER_BLOCK": [1], "MIN_BLOCKS": [1, 4, 8], "HINT": ["both"]}
    long = {"ROWS_PER_BLOCK": [1], "HINT": ["both"]}
    if row <= 64 * KIB:
        return in_registers | long | {"ROW_THREADS": [512, 1024], "REGISTER_VECTORS": [4, 8], "MIN_BLOCKS": [1, 2]}
    if row <= 128 * KIB:
        return one_block | long | {"UNROLL": [1, 16], "LDS_VECTORS": [0, 6, 12], "REGISTER_VECTORS": [0, 2, 4, 8],
                                   "ROW_THREADS": [512, 1024], "WEIGHT_LOAD": ["late"], "MIN_BLOCKS": [1, 2]}
    return settings | long | {"REREAD": ["no"], "LDS_VECTORS": [0, 8, 12], "REGISTER_VECTORS": [0, 4, 8],
                              "ROW_THREADS": [256, 512], "SPLIT": [2, 4, 8, 16], "BLOCKS_PER_CU": [2, 3],
                              "MIN_BLOCKS": [2, 3], "WEIGHT_LOAD": ["late", "held", "held_lds"]}


def words_of(settings):
    return [word for name, values in settings.items() for word in ("--fix", f"{name}={','.join(map(str, values))}")]


def tune(options, kernel, dimensions, dtype, settings):
    """The last line that `hiptune tune` said, and whether it failed."""
    command = [options.hiptune, "tune", kernel, *dimensions, "--dtype", dtype, "--device", options.device, "--cache",
               options.cache, "--strategy", "exhaustive", *words_of(settings), *options.more]
    result = subprocess.run(command, capture_output=True, text=True)
    lines = (result.stdout if result.returncode == 0 else result.stderr).strip().splitlines() or ["nothing said"]
    return lines[-1], result.returncode != 0


def jobs_of(options):
    """Names, kernels, dimensions, dtypes and settings. The copies first: each size once."""
    copies, norms = {}, []
    for dtype in options.dtype or peers.ELEMENT_BYTES:
        for rows, cols in peers.shapes_for(dtype, options.shape):
            words, rest = divmod(rows * cols * peers.ELEMENT_BYTES[dtype], 4)
            if not rest:
                copies[words] = (f"copy of {words} words", "copy", ["--elements", str(words)], "f32", COPY_SETTINGS)
            norms.append((f"{rows}x{cols} {dtype}", "rmsnorm", ["--rows", str(rows), "--cols", str(cols)], dtype,
                          settings_for(cols, dtype)))
    return [*copies.values(), *norms]


def parse_options(words):
    end = words.index("--") if "--" in words else len(words)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    built = pathlib.Path(__file__).resolve().parent.parent / "build" / "release" / "bin" / "hiptune"
    parser.add_argument("--hiptune", default=str(built), metavar="PROGRAM", help="default: %(default)s")
    parser.add_argument("--device", default="nvidia:0")
    parser.add_argument("--cache", required=True, metavar="DIR")
    parser.add_argument("--shape", type=peers.parse_shape, action="append", metavar="ROWSxCOLS", help="may be repeated")
    parser.add_argument("--dtype", choices=list(peers.ELEMENT_BYTES), action="append", help="may be repeated")
    parser.add_argument("--budget", type=peers.parse_seconds, default=math.inf, metavar="SECONDS",
                        help="begin no shape later than that after the start")
    options = parser.parse_args(words[:end])
    if shutil.which(options.hiptune) is None:
        parser.error(f"--hiptune: {options.hiptune} is no program; build it, or name another")
    options.more = words[end + 1:]
    return options


def main(words):
    options = parse_options(words)
    started, failed = time.monotonic(), []
    for name, kernel, dimensions, dtype, settings in jobs_of(options):
        if time.monotonic() - started > options.budget:
            print(f"{name}: not begun", flush=True)
            continue
        said, has_failed = tune(options, kernel, dimensions, dtype, settings)
        print(f"{time.monotonic() - started:.0f} s: {name}: {said}", flush=True)
        if has_failed:
            failed.append(name)
    return f"failed: {', '.join(failed)}" if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
