#!/usr/bin/env python3
"""Proofs about launches: prove.py NAME (prove.py --list shows the names).

As verif/lib/formal/prove.py: yosys-smtbmc looks at everything that can happen in the first cycles after a reset, then the pdr engine
of yosys-abc proves the same for all time.

Exit code 1: a property does not hold; the waveform is build/formal/NAME.vcd.
"""

import argparse
import importlib.util
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[3]
OUT = ROOT / "build/formal"

spec = importlib.util.spec_from_file_location("lib_prove", ROOT / "verif/lib/formal/prove.py")
lib_prove = importlib.util.module_from_spec(spec)
spec.loader.exec_module(lib_prove)

# name: top module, sources below rtl/, cycles that smtbmc looks at
PROOFS = {
    "wake": ("fv_wake", ["cpe/cpe_pkg", "lib/clock_gate", "cpe/cpe_control", "cg/cg_wake"], 24),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", nargs="?", choices=PROOFS)
    parser.add_argument("--list", action="store_true", help="show the names of the proofs")
    options = parser.parse_args()
    if options.list or options.name is None:
        print("\n".join(PROOFS))
        return 0 if options.list else 2

    top, modules, depth = PROOFS[options.name]
    OUT.mkdir(parents=True, exist_ok=True)
    model = f"build/formal/launch-{options.name}"
    sources = [lib_prove.readable(ROOT / "rtl" / f"{name}.sv", OUT / f"launch-{options.name}-src") for name in modules]
    sources += [ROOT / "verif/lib/formal/fv_reset.sv", HERE / f"{top}.sv"]
    script = [
        # The gate is open: the proof is that it may be.
        "read_verilog -sv -formal -DSYNTHESIS " + " ".join(str(source.relative_to(ROOT)) for source in sources),
        f"hierarchy -check -top {top}",
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
    if not lib_prove.run(["yosys", "-q", "-p", "; ".join(script)])[0]:
        return 1
    # --presat: the assumptions must leave something to look at.
    bounded = ["yosys-smtbmc", "-s", "z3", "--noprogress", "--presat", "-t", str(depth)]
    if not lib_prove.run([*bounded, "--dump-vcd", f"{model}.vcd", f"{model}.smt2"])[0]:
        return 1
    return 0 if "Property proved." in lib_prove.run(["yosys-abc", "-c", f"read_aiger {model}.aig; fold; pdr"])[1] else 1


if __name__ == "__main__":
    sys.exit(main())
