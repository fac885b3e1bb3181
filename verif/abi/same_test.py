#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Everything that launch-bench does takes the same cycles again, and leaves the same trace of events: with random contents at power-on, and
in other builds.

Run from the repository root; programs after the first are compared with it.
"""

import argparse
import hashlib
import pathlib
import shutil
import subprocess
import sys
import tempfile

FLASH = "build/firmware/launch-bench.flash"
COMMANDS = "faults 2\nmask 0x7\nempty\nsync 100 2\nbroadcast 1024 3\nscalar 100\n"


def run(program, config, cycles, *options):
    """What the card says, with its figures, the clocks that it needed and a digest of its events; of so many cycles, 0: of all."""
    with tempfile.TemporaryDirectory() as folder:
        flash, events = pathlib.Path(folder) / "card.flash", pathlib.Path(folder) / "events"
        shutil.copy(FLASH, flash)
        command = [program, "--config", config, "--flash", flash, "--events", events, "--quiet", "--stats", *options]
        if cycles:
            command += ["--max-cycles", str(cycles)]
        done = subprocess.run(command, input=COMMANDS, capture_output=True, text=True)
        trace = events.read_bytes() if events.exists() else b""
    good = (1, '"launch_chain"') if cycles else (0, '"scalar"')
    if done.returncode != good[0] or good[1] not in done.stdout:
        sys.exit(f"{done.stdout}{done.stderr}{program}: exit code {done.returncode}")
    if len(trace) < 10_000:
        sys.exit(f"{program}: only {len(trace)} bytes of events")
    digest = f"events: {len(trace)} bytes, {hashlib.sha256(trace).hexdigest()}"
    return [digest] + [line for line in (done.stdout + done.stderr).splitlines() if not line.startswith("speed")]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--config", default="tiny")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cycles", type=int, default=0, help="no more than these: for slow programs")
    parser.add_argument("programs", nargs="+")
    options = parser.parse_args()
    expected = run(options.programs[0], options.config, options.cycles)
    print("\n".join(expected))
    others = [(options.programs[0], ["--seed", str(options.seed)])]
    others += [(program, []) for program in options.programs[1:]]
    for program, more in others:
        found = run(program, options.config, options.cycles, *more)
        if found != expected:
            differing = [f"-{old}\n+{new}" for old, new in zip(expected, found) if old != new]
            sys.exit("\n".join([f"{program} {more} differs:", *differing, f"{len(expected)} and {len(found)} lines"]))


if __name__ == "__main__":
    main()
