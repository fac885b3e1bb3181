#!/usr/bin/env python3
"""Proofs of the stream laws: prove.py NAME (prove.py --list shows the names).

yosys-smtbmc (with z3) looks at everything that can happen in the first cycles after a reset from any state, and
writes a waveform of what it finds. Then the pdr engine of yosys-abc proves the same properties for all time; it
takes memory that reset does not define as zero, which is why the first step is not superfluous.

Exit code 1: a property does not hold; the waveform is build/formal/NAME.vcd.
"""

import argparse
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
OUT = ROOT / "build/formal"

# name: top module, its parameters, modules of rtl/lib, cycles of the bounded proof
QUEUES = ["stream_fifo", "stream_spill"]
PROOFS = {
    "fifo": ("fv_queue", {"Kind": 0, "Depth": 3}, QUEUES, 16),
    "fifo-fall-through": ("fv_queue", {"Kind": 1, "Depth": 3}, QUEUES, 16),
    "fifo-one": ("fv_queue", {"Kind": 0, "Depth": 1}, QUEUES, 20),
    "fifo-one-fall-through": ("fv_queue", {"Kind": 1, "Depth": 1}, QUEUES, 20),
    "spill": ("fv_queue", {"Kind": 2, "Depth": 2}, QUEUES, 20),
    "arbiter": ("fv_arbiter", {"N": 3}, ["stream_arbiter"], 16),
    "arbiter-five": ("fv_arbiter", {"N": 5}, ["stream_arbiter"], 12),
    "fork-join": ("fv_fork_join", {"N": 3}, ["stream_fork", "stream_join"], 20),
    "credits": ("fv_credits", {"Credits": 5}, ["credit_counter"], 20),
}


def readable(path, folder):
    """A copy of a source that Yosys can read with its assertions: it does not know `else $error(...)`."""
    text = re.sub(r"\)\s*else \$error\(.*\);", ");", path.read_text())
    copy = folder / path.name
    copy.parent.mkdir(parents=True, exist_ok=True)
    copy.write_text(text)
    return copy


def run(command):
    """Runs a command from the top folder, shows what it says, returns whether it succeeded, and its output."""
    print(" ".join(command), flush=True)
    result = subprocess.run(command, cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    print(result.stdout, end="", flush=True)
    return result.returncode == 0, result.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", nargs="?", choices=PROOFS)
    parser.add_argument("--list", action="store_true", help="show the names of the proofs")
    options = parser.parse_args()
    if options.list or options.name is None:
        print("\n".join(PROOFS))
        return 0 if options.list else 2

    top, parameters, modules, depth = PROOFS[options.name]
    OUT.mkdir(parents=True, exist_ok=True)
    model = f"build/formal/{options.name}"
    sources = [readable(ROOT / "rtl/lib" / f"{module}.sv", OUT / f"{options.name}-src") for module in modules]
    sources += [HERE / "stream_law.sv", HERE / "fv_reset.sv", HERE / f"{top}.sv"]
    # Down to two-input gates: the solver expands the functions that describe the model, and what is used n times
    # on one level it expands n times.
    script = [
        "read_verilog -sv -formal " + " ".join(str(source.relative_to(ROOT)) for source in sources),
        f"hierarchy -check -top {top} " + " ".join(f"-chparam {key} {value}" for key, value in parameters.items()),
        "prep -flatten",
        "memory_map",
        "async2sync",
        "dffunmap",
        "opt -full -nosdff -nodffe",
        "techmap",
        "opt -fast -nosdff -nodffe",
        "setundef -undriven -anyseq",
        "setundef -anyseq",
        "abc -g AND -fast",
        "opt_clean",
        f"write_smt2 -wires {model}.smt2",
        f"write_aiger {model}.aig",
    ]
    if not run(["yosys", "-q", "-p", "; ".join(script)])[0]:
        return 1
    # --presat: the assumptions must leave something to look at.
    bounded = ["yosys-smtbmc", "-s", "z3", "--noprogress", "--presat", "-t", str(depth)]
    if not run([*bounded, "--dump-vcd", f"{model}.vcd", f"{model}.smt2"])[0]:
        return 1
    return 0 if "Property proved." in run(["yosys-abc", "-c", f"read_aiger {model}.aig; fold; pdr"])[1] else 1


if __name__ == "__main__":
    sys.exit(main())
