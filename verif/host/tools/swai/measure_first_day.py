#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures what somebody waits for on the first day, in the host's time; prints one JSON object. Run from the repository root.

first.deadlock_ms: from the start of `swai run` with a kernel whose cores wait for each other to its end with the message, on a
card (cg1) that a daemon shares; the median. So the program's start and the module's loading are in it.
"""

import json
import os
import statistics
import subprocess
import tempfile
import time

SWAI = "build/swai"
STUCK = [SWAI, "run", "build/cpe-kernels/waits.elf", "--kernel", "without_one", "--args", "buf:64", "3", "0"]
TIMES = 5


def deadlock_ms(environment):
    times = []
    for _ in range(TIMES):
        begin = time.monotonic()
        done = subprocess.run(STUCK, env=environment, capture_output=True, text=True)
        times.append((time.monotonic() - begin) * 1e3)
        assert done.returncode == 1 and "missing: 3" in done.stderr, done.stderr
    return statistics.median(times)


def main():
    with tempfile.TemporaryDirectory(prefix="swai-first-") as folder:
        environment = os.environ | {"XDG_RUNTIME_DIR": folder, "TMPDIR": folder}
        environment.pop("SWAI_CARD", None)
        subprocess.run([SWAI, "--quiet", "serve", "--detach"], env=environment, check=True)
        try:
            print(json.dumps({"first.deadlock_ms": round(deadlock_ms(environment))}))
        finally:
            subprocess.run([SWAI, "serve", "--stop"], env=environment, check=True)


if __name__ == "__main__":
    main()
