#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures how long an edit takes until its tests have run: prints seconds as a flat JSON object for make bench-long."""

import json
import os
import pathlib
import shutil
import subprocess
import time

RUNNER = ["python3", "scripts/run-tests.py"]
ENVIRONMENT = {key: value for key, value in os.environ.items() if key not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
# A file that is only touched would come out of a compiler cache; one that was edited does not.
ENVIRONMENT["CCACHE_DISABLE"] = "1"


def run(command):
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, env=ENVIRONMENT).stdout


def make_and_test(tests):
    only = [word for test in tests for word in ("--only", test)]
    run(["make", *run([*RUNNER, *only, "--needs"]).split()])
    run([*RUNNER, *only])


def seconds_after(edit, tests):
    make_and_test(tests)
    edit()
    start = time.monotonic()
    make_and_test(tests)
    return round(time.monotonic() - start, 1)


def edit_kernel():
    pathlib.Path("firmware/kernel/trap.cpp").touch()


def edit_core():
    # What Verilator writes for a comment is not compiled again: without what it wrote before, it is.
    pathlib.Path("rtl/cpe/core/cpe_alu.sv").touch()
    for model in ("tb-cpe-core", "tb-cpe-core-serial"):
        shutil.rmtree(f"build/verilated/fast/{model}")


if __name__ == "__main__":
    kernel = seconds_after(edit_kernel, ["firmware.host", "fast.firmware.kernel", "runtime.garbage", "launch.host", "memory.host"])
    core = seconds_after(edit_core, ["cpe.core-*"])
    print(json.dumps({"build.firmware_edit_s": kernel, "build.rtl_edit_s": core}))
