#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the transcription that `make demo` ends with, on the RTL: seconds of wall time with the card's boot, and the share
of the job's cycles in which no engine of any core works; what of the time in which the card built lists a running list hid,
and what it took to hand over what a list reads. Prints a flat JSON object for `make bench`."""

import json

from digits import DEMO, SEQUENCES, heard


def main():
    said, stats = heard((DEMO,), "--stats", tier="rtl")
    if said["text"].split() != SEQUENCES[DEMO].words():
        raise SystemExit(f"the card hears '{said['text']}'")
    building = stats["building"]
    print(json.dumps({
        "whisper.rtl_wall_s": round(stats["wall_seconds"], 1),
        "whisper.overhead_share": round(stats["overhead_share"], 4),
        "whisper.demo_cycles": stats["jobs"]["ns"],
        "graph.build_hidden": round(building["hidden_cycles"] / building["cycles"], 4),
        "graph.handover_ns": round(building["handover_cycles"] / building["graphs"], 1),
        "graph.handover_max_ns": building["handover_max_cycles"],
    }))


if __name__ == "__main__":
    main()
