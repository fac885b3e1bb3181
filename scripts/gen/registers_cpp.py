# SPDX-License-Identifier: Apache-2.0
"""Memory map and registers as C++ headers."""

from gen.registers import ACCESS
from gen.text import camel, comment, made_from


def cpp_hex(value, digits=16):
    return "0x" + f"{value:0{digits}x}" + "ull"


def cpp_header(card, source):
    lines = [made_from(source), "#pragma once\n\n#include <cstdint>\n\n#include \"abi/field.hpp\"\n\n"
             "namespace swai::regs {\n\nusing swai::Field;\n"]
    lines.append("""// How the management processor may use an address; exactly one is true.
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
