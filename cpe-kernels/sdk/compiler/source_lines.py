# SPDX-License-Identifier: Apache-2.0
"""The table of source lines of a module, which hosts read, made of what the compiler writes for debuggers."""

import functools
import os
import pathlib
import re
import struct
import subprocess

# `strip` takes it with the rest of what is for debuggers.
SECTION = ".debug_swai_lines"
MAGIC = b"SWAI-LIN"


def output_of(*command, text=""):
    return subprocess.run([str(word) for word in command], input=text, check=True, capture_output=True, text=True).stdout


def addresses(module, tools):
    """Where a line begins or ends."""
    table = output_of(f"{tools}objdump", "--dwarf=decodedline", module)
    return sorted({int(found, 16) for found in re.findall(r"\s(0x[0-9a-f]+)(?=\s|$)", table)})


def frames(module, tools, pcs):
    """For each pc its function, and the places that it stands for: the innermost first, then what that became a part of."""
    asked = "".join(f"{pc:#x}\n" for pc in pcs)
    found = re.split(r"^0x[0-9a-f]+\n", output_of(f"{tools}addr2line", "-afiCe", module, text=asked), flags=re.MULTILINE)
    for part in found[1:]:
        lines = part.splitlines()
        places = [re.match(r"(.+):(\d+)( \(discriminator \d+\))?$", line) for line in lines[1::2]]
        yield function_name(lines[-2]), [(pathlib.Path(os.path.abspath(place[1])), int(place[2])) for place in places if place]


def function_name(text):
    """Without its parameters; that of the kernel for the code that loads a kernel's arguments (swai/kernel.hpp)."""
    loader = re.match(r"swai::cpe::Start<&(\w+)", text)
    return loader[1] if loader else text.split("(")[0]


@functools.cache
def exists(path):
    """False: what sdaacc has made for a moment, or the compiler's own library."""
    return path.is_file()


def chosen(places, libraries):
    """The line that the programmer knows: a transfer fails where it is begun, not in the header that has the instruction."""
    known = [place for place in places if exists(place[0])]
    own = [place for place in known if not any(place[0].is_relative_to(library) for library in libraries)]
    return next(iter(own or known), None)


def shown(path):
    path, here = pathlib.Path(path), pathlib.Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)


class Names:
    """Texts one behind the other, each once, ended by zeros."""

    def __init__(self):
        self.bytes = b""
        self.offsets = {}

    def offset(self, text):
        if text not in self.offsets:
            self.offsets[text] = len(self.bytes)
            self.bytes += text.encode() + b"\0"
        return self.offsets[text]


def table(module, tools, libraries):
    """Bytes of the section. `libraries` are folders that others wrote."""
    pcs = addresses(module, tools)
    rows, names = [], Names()
    for pc, (function, places) in zip(pcs, frames(module, tools, pcs), strict=True):
        path, line = chosen(places, libraries) or ("", 0)
        row = (names.offset(function if line else ""), names.offset(shown(path) if line else ""), line)
        if not rows or rows[-1][1:] != row:
            rows.append((pc, *row))
    return struct.pack("<8sII", MAGIC, len(rows), len(names.bytes)) + b"".join(struct.pack("<IIII", *row) for row in rows) + names.bytes


def add(module, tools, libraries, folder):
    """Into the module, as a section that no segment holds: it stays on the host."""
    section = folder / "lines.bin"
    section.write_bytes(table(module, tools, libraries))
    output_of(f"{tools}objcopy", f"--add-section={SECTION}={section}", module)
