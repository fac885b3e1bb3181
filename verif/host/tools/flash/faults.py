#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes an image while transfers on the USB fail by chance, a fault in each run: whatever happens, the image is there, or
what `swai flash` says about the chip is what is on the chip, and the card has something to boot.

    faults.py [--seed N] [--runs N]    prints {"flash.fault_survival": 1.0, ...}"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

import images

CHIP_BYTES = 8 << 20
BOARDS = ("icebreaker", "versa")
# As many transfers as such a write takes; what begins later does not happen.
TRANSFERS = 100
# Of runs in which a fault has to come to pass: else it was hardly tried.
SHARE = 0.5
LIMIT = 1500  # ends what hangs


def say(text):
    print(text, file=sys.stderr, flush=True)


class Run:
    def __init__(self, seed, folder):
        chance = random.Random(seed)
        self.seed = seed
        self.board = chance.choice(BOARDS)
        self.chip = folder / f"chip-{seed}"
        self.image = folder / f"image-{seed}"
        self.report = folder / f"report-{seed}"
        self.old = images.confirmed(images.image("1.0.0", 5000, seed))
        there = chance.choice((b"", images.confirmed(images.image("0.9.0", 7000, seed)), b"\0" * 7000))
        images.chip(self.chip, a=self.old, b=there)
        self.before = self.chip.read_bytes()[:CHIP_BYTES]
        self.chip.write_bytes(self.before)
        self.new = images.image("1.1.0", 6000, seed)
        self.image.write_bytes(self.new)

    def slot(self, slot):
        at = images.SLOTS[slot]
        return self.chip.read_bytes()[at : at + images.SLOT_BYTES]

    def truth(self):
        return {slot: images.verdict(self.slot(slot)) == "valid" for slot in "ab"}

    def go(self):
        """What came of it, and what is wrong with that; None: nothing."""
        command = ["build/swai-usb-board", "--board", self.board, "--flash-size", "8M", "--report", self.report]
        command += ["--seed", self.seed, "--fault", f"random={TRANSFERS}", self.chip, "--"]
        command += ["build/swai", "--json", "flash", "write", self.image]
        done = subprocess.run(
            [str(word) for word in command],
            capture_output=True,
            text=True,
            timeout=LIMIT,
            env=os.environ | {"SWAI_USB_PATIENCE_MS": "1000", "XDG_CONFIG_HOME": str(self.chip.parent)},
        )
        happened = [fault["kind"] for fault in json.loads(self.report.read_text())["boards"][0]["faults"]]
        kind = f"{happened[0] if happened else 'none'}, exit code {done.returncode}"
        return kind, self.problem(done, happened)

    def problem(self, done, happened):
        truth = self.truth()
        if self.slot("a")[: len(self.old)] != self.old:
            return "slot A was changed"
        if not happened and done.returncode != 0:
            return f"it fails, and nothing went wrong: {done.stderr}"
        if done.returncode not in (0, 3, 4):
            return f"exit code {done.returncode}: {done.stderr}"
        said = json.loads(done.stdout)
        if "error" in said:
            # Before anything was written.
            return None if self.chip.read_bytes() == self.before else f"it failed and says nothing: {said}"
        (board,) = said["boards"]
        whole = self.slot("b")[: len(self.new)] == self.new
        if board["outcome"] == "done" and not whole:
            return "it says done, and is not"
        if board["outcome"] == "failed" and "why" not in board:
            return "it does not say why"
        if "slots" in board:
            told = {slot["slot"]: slot["valid"] for slot in board["slots"]}
            boots = "b" if truth["b"] else "a"
            newer = whole or self.slot("b")[16:24] > self.old[16:24]
            if told != truth or board["boots"] != (boots if newer else "a"):
                return f"it says {told} and boots {board['boots']}, but {truth}"
            return None
        said = "; ".join(board["explanation"])
        if "slot B may be incomplete" in said and "slot A holds test 1.0.0 (0123abc) as before" in said:
            return None
        return f"no statement: {said}"

    def clean(self):
        for file in (self.chip, self.image, self.report):
            file.unlink(missing_ok=True)


def one(seed, folder):
    run = Run(seed, folder)
    try:
        return seed, *run.go()
    except subprocess.TimeoutExpired:
        return seed, "hangs", "it does not end"
    finally:
        run.clean()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--runs", type=int, default=1000)
    options = parser.parse_args()
    say(f"seed {options.seed}")
    survived = met = 0
    kinds = collections.Counter()
    with tempfile.TemporaryDirectory(prefix="swai-flash-") as name, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        seeds = range(options.seed * 1_000_000, options.seed * 1_000_000 + options.runs)
        for seed, kind, problem in pool.map(lambda seed: one(seed, pathlib.Path(name)), seeds):
            kinds[kind] += 1
            survived += problem is None
            met += not kind.startswith("none")
            if problem:
                say(f"fault seed {seed} ({kind}): {problem}")
    for kind, count in sorted(kinds.items()):
        say(f"{count:5} {kind}")
    if met < SHARE * options.runs:
        say(f"a fault came to pass in {met} of {options.runs} runs only")
        return 1
    print(json.dumps({"flash.fault_survival": survived / options.runs, "flash.fault_runs": options.runs}))
    return 0 if survived == options.runs else 1


if __name__ == "__main__":
    sys.exit(main())
