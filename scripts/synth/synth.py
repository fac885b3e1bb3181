#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Synthesises the blocks of scripts/synth/blocks.toml for Lattice ECP5 with Yosys and prints what each one takes.

Fails when a block cannot be read, has a combinational loop or two drivers for a net, or infers a latch. Logs and the
full statistics are under build/synth/. Yosys is the WebAssembly build that `make synth` installs there with npm.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import time
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import sv_sources  # noqa: E402

OUT = pathlib.Path("build/synth")
LATCHES = "t:$dlatch t:$adlatch t:$dlatchsr"
COLUMNS = {
    "LUT4": ["LUT4"],
    "carry": ["CCU2C"],
    "FF": ["TRELLIS_FF"],
    "RAM blocks": ["DP16KD", "PDPW16KD"],
    "RAM 16x4": ["TRELLIS_DPR16X4"],
    "DSP": ["MULT18X18D", "ALU54B"],
}


def read_blocks():
    description = tomllib.loads((HERE / "blocks.toml").read_text())
    files = sv_sources.all_files()
    blocks = []
    for folder in description["folders"]:
        for name, path in files.items():
            if str(path.parent) == folder and not sv_sources.is_package(path) and name not in description["skip"]:
                read_only = name in description["read_only"]
                blocks.append({"name": name, "top": name, "parameters": {}, "read_only": read_only})
    return blocks + description.get("block", [])


def counts(cells):
    return {column: sum(cells.get(kind, 0) for kind in kinds) for column, kinds in COLUMNS.items()}


def print_modules(top, modules, width):
    """What a block that was synthesised module by module is made of, the largest first."""
    modules = {name.lstrip("\\"): module["num_cells_by_type"] for name, module in modules.items()}
    instances, sizes = collections.Counter(), collections.defaultdict(collections.Counter)

    def visit(name):
        # With parameters: $paramod\NAME\PARAMETERS, or $paramod$HASH\NAME
        module = name.split("\\")[1] if name.startswith("$paramod") else name
        instances[module] += 1
        sizes[module].update(counts(modules[name]))
        for kind, number in modules[name].items():
            for _ in range(number if kind in modules else 0):
                visit(kind)

    visit(top)
    for module, size in sorted(sizes.items(), key=lambda row: -row[1]["LUT4"]):
        if any(size.values()):
            label = f"  {instances[module]} x {module}" if instances[module] > 1 else f"  {module}"
            print(f"{label:{width}}" + "".join(f"{size[column]:>11}" for column in COLUMNS))


def readable_by_debian(blocks):
    newer = tomllib.loads((HERE / "blocks.toml").read_text())["newer_yosys"]
    return [block for block in blocks if not any(str(path.parent) in newer for path in sv_sources.closure(block["top"]))]


def roots(blocks):
    """The blocks that no other one contains: to read these is to read all."""
    inner = {path.stem for block in blocks for path in sv_sources.closure(block["top"])[:-1]}
    return [block for block in blocks if block["top"] not in inner]


def read_commands(block):
    """Yosys commands that read a block and stop at what no hardware should have."""
    top = block["top"]
    return [
        f"read_verilog -sv -DSYNTHESIS {' '.join(map(str, sv_sources.closure(top)))}",
        *(f"chparam -set {key} {value} {top}" for key, value in block["parameters"].items()),
        f"hierarchy -check -top {top}",
        "proc",
        "check -assert",
        f"select -assert-none {LATCHES}",
    ]


def complaints(folder, output):
    log = folder / "yosys.log"
    text = log.read_text() if log.exists() else ""
    errors = re.findall(r"(?m)^.*(?:ERROR|Warning: found|Warning: multiple).*$", text)
    return [*dict.fromkeys([*errors, *output.splitlines()[-5:]]), f"log: {log}"]


def check(block, folder):
    """Reads the block with Debian's yosys."""
    command = ["yosys", "-q", "-q", "-l", str(folder / "yosys.log"), "-p", "; ".join(read_commands(block))]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return ({}, []) if done.returncode == 0 else (None, complaints(folder, done.stdout))


def synthesise(block, folder):
    """Synthesises the block with the Yosys under build/synth. Returns cell counts and complaints."""
    options = " -noflatten" if block.get("by_module") else ""
    mapping = [] if block.get("read_only") else [f"synth_ecp5{options} -top {block['top']}"]
    if "clock_ps" in block:
        mapping.insert(0, f"scratchpad -set abc9.D {block['clock_ps']}")
    job = {
        "sources": list(map(str, sv_sources.closure(block["top"]))),
        "commands": [*read_commands(block), *mapping, "tee -q -o stat.json stat -json"],
        "results": ["stat.json"],
    }
    (folder / "stat.json").unlink(missing_ok=True)
    (folder / "job.json").write_text(json.dumps(job, indent=1))
    command = ["node", str(HERE / "synth.mjs"), str(folder / "job.json"), str(folder / "yosys.log")]
    environment = os.environ | {"SYNTH_PACKAGES": str((OUT / "node_modules").resolve())}
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment)
    if done.returncode != 0:
        return None, complaints(folder, done.stdout)
    statistics = json.loads((folder / "stat.json").read_text())
    return counts(statistics["design"]["num_cells_by_type"]), []


def folder_of(block, out):
    return out / re.sub(r"[^\w.]+", "-", block["name"])


def timed(function, block, out):
    start = time.monotonic()
    folder = folder_of(block, out)
    folder.mkdir(parents=True, exist_ok=True)
    return *function(block, folder), time.monotonic() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="only read the blocks, with the yosys in PATH")
    parser.add_argument("--only", action="append", metavar="BLOCK", help="only these blocks")
    parser.add_argument("--skip", action="append", default=[], metavar="BLOCK", help="not these blocks")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    options = parser.parse_args()

    blocks = [block for block in read_blocks() if not options.only or block["name"] in options.only]
    if unknown := set(options.skip) - {block["name"] for block in blocks}:
        print(f"synth: no such block: {', '.join(unknown)}", file=sys.stderr)
        return 2
    # The parts of what is left out are read by themselves.
    blocks = [block for block in blocks if block["name"] not in options.skip]
    if options.check and not options.only:
        blocks = roots(readable_by_debian(blocks))
    if not blocks:
        print("synth: no such block", file=sys.stderr)
        return 2
    function, out, columns = (check, OUT / "check", []) if options.check else (synthesise, OUT, list(COLUMNS))
    width = max(len(block["name"]) for block in blocks)
    print(f"{'block':{width}}" + "".join(f"{column:>11}" for column in [*columns, "seconds"]), flush=True)
    table = {}
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        runs = [pool.submit(timed, function, block, out) for block in blocks]
        for block, run in zip(blocks, runs):
            cells, errors, seconds = run.result()
            if cells is None:
                print("\n".join([f"{block['name']:{width}} FAILED", *(f"    {line}" for line in errors)]), flush=True)
                continue
            table[block["name"]] = cells
            figures = "".join(f"{'-' if block.get('read_only') else cells[column]:>11}" for column in columns)
            print(f"{block['name']:{width}}{figures}{seconds:11.1f}", flush=True)
            if block.get("by_module") and not options.check:
                statistics = json.loads((folder_of(block, out) / "stat.json").read_text())
                print_modules(block["top"], statistics["modules"], width)
    failed = len(blocks) - len(table)
    (out / "synth.json").write_text(json.dumps(table, indent=1) + "\n")
    print(f"{len(blocks) - failed} blocks {'read' if options.check else 'synthesised for ECP5'}, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
