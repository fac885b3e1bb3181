#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes from descriptions of operators (abi/operators.toml, and those of users) what builders of lists and the walker
name alike: operators.hpp (numbers, names, arguments), operator_table.hpp (the walker's choice), the tables of
docs/reference/operators.md.

gen-operators.py --out build/gen [abi/operators.toml mine.toml ...]
gen-operators.py --docs docs      writes the table
gen-operators.py --check docs     fails when the table is not what the descriptions give
"""

import argparse
import pathlib
import sys
import tomllib

import page_tables
from gen.text import DescriptionError, camel, comment, require

# In C++, and bytes.
TYPES = {
    "u8": ("uint8_t", 1),
    "u16": ("uint16_t", 2),
    "u32": ("uint32_t", 4),
    "i32": ("int32_t", 4),
    "u64": ("uint64_t", 8),
    "f32": ("float", 4),
    "number": ("Number", 1),
    "pointer": ("GlobalPtr<void>", 8),
    "source": ("GlobalPtr<const void>", 8),
}
ROOM = 120
OWN = "abi/operators.toml"
PAGE = "reference/operators.md"  # in the folder of the documentation
FIRST_OF_USERS = 0x8000


class Descriptions:
    def __init__(self, paths):
        self.source = ", ".join(path.as_posix() for path in paths)
        self.arguments = {}
        self.operators = []
        for path in paths:
            self._read(path)
        numbers = [operator["number"] for operator in self.operators]
        names = [operator["name"] for operator in self.operators]
        require(len(set(numbers)) == len(numbers), "two operators have the same number")
        require(len(set(names)) == len(names), "two operators have the same name")

    def _read(self, path):
        raw = tomllib.loads(path.read_text())
        for arguments in raw.get("arguments", []):
            require(arguments["name"] not in self.arguments, f"{path}: two arguments {arguments['name']}")
            size = 0
            for field in arguments["fields"]:
                require(field["type"] in TYPES, f"{path}: {arguments['name']}: no type {field['type']}")
                bytes_ = TYPES[field["type"]][1]
                require(size % bytes_ == 0,
                        f"{path}: {arguments['name']}.{field['name']} is not aligned: put larger fields first")
                size += bytes_
            require(size <= ROOM, f"{path}: {arguments['name']} takes {size} bytes, a node has room for {ROOM}")
            self.arguments[arguments["name"]] = arguments
        for operator in raw.get("operator", []):
            name = operator["name"]
            require(0 < operator["number"] < 1 << 16, f"{path}: {name}: numbers are 1 to 65535")
            require((operator["number"] >= FIRST_OF_USERS) == (path.as_posix() != OWN),
                    f"{path}: {name}: numbers from {FIRST_OF_USERS:#x} on are users', the others are {OWN}'s")
            require(operator.get("arguments", "") in ("", *self.arguments),
                    f"{path}: {name}: no arguments {operator.get('arguments')}")
            self.operators.append(operator)


def args_type(name):
    return f"{camel(name)}Args"


def structure(arguments):
    lines = [f"struct {args_type(arguments['name'])} {{"]
    for field in arguments["fields"]:
        if field.get("doc"):
            lines.append(comment(field["doc"], 2))
        lines.append(f"  {TYPES[field['type']][0]} {field['name']};")
    lines += ["};", f"static_assert(sizeof({args_type(arguments['name'])}) <= node::kArgumentBytes);", ""]
    return "\n".join(lines)


def header(all_):
    numbers = "\n".join(f"{comment(o['doc'], 2)}\n  k{camel(o['name'])} = {o['number']:#06x}," for o in all_.operators)
    names = "\n".join(f'    case {o["number"]:#06x}:\n      return "{o["name"]}";' for o in all_.operators)
    structures = "\n".join(structure(a) for a in all_.arguments.values())
    return f"""// Made from {all_.source} by scripts/gen-operators.py: change it there.
#pragma once

#include <cstdint>

#include "abi/node.hpp"

namespace swai::operators {{

using cpe::GlobalPtr;

// How numbers are stored, in a byte. Anything else is refused.
enum class Number : uint8_t {{ kFp32 = 0, kInt32 = 1, kFp16 = 2, kInt8 = 3 }};

enum class Operator : uint16_t {{
{numbers}
}};

// nullptr: there is none of that number.
constexpr const char* name(uint16_t number) {{
  switch (number) {{
{names}
    default:
      return nullptr;
  }}
}}

{structures}
}}  // namespace swai::operators
"""


def table(all_):
    own = [o for o in all_.operators if o.get("arguments")]
    declared = "\n".join(f"void operator_{o['name']}(const {args_type(o['arguments'])}& args);" for o in own)
    cases = []
    for o in all_.operators:
        cases.append(f"    case {o['number']:#06x}:")
        if o in own:
            if not o.get("prepares"):
                cases.append("      begin_work();")
            cases.append(f"      operator_{o['name']}(*static_cast<const {args_type(o['arguments'])}*>(arguments));")
        cases.append("      return true;")
    ahead = [o for o in own if o.get("ahead")]
    for o in ahead:
        require(o.get("prepares") and o["number"] < 32, f"{all_.source}: {o['name']}: who goes ahead prepares, and has a number below 32")
    going_ahead = sum(1 << o["number"] for o in ahead)
    preparing = "\n".join(f"  Operator::k{camel(o['name'])}," for o in own if o.get("prepares"))
    return f"""// Made from {all_.source} by scripts/gen-operators.py: change it there.
#pragma once

#include "operators.hpp"

namespace swai::operators {{

{declared}

// The walker's (walker/walk.hpp).
void begin_work();

// False: there is no such operator.
inline bool call(uint16_t number, const void* arguments) {{
  switch (number) {{
{chr(10).join(cases)}
    default:
      return false;
  }}
}}

// Those that may look at a node before its barrier: they call begin_work() themselves.
inline constexpr Operator kPreparing[] = {{
{preparing}
}};
// Of these, those that may do so while the node before runs.
inline bool goes_ahead(uint16_t number) {{ return number < 32 && ({going_ahead:#010x}u >> number & 1) != 0; }}

}}  // namespace swai::operators
"""


def tables(all_):
    rows = ["| number | operator | does | sizes | numbers |", "|---|---|---|---|---|"]
    rows += [f"| {o['number']} | `{o['name']}` | {o['doc']} | {o['shapes']} | {o['types']} |" for o in all_.operators]
    fields = ["| arguments | fields |", "|---|---|"]
    for a in all_.arguments.values():
        texts = [f"`{f['name']}` {f['type']}" + (f" ({f['doc']})" if f.get("doc") else "") for f in a["fields"]]
        fields.append(f"| `{args_type(a['name'])}` | {', '.join(texts)} |")
    return {"operators": rows, "arguments": fields}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("descriptions", nargs="*", default=[pathlib.Path(OWN)], type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path, help="folder for headers")
    parser.add_argument("--docs", type=pathlib.Path, help="folder of the page to write")
    parser.add_argument("--check", type=pathlib.Path, help="folder of the page to compare")
    options = parser.parse_args()
    try:
        all_ = Descriptions(options.descriptions)
    except KeyError as error:
        print(f"gen-operators: missing key {error}", file=sys.stderr)
        return 2
    except (OSError, tomllib.TOMLDecodeError, DescriptionError) as error:
        print(f"gen-operators: {error}", file=sys.stderr)
        return 2
    if options.out:
        options.out.mkdir(parents=True, exist_ok=True)
        (options.out / "operators.hpp").write_text(header(all_))
        (options.out / "operator_table.hpp").write_text(table(all_))
    if options.docs:
        return page_tables.fill(options.docs / PAGE, tables(all_), all_.source, check=False)
    if options.check:
        return page_tables.fill(options.check / PAGE, tables(all_), all_.source, check=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
