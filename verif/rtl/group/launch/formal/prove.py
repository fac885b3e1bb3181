#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Proofs about launches: prove.py NAME (prove.py --list shows the names). verif/rtl/lib/formal/proof.py tells how they are done.

Exit code 1: a property does not hold; the waveform is build/formal/launch-NAME.vcd.
"""

import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "lib/formal"))
import proof  # noqa: E402

# name: top module, sources below rtl/, cycles that smtbmc looks at
PROOFS = {
    "wake": ("fv_wake", ["cpe/cpe_pkg", "lib/clock_gate", "cpe/core/cpe_control", "group/cg_wake"], 24),
}


def prove(name, top, modules, depth):
    name = f"launch-{name}"
    sources = [*proof.readable_rtl(name, modules), proof.HERE / "fv_reset.sv", HERE / f"{top}.sv"]
    # The gate is open: the proof is that it may be.
    return proof.prove(name, top, sources, depth, defines=["-DSYNTHESIS"])


if __name__ == "__main__":
    sys.exit(proof.main(__doc__, PROOFS, prove))
