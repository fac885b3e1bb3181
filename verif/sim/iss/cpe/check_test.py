#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests iss-cpe-run --check with kernels that make one mistake each (verif/kit/faulty/mistakes.cpp): it says which, who made it
and where; without the mistake it says nothing. Run from the repository root."""

import json
import pathlib
import re
import subprocess
import unittest

RUN = "build/iss-cpe-run"
MODULE = "build/cpe-kernels/mistakes.elf"
SOURCE = pathlib.Path("verif/kit/faulty/mistakes.cpp")
PAGE = 4096
CULPRIT = 5


def planted():
    """Of each kernel where something begins, and what is to be found where."""
    kernels = {}
    for number, line in enumerate(SOURCE.read_text(encoding="utf-8").splitlines(), 1):
        if name := re.match(r"__kernel__ void (\w+)", line):
            kernel = kernels[name[1]] = {}
        if begun := re.search(r"// begun(?:: ([\w ]+))?", line):
            kernel["begun"] = (number, (begun[1] or "").strip())
        if found := re.search(r"// found: ([\w ]+), (\w+)", line):
            kernel["found"] = (number, found[1], int(found[2], 16))
    return kernels


def run(kernel, mended=0, *options, check=("--check",), culprit=CULPRIT):
    command = [RUN, MODULE, "--kernel", kernel, "--args", f"buf:{2 * PAGE}", str(culprit), str(mended), *check, "--json", "-", *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done, json.loads(done.stdout)


class Planted(unittest.TestCase):
    def test_each_is_found(self):
        kernels = planted()
        self.assertGreater(len(kernels), 15)
        for kernel, want in kernels.items():
            with self.subTest(kernel=kernel):
                done, report = run(kernel)
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertTrue(report["passed"])
                self.assertEqual(len(report["mistakes"]), 1, done.stderr)
                found = report["mistakes"][0]
                line, kind, offset = want["found"]
                self.assertEqual(found["kind"], kind)
                self.assertEqual(found["cpes"], 1 << CULPRIT)
                self.assertEqual(found["line"], f"{SOURCE}:{line}")
                self.assertEqual(found["ldm"][0] % PAGE, offset)
                begun, name = want["begun"]
                self.assertEqual(found["under_way"]["line"], f"{SOURCE}:{begun}")
                if name:
                    self.assertEqual(found["under_way"]["who"], name)
                self.assertIn(f"  CPE {CULPRIT}: ", done.stderr)
                self.assertIn(f"({kernel}, {SOURCE}:{line}, pc {found['pc']:#010x}", done.stderr)

    def test_without_it_nothing_is(self):
        for kernel in planted():
            with self.subTest(kernel=kernel):
                done, report = run(kernel, 1)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(report["mistakes"], [])

    def test_nobody_looks_without_the_option(self):
        done, report = run("reads_too_early", check=())
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("mistakes", report)

    def test_a_place_is_told_once(self):
        """However many CPEs pass it, and however often."""
        done, report = run("reads_too_early", 0, "--launches", "3", culprit=2)
        self.assertEqual([(found["cpes"], found["times"]) for found in report["mistakes"]], [(1 << 2, 3)])
        self.assertIn("; 3 times\n", done.stderr)
        self.assertRegex(done.stderr, r"^reads_too_early: done, about \d+ cycles \(fast tier\), 1 mistake found\n")

    def test_the_same_with_any_number_of_threads(self):
        kernel = "reads_what_is_received"
        self.assertEqual(run(kernel)[1], run(kernel, 0, "--threads", "4")[1])


if __name__ == "__main__":
    unittest.main()
