# SPDX-License-Identifier: Apache-2.0
"""A contract as a C++ header."""

from gen.text import camel, comment, made_from


def _enum(enum):
    is_class = enum.cpp == "class"
    size = 8 if is_class else 32
    yield comment(enum.doc)
    kind = f"enum class {camel(enum.name)}" if is_class else f"namespace {enum.name} {{\nenum Kind"
    yield f"{kind} : std::uint{size}_t {{"
    for value in enum.values:
        yield f"  k{camel(value.name)} = {value.value if enum.bits < 12 else hex(value.value)}," + (f"  // {value.doc}" if value.doc else "")
    yield "};" if is_class else f"}};\n}}  // namespace {enum.name}\n"
    if is_class:
        names = ", ".join(f"{camel(enum.name)}::k{camel(value.name)}" for value in enum.values)
        yield f"inline constexpr {camel(enum.name)} k{camel(enum.plural)}[] = {{{names}}};\n"


def _struct(struct):
    yield comment(struct.doc) + f"\nnamespace {struct.name} {{"
    for field in struct.fields:
        remark = f"  // {field.doc}" if field.doc else ""
        yield f"inline constexpr Field k{camel(field.name)}{{{field.lsb}, {field.width}}};{remark}"
    if struct.reserved:
        yield f"inline constexpr Field kReserved{{{struct.bits - struct.reserved}, {struct.reserved}}};  // 0"
    yield f"}}  // namespace {struct.name}\n"


def cpp_contract(contract, source):
    lines = [made_from(source), comment(contract.doc), "#pragma once\n\n#include <cstdint>\n\n#include \"abi/field.hpp\"\n"]
    lines.append(f"namespace {contract.namespace} {{\n")
    for constant in contract.constants:
        size = 8 if constant.bits <= 8 else 16 if constant.bits <= 16 else 32
        lines.append(comment(constant.doc))
        lines.append(f"inline constexpr std::uint{size}_t k{camel(constant.name)} = {constant.value:#x};\n")
    for enum in contract.enums.values():
        lines += _enum(enum)
    for struct in contract.structs:
        lines += _struct(struct)
    return "\n".join([*lines, f"}}  // namespace {contract.namespace}"]) + "\n"
