#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How fast a card with core groups is simulated: all scalar cores running a kernel, all
systolic or all vector units at work (the processor sleeps meanwhile, as under the kernel), and all CPEs asleep with the processor at work.
Host time of one command of firmware/launch-bench each, the best of several that take turns: whatever else the host does for some seconds
then slows one of them, not all. Simulator speeds, not card cycles."""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

FLASH = "build/firmware/launch-bench.flash"
ROUNDS = 6
# key, command, its numbers
MEASURED = [("sim.cg1_scalar_khz", "scalar", "4000"), ("sim.cg1_asleep_khz", "spin", "500"), ("sim.cg1_busy_khz", "systolic", "8 16"),
            ("sim.cg1_vector_khz", "vector", "1000 256")]


class Card:
    def __init__(self, flash):
        self.process = subprocess.Popen(["build/swai-card", "--flash", flash, "--quiet"], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True, bufsize=1)
        self.wait_for("end")

    def wait_for(self, name):
        for line in self.process.stdout:
            if line.startswith('{"bench"'):
                found = json.loads(line)
                if found["bench"] == name:
                    return found
                if found["bench"] in ("error", "trap", "fault"):
                    break
        sys.exit(f"the card says nothing about {name}")

    def khz(self, command, numbers):
        start = time.monotonic()
        self.process.stdin.write(f"{command} {numbers}\n")
        done = self.wait_for(command)
        seconds = time.monotonic() - start
        if done.get("failed", 0) != 0 or done.get("asleep", 1) != 1:
            sys.exit(f"something is wrong: {done}")
        return done["cycles"] / seconds / 1000


def main():
    with tempfile.TemporaryDirectory() as folder:
        flash = pathlib.Path(folder) / "card.flash"
        shutil.copy(FLASH, flash)
        card = Card(flash)
        try:
            rounds = [{key: card.khz(command, numbers) for key, command, numbers in MEASURED} for _ in range(ROUNDS)]
            print(json.dumps({key: round(max(one[key] for one in rounds)) for key, _, _ in MEASURED}))
        finally:
            card.process.kill()
            card.process.wait()
    return 0


if __name__ == "__main__":
    sys.exit(main())
