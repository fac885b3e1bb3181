#!/usr/bin/env python3
"""Makes the SystemVerilog packages, C++ headers and docs page from the card's description (abi/card.toml).

gen-regs.py --out build/gen          writes memmap_pkg.sv, <device>_regs_pkg.sv, card_regs.hpp, card_regs_table.hpp
gen-regs.py --docs docs/registers.md writes the page
gen-regs.py --check docs/registers.md fails when the page is not what the description gives
"""

import argparse
import pathlib
import sys
import textwrap
import tomllib

ACCESS = ("rw", "ro", "w1c", "wo")
PMAS = ("memory", "io", "vacant")


class DescriptionError(Exception):
    pass


def require(condition, message):
    if not condition:
        raise DescriptionError(message)


def camel(name):
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))


def grouped_hex(value, digits):
    text = f"{value:0{digits}x}"
    groups = []
    while text:
        groups.insert(0, text[-4:])
        text = text[:-4]
    return "_".join(groups)


class Field:
    def __init__(self, where, raw):
        self.name = raw.pop("name")
        where = f"{where}.{self.name}"
        bits = raw.pop("bits").split(":")
        self.lsb = int(bits[-1])
        self.width = int(bits[0]) - self.lsb + 1
        self.access = raw.pop("access")
        reset = raw.pop("reset", 0)
        self.reset_known = reset != "-"
        self.reset = reset if self.reset_known else 0
        self.doc = raw.pop("doc")
        self.values = raw.pop("values", {})
        require(not raw, f"{where}: unknown keys {sorted(raw)}")
        require(self.access in ACCESS, f"{where}: access must be one of {', '.join(ACCESS)}")
        require(self.width >= 1 and self.lsb + self.width <= 64, f"{where}: bits {':'.join(bits)} are no range")
        for value in (self.reset, *self.values.values()):
            require(value >> self.width == 0, f"{where}: {value:#x} does not fit {self.width} bits")

    @property
    def mask(self):
        return ((1 << self.width) - 1) << self.lsb

    @property
    def bits(self):
        return f"{self.lsb + self.width - 1}:{self.lsb}" if self.width > 1 else f"{self.lsb}"


class Register:
    def __init__(self, device, raw):
        self.name = raw.pop("name")
        where = f"{device}.{self.name}"
        self.offset = raw.pop("offset")
        self.doc = raw.pop("doc")
        self.read_effect = raw.pop("read_effect", False)
        self.write_effect = raw.pop("write_effect", False)
        self.sticky = raw.pop("sticky", False)
        repeat = raw.pop("repeat", None)
        self.repeated = repeat is not None
        self.count, self.stride = (repeat["count"], repeat["stride"]) if repeat else (1, 8)
        self.fields = sorted((Field(where, f) for f in raw.pop("field")), key=lambda f: -f.lsb)
        require(not raw, f"{where}: unknown keys {sorted(raw)}")
        require(self.offset % 8 == 0, f"{where}: offset {self.offset:#x} is no multiple of 8")
        require(self.count >= 1 and self.stride >= 8 and self.stride % 8 == 0,
                f"{where}: repeat wants a count, and a stride that is a multiple of 8")
        require(not {"offset", "addr", "reset"} & {f.name for f in self.fields},
                f"{where}: offset, addr and reset cannot name fields (C++ has them per register)")
        require(len({f.name for f in self.fields}) == len(self.fields), f"{where}: a field name occurs twice")
        used = 0
        for field in self.fields:
            require(used & field.mask == 0, f"{where}.{field.name}: overlaps another field")
            used |= field.mask

    @property
    def offsets(self):
        """Of all copies."""
        return [self.offset + i * self.stride for i in range(self.count)]

    def mask(self, *access):
        return sum(f.mask for f in self.fields if f.access in access)

    @property
    def reset(self):
        return sum(f.reset << f.lsb for f in self.fields)

    @property
    def reset_known_mask(self):
        return ~sum(f.mask for f in self.fields if not f.reset_known) & (1 << 64) - 1

    def gaps(self):
        """The fields and, as (lsb, width), the unused bits between them; highest first."""
        top = 64
        for field in self.fields:
            if field.lsb + field.width < top:
                yield (field.lsb + field.width, top - field.lsb - field.width)
            yield field
            top = field.lsb
        if top:
            yield (0, top)


