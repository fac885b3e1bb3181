#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A card in RTL does the same, and traces the same, whether one thread steps its CPEs or two. Run from the repository root."""

import os
import pathlib
import subprocess
import sys
import tempfile

BYTES = 256 * 256
PRODUCT = ["run", "build/cpe-kernels/gemm.elf", "--kernel", "gemm", "--args", f"buf:{4 * BYTES}", f"buf:{BYTES}:random", f"buf:{BYTES}:random",
           *"0 0 256 256 256 0 1 0".split()]


def trace(config, threads, folder):
    """What the command says, and what the card did meanwhile."""
    file = pathlib.Path(folder) / f"{config}-{threads}.pftrace"
    command = ["build/swai", "--quiet", "--tier", "rtl", "--config", config, "trace", file, "build/swai", "--quiet", "--json", *PRODUCT]
    done = subprocess.run(command, env=os.environ | {"SWAI_THREADS": str(threads)}, stdout=subprocess.PIPE, check=True)
    return done.stdout, file.read_bytes()


def main():
    with tempfile.TemporaryDirectory() as folder:
        for config in ("cg1", "tiny"):
            if trace(config, 1, folder) != trace(config, 2, folder):
                sys.exit(f"threads_test: {config}: two threads did something else than one")
    print("threads_test: the same with one thread and two")


if __name__ == "__main__":
    main()
