# SPDX-License-Identifier: Apache-2.0
"""A contract as a SystemVerilog package.

Every enum comes with a vector as wide as its numbers: what travels as bits need not be one of them. Yosys takes no type
of another package in a packed structure, so fields are vectors.
"""

from gen.text import camel, comment, made_from


def _bits(width):
    return f"logic [{width - 1}:0]" if width > 1 else "logic"


def _remark(doc):
    return f"  // {doc}" if doc else ""


def _enum(enum):
    yield comment(enum.doc, 2)
    yield f"  typedef enum {_bits(enum.bits)} {{"
    for value in enum.values:
        comma = "," if value is not enum.values[-1] else ""
        yield f"    {enum.label(value)} = {enum.bits}'h{value.value:x}{comma}{_remark(value.doc)}"
    yield f"  }} {enum.name}_e;"
    yield f"  typedef {_bits(enum.bits)} {enum.name}_t;\n"


def _struct(struct):
    yield comment(struct.doc, 2)
    yield "  typedef struct packed {"
    if struct.reserved:
        yield f"    {_bits(struct.reserved)} reserved;  // 0"
    for field in reversed(struct.fields):
        values = f"{field.enum}_e" if field.enum else ""
        remark = _remark(", ".join(part for part in (values, field.doc) if part))
        yield f"    {_bits(field.width)} {field.name};{remark}"
    yield f"  }} {struct.name}_t;"
    yield f"  localparam int unsigned {camel(struct.name)}Width = {struct.bits};\n"


def sv_contract(contract, source):
    lines = [made_from(source), comment(contract.doc), f"package {contract.name}_pkg;\n"]
    for constant in contract.constants:
        kind, number = _bits(constant.bits), f"{constant.bits}'h{constant.value:x}"
        if constant.bits == 32:
            kind, number = "int unsigned", constant.value
        lines.append(comment(constant.doc, 2))
        lines.append(f"  localparam {kind} {camel(constant.name)} = {number};\n")
    for enum in contract.enums.values():
        lines += _enum(enum)
    for struct in contract.structs:
        lines += _struct(struct)
    return "\n".join([*lines, "endpackage"]) + "\n"
