#!/usr/bin/env python3
"""Proof about a channel's bus and a receiver on it, as verif/lib/formal/prove.py: bounded first, then for all time.

Data have one bit instead of 256: the design only carries them.

Exit code 1: a property does not hold; the waveform is build/formal/channel.vcd.
"""

import importlib.util
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[3]
OUT = ROOT / "build/formal"

spec = importlib.util.spec_from_file_location("lib_prove", ROOT / "verif/lib/formal/prove.py")
lib_prove = importlib.util.module_from_spec(spec)
spec.loader.exec_module(lib_prove)


def narrow(source):
    """256 bits of data become one."""
    text = source.read_text()
    small = re.sub(r"\b256\b", "1", text.replace("[255:0]", "[0:0]"))
    if small == text and source.name != "cpe_channel_queue.sv":
        sys.exit(f"{source}: no data of 256 bits")
    source.write_text(small)
    return source


def main():
    OUT.mkdir(parents=True, exist_ok=True)
    model = "build/formal/channel"
    designs = ["cpe/cpe_channel_queue", "cpe/cpe_channel_receive", "cg/cg_channel"]
    sources = [narrow(lib_prove.readable(ROOT / "rtl" / f"{name}.sv", OUT / "channel-src")) for name in designs]
    sources += [ROOT / "verif/lib/formal/fv_reset.sv", HERE / "fv_channel.sv"]
    script = [
        "read_verilog -sv -formal " + " ".join(str(source.relative_to(ROOT)) for source in sources),
        "hierarchy -check -top fv_channel",
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
    bounded = ["yosys-smtbmc", "-s", "z3", "--noprogress", "--presat", "-t", "10"]
    if not lib_prove.run([*bounded, "--dump-vcd", f"{model}.vcd", f"{model}.smt2"])[0]:
        return 1
    return 0 if "Property proved." in lib_prove.run(["yosys-abc", "-c", f"read_aiger {model}.aig; fold; pdr"])[1] else 1


if __name__ == "__main__":
    sys.exit(main())
