#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How fast the functional model of a core group (cg1) runs, through kernels: instructions of all CPEs together, products of a GEMM,
elements of the vector unit; and how many times as fast as RTL a GEMM is. Processor time (the model is one thread, RTL of a group, too) of
many launches less that of few, so that the start of the program does not count; the least of several. Simulator
speeds, nothing of the card's."""

import json
import resource
import subprocess
import sys

ROUNDS = 4
CPES = 32
ROWS, DEPTH, COLUMNS = 512, 2048, 1024
# That RTL does in seconds.
SMALL = 256, 1024, 512
MODEL = ["build/iss-cpe-run", "--daemon", "build/cpe-kernels/daemon.elf"]
RTL = ["build/cpe-run"]
ELEMENTS, ROUNDS_OF_FMA = 4096, 200
SCALAR_ROUNDS = 40000


def run(module, kernel, arguments, launches, *options, simulator=MODEL):
    command = [*simulator, f"build/cpe-kernels/{module}.elf", "--kernel", kernel, "--launches", str(launches), *options, "--args",
               *map(str, arguments)]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {done.stderr}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout


def gemm_of(rows, depth, columns):
    return ("gemm", "gemm", [f"buf:{4 * rows * columns}", f"buf:{rows * depth}:random", f"buf:{depth * columns}:random", 0, 0, 0, 0,
                             rows, depth, columns, 0, 1, 0])


def seconds(what, launches, rounds=ROUNDS, **how):
    """Of a launch: what many take less what one takes, each at its quickest."""
    few, many = (min(run(*what, count, **how)[0] for _ in range(rounds)) for count in (1, 1 + launches))
    return (many - few) / launches


# key, launches, what a launch does in millions or thousand millions
def measured():
    vector = ("axpy", "fma_loop", [0, 0, 0, 0, ELEMENTS, ROUNDS_OF_FMA])
    scalar = ("scalar", "scalar", ["buf:128", SCALAR_ROUNDS, 0])
    _, report = run(*scalar, 1, "--json", "-")
    instructions = sum(json.loads(report)["counters"]["instructions"])
    return [("fast.cpe_mips_total", scalar, 20, instructions / 1e6),
            ("fast.systolic_gmacs", gemm_of(ROWS, DEPTH, COLUMNS), 20, ROWS * DEPTH * COLUMNS / 1e9),
            ("fast.vector_gelems", vector, 10, CPES * ELEMENTS * ROUNDS_OF_FMA / 1e9)]


def main():
    best = {key: work / seconds(what, launches) for key, what, launches, work in measured()}
    small = gemm_of(*SMALL)
    best["fast.speedup_vs_rtl"] = seconds(small, 1, rounds=1, simulator=RTL) / seconds(small, 20)
    print(json.dumps({key: round(value, 2) for key, value in best.items()}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
