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


def keys_of(table, hosts):
    """By the column of each way that has been measured."""
    ratios = {row["what"]: row["values"] for row in table["rows"]}["three-tier's overhead over it"]
    over = dict(zip(table["columns"], ratios))
    keys = {"graph.overhead_vs_fused_no_host": over["two-tier, operators"]}
    for us in hosts:
        eager, fused = ("two_tier", "fused") if us == PUBLISHED_US else ("eager_here", "fused_here")
        keys[f"graph.overhead_vs_{eager}"] = over[f"two-tier, PyTorch's operators, {us:g} us each"]
        keys[f"graph.overhead_vs_{fused}"] = over[f"two-tier, operators, {us:g} us each"]
    return {key: round(value, 3) for key, value in keys.items()}


def shares(hosts, *words):
    (report,) = reports("bench", "paper", "--table", "shares", *(word for us in hosts for word in ("--host-us", us)), *words)
    (table,) = report["tables"]
    return table


def base_shares(hosts, layers, steps):
    shape = dataclasses.replace(random_whisper.BASE, layers=layers, text_context=max(DIRECTED + steps + 1, 2 * steps))
    with tempfile.TemporaryDirectory() as folder:
        model = pathlib.Path(folder) / "model"
        random_whisper.write(model, shape=shape)
        return shares(hosts, "--model", model, "--sound", SOUND, "--no-timestamps", "--once")


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
    parser.add_argument("--host-us", type=float, help="only a host that needs so much for an operator, so that several of them can run side by side")
    options = parser.parse_args()
    os.environ.setdefault("SWAI_TIMEOUT_SECONDS", str(PATIENCE))
    hosts = [options.host_us] if options.host_us else [us for us in (PUBLISHED_US, eager_us()) if us is not None]
    if options.digits:
        table = shares(hosts, "--model", MODEL, "--sound", SEQUENCES[DEMO].sound())
    else:
        table = base_shares(hosts, options.layers, options.steps)
    if options.table:
        options.table.write_text(json.dumps(table))
    keys = keys_of(table, hosts)
    if not options.digits:
        keys["graph.launching_vs_two_tier"] = round(launching(), 4)
    print(json.dumps(keys))


if __name__ == "__main__":
    main()
