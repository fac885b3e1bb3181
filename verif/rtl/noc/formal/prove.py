#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Proofs about the ring: prove.py NAME (prove.py --list shows the names). verif/rtl/lib/formal/proof.py tells how they are done.

Exit code 1: a property does not hold; the waveform is build/formal/NAME.vcd.
"""

import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "lib/formal"))
import proof  # noqa: E402

# name: top module, its parameters, sources below rtl/, cycles that smtbmc looks at, what abc does
STOP = ["noc/noc_pkg", "noc/noc_stop"]
NOC = ["lib/mbus_pkg", "noc/noc_pkg", "lib/stream_fifo", "lib/stream_arbiter"]
NOC += [f"noc/{name}" for name in ("noc_stop", "noc_buffer", "noc_credits", "noc_initiator", "noc_target", "noc_node", "noc")]
PROOFS = {
    "noc-ring": ("fv_ring", {"Nodes": 3, "Patience": 3}, STOP, 14, proof.PDR),
    "noc-ring-queue": ("fv_ring", {"Nodes": 3, "Patience": 6, "QueueDepth": 2}, STOP, 14, proof.PDR),
    "noc-ring-four": ("fv_ring", {"Nodes": 4, "Patience": 4}, STOP, 12, proof.PDR),
    "noc-all": ("fv_noc", {}, NOC, 8, proof.BMC),
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


def prove(name, top, parameters, modules, depth, engine):
    sources = proof.readable_rtl(name, modules)
    if top == "fv_noc":
        narrow(proof.OUT / f"{name}-src/noc_pkg.sv")
    sources += [proof.HERE / "stream_law.sv", proof.HERE / "fv_reset.sv", HERE / f"{top}.sv"]
    return proof.prove(name, top, sources, depth, parameters, engine=engine)


if __name__ == "__main__":
    sys.exit(proof.main(__doc__, PROOFS, prove))
