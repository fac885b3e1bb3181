#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The hostile client against a simulated card that `swai serve` shares, while another client computes there."""

import argparse
import os
import signal
import subprocess
import sys
import tempfile

SWAI = "build/swai"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--steps", default="100")
    parser.add_argument("--attacks", nargs="+", default=[], help="boundaries and kinds of attacks, --steps of each in turn; else at random")
    parser.add_argument("--tier", default="rtl", choices=["rtl", "fast"])
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {"XDG_RUNTIME_DIR": folder}
        environment.pop("SWAI_CARD", None)
        daemon = subprocess.Popen([SWAI, "--config", "tiny", "--tier", options.tier, "serve"], env=environment, stderr=subprocess.PIPE, text=True)
        try:
            for line in daemon.stderr:
                if "ready" in line:
                    break
            done = subprocess.run(["build/attack-card", f"{folder}/swai/card0", f"{folder}/hostile",
                                   "build/cpe-kernels/sdaa-tests.elf", options.steps, options.seed,
                                   *options.attacks])
            ended = daemon.poll()
        finally:
            daemon.send_signal(signal.SIGTERM)
            daemon.communicate()
    if ended is not None:
        sys.exit(f"the daemon ended with {ended}")
    sys.exit(done.returncode)


if __name__ == "__main__":
    main()
