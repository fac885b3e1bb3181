#!/usr/bin/env python3
"""Tests the fast tier of build/swai-card-fast as its users see it: it boots the image that the card in RTL boots, says what
it is, and says what it has not. Run from the repository root."""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

CARD = "build/swai-card-fast"
FLASH = pathlib.Path("build/firmware/flash.bin")
SLOT_A = 0x400000
LIMIT = 120


class FastCard(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.flash = self.folder / "card.flash"
        shutil.copy(FLASH, self.flash)

    def run_card(self, *options, expect=0, stdin=""):
        words = [CARD, "--flash", self.flash, *map(str, options)]
        environment = {name: value for name, value in os.environ.items() if name != "SWAI_TIER"}
        done = subprocess.run(
            words, input=stdin, capture_output=True, text=True, timeout=LIMIT, env=environment
        )
        self.assertEqual(done.returncode, expect, done.stdout + done.stderr)
        return done

    def test_boots_every_configuration(self):
        for config in ("tiny", "cg1", "full"):
            with self.subTest(config=config):
                done = self.run_card("--config", config, "--until-ready")
                self.assertIn("self-test passed", done.stdout)
                self.assertIn("ready, booted from slot A", done.stdout)

    def test_same_boot_twice(self):
        first, second = (json.loads(self.run_card("--until-ready", "--json").stdout) for _ in range(2))
        self.assertEqual(first["tier"], "fast")
        self.assertGreater(first["fast_boot_cycles"], 0)
        for key in ("fast_cycles", "fast_boot_cycles", "instructions"):
            self.assertEqual(first[key], second[key])

    def test_console_commands(self):
        text = self.run_card(stdin="info\n").stdout
        self.assertIn("swai-card", text.split("ready", 1)[1])

    def test_reboot_is_a_reset(self):
        text = self.run_card(stdin="reboot\n").stdout
        self.assertEqual(text.count("SWAI boot ROM"), 2)
        self.assertIn("reset: software", text)

    def test_watchdog_resets_a_kernel_that_hangs(self):
        text = self.run_card(stdin="crash hang\n").stdout
        self.assertIn("watchdog", text)

    def test_damaged_image_is_refused(self):
        contents = bytearray(self.flash.read_bytes())
        contents[SLOT_A + 0x1000] ^= 1
        self.flash.write_bytes(contents)
        done = self.run_card("--until-ready", expect=1)
        self.assertIn("slot A: refused", done.stdout)

    def test_empty_chip_ends_in_recovery(self):
        self.flash.write_bytes(b"\xff" * (8 << 20))
        self.run_card("--until-ready", expect=1)

    def test_what_it_has_not_it_says(self):
        for option in ("--gdb=0", "--seed=1", "--trace=t", "--events=e", "--wave=w"):
            with self.subTest(option=option):
                done = self.run_card(option, expect=2)
                self.assertIn("the fast tier has no " + option.split("=")[0], done.stderr)


if __name__ == "__main__":
    unittest.main()
