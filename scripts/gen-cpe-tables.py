#!/usr/bin/env python3
"""Writes the tables of a page about CPEs (docs/cpe.md) from rtl/cpe/cpe_pkg.sv, between the lines `<!-- table NAME -->` and
`<!-- end -->`. With --check nothing is written; exit code 1 says that the page is not what the package gives."""

import argparse
import pathlib
import re
import sys

import page_tables

PACKAGE = pathlib.Path("rtl/cpe/cpe_pkg.sv")
# Which operations go to which units; their names begin alike.
OPERATIONS = {
    "Control": ["Control"],
    "Dma": ["Dma"],
    "Channel": ["Row", "Column"],
    "Systolic": ["Systolic"],
    "Vector": ["Vector"],
}


def constants(text, pattern):
    """Names, values and comments of the localparams whose name matches, in the order of the file."""
    found = re.finditer(rf"(?m)^  localparam [^=\n]*?\b({pattern})\s*=\s*\d+'([dh])([0-9a-f]+);(?: *// (.*))?$", text)
    return [(match[1], int(match[3], 16 if match[2] == "h" else 10), match[4] or "") for match in found]


def table(header, rows):
    return ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)] + ["| " + " | ".join(map(str, row)) + " |" for row in rows]


def units(text):
    return table(["number", "unit"], [(value, f"`{name}`") for name, value, _ in constants(text, r"Unit\w+")])


def commands(text):
    rows = []
    for prefix, targets in OPERATIONS.items():
        who = ", ".join(f"`Unit{target}`" for target in targets)
        rows += [(who, value, f"`{name}`", comment) for name, value, comment in constants(text, rf"(?<=\[6:0\] ){prefix}\w+")]
    return table(["unit", "funct7", "operation", ""], rows)


def causes(text):
    return table(["number", "cause", ""], [(value, f"`{name}`", comment) for name, value, comment in constants(text, r"Cause\w+")])


TABLES = {"units": units, "commands": commands, "causes": causes}


def tables(text):
    found = {name: table(text) for name, table in TABLES.items()}
    for name, lines in found.items():
        if len(lines) < 4:
            raise ValueError(f"{PACKAGE} has nothing for table {name}")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("page", type=pathlib.Path)
    options = parser.parse_args()

    return page_tables.fill(options.page, tables(PACKAGE.read_text()), PACKAGE, options.check)


if __name__ == "__main__":
    sys.exit(main())
