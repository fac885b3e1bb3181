#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures what three-tier scheduling leaves of a job's overhead, over two-tier, as `swai bench paper` has it. On RTL: the time
in which nothing computes, for a window by Whisper in base's shape (30 seconds, random weights), over that of a host which
launches each operator that eager PyTorch issues, streamed, and waits once for each token. Keys name the host's software: it
takes no time (host0), as long as eager PyTorch here (eager: measure_eager.py, Debian's python3-torch), or 10.3 us for each
operator, what the paper's PyTorch takes for its calls of CUDA (paper). Prints a flat JSON object for `make bench-long`.
--layers, --steps: other jobs than two blocks and two steps, whose keys say so. --all: our own operators by such hosts, too.
--digits: the digits model. --launching: what launching takes of 30 seconds and 100 tokens, and nothing else."""

import argparse
import dataclasses
import json
import pathlib
import tempfile

import random_whisper
from digits import DEMO, MODEL, SEQUENCES
from measure_base_rtl import DIRECTED, SOUND
from reports import printed_by, reports

LAYERS = STEPS = 2
PAPER_US = 10.3


def hosts_here():
    """Microseconds for an operator, by what keys call the host."""
    (figures,) = printed_by("verif/host/models/speech/measure_eager.py")
    here = figures.get("eager.host_us")
    return {"host0": 0} | ({} if here is None else {"eager": here}) | {"paper": PAPER_US}


def keys_of(table, hosts, suffix):
    """By the column of each way that has been measured."""
    ratios = {row["what"]: row["values"] for row in table["rows"]}["three-tier's overhead over it"]
    over = dict(zip(table["columns"], ratios, strict=True))
    keys = {}
    for what, operators in ("two_tier", "PyTorch's operators"), ("own_operators", "operators"):
        for name, us in hosts.items():
            way = f"two-tier, {operators}" + (f", {us:g} us each" if us else "")
            if way in over:
                keys[f"graph.overhead_vs_{what}_{name}{suffix}"] = round(over[way], 4)
    return keys


def shares(hosts, *words):
    paced = [word for us in hosts.values() for word in ("--host-us", us)]
    (report,) = reports("bench", "paper", "--table", "shares", "--once", *paced, *words)
    (table,) = report["tables"]
    return table


def base_shares(hosts, layers, steps, *words):
    shape = dataclasses.replace(random_whisper.BASE, layers=layers, text_context=max(DIRECTED + steps + 1, 2 * steps))
    with tempfile.TemporaryDirectory() as folder:
        model = pathlib.Path(folder) / "model"
        random_whisper.write(model, shape=shape)
        return shares(hosts, "--model", model, "--sound", SOUND, *words)


def launching():
    (report,) = reports("bench", "paper", "--table", "overhead", "--shape", "base", "--seconds", 30, "--tokens", 100)
    last = {row["what"]: row["values"][-1] for table in report["tables"] for row in table["rows"]}
    return last["three-tier over two-tier (eager PyTorch's operators)"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--digits", action="store_true", help="the digits model in place of base's shape")
    parser.add_argument("--launching", action="store_true", help="what launching takes, by counts, and nothing else")
    parser.add_argument("--all", action="store_true", help="our own operators, too")
    parser.add_argument("--host", action="append", help="only this host: host0, eager, paper; for several, again")
    parser.add_argument("--layers", type=int, default=LAYERS, help="of base's shape: of the encoder, and of the decoder")
    parser.add_argument("--steps", type=int, default=STEPS, help="of base's decoder, behind the first token; 2 at least")
    parser.add_argument("--table", type=pathlib.Path, help="write the whole table here, too, as JSON")
    options = parser.parse_args()
    if options.launching:
        print(json.dumps({"graph.launching_vs_two_tier": round(launching(), 4)}))
        return
    hosts = {name: us for name, us in hosts_here().items() if not options.host or name in options.host}
    words = [] if options.all else ["--only-pytorch"]
    if options.digits:
        suffix = "_digits"
        table = shares(hosts, "--model", MODEL, "--sound", SEQUENCES[DEMO].sound(), *words)
    else:
        suffix = "" if (options.layers, options.steps) == (LAYERS, STEPS) else f"_{options.layers}_blocks_{options.steps}_steps"
        table = base_shares(hosts, options.layers, options.steps, *words)
    if options.table:
        options.table.write_text(json.dumps(table))
    print(json.dumps(keys_of(table, hosts, suffix)))


if __name__ == "__main__":
    main()
