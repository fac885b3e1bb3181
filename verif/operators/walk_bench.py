#!/usr/bin/env python3
"""What a node of the walker costs, on the RTL of a core group: empty nodes with a barrier of all CPEs. Prints a flat
JSON object.

Two lists of different lengths are walked, each twice: the second time its code is in the caches. The difference of
their cycles leaves out what a launch costs.
"""

import json
import pathlib
import struct
import subprocess
import sys
import tempfile

NOTHING = 1
BARRIER_ALL = 3
LENGTHS = (64, 576)


def cycles(folder, length):
    nodes = folder / f"{length}.nodes"
    nodes.write_bytes(struct.pack("<HBx124x", NOTHING, BARRIER_ALL) * length)
    report = folder / f"{length}.json"
    done = subprocess.run(["build/cpe-run", "build/cpe-kernels/operators.elf", "--kernel", "walk", "--launches", "2",
                           "--quiet", "--json", report, "--args", f"buf:={nodes}", str(length), *["0"] * 5],
                          capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stdout + done.stderr)
    return json.loads(report.read_text())["launches"][1]["cycles"]


def main():
    with tempfile.TemporaryDirectory() as folder:
        short, long_ = (cycles(pathlib.Path(folder), length) for length in LENGTHS)
    print(json.dumps({"walk.node_cycles": round((long_ - short) / (LENGTHS[1] - LENGTHS[0]), 1)}))


if __name__ == "__main__":
    main()
