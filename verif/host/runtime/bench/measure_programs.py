#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What calls, launches and messages of a model program take on the card, in cycles, as a flat JSON object.

build/program-bench runs the program `timed`, which times empty calls and data that it hands over itself. The rest is read off the card's trace: from
the instruction that calls the kernel to the cycle in which the first core executes the first instruction of a launch,
and to the end of a message's copy."""

import bisect
import json
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, "verif/sim/card")
import perfetto  # noqa: E402

ROUNDS = 33  # swai::timed::kRounds


def main():
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "trace"
        done = subprocess.run(["build/program-bench", "--events", file], stdout=subprocess.PIPE, text=True, check=True)
        trace = perfetto.read(file)
    figures = json.loads(done.stdout)
    calls = sorted(item.time for item in trace.on(trace.instants, "MPE") if item.name == "call from user mode")
    # Each launch and each message is a call that gives it and one that waits. Behind them come empty calls and launches
    # whose words are looked for, which call once more when they look in vain.
    # Memory is cleared by launches, too, before the program's own.
    launches = sorted((item.begin, item.end) for item in trace.on(trace.slices, "group 0") if item.begin < calls[2 * ROUNDS])
    cores = sorted(item.begin for item in trace.slices if re.fullmatch("group 0 core [0-9]+", item.track.name))
    starts = [cores[bisect.bisect_left(cores, begin)] for begin, _ in launches[-ROUNDS:]]
    if any(start > end for start, (_, end) in zip(starts, launches[-ROUNDS:], strict=True)):
        sys.exit("no core has taken a launch")
    copies = sorted(item.end for item in trace.on(trace.slices, "DMA 0") if item.begin > calls[2 * ROUNDS])
    for key, first, ends in (
        ("graph.launch_cycles", 0, starts),
        ("program.stream_ns", 2 * ROUNDS, copies[:ROUNDS]),
    ):
        begins = calls[first : first + 2 * ROUNDS + 1 : 2]
        if any(not begin < end < following for begin, end, following in zip(begins, ends, begins[1:], strict=False)):
            sys.exit(f"{key}: something has ended before its call, or behind the next one's")
        took = [end - call for end, call in zip(ends, begins[:-1], strict=True)]
        figures[key] = statistics.median(took)
        figures[key + "_cold"] = max(took)
    print(json.dumps(figures))


main()
