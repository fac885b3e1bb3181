#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Ports the digit recognition from CUDA again, by the renaming that is written beside it, and compares with the files that are used."""

import pathlib
import subprocess
import sys

FOLDER = pathlib.Path("examples/digits")


def ported(original, names):
    renamed = subprocess.run(["sed", "-f", FOLDER / "cuda" / names, original], check=True, capture_output=True).stdout
    layout = ["clang-format", f"--assume-filename={FOLDER}/x.cpp"]
    return subprocess.run(layout, input=renamed, check=True, capture_output=True).stdout


def main():
    different = 0
    for name, names in (("convolution", "kernel.sed"), ("digits", "program.sed")):
        same = ported(FOLDER / f"cuda/{name}.cu", names) == (FOLDER / f"{name}.cpp").read_bytes()
        print(f"{name}.cu with other names is {'' if same else 'NOT '}{name}.cpp")
        different += not same
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
