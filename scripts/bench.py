#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the measurements that the bench.toml files register, writes them to build/bench/bench.json, prints them beside
their targets, and draws the registered pictures. Exit code 1: a measurement failed; 2: a target is missed that
verif/missed.toml does not list. See docs/verify/measurements.md."""

import argparse
import concurrent.futures
import dataclasses
import datetime
import fnmatch
import json
import os
import pathlib
import subprocess
import sys
import time
import tomllib

import repository

OUT = pathlib.Path("build/bench/bench.json")
BENCH_FIELDS = {
    "name": str,
    "command": str,
    "needs": list,
    "cycles": bool,
    "long": bool,
    "cost": int,
    "description": str,
    "targets": dict,
}
PICTURE_FIELDS = {"name": str, "command": str, "description": str}
MISSED_FIELDS = {"cause": str, "remedy": str}
# Members of a measurement's output that hold reasons, by key, in place of figures.
NOT_MEASURED, MISSED = "not measured", "missed"
# Name of the figures that this script measures itself.
OWN = "bench"
MINUTES = "build.bench_minutes"


class UsageError(Exception):
    pass


@dataclasses.dataclass
class Found:
    """The output of a measurement, or the reason of its failure."""

    figures: dict = dataclasses.field(default_factory=dict)
    not_measured: dict = dataclasses.field(default_factory=dict)
    missed: dict = dataclasses.field(default_factory=dict)
    failure: str = ""


@dataclasses.dataclass
class Target:
    kind: str  # "min" or "max"
    limit: float
    bench: str

    def is_met(self, value):
        return value >= self.limit if self.kind == "min" else value <= self.limit

    def __str__(self):
        return f"{'at least' if self.kind == 'min' else 'at most':8} {shown(self.limit):>12}"


def read(path):
    try:
        return tomllib.loads(path.read_text())
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{path}: {error}") from error


def entries(path, content, kind, fields):
    """All of a kind in a file."""
    for entry in content.get(kind, []):
        for field, value in entry.items():
            if type(value) is not fields.get(field):
                raise UsageError(f"{path}: {kind} {entry.get('name', '?')}: bad field '{field}'")
        if "name" not in entry or "command" not in entry:
            raise UsageError(f"{path}: a {kind} needs 'name' and 'command'")
        yield entry


def add_targets(targets, path, bench, added):
    for key, target in added.items():
        if len(target) != 1 or not set(target) <= {"min", "max"}:
            raise UsageError(f"{path}: target {key}: needs either min or max")
        if key in targets:
            raise UsageError(f"{path}: target {key} is given twice")
        ((kind, limit),) = target.items()
        targets[key] = Target(kind, limit, bench)


def load(root):
    """All registered measurements, pictures that are drawn of all figures, and the targets by key."""
    benches = []
    pictures = []
    targets = {}
    for path in sorted(pathlib.Path(root).glob("**/bench.toml")):
        content = read(path)
        for entry in entries(path, content, "bench", BENCH_FIELDS):
            benches.append({"needs": [], "cycles": False, "long": False, "cost": 0, **entry})
            add_targets(targets, path, entry["name"], entry.get("targets", {}))
        own = content.get("targets", {})
        if not set(own) <= {MINUTES}:
            keys = ", ".join(sorted(set(own) - {MINUTES}))
            raise UsageError(f"{path}: {keys}: a target belongs to the [[bench]] that measures it: [bench.targets]")
        add_targets(targets, path, OWN, own)
        pictures += entries(path, content, "picture", PICTURE_FIELDS)
    return benches, pictures, targets


def load_missed(root, targets):
    """Targets that are known to be missed: key -> cause, and the work that meeting it would take."""
    path = pathlib.Path(root) / "missed.toml"
    known = read(path) if path.exists() else {}
    for key, entry in known.items():
        if key not in targets:
            raise UsageError(f"{path}: {key} is not a target")
        if not isinstance(entry, dict) or {field: type(text) for field, text in entry.items()} != MISSED_FIELDS:
            raise UsageError(f"{path}: {key}: needs {' and '.join(MISSED_FIELDS)}")
    return known


def run(entry):
    """Its output; raises RuntimeError with the reason when it fails."""
    environment = {key: value for key, value in os.environ.items() if key not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
    if entry.get("cycles"):
        environment.setdefault("SWAI_THREADS", "1")  # others run beside it
    done = subprocess.run(["/bin/bash", "-c", entry["command"]], stdout=subprocess.PIPE, text=True, env=environment)
    if done.returncode != 0:
        raise RuntimeError(f"exit code {done.returncode}")
    return done.stdout


def reasons(printed, member):
    found = printed.pop(member, {})
    if not isinstance(found, dict) or not all(type(text) is str for text in found.values()):
        raise RuntimeError(f"'{member}' in its output is not an object of reasons by key")
    return found


def measure(bench):
    """Runs one measurement and returns its results; raises RuntimeError with the reason if it fails."""
    output = run(bench)
    try:
        printed = json.loads(output)
    except ValueError as error:
        raise RuntimeError(f"its output is not JSON: {error}") from error
    if not isinstance(printed, dict):
        raise RuntimeError("its output is not a flat JSON object of numbers")
    not_measured, missed = reasons(printed, NOT_MEASURED), reasons(printed, MISSED)
    if not all(type(value) in (int, float) for value in printed.values()):
        raise RuntimeError("its output is not a flat JSON object of numbers")
    absent = set(bench.get("targets", {})) - set(printed) - set(not_measured) - set(missed)
    if absent:
        raise RuntimeError(f"it printed neither {', '.join(sorted(absent))} nor why")
    return Found(printed, not_measured, missed)


def attempt(entry, work):
    """The result of `work` for an entry, or a Found with the failure; prints the time to standard error."""
    start = time.monotonic()
    try:
        result = work(entry)
        print(f"{entry['name']}: {time.monotonic() - start:.1f} s", file=sys.stderr, flush=True)
        return result
    except RuntimeError as error:
        print(f"{entry['name']} failed: {error}\n  {entry['command']}", file=sys.stderr, flush=True)
        return Found(failure=str(error))


def measure_all(benches):
    """Results by name. Measurements that count cycles of the card run in parallel, the longest first; those that
    measure seconds then run alone."""
    beside = sorted((bench for bench in benches if bench["cycles"]), key=lambda bench: -bench["cost"])
    alone = [bench for bench in benches if not bench["cycles"]]
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        found = dict(zip((bench["name"] for bench in beside), pool.map(lambda bench: attempt(bench, measure), beside)))
    return found | {bench["name"]: attempt(bench, measure) for bench in alone}


def provenance():
    """The commit, whether files differ from it, the time, and how busy the machine is."""
    commit = repository.commit()
    now = datetime.datetime.now(datetime.timezone.utc)
    about = {"bench.date": now.isoformat(timespec="seconds"), "bench.load": round(os.getloadavg()[0], 2)}
    if commit:
        about |= {"bench.commit": commit, "bench.dirty": int(not repository.is_clean())}
    return about


def shown(value):
    if isinstance(value, str):
        return value
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:,.3f}" if abs(value) < 100 else f"{value:,.0f}"


class Report:
    """Figures beside their targets, and for each target without a figure the reason."""

    def __init__(self, targets, known, benches, found):
        self.targets = targets
        self.known = known
        self.long = {bench["name"]: bench["long"] for bench in benches}
        self.found = found
        self.figures = {key: value for one in found.values() for key, value in one.figures.items()}
        self.missed = {key: reason for one in found.values() for key, reason in one.missed.items()}
        reasons = {key: reason for one in found.values() for key, reason in one.not_measured.items()}
        self.reasons = {key: reason for key, reason in reasons.items() if key not in self.figures}
        self.verdicts = {key: self.verdict(key) for key in targets}

    def verdict(self, key):
        target = self.targets[key]
        if key in self.figures:
            return "met" if target.is_met(self.figures[key]) else "MISSED"
        return "MISSED" if key in self.missed else "not measured"

    def why_not_measured(self, key):
        name = self.targets[key].bench
        if key in self.reasons:
            return self.reasons[key]
        if name in self.found:
            return f"{name} failed: {self.found[name].failure}"
        if name == OWN:
            return "a figure of make bench as a whole"
        return f"{name} takes long: make bench-long" if self.long[name] else f"{name} was not selected"

    def row(self, key):
        text = f"{key:40} {shown(self.figures[key]) if key in self.figures else '-':>16}"
        verdict = self.verdicts.get(key)
        if verdict is None:
            return f"{text}  not measured: {self.reasons[key]}" if key in self.reasons else text
        text += f"  {self.targets[key]}  {verdict}"
        if verdict == "not measured":
            return f"{text}: {self.why_not_measured(key)}"
        if verdict == "MISSED":
            notes = [self.missed[key]] if key in self.missed else []
            notes += [self.known[key]["cause"]] if key in self.known else ["verif/missed.toml does not list it"]
            text += f": {'; '.join(notes)}"
        return text

    def keys(self, verdict):
        return [key for key, one in self.verdicts.items() if one == verdict]

    def print(self):
        for key in sorted({*self.figures, *self.targets, *self.reasons}):
            print(self.row(key))
        met, missed, absent = (self.keys(verdict) for verdict in ("met", "MISSED", "not measured"))
        print(f"{len(self.targets)} targets: {len(met)} met, {len(missed)} MISSED, {len(absent)} not measured")
        for key in met:
            if key in self.known:
                print(f"verif/missed.toml: the entry {key} is stale, because the target is met: remove it")

    def unlisted(self):
        return [key for key in self.keys("MISSED") if key not in self.known]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", default="verif", help="folder that is searched for bench.toml files")
    parser.add_argument("--long", action="store_true", help="include the long measurements")
    parser.add_argument("--only", action="append", metavar="PATTERN", help="only measurements that match: operators.*")
    parser.add_argument("--needs", action="store_true", help="print the make targets that are needed and end")
    options = parser.parse_args()

    benches, pictures, targets = load(options.root)
    known = load_missed(options.root, targets)
    asked = [bench for bench in benches if options.long or not bench["long"]]
    if options.only:
        asked = [bench for bench in asked if any(fnmatch.fnmatchcase(bench["name"], only) for only in options.only)]
        pictures = []
    if options.needs:
        print(" ".join(["generated", *dict.fromkeys(need for bench in asked for need in bench["needs"])]))
        return 0

    about = provenance()
    begin = time.monotonic()
    found = measure_all(asked)
    if not options.long and not options.only:
        found[OWN] = Found({MINUTES: round((time.monotonic() - begin) / 60, 1)})
    report = Report(targets, known, benches, found)
    if "sim.cpe_core_khz" in report.figures:
        about["bench.core_speed_mhz"] = round(report.figures["sim.cpe_core_khz"] / 1000, 1)
    report.figures |= about
    OUT.parent.mkdir(parents=True, exist_ok=True)
    OUT.write_text(json.dumps(report.figures, indent=1, sort_keys=True) + "\n")
    drawn = [attempt(picture, run) for picture in pictures]
    report.print()
    failures = [one for one in [*found.values(), *drawn] if isinstance(one, Found) and one.failure]
    print(f"{len(report.figures)} figures in {OUT}" + (f", {len(failures)} failed" if failures else ""))
    if report.unlisted():
        print(f"missed, and not in verif/missed.toml: {', '.join(report.unlisted())}")
        return 2
    return 1 if failures else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except UsageError as error:
        print(f"bench: {error}", file=sys.stderr)
        sys.exit(2)
