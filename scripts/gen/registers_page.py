# SPDX-License-Identifier: Apache-2.0
"""Memory map and registers as a page of docs/."""

from gen.text import page_lines


def address_text(value):
    text = f"{value:010x}"
    return f"0x{text[:2]}_{text[2:6]}_{text[6:]}"


def docs_page(card, source):
    lines = [f"# Memory map and registers\n\n<!-- Made from {source} by scripts/gen-abi.py: change it there, then "
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
    lines.append("\n" + page_lines(
        "Registers are 64 bits wide and take aligned accesses of 1, 2, 4 and 8 bytes. Unused bits read 0; offsets without "
        "a register answer with a bus error. Access: `rw` reads back what was written; `ro` is the hardware's; `w1c` is "
        "set by hardware and cleared by writing 1; `wo` acts when written and reads 0. Reset `-`: not fixed."))
    for device in card.devices:
        lines.append(f"\n## {device.name}\n\n" + page_lines(f"{device.doc} Base `{address_text(device.base)}`."))
        for register in device.registers:
            marks = [text for flag, text in ((register.read_effect, "reading has an effect"),
                                             (register.write_effect, "writing has an effect"),
                                             (register.sticky, "survives all resets but power-on")) if flag]
            copies = (f" + n * `{register.stride:#06x}`, n = 0 to {register.count - 1}" if register.repeated else "")
            lines.append(f"\n### {device.name}.{register.name} at +`{register.offset:#06x}`"
                         f"{copies}{' (' + '; '.join(marks) + ')' if marks else ''}\n\n{page_lines(register.doc)}\n")
            lines.append("| bits | field | access | reset | what |\n|---|---|---|---|---|")
            for field in reversed(register.fields):
                values = "; ".join(f"{value:#x} = {key}" for key, value in field.values.items())
                reset = f"`{field.reset:#x}`" if field.reset_known else "-"
                lines.append(f"| {field.bits} | {field.name} | {field.access} | {reset} | {field.doc}"
                             f"{' ' + values + '.' if values else ''} |")
    return "\n".join(lines) + "\n"
