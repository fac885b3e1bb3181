# SPDX-License-Identifier: Apache-2.0
"""A contract as tables in pages of docs/."""

from gen.text import camel


def _table(header, rows):
    rows = [[*map(str, row)] for row in rows]
    return ["| " + " | ".join(header) + " |", "|" + "---|" * len(header), *("| " + " | ".join(row) + " |" for row in rows)]


def _numbers(enum, what):
    return _table(["number", what, ""], [(value.value, f"`{enum.label(value)}`", value.doc) for value in enum.values])


def _commands(contract):
    rows = []
    for enum in contract.enums.values():
        who = ", ".join(f"`Unit{camel(unit)}`" for unit in enum.units)
        rows += [(who, value.value, f"`{enum.label(value)}`", value.doc) for value in enum.values if enum.units]
    return _table(["unit", "funct7", "operation", ""], rows)


def _spaces(enum):
    return _table(["address", "what"], [(f"`{value.value:x}...`", value.doc) for value in enum.values])


def _words(contract):
    rows = []
    for struct in contract.structs:
        for field in struct.fields:
            bits = f"{field.lsb + field.width - 1}:{field.lsb}" if field.width > 1 else field.lsb
            values = ", ".join(f"{value.value} {value.name}" for value in contract.enums[field.enum].values) if field.enum else ""
            rows.append((f"`{struct.name}`", bits, field.name, "; ".join(part for part in (values, field.doc) if part)))
    return _table(["word", "bits", "field", ""], rows)


def tables(contract):
    """Name -> lines."""
    return {
        "spaces": _spaces(contract.enums["space"]),
        "units": _numbers(contract.enums["unit"], "unit"),
        "commands": _commands(contract),
        "words": _words(contract),
        "causes": _numbers(contract.enums["cause"], "cause"),
    }
