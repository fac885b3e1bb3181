#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts what hostile clients reach. With --played: 300 random attacks on a fake card, in seconds. Else: 10,000 random
attacks on the functional card that a daemon shares, in an hour or more; `isolation.slower` is the largest share by which
another client's launches of one length took longer meanwhile. Prints a flat JSON object of figures."""

import argparse
import json
import subprocess
import sys


def last_object(*command):
    done = subprocess.run([*map(str, command)], capture_output=True, text=True)
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if not lines:
        sys.exit(done.stdout + done.stderr)
    return json.loads(lines[-1])


def on_functional_card(steps):
    found = last_object("python3", "verif/attack/card_test.py", "--tier", "fast", "--steps", steps)
    slower = [one["cycles_attacked"] / one["cycles_alone"] - 1 for one in found["launches"]]
    return {
        "isolation.steps": found["steps"],
        "isolation.leaks": found["leaks"] + found["spoilt"] + found["wrong"],
        "isolation.slower": round(max(slower), 4),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--played", action="store_true")
    parser.add_argument("--steps", type=int, default=10_000, help="attacks on the functional card")
    options = parser.parse_args()
    if options.played:
        print(json.dumps(last_object("build/test-attack", "--test-case=some*")))
    else:
        print(json.dumps(on_functional_card(options.steps)))


if __name__ == "__main__":
    main()
