#!/usr/bin/env python3
"""A group takes the same cycles, and counts the same, however its simulator was built.

Run from the repository root. Both programs run the same random launches, disturbed ones among them, and print all that depends on time.
"""

import argparse
import subprocess
import sys


def digest(program, options):
    command = [program, "--test", "digest", "--seed", str(options.seed), "--cycles", str(options.cycles)]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} failed: {done.stdout[-300:]}")
    return done.stdout.splitlines()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cycles", type=int, default=200000)
    parser.add_argument("programs", nargs=2)
    options = parser.parse_args()
    one, other = (digest(program, options) for program in options.programs)
    for number, (a, b) in enumerate(zip(one, other), 1):
        if a != b:
            sys.exit(f"seed {options.seed}: line {number} differs\n{options.programs[0]}: {a}\n{options.programs[1]}: {b}")
    if len(one) != len(other) or len(one) < 10:
        sys.exit(f"seed {options.seed}: {len(one)} and {len(other)} lines")
    print(f"seed {options.seed}: {len(one)} lines are the same")


if __name__ == "__main__":
    main()
