#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whatever memories and registers hold at power-on, the card begins its boot, in the same cycle: many seeds, few cycles each.

Run from the repository root.
"""

import argparse
import pathlib
import shutil
import subprocess
import sys
import tempfile

CYCLES = 500
SEEDS = 48


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--card", default="build/swai-card-tiny")
    parser.add_argument("--config", default="tiny")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    traces = {}
    with tempfile.TemporaryDirectory() as folder:
        flash, trace = pathlib.Path(folder) / "card.flash", pathlib.Path(folder) / "trace"
        shutil.copy("build/firmware/flash.bin", flash)
        for seed in range(options.seed * SEEDS, (options.seed + 1) * SEEDS):
            command = [options.card, "--config", options.config, "--flash", flash, "--seed", str(seed), "--quiet"]
            command += ["--console", "none", "--trace", trace, "--max-cycles", str(CYCLES)]
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode != 1 or f"no end after {CYCLES} cycles" not in done.stderr:
                sys.exit(f"{done.stdout}{done.stderr}seed {seed}: exit code {done.returncode}")
            # Clocks, addresses and instructions; what is in registers and memory differs.
            lines = [line.split()[:4] for line in trace.read_text().splitlines()]
            traces.setdefault(str(lines), []).append(seed)
    if len(traces) != 1 or min(map(len, traces)) < CYCLES:
        sys.exit(f"these seeds retire other instructions than the rest: {sorted(traces.values(), key=len)[:-1]}")
    print(f"{SEEDS} seeds")


if __name__ == "__main__":
    main()
