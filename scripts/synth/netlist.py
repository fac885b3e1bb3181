#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a netlist of gates, registers and memories of a module, with the Yosys in PATH, and prints it as Verilog: for simulations of
what synthesis made of the design.

  netlist.py cpe_core --define CPE_RVFI >cpe_core.v"""

import argparse
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import sv_sources  # noqa: E402


def commands(top, defines, output):
    sources = " ".join(map(str, sv_sources.closure(top)))
    return [
        f"read_verilog -sv {' '.join('-D' + name for name in ['SYNTHESIS', *defines])} {sources}",
        f"hierarchy -check -top {top}",
        "proc",
        "flatten",
        "opt",
        "memory -nomap",  # a memory stays one: as registers it would be most of the netlist
        "opt -full",
        "techmap",
        "opt",
        "abc -g AND,OR,XOR,MUX",
        "opt_clean -purge",
        "check -assert",
        f"write_verilog -noattr {output}",
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("top")
    parser.add_argument("--define", action="append", default=[])
    options = parser.parse_args()
    with tempfile.NamedTemporaryFile(suffix=".v", mode="r") as netlist:
        script = "; ".join(commands(options.top, options.define, netlist.name))
        done = subprocess.run(["yosys", "-q", "-q", "-p", script], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            sys.exit(f"netlist of {options.top}: {done.stdout[-2000:]}")
        sys.stdout.write(netlist.read())


if __name__ == "__main__":
    main()
