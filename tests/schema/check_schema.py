#!/usr/bin/env python3
"""Checks the schema of search spaces: it accepts the shipped and the good ones, and rejects every bad one.

Usage: check_schema.py SOURCE_FOLDER
"""

import json
import pathlib
import sys

import jsonschema


def faults(validator, file):
    return [f"{error.json_path}: {error.message}" for error in validator.iter_errors(json.loads(file.read_text()))]


def main(source):
    schema_file = source / "search_spaces" / "space.schema.json"
    schema = json.loads(schema_file.read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)

    shipped = sorted(set((source / "search_spaces").glob("*.json")) - {schema_file})
    good = shipped + sorted((source / "tests" / "schema" / "good").glob("*.json"))
    bad = sorted((source / "tests" / "schema" / "bad").glob("*.json"))
    assert shipped and len(good) > len(shipped) and bad, "the files to check are missing"

    complaints = [f"{file}: rejected: {fault}" for file in good for fault in faults(validator, file)]
    complaints += [f"{file}: accepted, but must be rejected" for file in bad if not faults(validator, file)]
    print("\n".join(complaints) or f"{len(good)} good and {len(bad)} bad files are told apart")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