class Device:
    def __init__(self, raw):
        self.name = raw.pop("name")
        self.base = raw.pop("base")
        self.size = raw.pop("size")
        self.doc = raw.pop("doc")
        self.registers = sorted((Register(self.name, r) for r in raw.pop("register")), key=lambda r: r.offset)
        require(not raw, f"{self.name}: unknown keys {sorted(raw)}")
        require(self.size & (self.size - 1) == 0 and self.base % self.size == 0,
                f"{self.name}: size must be a power of two and base a multiple of it")
        require(len({r.name for r in self.registers}) == len(self.registers),
                f"{self.name}: a register name occurs twice")
        taken = {}
        for register in self.registers:
            for offset in register.offsets:
                require(offset not in taken, f"{self.name}: {taken.get(offset)} and {register.name} share an offset")
                require(offset < self.size, f"{self.name}.{register.name}: outside the device")
                taken[offset] = register.name

    @property
    def address_bits(self):
        return self.size.bit_length() - 1


class Region:
    def __init__(self, raw):
        self.name = raw.pop("name")
        self.base = raw.pop("base")
        self.size = raw.pop("size")
        self.pma = raw.pop("pma")
        self.doc = raw.pop("doc")
        require(not raw, f"region {self.name}: unknown keys {sorted(raw)}")
        require(self.pma in PMAS, f"region {self.name}: pma must be one of {', '.join(PMAS)}")

    @property
    def end(self):
        return self.base + self.size

    def blocks(self):
        """The region as aligned power-of-two blocks (base, size), so that each needs one masked comparison."""
        at = self.base
        while at < self.end:
            size = 1 << ((self.end - at).bit_length() - 1)
            if at:
                size = min(size, at & -at)
            yield at, size
            at += size


class Card:
    def __init__(self, raw):
        head = raw.pop("card")
        self.name = head["name"]
        self.address_bits = head["address_bits"]
        self.regions = sorted((Region(r) for r in raw.pop("region")), key=lambda r: r.base)
        self.constants = raw.pop("constant", [])
        self.devices = sorted((Device(d) for d in raw.pop("device")), key=lambda d: d.base)
        require(not raw, f"unknown tables {sorted(raw)}")
        for first, second in zip(self.regions, self.regions[1:]):
            require(first.end <= second.base, f"regions {first.name} and {second.name} overlap")
        for first, second in zip(self.devices, self.devices[1:]):
            require(first.base + first.size <= second.base, f"devices {first.name} and {second.name} overlap")
        for region in self.regions:
            require(region.end <= 1 << self.address_bits, f"region {region.name}: beyond the address space")
        for device in self.devices:
            require(any(r.pma == "io" and r.base <= device.base and device.base + device.size <= r.end
                        for r in self.regions), f"{device.name}: in no io region")


def made_from(source):
    return f"// Made from {source} by scripts/gen-regs.py: change it there."


def comment(text, indent=0):
    return textwrap.fill(text, 108, initial_indent=" " * indent + "// ", subsequent_indent=" " * indent + "// ",
                         break_on_hyphens=False)


# --------------------------------------------------------------------------------------------- SystemVerilog


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


# ------------------------------------------------------------------------------------------------------- C++


def cpp_hex(value, digits=16):
    return "0x" + f"{value:0{digits}x}" + "ull"


