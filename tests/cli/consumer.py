#!/usr/bin/env python3
"""Installs hiptune to a folder of its own, moves that, and uses it from there: builds the examples as outside projects
and runs the program. usage: consumer.py CMAKE BUILD_FOLDER SOURCE_FOLDER"""
import os
import pathlib
import subprocess
import sys
import tempfile


def run(*words, home):
    environment = {"PATH": os.environ["PATH"], "HOME": str(home)}
    done = subprocess.run([str(word) for word in words], env=environment, cwd=home, text=True, capture_output=True)
    if done.returncode != 0:
        sys.exit(f"{words}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def main(cmake, build, source):
    with tempfile.TemporaryDirectory(prefix="hiptune-consumer-") as folder:
        home = pathlib.Path(folder)
        run(cmake, "--install", build, "--prefix", home / "staged", home=home)
        prefix = (home / "staged").rename(home / "prefix")  # nothing may depend on where it was installed

        for example in ("normalize", "normalize_c"):
            outside = home / example
            run(cmake, "-S", source / "examples" / example, "-B", outside, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}",
                home=home)
            run(cmake, "--build", outside, home=home)
            said = run(outside / example, "33", "100", home=home)
            assert "33 x 100: largest relative error" in said, said

        program = prefix / "bin" / "hiptune"
        said = run(program, "verify", "rmsnorm", "--rows", "5", "--cols", "70", "--fix", "SCHEME=serial,block", home=home)
        assert "2 of 2 variants passed" in said, said
        said = run(program, "devices", home=home)
        assert "host" in said, said


main(sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3]))
