#!/usr/bin/env python3
"""Proofs about the ring: prove.py NAME (prove.py --list shows the names).

As verif/lib/formal/prove.py: yosys-smtbmc looks at everything that can happen in the first cycles after a reset, then yosys-abc
proves the same for all time (pdr), or where the design is too large for that, for some more cycles (bmc3).

Exit code 1: a property does not hold; the waveform is build/formal/NAME.vcd.
"""

import argparse
import importlib.util
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
OUT = ROOT / "build/formal"

spec = importlib.util.spec_from_file_location("lib_prove", ROOT / "verif/lib/formal/prove.py")
lib_prove = importlib.util.module_from_spec(spec)
spec.loader.exec_module(lib_prove)

# name: top module, its parameters, sources below rtl/, cycles that smtbmc looks at, what abc does
PDR = ("pdr", "Property proved.")
BMC = ("scorr; bmc3 -F 12", "No output asserted in 12 frames.")
STOP = ["noc/noc_pkg", "noc/noc_stop"]
NOC = ["lib/mbus_pkg", "noc/noc_pkg", "lib/stream_fifo", "lib/stream_arbiter"]
NOC += [f"noc/{name}" for name in ("noc_stop", "noc_buffer", "noc_credits", "noc_initiator", "noc_target", "noc_node", "noc")]
PROOFS = {
    "noc-ring": ("fv_ring", {"Nodes": 3, "Patience": 3}, STOP, 14, PDR),
    "noc-ring-queue": ("fv_ring", {"Nodes": 3, "Patience": 6, "QueueDepth": 2}, STOP, 14, PDR),
    "noc-ring-four": ("fv_ring", {"Nodes": 4, "Patience": 4}, STOP, 12, PDR),
    "noc-all": ("fv_noc", {}, NOC, 8, BMC),
}

# What proofs of the whole ring do without: the payload but for one bit of data and one strobe, and all tags but four.
NARROW = {
    "[511:0]": "[0:0]",
    "[63:0]         strb": "[0:0] strb",
    "40 + 3 + 64 + 512": "40 + 3 + 1 + 1",
    "TagWidth + 2 + 512": "TagWidth + 2 + 1",
    "TagWidth  = 8": "TagWidth = 2",
}


def narrow(package):
    text = package.read_text()
    for wide, small in NARROW.items():
        if wide not in text:
            sys.exit(f"{package}: nothing reads {wide}")
        text = text.replace(wide, small)
    package.write_text(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", nargs="?", choices=PROOFS)
    parser.add_argument("--list", action="store_true", help="show the names of the proofs")
    options = parser.parse_args()
    if options.list or options.name is None:
        print("\n".join(PROOFS))
        return 0 if options.list else 2

    top, parameters, modules, depth, (engine, success) = PROOFS[options.name]
    OUT.mkdir(parents=True, exist_ok=True)
    model = f"build/formal/{options.name}"
    sources = [lib_prove.readable(ROOT / "rtl" / f"{name}.sv", OUT / f"{options.name}-src") for name in modules]
    if top == "fv_noc":
        narrow(OUT / f"{options.name}-src/noc_pkg.sv")
    sources += [ROOT / "verif/lib/formal" / name for name in ("stream_law.sv", "fv_reset.sv")] + [HERE / f"{top}.sv"]
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
    if not lib_prove.run(["yosys", "-q", "-p", "; ".join(script)])[0]:
        return 1
    # --presat: the assumptions must leave something to look at.
    bounded = ["yosys-smtbmc", "-s", "z3", "--noprogress", "--presat", "-t", str(depth)]
    if not lib_prove.run([*bounded, "--dump-vcd", f"{model}.vcd", f"{model}.smt2"])[0]:
        return 1
    return 0 if success in lib_prove.run(["yosys-abc", "-c", f"read_aiger {model}.aig; fold; {engine}"])[1] else 1


if __name__ == "__main__":
    sys.exit(main())
