#!/usr/bin/env python3
"""Which folder of tuner/ includes which: the direction of flow in code. usage: layering.py SOURCE_ROOT"""
import pathlib
import re
import sys

ALLOWED = {
    "problem": set(),
    "device": {"problem"},
    "cache": {"problem", "device"},
    "dispatch": {"problem", "device", "cache"},
    "gate": {"problem", "device"},
    "measure": {"problem", "device"},
    "search": {"problem"},
    "session": {"problem", "device", "cache", "dispatch", "gate", "measure", "search"},
    "cli": {"problem", "device", "cache", "dispatch", "gate", "measure", "search", "session"},
}
# What only the command line may do, and what nobody but main and Options may.
PRINTS = re.compile(r"std::cout|std::cerr|\bprintf\(|\bputs\(")
READS_ENVIRONMENT = re.compile(r"\bgetenv\(")


def faults(root):
    for path in sorted((root / "tuner").rglob("*.[ch]pp")):
        folder = path.relative_to(root / "tuner").parts[0]
        text = path.read_text()
        for include in re.findall(r'#include "(\w+)/', text):
            if include in ALLOWED and include != folder and include not in ALLOWED.get(folder, set()):
                yield f"{path}: {folder} may not include {include}"
        if folder not in ("cli", "include") and PRINTS.search(text):
            yield f"{path}: only cli prints"
        if READS_ENVIRONMENT.search(text) and path.name != "options.cpp":
            yield f"{path}: only Options::from_environment() reads the environment"
        if folder == "include" and re.search(r"#include [<\"](?!hiptune/)\w+/", text):
            yield f"{path}: a public header includes only the standard library and hiptune/"


def main():
    found = list(faults(pathlib.Path(sys.argv[1])))
    print("\n".join(found) or "every include follows the direction of flow")
    return 1 if found else 0


sys.exit(main())
