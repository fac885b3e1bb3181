#!/usr/bin/env python3
"""The generator refuses descriptions that make no sense, in one line that names the place, and notices a stale page."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

GENERATOR = "scripts/gen-regs.py"
CARD = pathlib.Path("abi/card.toml").read_text()


def run(text, *options):
    with tempfile.TemporaryDirectory() as folder:
        description = pathlib.Path(folder) / "card.toml"
        description.write_text(text)
        command = [sys.executable, GENERATOR, "--description", str(description), "--out", folder + "/gen"]
        return subprocess.run(command + [o.replace("FOLDER", folder) for o in options], capture_output=True, text=True)


class GenRegsTest(unittest.TestCase):
    def refuse(self, old, new, *words):
        self.assertIn(old, CARD)
        done = run(CARD.replace(old, new, 1))
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
        done = subprocess.run([sys.executable, GENERATOR, "--description", "/nonexistent.toml"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("/nonexistent.toml", done.stderr)

    def test_stale_page(self):
        done = run(CARD, "--check", "FOLDER/none.md")
        self.assertEqual(done.returncode, 1)
        self.assertIn("make registers", done.stderr)


if __name__ == "__main__":
    unittest.main()
