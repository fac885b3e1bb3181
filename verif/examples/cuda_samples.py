#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the samples in CUDA's idiom on the card's functional model: each compares what it computed with the host's."""

import argparse
import json
import os
import subprocess
import sys

SAMPLES = ["vectorAdd", "matrixMul", "reduction", "transpose"]
# Those whose share is not measured.
MORE = ["histogram", "convolution", "globals"]
FOLDER = "build/examples/cuda"


def right(sample):
    done = subprocess.run(["build/swai", "--config", "tiny", "--quiet", "exec", "--folder", FOLDER, f"./{sample}"],
                          env=os.environ | {"SWAI_TIER": "fast"}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    print(done.stdout, end="", file=sys.stderr)
    return done.returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print the share of right results")
    options = parser.parse_args()
    share = sum(map(right, SAMPLES)) / len(SAMPLES)
    if options.json:
        print(json.dumps({"first.cuda_samples": share}))
        return 0
    return 0 if share == 1 and all(map(right, MORE)) else 1


if __name__ == "__main__":
    sys.exit(main())
