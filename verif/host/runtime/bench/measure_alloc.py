#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Boots the kernel that measures its memory manager, and prints medians as a flat JSON object.

Beside the C library's malloc: its cycles divided by ours, for each size, in a heap where nothing else is and in one where pieces and
holes of many sizes are; without a size the median over the sizes.
"""

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


def beside_libc(text):
    figures = {}
    for heap, key in (("fresh", "alloc.vs_libc"), ("used", "alloc.vs_libc_used")):
        lines = re.findall(rf"{heap} heap, bytes (\d+) ours (\d+) libc (\d+)$", text, re.MULTILINE)
        ratios = {int(size): int(libc) / int(ours) for size, ours, libc in lines}
        figures[key] = round(statistics.median(ratios.values()), 3)
        for size, ratio in ratios.items():
            name = f"{size >> 10}k" if size < 1 << 20 else f"{size >> 20}m"
            figures[f"{key}_{name}"] = round(ratio, 3)
    return figures


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
        **beside_libc(done.stdout),
    }))


if __name__ == "__main__":
    main()
