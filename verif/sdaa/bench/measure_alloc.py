#!/usr/bin/env python3
"""Boots the kernel that measures its memory manager, and prints medians as a flat JSON object."""

import json
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

FLASH = pathlib.Path("build/firmware/alloc-bench.flash")
SMALL = 64 << 10


def main():
    with tempfile.TemporaryDirectory() as folder:
        # The card writes to its flash.
        flash = pathlib.Path(folder) / "card.flash"
        shutil.copy(FLASH, flash)
        done = subprocess.run(["build/swai-card", "--flash", flash, "--until-ready"], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True)
    lines = re.findall(r"bytes (\d+) alloc (\d+) (\d+) free (\d+) (\d+)$", done.stdout, re.MULTILINE)
    if done.returncode != 0 or not lines:
        sys.exit(f"{done.stdout}{done.stderr}swai-card: exit code {done.returncode}")
    sizes = {int(size): [int(count) for count in counts] for size, *counts in lines}
    small = [counts for size, counts in sizes.items() if size <= SMALL]
    large = [counts for size, counts in sizes.items() if size > SMALL]
    medians = [counts[0] for counts in large]
    print(json.dumps({
        "alloc.small_cycles": statistics.median(counts[0] for counts in small),
        "alloc.small_cycles_cold": max(counts[1] for counts in small),
        "alloc.small_free_cycles": statistics.median(counts[2] for counts in small),
        "alloc.large_cycles": max(medians),
        "alloc.large_cycles_cold": max(counts[1] for counts in large),
        "alloc.large_flat": max(medians) / min(medians),
    }))


if __name__ == "__main__":
    main()
