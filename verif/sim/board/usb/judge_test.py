#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs that know nothing of ours flash the emulated boards: flashrom (SPI), openFPGALoader (JTAG), iceprog (iCEBreaker).

What they read must be the file, what they write must be in it; and when the chip is broken they must say so. Run from the
repository root. --seed N: contents and defects.
"""

import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

BOARD = "build/swai-usb-board"
FLASHROM = ["flashrom", "-p", "ft2232_spi:type=2232H"]
ICEBREAKER = ["flashrom", "-p", "ft2232_spi:type=2232H,gpiol0=C,gpiol3=L"]
SIZE = 1 << 20
LIMIT = 1500  # ends what hangs
LONG = "SWAI_LONG" in os.environ
SEED = 1
# As they begin: with these the FPGAs find something to load.
ECP5_PREAMBLE = bytes.fromhex("ffffbdb3")
ICE40_PREAMBLE = bytes.fromhex("7eaa997e")


class Judges(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        os.environ["XDG_CONFIG_HOME"] = self.folder.name
        self.random = random.Random(f"{SEED} {self.id()}")
        self.flash = self.file("card.flash", self.random.randbytes(SIZE))

    def path(self, name):
        return pathlib.Path(self.folder.name) / name

    def file(self, name, contents):
        self.path(name).write_bytes(contents)
        return self.path(name)

    def run_in_bed(self, command, *options, code=0):
        """Runs it with a chip that is fast enough for programs that sleep by the clock on the wall."""
        speed = [] if "--flash-speed" in options else ["--flash-speed", "1000"]
        bed = [BOARD, "--seed", str(SEED), "--report", self.path("report.json"), *speed, *options]
        result = subprocess.run(
            [*bed, self.flash, "--", *command], capture_output=True, text=True, errors="replace", timeout=LIMIT
        )
        output = result.stdout + result.stderr
        if code is None:
            self.assertNotIn(result.returncode, (0, 125, 127), output)
        else:
            self.assertEqual(result.returncode, code, output)
        return output

    def report(self):
        return json.loads(self.path("report.json").read_text())["boards"][0]

    def changed(self, contents):
        """The same with some pages and sectors changed."""
        contents = bytearray(contents)
        for _ in range(6):
            at = self.random.randrange(SIZE - 5000)
            count = self.random.randrange(1, 5000)
            contents[at : at + count] = self.random.randbytes(count)
        return bytes(contents)

    def assert_same(self, first, second):
        """Without printing a megabyte of what is not."""
        self.assertTrue(first == second, "the contents differ")


class Flashrom(Judges):
    def test_identifies(self):
        for megabytes, name in ((1, "W25Q80.V"), (4, "W25Q32.V"), (16, "W25Q128.V")):
            self.flash = self.file(f"{megabytes}.flash", b"\xff" * (megabytes << 20))
            self.assertIn(f'Winbond flash chip "{name}', self.run_in_bed(FLASHROM))

    def test_knows_an_unknown_chip_by_its_tables(self):
        self.assertIn('"SFDP-capable chip" (1024 kB', self.run_in_bed(FLASHROM, "--chip", "unknown"))
        self.assertIn('"unknown SPI chip', self.run_in_bed(FLASHROM, "--chip", "no-sfdp"))
        self.assertIn("No EEPROM/flash device found", self.run_in_bed(FLASHROM, "--chip", "none", code=1))

    def test_reads(self):
        for board, judge in (("ft2232h", FLASHROM), ("icebreaker", ICEBREAKER)):
            self.run_in_bed([*judge, "-r", self.path("copy")], "--board", board)
            self.assert_same(self.path("copy").read_bytes(), self.flash.read_bytes())
            self.assertGreaterEqual(self.report()["flash"]["bytes_read"], SIZE)

    def test_writes_and_verifies(self):
        for board, judge in (("ft2232h", FLASHROM), ("icebreaker", ICEBREAKER)) if LONG else (("icebreaker", ICEBREAKER),):
            image = self.file("image", self.changed(self.flash.read_bytes()))
            output = self.run_in_bed([*judge, "-w", image], "--board", board)
            self.assertIn("VERIFIED", output)
            self.assert_same(self.flash.read_bytes(), image.read_bytes())
            self.assertIn("VERIFIED", self.run_in_bed([*judge, "-v", image], "--board", board))
        violations = self.report()["flash"]["violations"]
        self.assertEqual(set(violations.values()), {0}, violations)

    def test_writes_in_real_time(self):
        """Chip times as they are; flashrom sleeps until the chip is done."""
        image = self.file("image", self.changed(self.flash.read_bytes()))
        self.run_in_bed([*FLASHROM, "-w", image], "--flash-speed", "1", "--wall-clock")
        self.assert_same(self.flash.read_bytes(), image.read_bytes())

    def test_erases(self):
        self.run_in_bed([*FLASHROM, "-E"])
        self.assert_same(self.flash.read_bytes(), b"\xff" * SIZE)

    def test_says_what_is_broken(self):
        """Each mistake in the chip is found: this test could fail."""
        before = self.flash.read_bytes()
        sector = self.random.randrange(SIZE) & ~0xFFF
        image = self.file("image", before[:sector] + bytes(b ^ 0xFF for b in before[sector : sector + 4096]) + before[sector + 4096 :])
        cell = sector + self.random.randrange(4096)
        bit = self.random.randrange(8)
        wrong = 1 - (image.read_bytes()[cell] >> bit & 1)
        faults = [f"stuck={cell}:{bit}:{wrong}"]
        if LONG:
            faults += [f"worn={sector}:400", "cut=operation:8"]
        for fault in faults:
            self.flash.write_bytes(before)
            output = self.run_in_bed([*FLASHROM, "-w", image], "--fault", fault, code=None)
            self.assertRegex(output, "(?i)fail", fault)
            self.assertTrue(self.flash.read_bytes() != image.read_bytes())
        output = self.run_in_bed([*FLASHROM, "-r", self.path("copy")], "--fault", "unplug=transfer:400", code=None)
        self.assertRegex(output, "(?i)fail")
        output = self.run_in_bed([*FLASHROM, "-w", image], "--fault", "data-line=1", code=None)
        self.assertIn("No EEPROM/flash device found", output)


class OpenFpgaLoader(Judges):
    BOARDS = (
        ("ecpix5", ["openFPGALoader", "-b", "ecpix5"], "LFE5UM-85"),
        ("ecp5-evn", ["openFPGALoader", "-b", "ecp5_evn"], "LFE5UM-85"),
        ("versa", ["openFPGALoader", "-c", "ft2232"], "LFE5UM-45"),
    )

    def setUp(self):
        super().setUp()
        self.flash.write_bytes(ECP5_PREAMBLE + self.flash.read_bytes()[len(ECP5_PREAMBLE) :])

    def test_detects(self):
        for board, judge, name in self.BOARDS:
            self.assertIn(name, self.run_in_bed([*judge, "--detect"], "--board", board))

    def test_reads(self):
        for board, judge, _ in self.BOARDS if LONG else self.BOARDS[:1]:
            self.path("copy").unlink(missing_ok=True)
            command = [*judge, "--dump-flash", "--file-size", "40000", self.path("copy")]
            self.assertRegex(self.run_in_bed(command, "--board", board), r"Jedec ID +: ef")
            self.assert_same(self.path("copy").read_bytes(), self.flash.read_bytes()[:40000])
            self.assertEqual(self.report()["jtag"]["passages"], 1)

    def write(self, at, image, *options, code=0):
        place = ["-o", hex(at), "--file-type", "raw", image]
        return self.run_in_bed(["openFPGALoader", "-b", "ecpix5", "-f", "--verify", *place], "--board", "ecpix5", *options, code=code)

    def test_writes_and_verifies(self):
        # Whole sectors of 64 KiB are what it erases.
        before, at = self.flash.read_bytes(), 0x40000
        image = self.file("image", self.random.randbytes(70_000))
        self.write(at, image)
        after = self.flash.read_bytes()
        self.assert_same(after[at : at + 70_000], image.read_bytes())
        self.assert_same(after[:at], before[:at])
        self.assert_same(after[at + 0x20000 :], before[at + 0x20000 :])
        violations = self.report()["flash"]["violations"]
        self.assertEqual(set(violations.values()), {0}, violations)

    def test_says_what_is_broken(self):
        at = 0x40000
        image = self.file("image", self.random.randbytes(10_000))
        cell = self.random.randrange(10_000)
        wrong = 1 - (image.read_bytes()[cell] & 1)
        self.assertRegex(self.write(at, image, "--fault", f"stuck={at + cell}:0:{wrong}", code=None), "(?i)fail")
        if LONG:
            self.write(at, image)

    def test_no_bitstream_no_design(self):
        self.flash.write_bytes(b"\xff" * SIZE)
        image = self.file("image", self.random.randbytes(100))
        self.assertIn("Preamble ERR", self.write(0x10000, image, code=None))


class Iceprog(Judges):
    """It uses libusb 0.1, which asks other things of the kernel."""

    def setUp(self):
        super().setUp()
        self.flash.write_bytes(ICE40_PREAMBLE + self.flash.read_bytes()[len(ICE40_PREAMBLE) :])

    def test_reads(self):
        self.run_in_bed(["iceprog", "-R", "10000", self.path("copy")], "--board", "icebreaker")
        self.assert_same(self.path("copy").read_bytes(), self.flash.read_bytes()[:10000])

    def test_writes_and_verifies(self):
        image = self.file("image", self.random.randbytes(10_000))
        output = self.run_in_bed(["iceprog", "-o", "256k", image], "--board", "icebreaker")
        self.assertIn("VERIFY OK", output)
        self.assert_same(self.flash.read_bytes()[256 << 10 :][:10_000], image.read_bytes())

    def test_says_what_is_broken(self):
        image = self.file("image", self.random.randbytes(1000))
        wrong = 1 - (image.read_bytes()[500] & 1)
        fault = f"stuck={(256 << 10) + 500}:0:{wrong}"
        output = self.run_in_bed(["iceprog", "-o", "256k", image], "--board", "icebreaker", "--fault", fault, code=None)
        self.assertNotIn("VERIFY OK", output)


if __name__ == "__main__":
    if "--seed" in sys.argv:
        at = sys.argv.index("--seed")
        SEED = int(sys.argv[at + 1])
        del sys.argv[at : at + 2]
    print("seed", SEED)
    unittest.main()
