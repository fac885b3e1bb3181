#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Installs the runtime library into a folder and uses it from there: the header in C and C++, pkg-config, CMake; and looks at what the
library shows."""

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

# Pages that document the functions of the library.
PAGES = ("program/sdaa.md", "program/profiling.md", "reference/sdaa-memory.md", "reference/sdaa-execution.md")
PROGRAM = """
#include <sdaa_runtime.h>
#include <stdio.h>
int main(void) {
  int count = -1;
  sdaaError_t error = sdaaGetDeviceCount(&count);
  printf("%s %d\\n", sdaaGetErrorName(error), count);
  return 0;
}
"""
CMAKE = """
cmake_minimum_required(VERSION 3.18)
project(user C CXX)
find_package(sdaa 1.0 REQUIRED)
add_executable(user user.c)
target_link_libraries(user sdaa::sdaa)
sdaa_add_kernels(kernels kernel.cpp)
add_dependencies(user kernels)
"""
KERNEL = """
#include "swai/cpe.hpp"
__kernel__ void does_nothing() {}
"""


def run(*command, **options):
    done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)
    assert done.returncode == 0, f"{' '.join(map(str, command))}:\n{done.stdout}"
    return done.stdout


def check_program(program):
    """It finds the library by itself."""
    environment = {k: v for k, v in os.environ.items() if k not in ("SWAI_CARD", "LD_LIBRARY_PATH")}
    assert run(program, env=environment) == "sdaaErrorNoDevice 0\n"


def main():
    with tempfile.TemporaryDirectory(prefix="swai-install-") as name:
        folder = Path(name)
        run("make", "install", f"DESTDIR={folder}", "PREFIX=/opt/swai")
        prefix = folder / "opt/swai"
        library = prefix / "lib"
        source = folder / "user.c"
        source.write_text(PROGRAM)

        environment = os.environ | {"PKG_CONFIG_PATH": str(library / "pkgconfig"), "PKG_CONFIG_SYSROOT_DIR": str(folder)}
        flags = run("pkg-config", "--cflags", "--libs", "sdaa", env=environment).split()
        for compiler, standard in (("clang", "-std=c99"), ("gcc", "-std=c11"), ("clang++", "-std=c++11"), ("g++", "-std=c++20")):
            language = ["-xc++"] if "+" in compiler else ["-xc"]
            run(compiler, standard, "-Wall", "-Wextra", "-Wpedantic", "-Werror", *language, source, "-xnone", "-o", folder / "user", *flags)
            check_program(folder / "user")
        if shutil.which("cmake"):
            (folder / "CMakeLists.txt").write_text(CMAKE)
            (folder / "kernel.cpp").write_text(KERNEL)
            run("cmake", "-S", folder, "-B", folder / "made", f"-DCMAKE_PREFIX_PATH={prefix}")
            run("cmake", "--build", folder / "made")
            check_program(folder / "made/user")
            # A module, which is made again when its source changes, and only then.
            module = folder / "made/kernels.elf"
            assert "does_nothing" in run(prefix / "bin/iss-cpe-run", module, "--list")
            assert "Compiling" not in run("cmake", "--build", folder / "made")
            (folder / "kernel.cpp").write_text(KERNEL.replace("does_nothing", "does_little"))
            run("cmake", "--build", folder / "made")
            assert "does_little" in run(prefix / "bin/iss-cpe-run", module, "--list")

        headers = "\n".join(header.read_text() for header in (prefix / "include/sdaa").iterdir())
        declared = set(re.findall(r"^SDAA_API [^(;]*?\b(sdaa\w+)\(", headers, re.MULTILINE))
        shown = {
            line.split()[-1].split("@")[0]
            for line in run("nm", "-D", "--defined-only", library / "libsdaa.so").splitlines()
            if " A " not in line
        }
        assert declared == shown, f"not in both header and library: {sorted(declared ^ shown)}"
        documented = "\n".join(Path("docs", page).read_text() for page in PAGES)
        missing = [function for function in sorted(declared) if f"`{function}`" not in documented]
        assert not missing, f"not in {PAGES} of docs/: {missing}"
        print(f"{len(declared)} functions")


if __name__ == "__main__":
    main()
