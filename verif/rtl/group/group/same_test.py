#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A group does the same in every cycle, however its simulator was built.

Run from the repository root. All programs run the same random launches, faults, interventions and resets, and print digests of what CPEs
and group say in each cycle, times, counters and records; the first ones (--tell) also what CPEs retire. Each is compared with the first. After a
difference both run once more, with a line for each cycle, and the first one that differs is shown.
"""

import argparse
import itertools
import json
import subprocess
import sys

PARTS = ["states", "memory", "code", "rows", "columns", "ports"]  # as group_sim.hpp has them
EVERY = 1000  # cycles from line to line


def output(program, test, seed, cycles):
    """The lines that a program prints, as they come."""
    command = [program, "--test", test, "--seed", str(seed), "--cycles", str(cycles)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as run:
        try:
            yield from (line.rstrip("\n") for line in run.stdout)
        except GeneratorExit:
            run.kill()  # nobody wants more of it
            raise
    if run.returncode != 0:
        sys.exit(f"{' '.join(command)} failed with exit code {run.returncode}")


def same(line, other, tells):
    """Whether two programs have printed the same; the other one need not tell what CPEs retire."""
    return line == other or (not tells and line.startswith("retired ") and other.startswith("retired "))


def number_of(line, word):
    return int(line.split()[1]) if line.startswith(word + " ") else None


def part_of(one, other):
    """What the lines of a cycle differ in."""
    if not (one.startswith("cycle ") and other.startswith("cycle ")):
        return (one or other).split()[0]
    return ", ".join(name for name, a, b in zip(PARTS, one.split()[2:], other.split()[2:]) if a != b)


def show_cycle(one, other, seed, cycles, tells):
    """Ends with the first cycle in which two programs differ."""
    cycle = 0
    for a, b in itertools.zip_longest(*(output(program, "cycles", seed, cycles) for program in (one, other)), fillvalue=""):
        if not same(a, b, tells):
            sys.exit(f"seed {seed}: after {cycle} cycles that are the same: {part_of(a, b)}\n{one}: {a}\n{other}: {b}")
        cycle = number_of(a, "cycle") or cycle
    sys.exit(f"seed {seed}: {one} and {other} differ, but not when each cycle is shown")


def compare(programs, seed, cycles, most, tell):
    """The cycles that are the same in all of them."""
    seen = retired = 0
    outputs = [output(program, "digest", seed, cycles) for program in programs]
    for lines in itertools.zip_longest(*outputs, fillvalue=""):
        for index, line in enumerate(lines):
            if not same(lines[0], line, index < tell):
                print(f"seed {seed}: {programs[0]} and {programs[index]} differ after {seen} cycles and more", flush=True)
                show_cycle(programs[0], programs[index], seed, cycles, index < tell)
        seen = number_of(lines[0], "cycle") or seen
        retired = number_of(lines[0], "retired") or retired
        if most and seen > most:
            break
    for rest in outputs:
        rest.close()
    if seen + EVERY < cycles or retired * 100 < seen:
        sys.exit(f"seed {seed}: only {seen} cycles with {retired} instructions were there to be compared")
    return seen


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1, help="the first")
    parser.add_argument("--seeds", type=int, default=1, help="how many")
    parser.add_argument("--cycles", type=int, default=200000, help="of each seed; what has begun is ended")
    parser.add_argument("--most", type=int, help="of each seed; what has not ended then is left")
    parser.add_argument("--tell", type=int, default=2, help="of so many programs, the first ones, what CPEs retire is compared, too")
    parser.add_argument("--figure", help="prints the cycles compared as JSON, with this key")
    parser.add_argument("programs", nargs="+")
    options = parser.parse_args()
    if len(options.programs) < 2:
        parser.error("nothing to compare with")
    total = sum(compare(options.programs, seed, options.cycles, options.most, options.tell) for seed in range(options.seed, options.seed + options.seeds))
    print(json.dumps({options.figure: total}) if options.figure else f"{total} cycles are the same in {', '.join(options.programs)}")


if __name__ == "__main__":
    main()
