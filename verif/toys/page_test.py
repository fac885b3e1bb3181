#!/usr/bin/env python3
"""Compares the program that docs/programs.md shows with the one that runs in graph.toys: who follows the page has it."""

import sys
from pathlib import Path

program = Path("verif/toys/encode.cpp").read_text()
shown = "".join(f"    {line}\n" if line else "\n" for line in program[program.index("static int encode") :].splitlines())
if shown not in Path("docs/programs.md").read_text():
    sys.exit("docs/programs.md does not show the program verif/toys/encode.cpp as it is, from its function on, four spaces to the right")