def cpp_header(card, source):
    lines = [made_from(source), "#pragma once\n\n#include <cstdint>\n\nnamespace swai::regs {\n"]
    lines.append("""// A range of bits in a 64-bit register.
struct Field {
  unsigned lsb;
  unsigned width;
  constexpr std::uint64_t mask() const { return (width == 64 ? ~0ull : (1ull << width) - 1) << lsb; }
  constexpr std::uint64_t get(std::uint64_t word) const { return (word & mask()) >> lsb; }
  constexpr std::uint64_t put(std::uint64_t value) const { return (value << lsb) & mask(); }
  constexpr std::uint64_t replace(std::uint64_t word, std::uint64_t value) const {
    return (word & ~mask()) | put(value);
  }
};

// How the management processor may use an address; exactly one is true.
struct Pma {
  bool vacant;
  bool memory;
  bool io;
};
""")
    lines.append(f"inline constexpr unsigned kAddressBits = {card.address_bits};\n")
    lines.append("struct Region {\n  const char* name;\n  std::uint64_t base;\n  std::uint64_t size;\n  Pma pma;\n"
                 "  constexpr bool contains(std::uint64_t address) const { return address - base < size; }\n};\n")
    for region in card.regions:
        pma = ", ".join("true" if region.pma == kind else "false" for kind in ("vacant", "memory", "io"))
        lines.append(comment(region.doc))
        lines.append(f"inline constexpr Region k{camel(region.name)}Region{{\"{region.name}\", "
                     f"{cpp_hex(region.base, 10)}, {cpp_hex(region.size, 10)}, {{{pma}}}}};")
    lines.append("inline constexpr const Region* kRegions[] = {" +
                 ", ".join(f"&k{camel(r.name)}Region" for r in card.regions) + "};\n")
    for constant in card.constants:
        lines.append(comment(constant["doc"]))
        lines.append(f"inline constexpr std::uint64_t k{camel(constant['name'])} = "
                     f"{cpp_hex(constant['value'], 10)};")
    lines.append("""
constexpr Pma pma(std::uint64_t address) {
  for (const Region* region : kRegions) {
    if (region->contains(address)) return region->pma;
  }
  return {true, false, false};
}
""")
    for device in card.devices:
        lines.append(comment(device.doc) + f"\nnamespace {device.name} {{")
        lines.append(f"inline constexpr std::uint64_t kBase = {cpp_hex(device.base, 10)};")
        lines.append(f"inline constexpr std::uint64_t kSize = {cpp_hex(device.size, 10)};")
        for register in device.registers:
            lines.append("\n" + comment(register.doc) + f"\nnamespace {register.name} {{")
            lines.append(f"inline constexpr std::uint64_t kOffset = {register.offset:#x};")
            lines.append("inline constexpr std::uint64_t kAddr = kBase + kOffset;")
            if register.repeated:
                lines.append(f"inline constexpr unsigned kCopies = {register.count};")
                lines.append(f"inline constexpr std::uint64_t kStride = {register.stride:#x};")
                lines.append("constexpr std::uint64_t addr(unsigned copy) { return kAddr + copy * kStride; }")
            lines.append(f"inline constexpr std::uint64_t kReset = {cpp_hex(register.reset)};")
            for field in reversed(register.fields):
                lines.append(comment(f"{field.access}: {field.doc}"))
                lines.append(f"inline constexpr Field k{camel(field.name)}{{{field.lsb}, {field.width}}};")
                for key, value in field.values.items():
                    lines.append(f"inline constexpr std::uint64_t k{camel(field.name)}{camel(key)} = {value:#x};")
            lines.append(f"}}  // namespace {register.name}")
        lines.append(f"\n}}  // namespace {device.name}\n")
    lines.append("}  // namespace swai::regs")
    return "\n".join(lines) + "\n"


def cpp_table(card, source):
    lines = [made_from(source), "// All registers as data, for tests and tools.\n#pragma once\n\n"
             "#include <cstdint>\n\nnamespace swai::regs {\n"]
    lines.append("""struct RegisterInfo {
  const char* device;
  const char* name;
  std::uint64_t base;  // of the device
  std::uint64_t offset;
  std::uint64_t reset;
  std::uint64_t reset_known;  // bits whose reset value is fixed
  std::uint64_t rw;
  std::uint64_t ro;
  std::uint64_t w1c;
  std::uint64_t wo;
  bool read_effect;
  bool write_effect;
  bool sticky;
};

struct DeviceInfo {
  const char* name;
  std::uint64_t base;
  std::uint64_t size;
};
""")
    lines.append("inline constexpr DeviceInfo kDevices[] = {")
    for device in card.devices:
        lines.append(f"    {{\"{device.name}\", {cpp_hex(device.base, 10)}, {cpp_hex(device.size, 10)}}},")
    lines.append("};\n\ninline constexpr RegisterInfo kRegisters[] = {")
    for device in card.devices:
        for register in device.registers:
            words = [device.base, register.offset, register.reset, register.reset_known_mask]
            words += [register.mask(kind) for kind in ACCESS]
            flags = [register.read_effect, register.write_effect, register.sticky]
            for copy, words[1] in enumerate(register.offsets):
                name = f"{register.name}[{copy}]" if register.repeated else register.name
                lines.append(f"    {{\"{device.name}\", \"{name}\", {', '.join(f'{w:#x}ull' for w in words)}, "
                             f"{', '.join(str(flag).lower() for flag in flags)}}},")
    lines.append("};\n\n}  // namespace swai::regs")
    return "\n".join(lines) + "\n"


