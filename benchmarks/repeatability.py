#!/usr/bin/env python3
"""Whether tuning comes out the same again: tunes a problem several times, each time into a cache of its own, and prints
each run's winner, its ties, and its time against the best of all runs.

usage: repeatability.py HIPTUNE RUNS KERNEL ARGUMENTS...
       repeatability.py build/release/bin/hiptune 5 rmsnorm --rows 1024 --cols 4096 --device nvidia:0

Exit code 0: every run's winner is in the tie set of every other run (its winner and ties), and its time within 1 % of
the best of all.
"""
import json
import statistics
import subprocess
import sys
import tempfile

WITHIN = 1.01


def tune(program, kernel, arguments):
    with tempfile.TemporaryDirectory() as cache:
        done = subprocess.run([program, "tune", kernel, *arguments, "--cache", cache, "--json"], check=True, text=True,
                              stdout=subprocess.PIPE)
    return json.loads(done.stdout.splitlines()[-1])


def words(config):
    """Of a configuration as the cache has it, a list of pairs, or as the finals have it."""
    return " ".join(f"{name}={value}" for name, value in dict(config).items())


def summary(result):
    """The winner, the set of all that tie, and the winner's time as the finals have it."""
    entry = result["entry"]
    winner = words(entry["config"])
    time = entry["timing"][result["objective"]]["median_ns"]
    for one in result.get("finals", []):
        if words(one["config"]) == winner:
            time = statistics.median(one["process_medians_ns"])
    return winner, {winner, *map(words, entry["ties"])}, time


def main():
    program, count, kernel, *arguments = sys.argv[1:]
    runs = [summary(tune(program, kernel, arguments)) for _ in range(int(count))]
    best = min(time for _, _, time in runs)
    good = True
    for number, (winner, ties, time) in enumerate(runs, 1):
        agrees = all(winner in others for _, others, _ in runs) and time <= WITHIN * best
        good = good and agrees
        print(f"run {number}: {winner}, {time / 1000:.4g} us, {time / best:.4f} of the best, {len(ties) - 1} ties"
              f"{'' if agrees else '  DIFFERS'}")
    return 0 if good else 1


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    sys.exit(main())
