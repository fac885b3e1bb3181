#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The longest that a client has waited because the card did something for another one: cycles, as a flat JSON object."""

import json
import os
import re
import subprocess
import sys


def main():
    done = subprocess.run(["build/test-system-runtime", "--seed", "1", "--test-case=*nothing that a client asks for*"], capture_output=True,
                          text=True, env=os.environ | {"SWAI_CARD": "build/swai-card"})
    found = re.search(r"longest hold: ([0-9]+) cycles", done.stdout)
    if done.returncode != 0 or found is None:
        sys.exit(f"{done.stdout}{done.stderr}test-system-runtime: exit code {done.returncode}")
    print(json.dumps({"isolation.longest_hold_cycles": int(found[1])}))


if __name__ == "__main__":
    main()
