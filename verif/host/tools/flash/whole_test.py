#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""From the image to the card and back: an update over an emulated USB, booted and confirmed by the card, seen by its users;
then a broken one, from which the card goes back by itself."""

import argparse
import contextlib
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import unittest

import images

CARD = "build/swai-card-tiny"
LIMIT = 1500  # ends what hangs
SEED = 1
FAST = os.environ.get("SWAI_TIER") == "fast"


def with_version(elf, version):
    """The kernel with another version in its identity record."""
    at = elf.index(b"SWAI-IDR") + 8 + 32
    return elf[:at] + version.encode().ljust(32, b"\0") + elf[at + 32 :]


class Whole(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="swai-flash-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.chip = self.folder / "chip.flash"
        self.socket = self.folder / "socket"
        self.environment = os.environ | {"XDG_CONFIG_HOME": folder.name, "TMPDIR": folder.name}
        images.chip(self.chip, a=images.confirmed(self.image("1.0.0")))

    def image(self, version):
        elf = self.folder / f"{version}.elf"
        elf.write_bytes(with_version(pathlib.Path("build/firmware/kernel.elf").read_bytes(), version))
        file = self.folder / f"{version}.img"
        self.call("build/swai-image", "pack", elf, "--output", file)
        return file.read_bytes()

    def call(self, *words, code=0):
        done = subprocess.run(
            [str(word) for word in words], capture_output=True, text=True, timeout=LIMIT, env=self.environment
        )
        self.assertEqual(done.returncode, code, f"{words}\n{done.stdout}{done.stderr}")
        return done.stdout

    def flash(self, *words, faults=(), **how):
        options = [word for fault in faults for word in ("--fault", fault)]
        return self.call(
            "build/swai-usb-board", "--board", "versa", *options, self.chip, "--", "build/swai", "flash", *words, **how
        )

    def write(self, name, image, **how):
        file = self.folder / name
        file.write_bytes(image)
        return self.flash("write", file, **how)

    def boot(self):
        """The card switched on until it serves, or sleeps; gives what it said."""
        seed = () if FAST else ("--seed", SEED)
        return self.call(CARD, "--flash", self.chip, "--until-ready", *seed, "--max-cycles", 60_000_000)

    @contextlib.contextmanager
    def served(self, *options):
        """A card that is switched on for clients; gives the words that begin their commands."""
        card = subprocess.Popen(
            [CARD, "--flash", str(self.chip), "--socket", str(self.socket), *options],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.addCleanup(card.kill)
        for line in card.stderr:
            if "card 0 is at" in line:
                break
        yield "build/swai", "--card", self.socket
        card.send_signal(signal.SIGTERM)
        card.communicate(timeout=LIMIT)

    def served_version(self):
        """The version that `swai info` shows."""
        with self.served() as swai:
            (info,) = json.loads(self.call(*swai, "--json", "info"))["cards"]
        return info["firmware"]

    def test_update_and_broken_update(self):
        self.assertIn("yet to pass its self-test", self.write("new.img", self.image("7.1.0")))
        self.assertIn("7.1.0", self.served_version())
        self.assertIn("valid, confirmed", self.flash("info").split("slot B")[1])

        # All zeros is no instruction.
        self.write("broken.img", images.with_payload("7.2.0", bytes(4096)))
        said = self.boot()
        self.assertEqual(said.count("booting slot A"), 3)
        self.assertIn("boot attempts used up", said)
        self.assertIn("7.1.0", self.served_version())
        told = self.flash("info")
        self.assertIn("test 7.2.0 (0123abc) was booted 3 times and never passed its self-test", told)
        self.assertIn("fell back to slot B", told)
        # The next one repairs it.
        self.write("third.img", self.image("7.3.0"))
        self.boot()
        self.assertIn("the card boots slot A", self.flash("info"))
        self.assertIn("boots slot B", self.flash("rollback"))
        self.assertIn("booted from slot B", self.boot())

    def test_card_in_recovery(self):
        """No firmware at all: the host writes one through PCIe."""
        images.chip(self.chip)
        file = self.folder / "tiny.img"
        # A jump to itself: what is written counts here.
        tiny = images.with_payload("1.2.3", bytes.fromhex("6f000000") * 150)
        file.write_bytes(tiny)
        with self.served("--flash-speed", "1000") as swai:
            told = self.call(*swai, "flash", "--programmer", "card", "write", file)
            self.assertIn("the card boots slot A: test 1.2.3", told)
        at = images.SLOTS["a"]
        self.assertEqual(self.chip.read_bytes()[at : at + len(tiny)], tiny)

    def test_power_cuts(self):
        new = self.image("7.1.0")
        good = self.chip.read_bytes()
        chance = random.Random(SEED)
        for _ in range(4):
            self.chip.write_bytes(good)
            byte = chance.randrange(1, len(new))
            with self.subTest(byte=byte):
                self.write("new.img", new, faults=[f"cut=byte:{byte}"], code=4)
                self.assertIn("ready, booted from slot", self.boot())
        self.write("new.img", new)
        self.assertIn("ready, booted from slot B", self.boot())


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    options, rest = parser.parse_known_args()
    SEED = options.seed
    print(f"seed {SEED}")
    unittest.main(argv=[sys.argv[0], *rest])
