#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures on RTL the cycles per node that the management processor takes to build the lists of Whisper in base's
shape, six blocks of encoder and decoder. A job builds each list once, with code and templates that are in no cache yet
and beside cores that use memory; all of this counts. Rows are narrow, one head of 64 channels, so that the cores take
less time: lists have 301 nodes, 307 with base's rows. Prints a flat JSON object for `make bench`."""

import argparse
import dataclasses
import json
import pathlib
import tempfile

import random_whisper
from reports import reports

SOUND = "examples/sounds/jfk.wav"  # one window
GRAPHS = 4  # the encoder; the step whose logits are kept; the one after it; a step that follows a choice
NARROW = dataclasses.replace(random_whisper.BASE, width=64, heads=1, text_context=8)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--full-width", action="store_true", help="rows as wide as base's")
    parser.add_argument("--tier", default="rtl", help="fast: its cycles have no misses")
    options = parser.parse_args()
    shape = dataclasses.replace(random_whisper.BASE, text_context=8) if options.full_width else NARROW
    with tempfile.TemporaryDirectory() as folder:
        model = pathlib.Path(folder) / "model"
        random_whisper.write(model, shape=shape)
        said, stats = reports("transcribe", "-m", model, SOUND, "--no-timestamps", "--no-fallback", "--stats",
                              tier=options.tier)
    building = stats["building"]
    if stats["jobs"]["launches"] != 1 or building["graphs"] < GRAPHS:
        raise SystemExit(f"{stats['jobs']['launches']} jobs ran {building['graphs']} lists: {said}")
    print(json.dumps({
        "graph.build_cycles_per_node": round(building["cycles"] / building["nodes"], 1),
        "graph.build_nodes": building["nodes"],
    }))


if __name__ == "__main__":
    main()
