#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Durations of the last passing `make test`, from build/test-run.json, which the runner writes. Figures of another
commit, or of a tree with changes, do not count. Prints a flat JSON object for `make bench`."""

import json
import pathlib
import sys

sys.path.insert(0, "scripts")
import repository  # noqa: E402

RUN = pathlib.Path("build/test-run.json")
KEYS = ("build.test_minutes", "fuzz.seconds_in_ci")


def why_not(run):
    """The reason why a run is not of this commit; None if it is."""
    if run is None:
        return "make test has not passed in this folder"
    if not run["clean"]:
        return "the last make test that passed was not of a commit without changes"
    if run["commit"] != repository.commit():
        return f"the last make test that passed was of commit {run['commit'][:12]}"
    return None


def main():
    run = json.loads(RUN.read_text()) if RUN.exists() else None
    reason = why_not(run)
    figures = {} if reason else run["figures"]
    absent = [key for key in KEYS if key not in figures]
    not_measured = dict.fromkeys(absent, reason or "the last make test did not begin without build/")
    print(json.dumps(figures | {"not measured": not_measured}))


main()
