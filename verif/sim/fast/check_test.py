#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests that mistakes of kernels are found on a whole card of the fast tier, as swai starts it: kernels that
make one each, correct kernels beside the firmware, and accesses to unallocated memory. Run from the repository root."""

import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

SWAI = "build/swai"
CARD = "build/swai-card"
KERNELS = "build/cpe-kernels"
MISTAKES = f"{KERNELS}/mistakes.elf"
GEMM = f"{KERNELS}/gemm.elf"
OUT_OF_BOUNDS = f"{KERNELS}/out_of_bounds.elf"
OUT_OF_BOUNDS_SOURCE = pathlib.Path("verif/kit/faulty/out_of_bounds.cpp")
EXAMPLES = {"axpy": "./axpy", "digits": "./digits", "streams": "./streams"}
CULPRIT = 3
LIMIT = 1500  # ends what hangs


def environment(**variables):
    own = ("SWAI_TIER", "SWAI_CARD", "SWAI_RESTORE", "SWAI_CHECK", "SWAI_CHECK_MODULES", "SWAI_MEMORY_CHECK")
    return {name: value for name, value in os.environ.items() if name not in own} | variables


class Check(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = pathlib.Path(folder.name) / "mistakes.json"

    def run_kernel(self, module, kernel, *arguments, check=None, modules=""):
        words = [SWAI, "--config", "tiny", "--tier", "fast", "run", module, "--kernel", kernel, "--args", *map(str, arguments)]
        variables = {"SWAI_CHECK": check or str(self.file), "SWAI_CHECK_MODULES": modules}
        done = subprocess.run(words, capture_output=True, text=True, timeout=LIMIT, check=False, env=environment(**variables))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        found = self.file.read_text(encoding="utf-8") if self.file.exists() else ""
        return done, [json.loads(line) for line in found.splitlines()]

    def test_kernel_that_makes_a_mistake(self):
        done, found = self.run_kernel(MISTAKES, "reads_too_early", "buf:8192", CULPRIT, 0, modules=f"{GEMM}:{MISTAKES}")
        self.assertEqual(len(found), 1, found)
        self.assertEqual(found[0]["kind"], "too early")
        self.assertEqual((found[0]["card"], found[0]["group"], found[0]["cpes"]), (0, 0, 1 << CULPRIT))
        self.assertEqual((found[0]["module"], found[0]["kernel"]), (MISTAKES, "reads_too_early"))
        self.assertRegex(found[0]["line"], r"^verif/kit/faulty/mistakes.cpp:\d+$")
        self.assertIn(f"swai-card: mistake on card 0, group 0: {found[0]['text']}\n", done.stderr)

    def test_without_its_module_there_is_no_name(self):
        _, found = self.run_kernel(MISTAKES, "overlaps_too_much", "buf:8192", CULPRIT, 0)
        self.assertEqual(len(found), 1, found)
        self.assertRegex(found[0]["kernel"], r"^a kernel at 0x5000[0-9a-f]{4}$")
        self.assertEqual(found[0]["line"], "")

    def test_nothing_is_found_in_what_is_right(self):
        """Neither in the kernels nor in the firmware."""
        self.assertEqual(self.run_kernel(MISTAKES, "reads_what_is_received", "buf:8192", CULPRIT, 1)[1], [])
        self.assertEqual(self.run_kernel(GEMM, "gemm", "buf:4096", "buf:8192:random", "buf:8192:random", 0, 0, 32, 256, 32, 0, 1, 0)[1], [])

    def test_file_that_cannot_be_written(self):
        refused = self.card("--tier", "fast", "--check", "/nonexistent/file")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("/nonexistent/file: cannot write", refused.stderr)

    def test_the_card_in_rtl_has_none(self):
        refused = self.card("--tier", "rtl", "--check", "-")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("the card in RTL has no --check; --tier fast has", refused.stderr)

    def card(self, *words):
        image = self.file.with_name("card.flash")
        command = [CARD, "--config", "tiny", "--flash", str(image), "--until-ready", *words]
        return subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, check=False, env=environment())


class Memory(unittest.TestCase):
    """Accesses of kernels to unallocated memory."""

    def swai(self, *words, code=0, tier="fast", **variables):
        command = [SWAI, "--config", "tiny", "--tier", tier, *map(str, words)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, check=False, env=environment(**variables))
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stderr

    def access(self, kernel, number, check=(), **how):
        return self.swai("run", *check, OUT_OF_BOUNDS, "--kernel", kernel, "--args", "buf:64", number, **how)

    def line_of(self, kernel):
        lines = enumerate(OUT_OF_BOUNDS_SOURCE.read_text(encoding="utf-8").splitlines(), 1)
        (number,) = [number for number, line in lines if line.endswith(f"// {kernel}")]
        return f"{OUT_OF_BOUNDS_SOURCE}:{number}"

    def assert_told(self, error, kernel, distance):
        where = f"{kernel}, {self.line_of(kernel)}, failed on core 0 of group 0: memory that is not allocated, "
        place = rf"{distance} bytes after the end of allocation 1 of client \d+ of device 0: 64 bytes at 0x[0-9a-f]+ for cores; address 0x"
        self.assertRegex(error, rf"(?m)^sdaa: memory check: {re.escape(where)}{place}")

    def test_beside_a_buffer_and_far_from_it(self):
        """The second access is far beyond the zone around the buffer, in the same segment."""
        self.access("writes", 100_000)
        for kernel in ("writes", "reads"):
            self.access(kernel, 15, SWAI_MEMORY_CHECK="1")
            self.assert_told(self.access(kernel, 17, code=1, SWAI_MEMORY_CHECK="1"), kernel, 4)
            self.assert_told(self.access(kernel, 100_000, code=1, SWAI_MEMORY_CHECK="1"), kernel, 399_936)

    def test_option_for_all_checks(self):
        self.access("writes", 15, check=["--check"])
        self.assert_told(self.access("stores", 65, check=["--check"], code=1), "stores", 0)
        words = ["run", "--check", MISTAKES, "--kernel", "reads_too_early", "--args", "buf:8192", CULPRIT]
        self.assertRegex(self.swai(*words, 0, code=1), r"mistake on card 0, group 0: .*\(reads_too_early, verif/kit/faulty/mistakes.cpp:\d+")
        self.swai(*words, 1)
        program = [SWAI, *words[:1], *words[2:]]
        self.assertIn("mistake on card 0, group 0: ", self.swai("exec", "--check", *program, 0, code=1))
        self.swai("exec", "--check", *program, 1)

    def test_option_takes_a_functional_card(self):
        self.assertIn("--tier fast", self.access("writes", 15, check=["--check"], code=2, tier="rtl"))

    def test_examples_are_right(self):
        for folder, program in EXAMPLES.items():
            with self.subTest(example=folder):
                self.swai("--quiet", "exec", "--check", "--folder", f"build/examples/{folder}", program)


if __name__ == "__main__":
    unittest.main()
