"""The table of a module's variables that hosts write and kernels read (`__constant__`, cuda.hpp). docs/module-format.md describes it,
abi/constants.hpp reads it."""

import re
import subprocess

SECTION = ".debug_swai_constants"
MAGIC = "SWAI-CON"
ENDS = ("swai_constants", "swai_constants_end")
POINTER = "swai_constants_memory"


def add(module, tools, folder):
    """Into the module, as a section that no segment holds: it stays on the host. Returns what is wrong."""
    symbols = subprocess.run([f"{tools}objdump", "-tC", str(module)], check=True, capture_output=True, text=True).stdout
    # address, seven flags, section, size, name
    lines = re.findall(r"^(\w+) .{6}(.) (\S+)\t(\w+) (?:\.hidden )?(.+)$", symbols, re.MULTILINE)
    address = {name: int(at, 16) for at, _, _, _, name in lines}
    begin, end = (address[name] for name in ENDS)
    if begin == end:
        return None
    if POINTER not in address:
        return "what is __constant__ is there for kernels that run once for each thread: include swai/cuda.hpp before the kernel"
    found = {}
    for at, kind, section, size, name in lines:
        if section != ".constants" or kind != "O":
            continue
        if name in found:
            return f"two __constant__ variables are called {name}, and hosts know them by their names"
        found[name] = f"{int(at, 16) - begin}\t{int(size, 16)}\t{name}\n"
    table = folder / "constants.txt"
    table.write_text("".join([f"{MAGIC}\n{address[POINTER]}\t{end - begin}\n", *found.values()]))
    subprocess.run([f"{tools}objcopy", f"--add-section={SECTION}={table}", str(module)], check=True)
    return None
