# SPDX-License-Identifier: Apache-2.0
"""The table of what kernels take, which hosts read, made of what the compiler writes for debuggers."""

import re
import subprocess

# `strip` takes it with the rest of what is for debuggers.
SECTION = ".debug_swai_arguments"
MAGIC = "SWAI-ARG"

ENTRY = re.compile(r" *<(\w+)><(\w+)>: Abbrev Number: \d+ \(DW_TAG_(\w+)\)")
ATTRIBUTE = re.compile(r" +<\w+> +DW_AT_(name|type|byte_size|encoding|data_member_location|declaration) *: (?:\(indirect[^)]*\): )?(.*)")

BOOLEAN, REAL, SIGNED, UNSIGNED, POINTER, BITS = "bool", "real", "signed", "unsigned", "pointer", "bits"
# DWARF's numbers for what a base type is.
ENCODINGS = {2: BOOLEAN, 4: REAL, 5: SIGNED, 6: SIGNED, 7: UNSIGNED, 8: UNSIGNED}
SAME_AS_ANOTHER = ("typedef", "const_type", "volatile_type")


class Entry:
    """One thing that the compiler describes: a function, a parameter, a type."""

    def __init__(self, tag):
        self.tag = tag
        self.children = []
        self.attributes = {}

    def number(self, name):
        return int(self.attributes[name].split()[0], 0)


def entries(module, tools):
    """By their number."""
    text = subprocess.run([f"{tools}objdump", "--dwarf=info", str(module)], check=True, capture_output=True, text=True).stdout
    found, outer = {}, []
    for line in text.splitlines():
        if begin := ENTRY.match(line):
            entry = found[int(begin[2], 16)] = Entry(begin[3])
            del outer[int(begin[1], 16) :]
            if outer:
                outer[-1].children.append(entry)
            outer.append(entry)
        elif outer and (attribute := ATTRIBUTE.match(line)):
            outer[-1].attributes[attribute[1]] = attribute[2].strip()
    return found


class Types:
    def __init__(self, all_entries):
        self.entries = all_entries

    def of(self, entry):
        """What it is in the end, behind other names for it; nothing: void."""
        while entry is not None and "type" in entry.attributes:
            entry = self.entries.get(int(entry.attributes["type"].strip("<>"), 16))
            if entry is None or entry.tag not in SAME_AS_ANOTHER:
                return entry
        return None

    def kind(self, type_entry):
        if type_entry.tag == "base_type":
            return ENCODINGS.get(type_entry.number("encoding"), BITS)
        if type_entry.tag == "enumeration_type" and (below := self.of(type_entry)):
            return self.kind(below)
        return POINTER if type_entry.attributes.get("name", "").startswith(("GlobalPtr<", "Global<")) else BITS

    def text(self, type_entry):
        """As programmers call it."""
        if type_entry is None:
            return "void"
        name = type_entry.attributes.get("name", "a structure")
        if type_entry.tag == "base_type":
            bits = 8 * type_entry.number("byte_size")
            return {SIGNED: f"int{bits}_t", UNSIGNED: f"uint{bits}_t"}.get(self.kind(type_entry), name)
        if self.kind(type_entry) == POINTER:
            target = self.of(next(child for child in type_entry.children if child.tag == "template_type_param"))
            return f"GlobalPtr<{'const ' if name.endswith(' const>') else ''}{self.text(target)}>"
        return name


def rounded(at, size):
    return (at + size - 1) // size * size


def values_of(kernel, types):
    """For each value its name, its type, and where it lies if a structure says that. Nothing: who gives the values must know."""
    taken = [child for child in kernel.children if child.tag == "formal_parameter"]
    structure = None
    if len(taken) == 1 and (pointer := types.of(taken[0])) and pointer.tag == "pointer_type":
        structure = types.of(pointer)
        taken = [child for child in structure.children if child.tag == "member" and "data_member_location" in child.attributes]
        if any(child.tag == "inheritance" for child in structure.children):
            return None
    values = []
    at = 0
    for one in taken:
        type_entry = types.of(one)
        if type_entry is None or "name" not in one.attributes or "byte_size" not in type_entry.attributes:
            return None
        size = type_entry.number("byte_size")
        if size not in (1, 2, 4, 8):
            return None
        at = rounded(at, size) if structure is None else one.number("data_member_location")
        values.append(f"{at}\t{size}\t{types.kind(type_entry)}\t{types.text(type_entry)}\t{one.attributes['name']}\n")
        at += size
    return values


def table(module, tools, kernels, stacks):
    all_entries = entries(module, tools)
    types = Types(all_entries)
    text = MAGIC + "\n"
    for entry in all_entries.values():
        name = entry.attributes.get("name")
        if entry.tag != "subprogram" or name not in kernels or "declaration" in entry.attributes:
            continue
        values = values_of(entry, types)
        if values is not None:
            text += "".join([f"kernel\t{name}\n", *values])
    # What threads of a block that wait for each other have together, beside what the launch gives them to share.
    room = number_of("__ldm_free_end", module, tools) - number_of("__ldm_free", module, tools)
    return text + "".join(f"threads\t{name}\t{stack & ~15}\t{room}\n" for name, stack in sorted(stacks.items()) if stack & ~15)


def number_of(symbol, module, tools):
    symbols = subprocess.run([f"{tools}objdump", "-t", str(module)], check=True, capture_output=True, text=True).stdout
    return int(re.search(rf"^(\w+) .*\b{symbol}$", symbols, re.MULTILINE)[1], 16)


def add(module, tools, kernels, stacks, folder):
    """Into the module, as a section that no segment holds: it stays on the host."""
    section = folder / "arguments.txt"
    section.write_text(table(module, tools, kernels, stacks))
    subprocess.run([f"{tools}objcopy", f"--add-section={SECTION}={section}", str(module)], check=True)
