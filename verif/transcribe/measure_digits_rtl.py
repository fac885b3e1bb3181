#!/usr/bin/env python3
"""Measures the transcription that `make demo` ends with, on the RTL: seconds of wall time with the card's boot, and the share
of the job's cycles in which no engine of any core works. Prints a flat JSON object for `make bench`."""

import json

from digits import DEMO, SEQUENCES, heard


def main():
    said, stats = heard((DEMO,), "--stats", tier="rtl")
    if said["text"].split() != SEQUENCES[DEMO].words():
        raise SystemExit(f"the card hears '{said['text']}'")
    print(json.dumps({
        "whisper.rtl_wall_s": round(stats["wall_seconds"], 1),
        "whisper.overhead_share": round(stats["overhead_share"], 4),
        "whisper.demo_cycles": stats["jobs"]["ns"],
    }))


if __name__ == "__main__":
    main()
