#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""When each long test last passed on a clean tree: verif/long-passes.json, one line per test, which the runner writes.
Without options it lists the long tests, the oldest pass first, and fails if the file names a test that is not long.
--json prints the figure for `make bench`."""

import argparse
import datetime
import json
import pathlib
import sys

import registry
import repository

SHOWN = 3  # names of tests in one line
PATH = pathlib.Path(repository.RECORD)


def read():
    """Test -> commit, date, and minutes of CPU of all its runs together."""
    return json.loads(PATH.read_text()) if PATH.exists() else {}


def write(passes):
    lines = [f" {json.dumps(name)}: {json.dumps(passes[name], sort_keys=True)}" for name in sorted(passes)]
    PATH.write_text("{\n" + ",\n".join(lines) + "\n}\n")


class Record:
    """Records the long tests of which all runs pass, as long as the tree is that of one commit."""

    def __init__(self):
        self.commit = repository.commit() if repository.is_clean() else None
        self.passed = {}

    def note(self, test, run, seconds):
        """Records a run that passed, and its seconds of CPU."""
        if self.commit is None or not test.long:
            return
        runs = self.passed.setdefault(test.name, {})
        runs[run] = seconds
        complete = len(runs) == test.all_runs
        if complete and repository.is_clean() and repository.commit() == self.commit:
            today = datetime.datetime.now(datetime.timezone.utc).date()
            minutes = round(sum(runs.values()) / 60, 2)
            # Read anew: another run may have written it meanwhile.
            write(read() | {test.name: {"commit": self.commit[:12], "date": today.isoformat(), "minutes": minutes}})


def by_age(long_tests, passes):
    """Days since each test's last pass, None for never, which comes first."""
    today = datetime.datetime.now(datetime.timezone.utc).date()
    ages = dict.fromkeys(sorted(long_tests))
    for name in ages.keys() & passes.keys():
        ages[name] = (today - datetime.date.fromisoformat(passes[name]["date"])).days
    return dict(sorted(ages.items(), key=lambda item: (item[1] is not None, -(item[1] or 0))))


def figures(ages):
    never = [name for name, age in ages.items() if age is None]
    found = {"tests.long": len(ages), "tests.long_never": len(never)}
    if never:
        others = ", ..." if len(never) > SHOWN else ""
        reason = f"{len(never)} long tests never passed: {', '.join(never[:SHOWN])}{others}"
        found["missed"] = {"tests.oldest_long_days": reason}
    else:
        found["tests.oldest_long_days"] = max(ages.values(), default=0)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", default="verif", help="folder that is searched for tests.toml files")
    parser.add_argument("--json", action="store_true", help="print the figure for make bench")
    options = parser.parse_args()
    long_tests = {test.name for test in registry.load_tests(options.root) if test.long}
    passes = read()
    ages = by_age(long_tests, passes)
    if options.json:
        for name in [name for name, age in ages.items() if age is not None][:1]:
            print(f"the oldest pass: {name}, {passes[name]['date']}, commit {passes[name]['commit']}", file=sys.stderr)
        print(json.dumps(figures(ages)))
        return 0
    for name, age in ages.items():
        last = "never" if age is None else "{date}  {commit}  {minutes:8.2f} min of CPU".format(**passes[name])
        print(f"{name:40} {last}")
    unknown = sorted(set(passes) - long_tests)
    for name in unknown:
        print(f"{PATH}: {name} is not a long test: remove its line", file=sys.stderr)
    return 1 if unknown else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except registry.UsageError as error:
        print(f"long-passes: {error}", file=sys.stderr)
        sys.exit(2)
