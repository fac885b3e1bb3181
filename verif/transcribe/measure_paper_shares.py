#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures what three-tier scheduling leaves of a job's overhead, over two-tier, as `swai bench paper` has it. On RTL: the time
in which nothing computes, for a window by Whisper in base's shape (30 seconds, all six blocks of encoder and decoder, random
weights, 16 tokens after the first), over that of a host which launches as many operators as eager PyTorch issues, streamed, by
reckoned pacing: 10.3 us for each, what the paper's PyTorch takes for its calls of CUDA. Besides what launching takes of 30
seconds and 100 tokens, over eager PyTorch's operators. Prints a flat JSON object for `make bench-long`.
--all: also our own operators by hosts, as fast as the card takes them, and other times of a host: the paper's 4.9 us of one
launch, and with PyTorch (Debian's python3-torch) what it takes on this machine (measure_eager.py). Each way takes RTL an hour.
--digits: all of them for the digits model, with lists, and nothing else."""

import argparse
import dataclasses
import json
import pathlib
import tempfile

import random_whisper
from digits import DEMO, MODEL, SEQUENCES
from measure_base_rtl import DIRECTED, SOUND
from reports import printed_by, reports

# Hosts, by what keys call them: microseconds for an operator.
PAPERS = {"two_tier": 10.3}


def other_hosts():
    (figures,) = printed_by("verif/transcribe/measure_eager.py")
    here = figures.get("eager.host_us")
    return {"launch_alone": 4.9} | ({} if here is None else {"eager_here": here})


def keys_of(table, hosts):
    """By the column of each way that has been measured."""
    ratios = {row["what"]: row["values"] for row in table["rows"]}["three-tier's overhead over it"]
    over = dict(zip(table["columns"], ratios))
    ways = {"fused_no_host": "two-tier, operators"}
    for name, us in hosts.items():
        ways[name] = f"two-tier, PyTorch's operators, {us:g} us each"
        ways[f"{name}_fused"] = f"two-tier, operators, {us:g} us each"
    return {f"graph.overhead_vs_{name}": round(over[way], 4) for name, way in ways.items() if way in over}


def shares(hosts, *words):
    (report,) = reports("bench", "paper", "--table", "shares", *(word for us in hosts.values() for word in ("--host-us", us)), *words)
    (table,) = report["tables"]
    return table


def base_shares(hosts, layers, steps, *words):
    shape = dataclasses.replace(random_whisper.BASE, layers=layers, text_context=max(DIRECTED + steps + 1, 2 * steps))
    with tempfile.TemporaryDirectory() as folder:
        model = pathlib.Path(folder) / "model"
        random_whisper.write(model, shape=shape)
        return shares(hosts, "--model", model, "--sound", SOUND, "--no-timestamps", "--once", *words)


def launching():
    (report,) = reports("bench", "paper", "--table", "overhead", "--shape", "base", "--seconds", 30, "--tokens", 100)
    last = {row["what"]: row["values"][-1] for table in report["tables"] for row in table["rows"]}
    return last["three-tier over two-tier (eager PyTorch's operators)"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--digits", action="store_true", help="the digits model in place of base's shape")
    parser.add_argument("--all", action="store_true", help="our own operators, and all hosts")
    parser.add_argument("--layers", type=int, default=6, help="of base's shape: of the encoder, and of the decoder")
    parser.add_argument("--steps", type=int, default=16, help="of base's decoder, behind the first token; 2 at least")
    parser.add_argument("--table", type=pathlib.Path, help="write the whole table here, too, as JSON")
    options = parser.parse_args()
    every = options.all or options.digits
    hosts = PAPERS | (other_hosts() if every else {})
    if options.digits:
        table = shares(hosts, "--model", MODEL, "--sound", SEQUENCES[DEMO].sound())
    else:
        table = base_shares(hosts, options.layers, options.steps, *([] if every else ["--only-pytorch"]))
    if options.table:
        options.table.write_text(json.dumps(table))
    keys = keys_of(table, hosts)
    if not options.digits:
        keys["graph.launching_vs_two_tier"] = round(launching(), 4)
    print(json.dumps(keys))


if __name__ == "__main__":
    main()
