#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lints every module of rtl/ with `verilator -Wall`, each as a top of its own and under each set of defines that the
design is built with. Prints each message once; exit code 1 when there is one."""

import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import sv_sources  # noqa: E402

WAIVERS = "scripts/lint/waivers.vlt"
# Left out of messages; the instance, because the same line counts once however often the module is used.
NOISE = [": ... In instance", "... For warning description", "... Use \"/* verilator lint_off"]
# The last word of every failed run; and a module that exists only under some of the defines is linted under those.
NO_MESSAGE = "%Error: Exiting due to|%Error: Specified --top-module .* was not found"
# Message for message, a group of four CPEs says what one of 32 says, in a fraction of the time.
SMALLER = {"Rows": 2, "Columns": 2}
# Large, and swai_card has them with these sizes: what they say alone it says, too.
IN_THE_CARD = {"cg", "cg_cpes", "cg_array", "cg_launch", "cg_memory", "cpe", "cpe_engines", "cpe_systolic", "cpe_vector", "pcie", "pcie_dma",
               "pcie_endpoint", "soc_devices", "swai_soc"}
# Under SYNTHESIS the assertions are gone, and with them the only readers of some signals.
DEFINES = [[], ["-DSYNTHESIS", "-Wno-UNUSEDSIGNAL"], ["-DMPE_RVFI"], ["-DCPE_RVFI"]]


def lint(top, defines):
    sources = [str(path) for path in sv_sources.closure(top)]
    own_text = sv_sources.all_files()[top].read_text()
    sizes = [f"-G{name}={value}" for name, value in SMALLER.items() if re.search(rf"parameter .*\b{name} ", own_text)]
    command = ["verilator", "--lint-only", "-Wall", "--no-timing", *defines, *sizes, "--top-module", top, WAIVERS, *sources]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.stdout


def messages(output):
    """Splits Verilator's output into messages: one line each, with indented lines that belong to it."""
    found = []
    for line in output.splitlines():
        if re.match(NO_MESSAGE, line):
            continue
        if line.startswith("%") or not found:
            found.append(line)
        elif not any(noise in line for noise in NOISE):
            found[-1] += "\n" + line
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("tops", nargs="*", help="modules (default: all under rtl/)")
    options = parser.parse_args()

    files = sv_sources.all_files()
    modules = [name for name, path in files.items() if path.parts[0] == "rtl" and not sv_sources.is_package(path)]
    tops = options.tops or [name for name in modules if name not in IN_THE_CARD]
    seen = set()
    runs = []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for top in tops:
            # Where a define is not mentioned, a module says the same with it and without; what it uses has runs of its own.
            text = files[top].read_text()
            for defines in DEFINES:
                if not defines or defines[0].removeprefix("-D") in text:
                    runs.append(pool.submit(lint, top, defines))
        for run in runs:
            for message in messages(run.result()):
                if message not in seen:
                    seen.add(message)
                    print(message)
    print(f"{len(tops)} modules, {len(runs)} runs, {len(seen)} messages")
    return 1 if seen else 0


if __name__ == "__main__":
    sys.exit(main())
