#!/usr/bin/env python3
"""What three-tier scheduling leaves of a job's overhead, over two-tier, as `swai bench paper` has it on RTL: of the time in
which nothing computes, for the digits model with our operators launched one by one; and of what launching takes, for 30
seconds and 100 tokens in base's shape with eager PyTorch's operators. Prints a flat JSON object for `make bench-long`."""

import json

from digits import DEMO, MODEL, SEQUENCES
from reports import reports


def main():
    (report,) = reports("bench", "paper", "--table", "shares", "--model", MODEL, "--sound", SEQUENCES[DEMO].sound(), "--table", "overhead",
                        "--shape", "base", "--seconds", 30, "--tokens", 100)
    last = {row["what"]: row["values"][-1] for table in report["tables"] for row in table["rows"]}
    print(json.dumps({
        "graph.overhead_vs_two_tier": round(last["overhead over that of two-tier, operators"], 3),
        "graph.launching_vs_two_tier": round(last["three-tier over two-tier (eager PyTorch's operators)"], 4),
    }))


if __name__ == "__main__":
    main()
