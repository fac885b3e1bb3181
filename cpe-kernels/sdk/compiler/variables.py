# SPDX-License-Identifier: Apache-2.0
"""Tables of a module's variables that hosts know by name (`__constant__` and `__device__`, cuda.hpp). docs/firmware/module-format.md describes
them, hosts read them."""

import dataclasses
import re
import subprocess

MAGIC = "SWAI-VAR"


@dataclasses.dataclass
class Kind:
    marker: str
    section: str  # of the table; the linker makes the one with the values
    begin: str
    end: str
    pointer: str

    @property
    def values(self):
        return f"{self.section}_values"


KINDS = [
    Kind("__constant__", ".debug_swai_constants", "swai_constants", "swai_constants_end", "swai_constants_memory"),
    Kind("__device__", ".debug_swai_device", "swai_device", "swai_device_end", "swai_device_memory"),
]


def in_memory_of_the_card(section):
    """Whether what an object has there is a variable that lies in the card's memory."""
    return section.startswith((".data", ".sdata", ".bss", ".sbss", "COMMON", "*COM*")) and not section.startswith(".bss.ldm")


def add(module, tools, folder):
    """Into the module, as sections that no segment holds: they stay on the host. Returns what is wrong."""
    symbols = subprocess.run([f"{tools}objdump", "-tC", str(module)], check=True, capture_output=True, text=True).stdout
    # address, seven flags, section, size, name
    lines = re.findall(r"^(\w+) .{6}(.) (\S+)\t(\w+) (?:\.hidden )?(.+)$", symbols, re.MULTILINE)
    address = {name: int(at, 16) for at, _, _, _, name in lines}
    for kind in KINDS:
        begin, end = address[kind.begin], address[kind.end]
        if begin == end:
            continue
        if kind.pointer not in address:
            return f"what is {kind.marker} is there for kernels that run once for each thread: include swai/cuda.hpp before the kernel"
        found = {}
        for at, letter, section, size, name in lines:
            if section != kind.values or letter != "O":
                continue
            if name in found:
                return f"two {kind.marker} variables are called {name}, and hosts know them by their names"
            found[name] = f"{int(at, 16) - begin}\t{int(size, 16)}\t{name}\n"
        table = folder / "variables.txt"
        table.write_text("".join([f"{MAGIC}\n{address[kind.pointer]}\t{end - begin}\n", *found.values()]))
        changes = [f"--add-section={kind.section}={table}"]
        values = folder / "values"
        subprocess.run([f"{tools}objcopy", f"--dump-section={kind.values}={values}", str(module), "/dev/null"], check=True)
        # Zeros are known without them.
        if not any(values.read_bytes()):
            changes.append(f"--remove-section={kind.values}")
        subprocess.run([f"{tools}objcopy", *changes, str(module)], check=True)
    return None
