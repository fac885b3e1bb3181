# SPDX-License-Identifier: Apache-2.0
"""Memory map and registers as SystemVerilog packages."""

from gen.registers import Field, Region
from gen.text import camel, comment, grouped_hex, made_from


class SvMap:
    """memmap_pkg.sv. Yosys takes only plain bit vectors in functions of packages: no structs, no enums."""

    def __init__(self, card, source):
        self.card = card
        self.bits = card.address_bits
        self.source = source

    def address(self, value):
        return f"{self.bits}'h{grouped_hex(value, self.bits // 4)}"

    def within(self, base, size):
        mask = (1 << self.bits) - size
        return f"(addr & {self.address(mask)}) == {self.address(base)}"

    def within_any(self, regions, indent):
        terms = [self.within(*block) for region in regions for block in region.blocks()]
        return (" ||\n" + " " * indent).join(terms)

    def lookup(self, kind, entries):
        """A code for each entry and a function that finds the one an address lies in."""
        width = max(1, len(entries).bit_length())
        names = [f"{camel(kind)}None"] + [f"{camel(kind)}{camel(entry.name)}" for entry in entries]
        lines = [f"  typedef logic [{width - 1}:0] {kind}_t;"]
        lines += [f"  localparam {kind}_t {name} = {width}'d{code};" for code, name in enumerate(names)]
        lines.append(f"\n  function automatic logic [{width - 1}:0] {kind}_of(input logic [{self.bits - 1}:0] addr);")
        lines.append(f"    {kind}_of = {names[0]};")
        for name, entry in zip(names[1:], entries):
            blocks = entry.blocks() if isinstance(entry, Region) else [(entry.base, entry.size)]
            condition = " ||\n        ".join(self.within(*block) for block in blocks)
            lines.append(f"    if ({condition}) {kind}_of = {name};")
        lines.append("  endfunction\n")
        return lines

    def text(self):
        card = self.card
        lines = [made_from(self.source), "package memmap_pkg;\n"]
        lines.append(f"  localparam int unsigned AddrWidth = {self.bits};\n")
        for entry in [*card.regions, *card.devices]:
            lines.append(comment(entry.doc, 2))
            prefix = camel(entry.name) + ("Region" if isinstance(entry, Region) else "Device")
            lines.append(f"  localparam logic [{self.bits - 1}:0] {prefix}Base = {self.address(entry.base)};")
            lines.append(f"  localparam logic [{self.bits - 1}:0] {prefix}Size = {self.address(entry.size)};")
        for constant in card.constants:
            lines.append(comment(constant["doc"], 2))
            lines.append(f"  localparam logic [{self.bits - 1}:0] {camel(constant['name'])} = "
                         f"{self.address(constant['value'])};")
        lines.append("\n  // How the management processor may use an address; exactly one bit is set.")
        lines.append("  typedef struct packed {\n    logic vacant;\n    logic memory;\n    logic io;\n  } pma_t;\n")
        lines.append("  // A pma_t, as bits.")
        lines.append(f"  function automatic logic [2:0] pma(input logic [{self.bits - 1}:0] addr);")
        lines.append("    logic memory, io;")
        for attribute in ("memory", "io"):
            regions = [r for r in card.regions if r.pma == attribute]
            lines.append(f"    {attribute} =\n        {self.within_any(regions, 8)};")
        lines.append("    pma = {!memory && !io, memory, io};")
        lines.append("  endfunction\n")
        lines += self.lookup("region", [r for r in card.regions if r.pma != "vacant"])
        lines += self.lookup("device", card.devices)
        lines.append("endpackage")
        return "\n".join(lines) + "\n"


def sv_device(device, source):
    bits = device.address_bits
    lines = [made_from(source), comment(device.doc), f"package {device.name}_regs_pkg;\n"]
    lines.append(f"  localparam int unsigned AddrWidth = {bits};")
    for register in device.registers:
        name = camel(register.name)
        lines.append("\n" + comment(f"{register.name}: {register.doc}", 2))
        lines.append(f"  localparam logic [{bits - 1}:0] {name}Offset = {bits}'h{register.offset:0{(bits + 3) // 4}x};")
        if register.repeated:
            lines.append(f"  localparam int unsigned {name}Copies = {register.count};")
            lines.append(f"  localparam int unsigned {name}Stride = {register.stride};")
        for suffix, value in (("Reset", register.reset), ("RwMask", register.mask("rw")),
                              ("RoMask", register.mask("ro")), ("W1cMask", register.mask("w1c"))):
            lines.append(f"  localparam logic [63:0] {name}{suffix} = 64'h{grouped_hex(value, 16)};")
        for field in reversed(register.fields):
            if field.values:
                lines.append(f"  typedef enum logic [{field.width - 1}:0] {{")
                lines.append(",\n".join(f"    {name}{camel(field.name)}{camel(key)} = {field.width}'h{value:x}"
                                        for key, value in field.values.items()))
                lines.append(f"  }} {register.name}_{field.name}_e;")
        lines.append("  typedef struct packed {")
        for item in register.gaps():
            if isinstance(item, Field):
                lines.append(f"    logic [{item.width - 1}:0] {item.name};" if item.width > 1
                             else f"    logic {item.name};")
            else:
                lsb, width = item
                lines.append(f"    logic [{width - 1}:0] reserved_{lsb};" if width > 1
                             else f"    logic reserved_{lsb};")
        lines.append(f"  }} {register.name}_t;")
    lines.append("\nendpackage")
    return "\n".join(lines) + "\n"
