#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The generator refuses descriptions that make no sense, in one line that names the place, and notices a stale page."""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

GENERATOR = "scripts/gen-abi.py"
REGISTERS_PAGE, CONTRACT_PAGE = "reference/registers.md", "hardware/cpe.md"
CARD = pathlib.Path("abi/card.toml").read_text()
CONTRACT = pathlib.Path("abi/cpe.toml").read_text()


def run(card, *options, contract=CONTRACT):
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, GENERATOR, "--out", folder + "/gen"]
        for name, text in (("card", card), ("contract", contract)):
            description = pathlib.Path(folder) / f"{name}.toml"
            description.write_text(text)
            command += [f"--{name}", str(description)]
        return subprocess.run(command + [o.replace("FOLDER", folder) for o in options], capture_output=True, text=True)


def copy_pages(docs):
    for page in (REGISTERS_PAGE, CONTRACT_PAGE):
        copy = pathlib.Path(docs, page)
        copy.parent.mkdir()
        shutil.copy(pathlib.Path("docs", page), copy)


class GenAbiTest(unittest.TestCase):
    def refuse(self, old, new, *words):
        self.assertIn(old, CARD)
        self.is_refused(run(CARD.replace(old, new, 1)), *words)

    def refuse_contract(self, old, new, *words):
        self.assertIn(old, CONTRACT)
        self.is_refused(run(CARD, contract=CONTRACT.replace(old, new, 1)), *words)

    def is_refused(self, done, *words):
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)

    def test_good(self):
        done = run(CARD)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_overlapping_fields(self):
        self.refuse('name = "rx_frame", bits = "1"', 'name = "rx_frame", bits = "0"', "uart.errors", "overlaps")

    def test_field_outside_the_register(self):
        self.refuse('name = "rx_frame", bits = "1"', 'name = "rx_frame", bits = "64"', "uart.errors.rx_frame")

    def test_reset_value_too_large(self):
        self.refuse('access = "rw", reset = 16', 'access = "rw", reset = 65536', "uart.divisor.clocks", "0x10000")

    def test_unknown_access(self):
        self.refuse('bits = "0", access = "w1c"', 'bits = "0", access = "rc"', "access must be one of")

    def test_unknown_key(self):
        self.refuse('name = "status"\noffset = 0x10', 'name = "status"\nofset = 1\noffset = 0x10', "uart.status", "ofset")

    def test_missing_key(self):
        self.refuse('name = "divisor"\noffset = 0x20\n', 'name = "divisor"\n', "offset")

    def test_offset_not_aligned(self):
        self.refuse('name = "divisor"\noffset = 0x20', 'name = "divisor"\noffset = 0x24', "uart.divisor", "multiple of 8")

    def test_shared_offset(self):
        self.refuse('name = "divisor"\noffset = 0x20', 'name = "divisor"\noffset = 0x18', "uart", "share")

    def test_copies_share_an_offset(self):
        self.refuse('name = "divisor"\n', 'name = "divisor"\nrepeat = { count = 4, stride = 0x8 }\n', "uart", "share")

    def test_copies_outside_the_device(self):
        self.refuse('name = "divisor"\n', 'name = "divisor"\nrepeat = { count = 2, stride = 0x1000 }\n', "uart.divisor", "outside")

    def test_copies_not_aligned(self):
        self.refuse('name = "divisor"\n', 'name = "divisor"\nrepeat = { count = 2, stride = 4 }\n', "uart.divisor", "multiple of 8")

    def test_overlapping_regions(self):
        self.refuse("size = 0x1000\npma", "size = 0x2_0000\npma", "null", "rom", "overlap")

    def test_device_in_no_io_region(self):
        self.refuse("base = 0x1000_4000", "base = 0x2000_4000", "system", "io region")

    def test_no_toml(self):
        self.refuse("[card]", "[card", "line")

    def test_no_file(self):
        done = subprocess.run([sys.executable, GENERATOR, "--card", "/nonexistent.toml"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("/nonexistent.toml", done.stderr)

    def test_page_lines(self):
        """Prose is at most 120 characters wide, and no product or number makes a list of it, wherever a line ends."""
        for words in range(12, 30):
            prose = "four " * words + "n * 0x0100, a - b + 12. Further " + "five " * 30
            registers = re.sub(r'doc = "The timer interrupt is pending[^"]*"', f'doc = "{prose.strip()}."', CARD, count=1)
            self.assertNotEqual(registers, CARD)
            with tempfile.TemporaryDirectory() as docs:
                copy_pages(docs)
                self.assertEqual(run(registers, "--docs", docs).returncode, 0)
                lines = pathlib.Path(docs, REGISTERS_PAGE).read_text().splitlines()
            self.assertIn("five five", "".join(lines))
            self.assertEqual([line for line in lines if len(line) > 120 and not line.startswith("|")], [])
            self.assertEqual([line for line in lines if re.match(r"([-*+]|\d+\.) ", line)], [])

    def test_stale_page(self):
        done = run(CARD, "--check", "FOLDER")
        self.assertEqual(done.returncode, 1)
        self.assertIn("make registers", done.stderr)

    def test_stale_tables(self):
        with tempfile.TemporaryDirectory() as docs:
            copy_pages(docs)
            page = pathlib.Path(docs, CONTRACT_PAGE)
            page.write_text(page.read_text().replace("| `DmaPoll` |", "| `DmaPool` |"))
            done = subprocess.run([sys.executable, GENERATOR, "--check", docs], capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("cpe.md", done.stderr)

    def test_no_such_values(self):
        self.refuse('values = "cause"', 'values = "reason"', "there is no enum reason")

    def test_shared_number(self):
        self.refuse_contract('{ name = "poll", value = 5', '{ name = "poll", value = 4', "dma_op", "wait", "poll")

    def test_shared_label(self):
        self.refuse_contract('name = "min", value = 3, doc = "of a and b"', 'name = "run", value = 3', "vector_op", "VectorRun")

    def test_number_too_large(self):
        self.refuse_contract('{ name = "vector", value = 9 }', '{ name = "vector", value = 16 }', "unit.vector", "4 bits")

    def test_no_such_unit(self):
        self.refuse_contract('units = ["row", "column"]', 'units = ["row", "diagonal"]', "channel_op", "diagonal")

    def test_word_too_short(self):
        self.refuse_contract('name = "vector_mode"\nbits = 32', 'name = "vector_mode"\nbits = 8', "vector_mode", "9 bits")

    def test_field_of_another_width_than_its_enum(self):
        self.refuse_contract('name = "weights", bits = 2, enum', 'name = "weights", bits = 3, enum', "systolic_mode.weights")

    def test_key_that_nobody_reads(self):
        self.refuse_contract('name = "drain", bits = 1,', 'name = "drain", bit = 1, bits = 1,', "systolic_mode.drain", "bit")


if __name__ == "__main__":
    unittest.main()
