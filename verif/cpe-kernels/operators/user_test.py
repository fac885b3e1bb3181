#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An operator of a user's own, in a module of his own, as docs/extend/add-operator.md tells: description, kernel, generator,
compiler, walk.
"""

import os
import pathlib
import struct
import subprocess
import sys
import tempfile

DESCRIPTION = """
[[arguments]]
name = "mark"
fields = [
  { name = "to", type = "pointer" },
  { name = "value", type = "u32" },
]

[[operator]]
name = "mark"
number = 0x8001
arguments = "mark"
doc = "each CPE's number plus a value"
shapes = "a number for each CPE"
types = "u32"
"""
KERNEL = """
#include "cpe-kernels/operators/walker/walk.hpp"
#include "operator_table.hpp"

namespace swai::operators {

LDM static uint32_t word;

void operator_mark(const MarkArgs& args) {
  if (args.value == 0) refuse(node::Refusal::kParameter);
  word = args.value + cpe::number();
  cpe::dma::wait(cpe::dma::store(args.to.plus_bytes(int64_t{cpe::number()} * 4), &word, 4));
}

}  // namespace swai::operators
"""
NOTHING, MARK, TAKEN = 1, 0x8001, 19
BARRIER_ALL = 3
LIST_SEGMENT = 4
RESULT = 4096  # in the list's buffer
CPES = 32


def run(*command):
    return subprocess.run([str(part) for part in command], capture_output=True, text=True)


def expect(condition, message):
    if not condition:
        sys.exit(f"user_test: {message}")


def generate(folder, text):
    description = folder / "mine.toml"
    description.write_text(text)
    return run(sys.executable, "scripts/gen-operators.py", "abi/operators.toml", description, "--out", folder / "gen")


def walk(folder, value):
    buffer = bytearray(2 * RESULT)
    for i, node in enumerate((struct.pack("<HB5x", NOTHING, BARRIER_ALL),
                              struct.pack("<HB5xQI", MARK, BARRIER_ALL, LIST_SEGMENT << 48 | RESULT, value))):
        buffer[128 * i:128 * i + len(node)] = node
    memory, out = folder / "memory", folder / "out"
    memory.write_bytes(buffer)
    done = run("build/iss-cpe-run", folder / "mine.elf", "--args", f"buf:={memory}", 2, *[0] * 5, "--dump", f"0:{out}")
    return done, struct.unpack_from(f"<{CPES}I", out.read_bytes(), RESULT)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        done = generate(folder, DESCRIPTION.replace("0x8001", str(TAKEN)))
        expect(done.returncode == 2 and "users'" in done.stderr, f"another's number is taken: {done.stderr}")
        done = generate(folder, DESCRIPTION.replace('"u32" },', '"u128" },'))
        expect(done.returncode == 2 and "u128" in done.stderr, f"a type that is unknown is taken: {done.stderr}")
        done = generate(folder, DESCRIPTION)
        expect(done.returncode == 0, done.stderr)
        # All operators that there are come with it: they take long to compile.
        if not os.environ.get("SWAI_LONG"):
            print("user_test: the generator is right")
            return
        (folder / "mine.cpp").write_text(KERNEL)
        operators = sorted(pathlib.Path("cpe-kernels/operators").glob("*/*.cpp"))
        done = run("cpe-kernels/sdk/compiler/sdaacc", folder / "mine.cpp", *operators, "-I", folder / "gen", "-o", folder / "mine.elf")
        expect(done.returncode == 0, done.stderr)
        done, marks = walk(folder, 1000)
        expect(done.returncode == 0 and marks == tuple(range(1000, 1000 + CPES)), f"{done.stderr}{marks}")
        done, marks = walk(folder, 0)
        expect(done.returncode == 1 and marks == (0,) * CPES, f"a bad node is not refused: {done.stderr}{marks}")
    print("user_test: passed")


if __name__ == "__main__":
    main()
