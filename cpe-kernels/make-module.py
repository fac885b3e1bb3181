#!/usr/bin/env python3
"""Makes a module for the CPEs from C++ and assembler sources.

make-module.py --output MODULE.elf SOURCES...

Every function marked __kernel__ (or __global__) gets an entry in the module's table. Exit code 1 and the tools' own messages when
a source does not compile or the module does not link.
"""

import argparse
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
TOOLS = "riscv64-unknown-elf-"

# The header-only part of the C++ library, as for the firmware: nothing of it is linked.
LIBRARY = "/usr/include/newlib/c++/12.2.1"
INCLUDES = ["-nostdinc++", "-isystem", LIBRARY, "-isystem", f"{LIBRARY}/arm-none-eabi",
            "-isystem", "/usr/lib/picolibc/riscv64-unknown-elf/include"]
ABI = ["-mabi=ilp32"]
# Jump tables would be constants, and loading one takes as long as memory does.
COMPILE = ["-march=rv32imc_zicsr", *ABI, "-std=c++20", "-O2", "-g", "-ffreestanding", "-fno-exceptions", "-fno-rtti",
           "-fno-threadsafe-statics", "-ffunction-sections", "-fdata-sections", "-fno-common",
           "-fno-tree-loop-distribute-patterns", "-fno-jump-tables", "-Wall", "-Wextra", "-Wpedantic", "-Werror", *INCLUDES]
# The C driver finds libgcc for an architecture by its name without Zicsr.
LINK = ["-march=rv32imc", *ABI, "-nostdlib", "-static", "-Wl,--gc-sections", "-Wl,--build-id=none", "-Wl,--orphan-handling=error",
        "-Wl,--fatal-warnings", "-Wl,-z,max-page-size=64"]

SPACES = {"daemon": 4, "kernel": 5}
LDM_BASE = 0x1000_0000
LDM_BYTES = 0x2_0000


def run(arguments):
    result = subprocess.run([str(a) for a in arguments], cwd=ROOT)
    if result.returncode != 0:
        sys.exit(1)


def kernels_of(object_file):
    """The functions in the section that the marker puts them into."""
    table = subprocess.run([f"{TOOLS}objdump", "-t", str(object_file)], check=True, capture_output=True, text=True).stdout
    names = []
    for line in table.splitlines():
        # address, seven flags, section, size, name
        if len(line) > 17 and line[8] == " " and line[15] == "F":
            section, _, name = line[17:].split(None, 2)
            if section == ".kernel":
                names.append(name)
    return names


def compile_source(source, folder, flags):
    """Returns the object. A source with kernels is compiled again with their entries behind it, where their types are known."""
    stem = str(source).replace("/", "_")
    first = folder / f"{stem}.o"
    compiler = [f"{TOOLS}g++", *COMPILE, *flags, "-I", ROOT, "-I", HERE / "include", "-MMD", "-MP", "-c"]
    run([*compiler, "-o", first, source])
    names = kernels_of(first)
    if not names:
        return first
    wrapper = folder / f"{stem}.table.cpp"
    entries = "".join(f"SWAI_KERNEL_ENTRY({name});\n" for name in names)
    wrapper.write_text(f'#include "{(ROOT / source).resolve()}"\n{entries}')
    final = folder / f"{stem}.table.o"
    run([*compiler, "-o", final, wrapper])
    return final


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sources", nargs="+", type=pathlib.Path)
    parser.add_argument("--output", required=True, type=pathlib.Path)
    parser.add_argument("--name", help="of the module; default: the output's")
    parser.add_argument("--space", choices=SPACES, default="kernel", help="where its code runs")
    parser.add_argument("--stack", type=int, default=4096, help="bytes of local memory that the stack gets (default %(default)s)")
    parser.add_argument("--flag", action="append", default=[], help="for the compiler")
    parser.add_argument("--link-flag", action="append", default=[], help="for the linker")
    options = parser.parse_args()

    output = options.output.resolve()
    name = options.name or output.stem
    folder = output.parent / f"{output.stem}.parts"
    folder.mkdir(parents=True, exist_ok=True)

    # The tools run in ROOT, so that messages name files of the repository as others do.
    sources = [source.resolve() for source in options.sources]
    sources = [source.relative_to(ROOT) if source.is_relative_to(ROOT) else source for source in sources]
    objects = [compile_source(source, folder, options.flag) for source in sources]
    space = SPACES[options.space]
    own = [f'-DSWAI_MODULE_NAME="{name}"', f"-DSWAI_MODULE_SPACE={space}"]
    library = HERE.relative_to(ROOT) / "lib"
    objects += [compile_source(library / part, folder, own) for part in ("module.cpp", "memory.cpp")]
    defines = {"CODE_BASE": space << 28, "LDM_BASE": LDM_BASE, "LDM_BYTES": LDM_BYTES, "STACK_BYTES": options.stack,
               "__ldm_end": LDM_BASE + LDM_BYTES}
    run([f"{TOOLS}gcc", *LINK, *(f"-Wl,--defsym={k}={v}" for k, v in defines.items()), *options.link_flag,
         "-T", library / "module.ld", "-o", output, *objects, "-lgcc"])


if __name__ == "__main__":
    main()
