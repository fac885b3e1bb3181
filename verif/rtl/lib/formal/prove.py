#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Proofs of the stream laws: prove.py NAME (prove.py --list shows the names). proof.py tells how they are done.

Exit code 1: a property does not hold; the waveform is build/formal/NAME.vcd.
"""

import sys

import proof

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


def prove(name, top, parameters, modules, depth):
    sources = proof.readable_rtl(name, [f"lib/{module}" for module in modules])
    sources += [proof.HERE / f"{file}.sv" for file in ("stream_law", "fv_reset", top)]
    return proof.prove(name, top, sources, depth, parameters)


if __name__ == "__main__":
    sys.exit(proof.main(__doc__, PROOFS, prove))
