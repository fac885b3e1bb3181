#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Launches of a transcription of 30 seconds with 100 tokens by Whisper in base's shape, as `swai bench paper` counts them on
the fast tier: those of the host, three-tier over two-tier with eager PyTorch's operators, and those of the management
processor. Prints a flat JSON object for `make bench`."""

import json

from reports import reports

JOB = ("--shape", "base", "--seconds", 30, "--tokens", 100)


def main():
    (report,) = reports("bench", "paper", "--table", "launches", *JOB)
    (table,) = report["tables"]
    value = {row["what"]: row["values"][0] for row in table["rows"]}
    print(json.dumps({
        "graph.launch_ratio": value["three-tier: by the host"] / value["two-tier: eager PyTorch's operators"],
        "graph.mpe_launches": value["three-tier: by the management processor"],
    }))


main()
