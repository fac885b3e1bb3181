#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a line of printf costs a core on RTL, in cycles; prints one JSON object. Run from the repository root.

print.cycles_per_line: of a line with two numbers, when one core prints. The same when all print: print.cycles_per_line_all.
"""

import argparse
import json
import subprocess

FEW, MANY = 20, 220


def cycles(program, mask, lines):
    words = [program, "build/cpe-kernels/print.elf", "--kernel", "lines", "--mask", mask, "--json", "-", "--args", str(lines)]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)["launches"][0]["cycles"]


def cycles_per_line(program, mask):
    return (cycles(program, mask, MANY) - cycles(program, mask, FEW)) / (MANY - FEW)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default="build/cpe-run")
    parser.add_argument("--all", default="0xffffffff", help="the mask of all cores")
    options = parser.parse_args()
    print(json.dumps({"print.cycles_per_line": cycles_per_line(options.program, "1"),
                      "print.cycles_per_line_all": cycles_per_line(options.program, options.all)}))


if __name__ == "__main__":
    main()
