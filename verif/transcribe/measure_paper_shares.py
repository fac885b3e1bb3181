#!/usr/bin/env python3
"""What three-tier scheduling leaves of a job's overhead, over two-tier, as `swai bench paper` has it. On RTL: the time in which
nothing computes, for a window by Whisper in base's shape (30 seconds, two blocks of encoder and decoder, random weights, two
tokens after the first), over that of hosts which launch operators one by one, streamed: ours as fast as the card takes
them, and with the paper's 4.9 us of the host for each; and as many as eager PyTorch issues, 4.9 us each, by reckoned
pacing. With PyTorch (Debian's python3-torch) also both with the time that it takes on this machine (measure_eager.py).
Besides what launching takes of 30 seconds and 100 tokens, over eager PyTorch's operators. Prints a flat JSON object for
`make bench-long`. --digits: the same shares for the digits model, with lists, and nothing else."""

import argparse
import dataclasses
import json
import os
import pathlib
import tempfile

import random_whisper
from digits import DEMO, MODEL, SEQUENCES
from measure_base_rtl import DIRECTED, PATIENCE, SOUND
from reports import printed_by, reports

PUBLISHED_US = 4.9


def eager_us():
    (figures,) = printed_by("verif/transcribe/measure_eager.py")
    return figures.get("eager.host_us")


def keys_of(table, measured_us):
    """By the column of each way that has been measured."""
    ratios = {row["what"]: row["values"] for row in table["rows"]}["three-tier's overhead over it"]
    over = dict(zip(table["columns"], ratios))
    keys = {
        "graph.overhead_vs_two_tier": over[f"two-tier, PyTorch's operators, {PUBLISHED_US:g} us each"],
        "graph.overhead_vs_fused": over[f"two-tier, operators, {PUBLISHED_US:g} us each"],
        "graph.overhead_vs_fused_no_host": over["two-tier, operators"],
    }
    if measured_us is not None:
        keys["graph.overhead_vs_eager_here"] = over[f"two-tier, PyTorch's operators, {measured_us:g} us each"]
        keys["graph.overhead_vs_fused_here"] = over[f"two-tier, operators, {measured_us:g} us each"]
    return {key: round(value, 3) for key, value in keys.items()}


def shares(measured_us, *words):
    host = [word for us in (PUBLISHED_US, measured_us) if us is not None for word in ("--host-us", us)]
    (report,) = reports("bench", "paper", "--table", "shares", *host, *words)
    (table,) = report["tables"]
    return table


def base_shares(measured_us, layers, steps):
    shape = dataclasses.replace(random_whisper.BASE, layers=layers, text_context=max(DIRECTED + steps + 1, 2 * steps))
    with tempfile.TemporaryDirectory() as folder:
        model = pathlib.Path(folder) / "model"
        random_whisper.write(model, shape=shape)
        return shares(measured_us, "--model", model, "--sound", SOUND, "--no-timestamps", "--once")


def launching():
    (report,) = reports("bench", "paper", "--table", "overhead", "--shape", "base", "--seconds", 30, "--tokens", 100)
    last = {row["what"]: row["values"][-1] for table in report["tables"] for row in table["rows"]}
    return last["three-tier over two-tier (eager PyTorch's operators)"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--digits", action="store_true", help="the digits model in place of base's shape")
    parser.add_argument("--layers", type=int, default=2, help="of base's shape: of the encoder, and of the decoder")
    parser.add_argument("--steps", type=int, default=2, help="of base's decoder, behind the first token; 2 at least")
    parser.add_argument("--table", type=pathlib.Path, help="write the whole table here, too, as JSON")
    options = parser.parse_args()
    os.environ.setdefault("SWAI_TIMEOUT_SECONDS", str(PATIENCE))
    measured_us = eager_us()
    if options.digits:
        table = shares(measured_us, "--model", MODEL, "--sound", SEQUENCES[DEMO].sound())
    else:
        table = base_shares(measured_us, options.layers, options.steps)
    if options.table:
        options.table.write_text(json.dumps(table))
    keys = keys_of(table, measured_us)
    if not options.digits:
        keys["graph.launching_vs_two_tier"] = round(launching(), 4)
    print(json.dumps(keys))


if __name__ == "__main__":
    main()