# ------------------------------------------------------------------------------------------------ docs page


def address_text(value):
    text = f"{value:010x}"
    return f"0x{text[:2]}_{text[2:6]}_{text[6:]}"


def docs_page(card, source):
    lines = [f"# Memory map and registers\n\n<!-- Made from {source} by scripts/gen-regs.py: change it there, then "
             "`make registers`. -->\n"]
    lines.append("## Memory map\n\nPhysical addresses of the management processor. What no line names is vacant: "
                 "access fault.\n")
    lines.append("| from | to | name | use | what |\n|---|---|---|---|---|")
    for region in card.regions:
        lines.append(f"| `{address_text(region.base)}` | `{address_text(region.end - 1)}` | {region.name} | "
                     f"{region.pma} | {region.doc} |")
    lines.append("\n| constant | value | what |\n|---|---|---|")
    for constant in card.constants:
        lines.append(f"| {constant['name']} | `{address_text(constant['value'])}` | {constant['doc']} |")
    lines.append("\n## Devices\n\n| base | name | what |\n|---|---|---|")
    for device in card.devices:
        lines.append(f"| `{address_text(device.base)}` | [{device.name}](#{device.name}) | {device.doc} |")
    lines.append("\nRegisters are 64 bits wide and take aligned accesses of 1, 2, 4 and 8 bytes. Unused bits read 0; "
                 "offsets without a register answer with a bus error. Access: `rw` reads back what was written; "
                 "`ro` is the hardware's; `w1c` is set by hardware and cleared by writing 1; `wo` acts when written "
                 "and reads 0. Reset `-`: not fixed.")
    for device in card.devices:
        lines.append(f"\n## {device.name}\n\n{device.doc} Base `{address_text(device.base)}`.")
        for register in device.registers:
            marks = [text for flag, text in ((register.read_effect, "reading has an effect"),
                                             (register.write_effect, "writing has an effect"),
                                             (register.sticky, "survives all resets but power-on")) if flag]
            copies = (f" + n * `{register.stride:#06x}`, n = 0 to {register.count - 1}" if register.repeated else "")
            lines.append(f"\n### {device.name}.{register.name} at +`{register.offset:#06x}`"
                         f"{copies}{' (' + '; '.join(marks) + ')' if marks else ''}\n\n{register.doc}\n")
            lines.append("| bits | field | access | reset | what |\n|---|---|---|---|---|")
            for field in reversed(register.fields):
                values = "; ".join(f"{value:#x} = {key}" for key, value in field.values.items())
                reset = f"`{field.reset:#x}`" if field.reset_known else "-"
                lines.append(f"| {field.bits} | {field.name} | {field.access} | {reset} | {field.doc}"
                             f"{' ' + values + '.' if values else ''} |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--description", default="abi/card.toml", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path, help="folder for packages and headers")
    parser.add_argument("--docs", type=pathlib.Path, help="page to write")
    parser.add_argument("--check", type=pathlib.Path, help="page to compare")
    options = parser.parse_args()
    try:
        with open(options.description, "rb") as file:
            card = Card(tomllib.load(file))
    except (OSError, tomllib.TOMLDecodeError, DescriptionError, KeyError) as error:
        what = f"missing key {error}" if isinstance(error, KeyError) else error
        print(f"gen-regs: {options.description}: {what}", file=sys.stderr)
        return 2
    source = options.description.as_posix()
    if options.out:
        options.out.mkdir(parents=True, exist_ok=True)
        (options.out / "memmap_pkg.sv").write_text(SvMap(card, source).text())
        for device in card.devices:
            (options.out / f"{device.name}_regs_pkg.sv").write_text(sv_device(device, source))
        (options.out / "card_regs.hpp").write_text(cpp_header(card, source))
        (options.out / "card_regs_table.hpp").write_text(cpp_table(card, source))
    if options.docs:
        options.docs.write_text(docs_page(card, source))
    if options.check:
        if not options.check.is_file() or options.check.read_text() != docs_page(card, source):
            print(f"gen-regs: {options.check} is not what {source} gives; run: make registers", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
