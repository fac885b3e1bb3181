#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares what docs/program/templates.md shows with what runs in graph.toys and graph.toys-host: who follows the page has it."""

import sys
from pathlib import Path

PAGE = Path("docs/program/templates.md")
# File, where what is shown begins, and what comes behind it (the file's end, if nothing).
SHOWN = [("toys.hpp", '#include "abi/building.hpp"', "// Of `write`"),
         ("encode.cpp", "#include <algorithm>", ""),
         ("host.cpp", "uint64_t on_card", "")]


def shown(file, begin, end):
    text = (Path("verif/kit/toys") / file).read_text()
    text = text[text.index(begin) : text.index(end) if end else len(text)].rstrip()
    return "".join(f"    {line}\n" if line else "\n" for line in text.splitlines())


def main():
    page = PAGE.read_text()
    missing = [file for file, begin, end in SHOWN if shown(file, begin, end) not in page]
    if missing:
        sys.exit(f"{PAGE} does not show {', '.join(missing)} of verif/kit/toys as it is, four spaces to the right")


if __name__ == "__main__":
    main()
