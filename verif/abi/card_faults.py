#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The faulty kernels on the simulated card: each fails alone, with the right record, and the next launch is good."""

import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

DATA_SEGMENT = 2
DATA_BYTES = 0x2000_0000
NO_SEGMENT = 0xFFFF
WATCHDOG = {"watchdog": 1, "cause": "stopped by the watchdog", "segment": NO_SEGMENT}
BEYOND = {"cause": "beyond the end of the segment", "segment": DATA_SEGMENT, "offset": DATA_BYTES}
NOWHERE = {"cause": "address that names nothing", "segment": NO_SEGMENT}
COMMAND = {"cause": "bad command to a unit"}

EXPECTED = {
    "illegal_instruction": {"cause": "illegal instruction"},
    "breakpoint": {"cause": "breakpoint"},
    "assertion": {"cause": "breakpoint"},
    "misaligned": {"cause": "misaligned access", "access": "read", "offset": 0x1000_0001},
    "jump_nowhere": NOWHERE | {"access": "fetch", "offset": 0x2000_0000, "pc": 0x2000_0000},
    "read_nowhere": NOWHERE | {"access": "read", "offset": 0},
    "beyond_ldm": NOWHERE | {"access": "read", "offset": 0x1002_0000},
    "store_to_code": {"cause": "segment does not permit the access", "access": "write", "offset": 0},
    "dma_read": BEYOND | {"access": "read", "dma": 1},
    "dma_write": BEYOND | {"access": "write", "dma": 1},
    "window_read": BEYOND | {"access": "read", "dma": 0},
    "window_write": BEYOND | {"access": "write", "dma": 0},
    "bad_command": COMMAND,
    "no_such_unit": COMMAND,
    "ends_its_launch": COMMAND,
    "endless_loop": WATCHDOG,
    "deadlock_channel": WATCHDOG,
    "deadlock_sync": WATCHDOG,
}


def look(output, culprit):
    """How many faulty kernels the card has told of, and what is wrong with them."""
    lines = [json.loads(line) for line in output.splitlines() if line.startswith('{"bench": "faulty"')]
    problems = []
    if [line["kernel"] for line in lines] == [] or {line["kernel"] for line in lines} != set(EXPECTED):
        problems.append(f"kernels that ran: {[line['kernel'] for line in lines]}")
    for line in lines:
        wanted = {"ended": 1, "failed": 1, "watchdog": 0, "done_word": 1, "told": 1, "cpe": culprit, "records": 1, "next_good": 1}
        wanted |= EXPECTED.get(line["kernel"], {})
        problems += [f"{line['kernel']}: {key} is {line.get(key)}, not {value}" for key, value in wanted.items() if line.get(key) != value]
    return len(lines), problems


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--card", default="build/swai-card")
    parser.add_argument("--config", default="cg1")
    parser.add_argument("--culprit", type=int, default=9, help="the CPE that misbehaves")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        flash = pathlib.Path(folder) / "card.flash"
        shutil.copy("build/firmware/launch-bench.flash", flash)
        command = [options.card, "--config", options.config, "--flash", flash]
        done = subprocess.run(command, input=f"faults {options.culprit}\n", capture_output=True, text=True)
    print(done.stdout)
    count, problems = look(done.stdout, options.culprit)
    if problems:
        sys.exit("\n".join(problems))
    print(f"{count} faulty kernels")


if __name__ == "__main__":
    main()
