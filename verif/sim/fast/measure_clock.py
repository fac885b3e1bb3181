#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How far the coarse clock of the fast tier is from RTL: runs kernels, examples and operators on both and prints a table on standard
error, and one JSON object. fast.clock_error is the median of |cycles of the model / cycles of RTL - 1| over all launches.

--write keeps the cycles of RTL for the test fast.clock, which runs the model only."""

import argparse
import json
import pathlib
import statistics
import sys

import clock_jobs

FIGURES = pathlib.Path(__file__).with_name("clock_rtl.json")


def errors(rtl, model):
    return [ours / theirs - 1 for ours, theirs in zip(model, rtl, strict=True)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="jobs whose names contain this")
    parser.add_argument("--write", action="store_true", help=f"keep the cycles of RTL in {FIGURES.name}")
    options = parser.parse_args()
    if options.write and options.only:
        parser.error("--write keeps figures of all jobs: it goes without --only")
    if not any(options.only in name for name in clock_jobs.JOBS):
        parser.error(f"--only {options.only}: no job is called so")
    rtl = clock_jobs.Run("build/cpe-run", "--quiet")
    model = clock_jobs.Run("build/iss-cpe-run")
    figures, all_errors = {}, []
    print(f"{'':22}{'RTL':>10}{'model':>10}{'error':>8}", file=sys.stderr)
    for name, job in clock_jobs.JOBS.items():
        if options.only not in name:
            continue
        figures[name] = job(rtl)
        ours = job(model)
        found = errors(figures[name], ours)
        all_errors += map(abs, found)
        for cycles, mine, error in zip(figures[name], ours, found, strict=True):
            print(f"{name:22}{cycles:10}{mine:10}{100 * error:7.1f}%", file=sys.stderr)
    if options.write:
        FIGURES.write_text("{\n" + ",\n".join(f'  "{name}": {cycles}' for name, cycles in figures.items()) + "\n}\n")
    print(json.dumps({"fast.clock_error": round(statistics.median(all_errors), 4)}))


if __name__ == "__main__":
    main()
