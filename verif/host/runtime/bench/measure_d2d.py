#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures copies on the card by each engine and by the one that the card chooses, and prints a flat JSON object. Runs
build/d2d-bench with a root complex that routes between cards and with one that does not, at the same time: their times are
the cards' own cycles, so that the two do not disturb each other. `d2d.regret` is by how much the choice is slower than the
best engine, in the worst cell of --all (up to 64 MiB), `..._mean` the mean over the cells. Without --all cells end at 4 MiB,
and the keys are `d2d.regret_to_4m` and `..._mean`."""

import json
import statistics
import subprocess
import sys

BENCH = "build/d2d-bench"


def main():
    hosts = [[], ["--no-iommu"]]
    running = [subprocess.Popen([BENCH, *sys.argv[1:], *host], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
               for host in hosts]
    figures = {}
    regrets = []
    failed = False
    for one in running:
        printed, table = one.communicate()
        print(table, file=sys.stderr, end="")
        failed = failed or one.returncode != 0
        if not failed:
            found = json.loads(printed)
            regrets += found.pop("regrets")
            # For figures that both print, the first one counts.
            figures = found | figures
    if failed:
        sys.exit(1)
    key = "d2d.regret" if "--all" in sys.argv else "d2d.regret_to_4m"
    worst_and_mean = {key: max(regrets), f"{key}_mean": statistics.mean(regrets), "d2d.cells": len(regrets)}
    print(json.dumps(figures | worst_and_mean))


main()
