#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make run-example: what it would build and run, by the example's name. Run from the repository root."""

import os
import subprocess
import unittest


def make(*words):
    environment = {key: value for key, value in os.environ.items() if key not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS")}
    # What make would be begun for is told instead.
    return subprocess.run(["make", "-n", "STEPS=echo", *words], capture_output=True, text=True, timeout=1500, env=environment, check=False)


class RunExample(unittest.TestCase):
    def test_by_name(self):
        for name, folder in (("streams", "build/examples/streams/"), ("vectorAdd", "build/examples/cuda/")):
            done = make("run-example", f"E={name}")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(f"exec --folder {folder} ./{name}\n", done.stdout)
            self.assertRegex(done.stdout, rf"build/firmware/rom\.hex {folder}{name} {folder}\w+\.elf\n")

    def test_another_name(self):
        done = make("run-example", "E=cuda")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("there is no example 'cuda': E is one of axpy units streams errors digits vectorAdd matrixMul", done.stderr)


if __name__ == "__main__":
    unittest.main()
