#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures launches and the engines of a core group on the simulated card, with the program in firmware/launch-bench.

Prints a flat JSON object of figures; exit code 1, and what the card said, when anything went wrong on it.
"""

import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

FLASH = pathlib.Path("build/firmware/launch-bench.flash")
LINE_BYTES = 64
CHANNEL_BYTES = 32
LANES = 8      # of a vector unit
PRODUCTS = 64  # of a systolic unit in a cycle
HANDED_OVER = 4096  # bytes


def run_card(card, config):
    """The lines that the program prints."""
    with tempfile.TemporaryDirectory() as folder:
        # The card writes to its flash.
        flash = pathlib.Path(folder) / "card.flash"
        shutil.copy(FLASH, flash)
        done = subprocess.run([card, "--config", config, "--flash", flash, "--until-ready"], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True)
    text = done.stdout
    if done.returncode != 0:
        sys.exit(f"{text}{done.stderr}{card}: exit code {done.returncode}")
    lines = [json.loads(line) for line in text.splitlines() if line.startswith('{"bench"')]
    wrong = [line for line in lines if is_wrong(line)]
    if wrong or not lines or lines[-1]["bench"] != "end":
        sys.exit(f"{text}something went wrong on the card: {wrong or 'it did not come to the end'}")
    return lines


def is_wrong(line):
    return (line["bench"] in ("error", "trap", "fault") or line.get("failed", 0) != 0 or line.get("ended", 1) != 1
            or line.get("wrong_words", 0) != 0 or line.get("refused_writes", 0) != 0 or line.get("ok", 1) != 1
            or line.get("ready", 1) != 1 or is_off(line))


def is_off(line):
    """The processor's cycles and the card's timer differ by more than reading the timer takes."""
    return "timer_cycles" in line and abs(line["timer_cycles"] - line["cycles"]) > 40


def bytes_copied(line):
    """By the processor's count, and whatever else was written to memory beside the data and, where memory has only one
    side, the line that came back. Else that goes to the processor's own memory."""
    answer = LINE_BYTES if line["bench"] == "handover_copied" else 0
    return line["bytes_copied"] + line["bytes_written"] - line["bytes"] - answer


def figures(lines):
    def one(name, **fields):
        for line in lines:
            if line["bench"] == name and all(line[key] == value for key, value in fields.items()):
                return line
        sys.exit(f"the card did not measure {name}")

    empty, chain, classic = one("launch_empty"), one("launch_chain"), one("launch_classic")
    group = one("cpes")
    if not empty["cpes"] == classic["cpes"] == group["rows"] * group["columns"]:
        sys.exit("the card did not use all of its CPEs")
    load, store = one("stream_load"), one("stream_store")
    systolic, dense, sparse = (line for line in lines if line["bench"] in ("systolic", "sparse"))
    vector, softmax, gemv, gemm = one("vector"), one("softmax"), one("gemv"), one("gemm")
    shared, whole = one("handover", bytes=HANDED_OVER, whole=0), one("handover", bytes=HANDED_OVER, whole=1)
    copied = one("handover_copied", bytes=HANDED_OVER)
    dma = load["bytes"] / load["cycles"]
    cpes = group["rows"] * group["columns"]
    return {
        "launch.cpe_empty_cycles": empty["median"],
        "launch.cpe_empty_cycles.first": empty["first"],
        "launch.cpe_empty_cycles.max": empty["max"],
        "launch.cpe_empty_cycles.cold": empty["cold"],
        "launch.cpe_chain_cycles": chain["cycles_per_launch_x100"] / 100,
        "launch.cpe_classic_cycles": classic["cycles"],
        "launch.cpe_classic_cycles.o_init": classic["init"],
        "launch.cpe_classic_cycles.o_start": classic["start"],
        "launch.cpe_classic_cycles.o_query": classic["query"],
        "launch.classic_ratio": round(classic["cycles"] / empty["median"], 1),
        "handover.bare_cycles": shared["cycles"],
        "handover.bare_cycles.first": shared["first"],
        "handover.bare_cycles.max": shared["max"],
        "handover.bare_cycles_whole": whole["cycles"],
        "handover.bare_cycles_1m": one("handover", bytes=1 << 20)["cycles"],
        "handover.bytes_copied": bytes_copied(shared),
        "handover.copy_cycles": copied["cycles"],
        "handover.copy_bytes_copied": bytes_copied(copied),
        "cpe.sync_cycles": one("sync", scope=4)["cycles_per_barrier_x100"] / 100,
        "cpe.sync_row_cycles": one("sync", scope=1)["cycles_per_barrier_x100"] / 100,
        "cpe.dma_eff": round(load["bytes"] / load["cycles"] / LINE_BYTES, 4),
        "cpe.dma_store_eff": round(store["bytes"] / store["cycles"] / LINE_BYTES, 4),
        "cpe.multicast_eff": round(one("broadcast")["bytes_per_1000_cycles"] / 1000 / CHANNEL_BYTES, 4),
        "cpe.systolic_peak_eff": round(systolic["work"] / systolic["cycles"], 4),
        "cpe.gemv_hbm_eff": round(gemv["work"] / gemv["cycles"] / dma, 4),
        "cpe.vector_eff": round(vector["work"] / vector["cycles"] / LANES, 4),
        "cpe.softmax_slots": round(softmax["cycles"] * LANES / softmax["work"], 2),
        "cpe.sparse_speedup": round(dense["cycles"] / dense["work"] * sparse["work"] / sparse["cycles"], 3),
        "cpe.gemm_512_eff": round(gemm["work"] / gemm["cycles"] / (cpes * PRODUCTS), 4),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--card", default="build/swai-card")
    parser.add_argument("--config", default="cg1")
    parser.add_argument("--suffix", default="", help="of the keys")
    options = parser.parse_args()
    found = figures(run_card(options.card, options.config))
    print(json.dumps({key + options.suffix: value for key, value in found.items()}, indent=2))


if __name__ == "__main__":
    main()
