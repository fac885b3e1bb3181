#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes build/gen/wires.hpp: where the fields of packed structures lie that RTL and C++ around a model both look at, and the
numbers that travel in them. It reads them from the RTL's packages, which describe them; what software sees is in abi/.

gen-wires.py --out build/gen/wires.hpp rtl/lib/mbus_pkg.sv rtl/noc/noc_pkg.sv ...
"""

import argparse
import pathlib
import re
import sys

from gen.text import camel

# The definitions of a package that matter here; functions and comments are gone.
DEFINITION = re.compile(r"""
    localparam \s+ (?:int\ unsigned | (?P<type>\w+_t)) \s+ (?P<constant>\w+) \s* = \s* (?P<value>[^;]+);
  | typedef \s+ logic \s* (?:\[(?P<high>[^\]]+):0\])? \s* (?P<vector>\w+);
  | typedef \s+ enum \s+ logic \s* \[(?P<enum_high>[^\]]+):0\] \s* \{(?P<labels>[^}]*)\} \s* (?P<enum>\w+);
  | typedef \s+ struct \s+ packed \s* \{(?P<members>[^}]*)\} \s* (?P<struct>\w+);
""", re.VERBOSE)
MEMBER = re.compile(r"\s*(\w+)\s*((?:\[[^\]]+\]\s*)*)(\w+)\s*$")


class Package:
    def __init__(self, path):
        self.name = path.stem.removesuffix("_pkg")
        self.numbers = {}  # of constants
        self.widths = {"logic": 1}  # of types
        self.enums = {}  # type -> label -> number
        self.structs = {}  # type -> list of name, lsb, width
        text = re.sub(r"//[^\n]*|\bfunction\b.*?\bendfunction\b", "", path.read_text(), flags=re.DOTALL)
        for found in DEFINITION.finditer(text):
            self.define(found)

    def number(self, text):
        text = re.sub(r"\d+'d(\d+)", r"\1", text).strip()
        return eval(re.sub(r"\d+'h([0-9a-f_]+)", r"0x\1", text), {}, self.numbers)

    def define(self, found):
        if found["constant"]:
            self.numbers[found["constant"]] = self.number(found["value"])
            if found["type"]:
                self.enums.setdefault(found["type"], {})[found["constant"]] = self.numbers[found["constant"]]
        elif found["vector"]:
            self.widths[found["vector"]] = self.number(found["high"] or "0") + 1
        elif found["enum"]:
            self.widths[found["enum"]] = self.number(found["enum_high"]) + 1
            labels = [label.split("=") for label in found["labels"].split(",")]
            self.enums[found["enum"]] = {label.strip(): self.number(value) for label, value in labels}
        else:
            self.add_struct(found["struct"], found["members"])

    def add_struct(self, name, members):
        fields = []
        lsb = 0
        # The last member is the lowest.
        for member in reversed(members.strip().removesuffix(";").split(";")):
            kind, dimensions, field = MEMBER.match(member).groups()
            width = self.widths[kind]
            for high in re.findall(r"\[([^\]]+):0\]", dimensions):
                width *= self.number(high) + 1
            fields.append((field, lsb, width))
            lsb += width
        self.structs[name] = fields
        self.widths[name] = lsb

    def lines(self):
        yield f"namespace {self.name} {{"
        for kind, labels in self.enums.items():
            name = kind[:-2]
            yield f"namespace {name} {{\nenum Kind : std::uint32_t {{"
            yield from (f"  k{label.removeprefix(camel(name))} = {number}," for label, number in labels.items())
            yield f"}};\n}}  // namespace {name}"
        for kind, fields in self.structs.items():
            name = kind[:-2]
            yield f"namespace {name} {{\ninline constexpr unsigned kBits = {self.widths[kind]};"
            yield from (f"inline constexpr Field k{camel(field)}{{{lsb}, {width}}};" for field, lsb, width in fields)
            yield f"}}  // namespace {name}"
        yield f"}}  // namespace {self.name}\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("packages", type=pathlib.Path, nargs="+")
    options = parser.parse_args()

    lines = ["// Made from the packages of rtl/ by scripts/gen-wires.py.", "#pragma once\n\n#include <cstdint>\n\n#include \"abi/field.hpp\"\n",
             "namespace swai::wires {\n"]
    for path in options.packages:
        lines += Package(path).lines()
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text("\n".join([*lines, "}  // namespace swai::wires"]) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
