#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the code in docs/program/first-kernel.md with the example that it explains: whoever types it in has what runs."""

import re
import sys
from pathlib import Path

PAGE = Path("docs/program/first-kernel.md")
SOURCE = Path("examples/units/kernel.cpp")
MIN_BLOCKS = 10  # fewer: the page is not read as it should be


def blocks(text):
    """Indented code; sessions of a shell begin with a prompt and are left out."""
    found = re.findall(r"(?:^    .*\n)+", text, re.MULTILINE)
    return [block for block in found if not block.startswith("    $ ")]


def lines_of(text):
    return [line.strip() for line in text.splitlines()]


def contains(lines, part):
    return any(lines[at : at + len(part)] == part for at in range(len(lines)))


def main():
    source = lines_of(SOURCE.read_text())
    code = [lines_of(block) for block in blocks(PAGE.read_text())]
    if len(code) < MIN_BLOCKS:
        sys.exit(f"{PAGE}: has {len(code)} blocks of code, at least {MIN_BLOCKS} were expected")
    for part in code:
        if not contains(source, part):
            sys.exit(f"{PAGE}: {SOURCE} has no such lines: {part[0]} ...")


if __name__ == "__main__":
    main()
