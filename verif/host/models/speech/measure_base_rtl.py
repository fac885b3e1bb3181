#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures a transcription by Whisper in base's shape on the RTL: 30 seconds, two blocks of encoder and decoder, random
weights, two tokens after the first. Prints the shares of the job's time in which no engine of any core works, and in which
cores wait at barriers, and the one that operators would take at the card's limits; a flat JSON object for `make bench`.
--steps, --layers: other jobs; encoders have all of base's blocks with 6."""

import argparse
import dataclasses
import json
import pathlib
import tempfile

import random_whisper
from reports import reports

SOUND = "examples/sounds/jfk.wav"
DIRECTED = 2  # tokens that say what to do: start, no timestamps


def measured(layers, steps, tier):
    # The text ends where the decoder knows no more tokens.
    context = max(DIRECTED + steps + 1, 2 * steps)
    shape = dataclasses.replace(random_whisper.BASE, layers=layers, text_context=context)
    with tempfile.TemporaryDirectory() as folder:
        model = pathlib.Path(folder) / "model"
        random_whisper.write(model, shape=shape)
        said, stats = reports("transcribe", "-m", model, SOUND, "--no-timestamps", "--no-fallback", "--stats", tier=tier)
    tokens = sum(len(segment["tokens"]) for segment in said["segments"])
    graphs = 1 + DIRECTED + steps  # the encoder, then a list for each token
    if tokens != steps or stats["building"]["graphs"] != graphs:
        raise SystemExit(f"{tokens} tokens by {stats['building']['graphs']} lists, not {steps} by {graphs}")
    return stats


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--layers", type=int, default=2, help="of the encoder, and of the decoder")
    parser.add_argument("--steps", type=int, default=2, help="of the decoder, behind the first token; 2 at least")
    parser.add_argument("--tier", default="rtl", help="fast: what operators take at the card's limits, and nothing else")
    options = parser.parse_args()
    if options.steps < 2:
        parser.error("--steps: 2 at least, as a context has room for four tokens at least")
    stats = measured(options.layers, options.steps, options.tier)
    if options.tier != "rtl":
        print(json.dumps({"least_cycles": stats["least_cycles"]}))
        return
    print(json.dumps({
        "graph.overhead_share": round(stats["overhead_share"], 4),
        "graph.barrier_share": round(stats["barrier_share"], 4),
        "graph.step_eff": round(stats["least_share"], 4),
        "whisper.step_eff": round(stats["least_share"], 4),
        "whisper.base_job_cycles": stats["jobs"]["ns"],
    }))


if __name__ == "__main__":
    main()
