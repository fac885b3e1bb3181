#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How many percent faster a token of Qwen 1.8B's shape gets its attention fused, behind 585 others, than with keys and values joined to
those before: `swai bench llm` on RTL, one block. Prints a flat JSON object for `make bench-long`."""

import argparse
import json
import subprocess

COMMAND = ["build/swai", "--tier", "rtl", "--quiet", "--json", "bench", "llm", "--shape", "qwen-1.8b", "--blocks", "1",
           "--prompt", "1", "--past", "585", "--table", "gains"]


def main():
    argparse.ArgumentParser(description=__doc__).parse_args()
    report = json.loads(subprocess.run(COMMAND, check=True, stdout=subprocess.PIPE, text=True).stdout)
    (table,) = report["tables"]
    (row,) = [row for row in table["rows"] if row["what"] == "attention, fused, ours"]
    gain = dict(zip(table["columns"], row["values"], strict=True))["decode"]
    print(json.dumps({"llm.fusion_gain_decode": round(gain, 1)}))


if __name__ == "__main__":
    main()
