#!/usr/bin/env python3
"""Runs the measurements that the bench.toml files register, writes them to build/bench/bench.json, and has pictures drawn of
them. See docs/testing.md."""

import argparse
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import time
import tomllib

OUT = pathlib.Path("build/bench/bench.json")
BENCH_FIELDS = {"name": str, "command": str, "needs": list, "cycles": bool, "long": bool, "description": str}
PICTURE_FIELDS = {"name": str, "command": str, "description": str}


class UsageError(Exception):
    pass


def entries(path, content, kind, fields):
    """All of a kind in a file."""
    for entry in content.get(kind, []):
        for field, value in entry.items():
            if type(value) is not fields.get(field):
                raise UsageError(f"{path}: {kind} {entry.get('name', '?')}: bad field '{field}'")
        if "name" not in entry or "command" not in entry:
            raise UsageError(f"{path}: a {kind} needs 'name' and 'command'")
        yield entry


def load(root):
    """All registered measurements, pictures that are drawn of all figures, and the targets: key -> {"min": x} or {"max": x}."""
    benches = []
    pictures = []
    targets = {}
    for path in sorted(pathlib.Path(root).glob("**/bench.toml")):
        try:
            content = tomllib.loads(path.read_text())
        except tomllib.TOMLDecodeError as error:
            raise UsageError(f"{path}: {error}") from error
        benches += [{"needs": [], "cycles": False, "long": False, **entry} for entry in entries(path, content, "bench", BENCH_FIELDS)]
        pictures += entries(path, content, "picture", PICTURE_FIELDS)
        for key, target in content.get("targets", {}).items():
            if len(target) != 1 or not set(target) <= {"min", "max"}:
                raise UsageError(f"{path}: target {key}: needs either min or max")
            if key in targets:
                raise UsageError(f"{path}: target {key} is given twice")
            targets[key] = target
    return benches, pictures, targets


def run(entry):
    """Its output; raises RuntimeError with the reason when it fails."""
    environment = {key: value for key, value in os.environ.items() if key not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
    if entry.get("cycles"):
        environment.setdefault("SWAI_THREADS", "1")  # others run beside it
    done = subprocess.run(["/bin/bash", "-c", entry["command"]], stdout=subprocess.PIPE, text=True, env=environment)
    if done.returncode != 0:
        raise RuntimeError(f"exit code {done.returncode}")
    return done.stdout


def measure(bench):
    """Runs one measurement and returns its figures; raises RuntimeError with the reason when there are none."""
    output = run(bench)
    try:
        figures = json.loads(output)
    except ValueError as error:
        raise RuntimeError(f"its output is not JSON: {error}") from error
    if not isinstance(figures, dict) or not all(type(value) in (int, float) for value in figures.values()):
        raise RuntimeError("its output is not a flat JSON object of numbers")
    return figures


def attempt(entry, work):
    """What becomes of an entry, with its time; None, and the reason on standard error, when it fails."""
    start = time.monotonic()
    try:
        result = work(entry)
        print(f"{entry['name']}: {time.monotonic() - start:.1f} s", file=sys.stderr, flush=True)
        return result
    except RuntimeError as error:
        print(f"{entry['name']} failed: {error}\n  {entry['command']}", file=sys.stderr, flush=True)
        return None


def measure_all(benches):
    """What becomes of each: those that count cycles of the card beside each other, then those that measure seconds alone."""
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        found = list(pool.map(lambda bench: attempt(bench, measure), [bench for bench in benches if bench["cycles"]]))
    return found + [attempt(bench, measure) for bench in benches if not bench["cycles"]]


def shown(value):
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:,.3f}" if abs(value) < 100 else f"{value:,.0f}"


def row(key, value, target):
    text = f"{shown(value):>16}"
    if target:
        (kind, limit), = target.items()
        met = value >= limit if kind == "min" else value <= limit
        text += f"  {'at least' if kind == 'min' else 'at most':8} {shown(limit):>12}  {'met' if met else 'MISSED'}"
    return f"{key:40} {text}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", default="verif", help="folder that is searched for bench.toml files")
    parser.add_argument("--long", action="store_true", help="include the long measurements")
    parser.add_argument("--needs", action="store_true", help="print the make targets that are needed and end")
    options = parser.parse_args()

    benches, pictures, targets = load(options.root)
    benches = [bench for bench in benches if options.long or not bench["long"]]
    if options.needs:
        print(" ".join(["generated", *dict.fromkeys(need for bench in benches for need in bench["needs"])]))
        return 0

    begin = time.monotonic()
    found = measure_all(benches)
    new = {key: value for figures in found if figures is not None for key, value in figures.items()}
    if not options.long:
        new["build.bench_minutes"] = round((time.monotonic() - begin) / 60, 1)
    OUT.parent.mkdir(parents=True, exist_ok=True)
    OUT.write_text(json.dumps(new, indent=1, sort_keys=True) + "\n")
    drawn = [attempt(picture, run) for picture in pictures]
    failed = (found + drawn).count(None)
    for key in sorted(new):
        print(row(key, new[key], targets.get(key)))
    print(f"{len(new)} figures in {OUT}" + (f", {failed} failed" if failed else ""))
    return 1 if failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except UsageError as error:
        print(f"bench: {error}", file=sys.stderr)
        sys.exit(2)
