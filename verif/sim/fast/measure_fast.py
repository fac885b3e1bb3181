#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the fast tier: how long a boot takes on the wall (start of the process to its end, the best of several), how long
it takes with the snapshot of a card that has booted, and how many instructions of the card's own firmware it runs in a second
of a host's core."""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

CARD = "build/swai-card-fast"
BOOTS = 10
# Boots of a firmware that measures the allocator, one after the other.
REBOOTS = 30


def run(folder, image, *options, stdin=""):
    flash = pathlib.Path(folder) / "card.flash"
    shutil.copy(image, flash)
    start = time.monotonic()
    done = subprocess.run(
        [CARD, "--flash", flash, "--json", "--quiet", *options], input=stdin, capture_output=True, text=True
    )
    seconds = time.monotonic() - start
    if done.returncode != 0:
        sys.exit(done.stderr)
    return json.loads(done.stdout), seconds


with tempfile.TemporaryDirectory() as folder:
    boots = [run(folder, "build/firmware/flash.bin", "--until-ready")[1] for _ in range(BOOTS)]
    booted = pathlib.Path(folder) / "booted.snapshot"
    run(folder, "build/firmware/flash.bin", "--until-ready", "--save", booted)
    restores = [
        run(folder, "build/firmware/flash.bin", "--until-ready", "--restore", booted)[1] for _ in range(BOOTS)
    ]
    work, _ = run(folder, "build/firmware/alloc-bench.flash", stdin="reboot\n" * REBOOTS)
print(
    json.dumps(
        {
            "fast.boot_ms": min(boots) * 1000,
            "fast.snapshot_restore_ms": min(restores) * 1000,
            "fast.mpe_mips": work["mips"],
        }
    )
)
