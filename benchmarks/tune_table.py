#!/usr/bin/env python3
"""Tunes RMSNorm for the shapes that peers.py compares, within the settings that are worth a try there.

usage: tune_table.py --cache DIR [--shape 1024x4096 ...] [--dtype f32 ...] [--budget SECONDS] [-- OPTIONS OF TUNE]

A full search of one shape takes minutes, most of them for settings that lose by far. Which can win depends on the bytes
of a row: rows of up to 2 KiB lie side by side in a block and stay in registers; longer ones are read again, from the
caches; the longest are split over the blocks of a cluster. What is left are some dozens of configurations, all tried.
Whatever follows -- goes to `hiptune tune`.
"""
import argparse
import math
import pathlib
import subprocess
import sys
import time

import peers

KIB = 1024


def settings_for(cols, dtype):
    """Values of tunables that are worth a try, by name."""
    element = peers.ELEMENT_BYTES[dtype]
    row = cols * element
    settings = {"SCHEME": ["fused"], "VECTOR_ELEMENTS": [16 // element], "KEEP": ["numbers"], "LDS_VECTORS": [0],
                "REDUCTION": ["one_barrier", "wave_only"], "SPLIT": [1], "AHEAD": ["no"], "BLOCKS_PER_CU": [0]}
    if row <= 2 * KIB:
        return settings | {"REREAD": ["no"], "ROW_THREADS": [16, 32], "ROWS_PER_BLOCK": [2, 4, 8], "MIN_BLOCKS": [1, 8, 16],
                           "REGISTER_VECTORS": [1, 2, 4]}
    if row <= 8 * KIB:
        return settings | {"ROW_THREADS": [32, 64, 128], "ROWS_PER_BLOCK": [1, 2, 8], "REGISTER_VECTORS": [0, 2, 4],
                           "UNROLL": [1, 4], "MIN_BLOCKS": [1, 8], "HINT": ["store", "both", "load"]}
    if row <= 32 * KIB:
        return settings | {"ROW_THREADS": [128, 256, 512], "ROWS_PER_BLOCK": [1, 2], "REGISTER_VECTORS": [0, 2, 4, 5],
                           "UNROLL": [1, 4, 8], "MIN_BLOCKS": [1, 4], "HINT": ["store", "both", "load"]}
    if row <= 128 * KIB:
        return settings | {"ROW_THREADS": [256, 512, 1024], "ROWS_PER_BLOCK": [1, 2], "REGISTER_VECTORS": [0, 8],
                           "UNROLL": [1, 4, 8, 16], "MIN_BLOCKS": [1, 2, 4], "HINT": ["store", "both", "load"]}
    return settings | {"ROW_THREADS": [256, 512, 1024], "ROWS_PER_BLOCK": [1], "REGISTER_VECTORS": [0, 4, 8],
                       "UNROLL": [1, 8, 16], "MIN_BLOCKS": [1, 2], "HINT": ["store", "both"], "SPLIT": [1, 2, 4, 8],
                       "AHEAD": ["no", "yes"], "BLOCKS_PER_CU": [0, 1]}


def words_of(settings):
    return [word for name, values in settings.items() for word in ("--fix", f"{name}={','.join(map(str, values))}")]


def command_of(options, rows, cols, dtype):
    return [options.hiptune, "tune", "rmsnorm", "--rows", str(rows), "--cols", str(cols), "--dtype", dtype, "--device",
            options.device, "--cache", options.cache, "--strategy", "exhaustive", *words_of(settings_for(cols, dtype)),
            *options.more]


def parse_options(words):
    end = words.index("--") if "--" in words else len(words)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    built = pathlib.Path(__file__).resolve().parent.parent / "build" / "release" / "bin" / "hiptune"
    parser.add_argument("--hiptune", default=str(built), metavar="PROGRAM", help="default: %(default)s")
    parser.add_argument("--device", default="nvidia:0")
    parser.add_argument("--cache", required=True, metavar="DIR")
    parser.add_argument("--shape", type=peers.parse_shape, action="append", metavar="ROWSxCOLS", help="may be repeated")
    parser.add_argument("--dtype", choices=list(peers.ELEMENT_BYTES), action="append", help="may be repeated")
    parser.add_argument("--budget", type=float, default=math.inf, metavar="SECONDS",
                        help="begin no shape later than that after the start")
    options = parser.parse_args(words[:end])
    options.more = words[end + 1:]
    return options


def main(words):
    options = parse_options(words)
    started, failed = time.monotonic(), []
    for dtype in options.dtype or peers.ELEMENT_BYTES:
        for rows, cols in peers.shapes_for(dtype, options.shape):
            name = f"{rows}x{cols} {dtype}"
            if time.monotonic() - started > options.budget:
                print(f"{name}: not begun", flush=True)
                continue
            result = subprocess.run(command_of(options, rows, cols, dtype), capture_output=True, text=True)
            lines = (result.stdout if result.returncode == 0 else result.stderr).strip().splitlines() or ["nothing said"]
            print(f"{time.monotonic() - started:.0f} s: {name}: {lines[-1]}", flush=True)
            if result.returncode != 0:
                failed.append(name)
    return f"failed: {', '.join(failed)}" if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
