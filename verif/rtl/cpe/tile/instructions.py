#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How many instructions of the host a call of a CPE's model takes, for each program of tile-speed: a figure that does not depend on how
busy the machine is. Counted by callgrind, which must know the instructions and the debug information, so in a build of its own:
  make B=build-v3 OUR_fast="-O3 -march=x86-64-v3 -gdwarf-4" build-v3/tile-speed
  make build/cpe-core-speed.bin build/cpe-tile-systolic.bin build/cpe-tile-vector.bin
  python3 verif/rtl/cpe/tile/instructions.py build-v3/tile-speed"""

import json
import re
import subprocess
import sys

PROGRAMS = {"sim.cpe_scalar_instructions": "cpe-core-speed", "sim.cpe_systolic_instructions": "cpe-tile-systolic",
            "sim.cpe_vector_instructions": "cpe-tile-vector"}
CYCLES = (1000, 9000)  # the difference is without what happens once


def collected(tile_speed, program, cycles):
    run = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", tile_speed, f"build/{program}.bin", "1",
                          str(cycles)], capture_output=True, text=True, check=False)
    found = re.search(r"Collected : (\d+)", run.stderr)
    if run.returncode != 0 or found is None:
        sys.exit(f"{program}: {run.stderr[-1000:]}")
    return int(found[1])


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    few, many = CYCLES
    print(json.dumps({key: round((collected(sys.argv[1], program, many) - collected(sys.argv[1], program, few)) / (many - few))
                      for key, program in PROGRAMS.items()}))


if __name__ == "__main__":
    main()
