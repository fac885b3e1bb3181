#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs programs on the reference model and on QEMU and compares what they print on the console.

qemu_check.py --seed 7 --count 50          50 random programs (rv-random --qemu)
qemu_check.py --program 7042               one of them again
qemu_check.py PROGRAM.elf...               programs from files

A program ends with a store to `tohost`, which the model understands, then one to the test finisher at 0x100000,
which QEMU understands. Nothing printed is a failure, too.
"""

import argparse
import concurrent.futures
import os
import pathlib
import subprocess
import sys
import tempfile

PROGRAMS_PER_SEED = 100_000  # programs of different seeds must not overlap
TIMEOUT = 1500

# Extensions that the core lacks must be off. Svpbmt is on only for programs about it: with it QEMU 7.2 does not check
# the reserved bits of page-table entries.
CPU = "rv64,pmp=false,h=false,f=false,d=false,zbc=false,zbs=false,sstc=false,svinval=false,svnapot=false"
# Room for a second hart makes QEMU 7.2 report faults of atomics as a store's, as it should always.
QEMU = ["qemu-system-riscv64", "-machine", "virt", "-smp", "1,maxcpus=2", "-m", "128", "-bios", "none",
        "-display", "none", "-monitor", "none", "-serial", "stdio"]


def console_of(command):
    """What a command prints on stdout, or why there is none."""
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=TIMEOUT)
    except FileNotFoundError:
        sys.exit(f"qemu_check.py: {command[0]} is missing (Debian package qemu-system-misc; `make build/iss-run`)")
    except subprocess.TimeoutExpired:
        return None, f"no end within {TIMEOUT} s"
    if done.returncode != 0:
        return None, f"exit code {done.returncode}: {done.stderr.decode(errors='replace').strip()}"
    return done.stdout, None


def compare(elf, svpbmt):
    """Runs one program on both; returns the differences as text."""
    cpu = f"{CPU},svpbmt={'true' if svpbmt else 'false'}"
    model, error = console_of(["build/iss-run", "--max-cycles", "100000000", elf])
    if error:
        return f"  model: {error}"
    if not model:
        return "  the program printed nothing"
    qemu, error = console_of([*QEMU, "-cpu", cpu, "-kernel", elf])
    if error:
        return f"  QEMU: {error}"
    if model == qemu:
        return ""
    lines = [f"  {'model':<40} QEMU"]
    ours, theirs = (text.decode(errors="replace").splitlines() for text in (model, qemu))
    for number in range(max(len(ours), len(theirs))):
        left, right = (text[number] if number < len(text) else "" for text in (ours, theirs))
        lines.append(f"  {left:<40} {right}{'' if left == right else '   <-'}")
    return "\n".join(lines)


def random_program(number, folder, length):
    elf = f"{folder}/{number}.elf"
    subprocess.run(["build/rv-random", "--qemu", "--seed", str(number), "--length", str(length), "-o", elf], check=True)
    return elf


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("elf", nargs="*", help="programs; without any, random ones")
    parser.add_argument("--svpbmt", action="store_true", help="switch QEMU's Svpbmt on")
    parser.add_argument("--seed", type=int, default=1, help="which random programs")
    parser.add_argument("--count", type=int, default=50, help="how many")
    parser.add_argument("--length", type=int, default=2000, help="random instructions in each")
    parser.add_argument("--program", type=int, help="only this random program")
    options = parser.parse_args()
    if not 0 < options.count <= PROGRAMS_PER_SEED:
        parser.error(f"--count must be between 1 and {PROGRAMS_PER_SEED}")

    with tempfile.TemporaryDirectory(prefix="qemu-check-") as folder:
        def check(program):
            if isinstance(program, str):
                elf, replay = program, program
            else:
                elf = random_program(program, folder, options.length)
                replay = f"--program {program} --length {options.length}"
            difference = compare(elf, options.svpbmt)
            if not isinstance(program, str):
                pathlib.Path(elf).unlink()
            return replay, difference

        first = options.seed * PROGRAMS_PER_SEED
        programs = options.elf or ([options.program] if options.program is not None
                                   else range(first, first + options.count))
        failed = 0
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for replay, difference in pool.map(check, programs):
                if difference:
                    failed += 1
                    print(f"differs: verif/sim/iss/qemu_check.py {replay}\n{difference}", flush=True)
    print(f"seed {options.seed}: {len(programs) - failed} programs agree, {failed} differ")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
