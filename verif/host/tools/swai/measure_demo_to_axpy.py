#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures how long the first example takes once the demo has run; prints one JSON object. Run from the repository's root, with git.

first.demo_to_axpy_s: wall time of `make run-example E=axpy` on two cores, right after `make demo` in a new clone, until it has ended with
the right numbers. So what the demo left unbuilt is in it, and the start of the card; the demo itself, which takes minutes, is not.
"""

import json
import os
import subprocess
import tempfile
import time

CORES = 2


def run(folder, *command):
    environment = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "SWAI_CARD")}
    done = subprocess.run(command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    assert done.returncode == 0, done.stdout[-4000:]
    return done.stdout


def main():
    # make takes as many cores as it may use.
    os.sched_setaffinity(0, set(sorted(os.sched_getaffinity(0))[:CORES]))
    # Not below this folder, whose Makefile would take the clone's for parts of its own.
    with tempfile.TemporaryDirectory(prefix="swai-clone-") as folder:
        run(".", "git", "clone", "--quiet", ".", folder)
        run(folder, "make", "demo")
        begin = time.monotonic()
        said = run(folder, "make", "run-example", "E=axpy")
        took = time.monotonic() - begin
        assert "axpy: 100000 of 100000 numbers are right" in said, said
    print(json.dumps({"first.demo_to_axpy_s": round(took, 1)}))


if __name__ == "__main__":
    main()
