#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How fast memory that a client left is cleared for the next one, while nothing else runs: bytes a cycle, as a flat JSON object."""

import json
import os
import re
import subprocess
import sys

BLOCKS = 40


def main():
    done = subprocess.run(["build/test-system-runtime", "--seed", "1", "--test-case=*a client leaves*"], capture_output=True, text=True,
                          env=os.environ | {"SWAI_CARD": "build/swai-card", "LEFTOVERS_BLOCKS": str(BLOCKS)})
    found = re.search(r"bytes cleared in a cycle: ([0-9.]+)", done.stdout)
    if done.returncode != 0 or found is None:
        sys.exit(f"{done.stdout}{done.stderr}test-system-runtime: exit code {done.returncode}")
    print(json.dumps({"isolation.scrub_bytes_per_cycle": round(float(found[1]), 2)}))


if __name__ == "__main__":
    main()
