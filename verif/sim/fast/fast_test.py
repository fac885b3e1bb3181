#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
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
LIMIT = 1500  # ends what hangs


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

    def snapshot(self, *options, name="card.snapshot", **keys):
        file = self.folder / name
        self.run_card(*options, "--save", file, **keys)
        return file

    def test_snapshot_goes_on_where_it_was_saved(self):
        for config in ("tiny", "cg1", "full"):
            with self.subTest(config=config):
                card = ("--config", config)
                whole = self.run_card(*card, stdin="info\n").stdout
                booted = self.snapshot(*card, "--until-ready")
                rest = self.run_card(*card, "--restore", booted, stdin="info\n").stdout
                self.assertIn("ai-kernel", rest)
                self.assertNotIn("boot ROM", rest)
                # The same text, with the same cycles and instructions in it.
                self.assertTrue(whole.endswith(rest), whole + "---\n" + rest)

    def test_snapshot_in_the_middle_of_a_boot(self):
        whole = json.loads(self.run_card("--until-ready", "--json").stdout)
        half = self.snapshot("--max-cycles", "700000", expect=1)
        rest = json.loads(self.run_card("--restore", half, "--until-ready", "--json").stdout)
        for key in ("fast_cycles", "fast_boot_cycles", "instructions", "stage"):
            self.assertEqual(whole[key], rest[key])

    def test_snapshot_of_a_snapshot_is_the_same(self):
        first = self.snapshot("--until-ready")
        second = self.snapshot("--restore", first, "--until-ready", name="second")
        self.assertEqual(first.read_bytes(), second.read_bytes())

    def test_snapshot_that_does_not_fit_is_refused(self):
        good = self.snapshot("--until-ready")
        contents = good.read_bytes()
        bad = self.folder / "bad"
        damaged = bytearray(contents)
        damaged[len(damaged) // 2] ^= 0x10
        for text, data in (
            ("truncated or corrupt", contents[:-1]),
            ("checksum is wrong", damaged),
            ("not a snapshot", b""),
            ("not a snapshot", FLASH.read_bytes()),
            ("a snapshot of version 99", contents.replace(b'"swai_snapshot":1', b'"swai_snapshot":99')),
        ):
            with self.subTest(text=text):
                bad.write_bytes(data)
                done = self.run_card("--restore", bad, expect=2)
                self.assertIn(text, done.stderr)
                self.assertIn(str(bad), done.stderr)
        for text, options in (
            ("configuration:", ("--config", "tiny")),
            ("flash speed:", ("--flash-speed", "2")),
        ):
            with self.subTest(text=text):
                done = self.run_card("--restore", good, *options, expect=2)
                self.assertIn("of another card", done.stderr)
                self.assertIn(text, done.stderr)
        # An image that is longer by a byte, as an update leaves it.
        image = bytearray(self.flash.read_bytes())
        image[image.rindex(b"\xff")] = 0
        self.flash.write_bytes(image)
        self.assertIn("flash image:", self.run_card("--restore", good, expect=2).stderr)

    def test_snapshot_of_a_card_in_rtl_is_refused(self):
        for option in ("--save", "--restore"):
            done = self.run_card("--tier", "rtl", option, self.folder / "x", expect=2)
            self.assertIn(f"the card in RTL has no {option}", done.stderr)

    def test_modules_are_for_checks(self):
        done = self.run_card("--until-ready", "--check-module", "some.elf", expect=2)
        self.assertRegex(done.stderr + done.stdout, "--check-module.*requires.*--check")

    def test_snapshot_that_cannot_be_written_is_an_error(self):
        done = self.run_card("--until-ready", "--save", self.folder / "no" / "x", expect=2)
        self.assertIn("No such file", done.stderr)

    def test_what_it_has_not_it_says(self):
        for option in ("--gdb=0", "--seed=1", "--trace=t", "--events=e", "--wave=w"):
            with self.subTest(option=option):
                done = self.run_card(option, expect=2)
                self.assertIn("the fast tier has no " + option.split("=")[0], done.stderr)


if __name__ == "__main__":
    unittest.main()
