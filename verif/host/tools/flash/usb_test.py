#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""swai flash with emulated boards, through the real libusb: every command, every kind of board, every way to fail."""

import argparse
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import images

SWAI = str(pathlib.Path("build/swai").resolve())
EMULATOR = str(pathlib.Path("build/swai-usb-board").resolve())
BOARDS = {file.parent.name: json.loads(file.read_text()) for file in sorted(pathlib.Path("boards").glob("*/board.json"))}
LIMIT = 1500  # ends what hangs
OLD, NEW = "1.0.0", "1.1.0"
SEED = 1


class FlashTest(unittest.TestCase):
    """Each test has a folder, a chip with a confirmed image in slot A, and a newer image."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="swai-flash-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.chip = self.folder / "chip.flash"
        self.old = images.confirmed(images.image(OLD, 9000, SEED))
        self.new = images.image(NEW, 12000, SEED)
        images.chip(self.chip, a=self.old)
        self.image = self.folder / "new.img"
        self.image.write_bytes(self.new)
        self.report = self.folder / "report.json"
        self.environment = os.environ | {"XDG_CONFIG_HOME": folder.name}

    def slot(self, slot, chip=None):
        at = images.SLOTS[slot]
        return (chip or self.chip).read_bytes()[at : at + images.SLOT_BYTES]

    def assert_holds(self, slot, image, chip=None):
        """Whatever has become of the image's state."""
        cells = self.slot(slot, chip)[: len(image)]
        state = slice(images.STATE, images.HEADER)
        self.assertEqual(cells[: state.start] + cells[state.stop :], image[: state.start] + image[state.stop :])

    def emulated(self, *words, board="icebreaker", faults=(), options=(), chips=None, code=0):
        """Runs a command in a machine with the board; gives its output."""
        command = [EMULATOR, "--board", board, "--report", self.report, *options]
        for fault in faults:
            command += ["--fault", fault]
        command += [*(chips or [self.chip]), "--", *words]
        done = subprocess.run(
            [str(word) for word in command], capture_output=True, text=True, timeout=LIMIT, env=self.environment
        )
        self.assertEqual(done.returncode, code, f"{command}\n{done.stdout}{done.stderr}")
        return done.stdout, done.stderr

    def flash(self, *words, **how):
        return self.emulated(SWAI, "--quiet", "flash", *words, **how)

    def flash_json(self, *words, **how):
        return json.loads(self.emulated(SWAI, "--json", "flash", *words, **how)[0])

    def add_board(self, name, board):
        """Where users have theirs; gives the file."""
        file = self.folder / "swai" / "boards" / name / "board.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(board))
        return file

    def seen(self):
        (board,) = json.loads(self.report.read_text())["boards"]
        return board


class Commands(FlashTest):
    def test_every_board(self):
        self.assertLessEqual({"ecpix5", "versa", "ecp5-evn", "icebreaker", "ft2232h"}, set(BOARDS))
        for board, data in BOARDS.items():
            with self.subTest(board=board):
                images.chip(self.chip, a=self.old)
                (plugged,) = self.flash_json("list", board=board)["plugged"]
                self.assertEqual(plugged["text"], data["usb"]["strings"]["product"])
                self.assertIn(board, plugged["boards"])
                name = [] if "prefix" in data["usb"] else ["--board", board]
                (report,) = self.flash_json(*name, "write", self.image, board=board)["boards"]
                self.assertEqual((report["outcome"], report["boots"], report["retries"]), ("done", "b", 0))
                self.assert_holds("b", self.new)
                self.assertEqual(self.slot("b")[: len(self.new)], self.new)
                self.assertEqual(self.slot("a")[: len(self.old)], self.old)
                seen = self.seen()
                self.assertTrue(seen["kernel_driver_attached"], "the kernel's driver did not come back")
                self.assertEqual(set(seen["flash"]["violations"].values()), {0})
                self.assertIn("the same", self.flash(*name, "verify", self.image, board=board)[0])
                self.assertIn("different", self.flash(*name, "verify", "--slot", "a", self.image, board=board, code=1)[0])

    def test_read(self):
        images.chip(self.chip, a=self.old, b=self.new, seed=SEED)
        copy = self.folder / "copy"
        for board in ("icebreaker", "versa"):
            self.flash("read", copy, board=board)
            self.assertEqual(copy.read_bytes(), self.chip.read_bytes())
            self.flash("read", "--region", "slot-b", copy, board=board)
            self.assertEqual(copy.read_bytes(), self.slot("b"))

    def test_info_explains(self):
        (report,) = self.flash_json("info")["boards"]
        self.assertEqual(report["boots"], "a")
        self.assertEqual([slot["valid"] for slot in report["slots"]], [True, False])
        self.assertIn("Winbond W25Q128 (EF 40 18)", report["chip"])
        images.chip(self.chip, a=self.old, b=images.tried(self.new, 3))
        text = self.flash("info")[0]
        self.assertIn("test 1.1.0 (0123abc) was booted 3 times and never passed its self-test", text)
        self.assertIn("fell back to slot A", text)

    def test_names_of_strangers(self):
        """The name of an image is printed without control characters."""
        name = "\x1b]0;!\a\x7f\u009b\udcff"
        images.chip(self.chip, a=images.confirmed(images.with_payload(OLD, bytes(800), name)))
        self.image.write_bytes(images.with_payload(NEW, bytes(904), name))
        for words in (["info"], ["write", "--dry-run", self.image], ["write", self.image], ["info"]):
            said = "".join(self.flash(*words))
            self.assertIn("?]0;!????", said)
            self.assertNotRegex(said, r"[\x00-\x09\x0b-\x1f\x7f-\x9f]")
            for slot in self.flash_json("info")["boards"][0]["slots"]:
                self.assertEqual(slot.get("name", "?]0;!????"), "?]0;!????")

    def test_dry_run(self):
        before = self.chip.read_bytes()
        self.assertIn("its header last", self.flash("write", "--dry-run", self.image)[0])
        self.flash("erase", "--slot", "b", "--dry-run")
        self.assertEqual(self.chip.read_bytes(), before)

    def test_what_is_there_is_not_written(self):
        self.flash("write", self.image)
        self.assertIn("already", self.flash("write", self.image)[0])
        self.assertEqual((self.seen()["flash"]["programs"], self.seen()["flash"]["erases"]), (0, 0))

    def test_rollback_and_downgrade(self):
        images.chip(self.chip, a=self.old, b=images.confirmed(self.new))
        self.assertIn("boots slot A", self.flash("rollback")[0])
        self.assertIn("boots slot B", self.flash("rollback")[0])
        older = self.folder / "older.img"
        older.write_bytes(images.image("0.9.0", 5000))
        self.assertIn("--downgrade", self.flash("write", older, code=2)[1])
        self.assertIn("boots slot A: test 0.9.0", self.flash("write", "--downgrade", older)[0])

    def test_erase(self):
        images.chip(self.chip, a=self.old, b=self.new)
        self.assertIn("falls back to", self.flash("erase", "--slot", "a", code=2)[1])
        self.flash("erase", "--slot", "b")
        self.assertEqual(set(self.slot("b")), {0xFF})
        self.assertEqual(self.slot("a")[: len(self.old)], self.old)
        self.assertIn("--slot or --region", self.flash("erase", code=2)[1])

    def test_regions(self):
        bits = self.folder / "top.bit"
        bits.write_bytes(bytes(range(256)) * 40)
        before = self.chip.read_bytes()
        self.assertIn("--allow-protected", self.flash("write", "--region", "bitstream", bits, code=2)[1])
        self.assertIn("slot", self.flash("write", "--region", "slot-b", bits, code=2)[1])
        self.assertIn("free", self.flash("write", "--region", "nothing", bits, code=2)[1])
        self.assertEqual(self.chip.read_bytes(), before)
        self.flash("write", "--region", "bitstream", "--allow-protected", bits)
        self.flash("write", "--region", "free", bits)
        after = self.chip.read_bytes()
        size = len(bits.read_bytes())
        self.assertEqual(after[:size], bits.read_bytes())
        self.assertEqual(after[size:0x60_0000], before[size:0x60_0000])
        self.assertEqual(after[0x60_0000 : 0x60_0000 + size], bits.read_bytes())
        self.assertIn("the same", self.flash("verify", "--region", "free", bits)[0])
        self.assertIn("--allow-protected", self.flash("erase", "--region", "bitstream", code=2)[1])

    def test_emulated_programmer(self):
        words = [SWAI, "--quiet", "flash", "--programmer", f"emulated:{self.chip}", "--board", "versa", "write", self.image]
        done = subprocess.run(words, capture_output=True, text=True, timeout=LIMIT, env=self.environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_holds("b", self.new)

    def test_file_programmer(self):
        words = [SWAI, "--quiet", "flash", "--programmer", f"file:{self.chip}", "write", self.image]
        self.assertEqual(subprocess.run(words, env=self.environment, capture_output=True, timeout=LIMIT).returncode, 0)
        self.assert_holds("b", self.new)

    def test_boards_of_the_user(self):
        """A board of a user is emulated and flashed like ours, without a build: here one that differs in all from ours."""
        spi = BOARDS["icebreaker"] | {
            "title": "ours",
            "usb": {"vendor": "1209", "product": "ab0f", "channel": "B", "strings": {"manufacturer": "We", "product": "Bench 7b"}, "prefix": "Bench 7"},
            "spi": {"clock_hz": 10_000_000, "select": 5, "reset": [3], "done": 4},
            "flash_bytes": 8 << 20,
            "regions": [{"name": "slot-b", "offset": 0, "bytes": 1 << 20}, {"name": "slot-a", "offset": 3 << 20, "bytes": 1 << 20}],
        }
        jtag = {key: value for key, value in spi.items() if key != "spi"}
        jtag |= {"usb": spi["usb"] | {"channel": "A", "prefix": "Bench"}, "jtag": {"clock_hz": 6_000_000, "idcodes": ["41111043"], "fitted": "41111043"}}
        self.add_board("bench-7", spi)
        self.assertIn("bench-7", self.flash("list")[0])
        for board, data, clock in (("bench-7", spi, "SPI at 10.0 MHz"), ("bench-8", jtag, "JTAG at 6.0 MHz")):
            with self.subTest(board=board):
                self.add_board(board, data)
                chip = self.folder / f"{board}.flash"
                self.emulated("true", board=board, chips=[chip])
                self.assertEqual(chip.read_bytes(), b"\xff" * (8 << 20), "a new file is as large as the board's chip")
                (report,) = self.flash_json("--board", board, "write", self.image, board=board, chips=[chip])["boards"]
                self.assertEqual((report["outcome"], report["board"], report["boots"]), ("done", board, "a"))
                self.assertEqual(chip.read_bytes()[3 << 20 :][: len(self.new)], self.new)
                self.assertEqual(self.seen()["board"], board)
                self.assertIn(clock, report["chip"])
        # The other channel is open.
        self.add_board("bench-9", spi | {"usb": spi["usb"] | {"channel": "A"}})
        self.assertIn("no flash chip", self.flash("--board", "bench-9", "info", board="bench-7", code=3)[1])

    def test_wrong_boards_of_the_user(self):
        """Flasher and emulator name the file and the field, whatever board is asked for."""
        file = self.add_board("mine", BOARDS["versa"] | {"seen": "never"})
        for words in ([SWAI, "flash", "list"], [EMULATOR, self.chip, "--", "true"], [EMULATOR, "--help"]):
            done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=LIMIT, env=self.environment)
            self.assertEqual(done.returncode, 2, done)
            self.assertIn(f"{file}: 'seen' must be emulated or hardware", done.stderr)
        file.unlink()
        file.parent.rmdir()
        old = file.parent.parent / "mine.json"
        old.write_text(json.dumps({"version": 1, "boards": []}))
        message = subprocess.run([SWAI, "flash", "list"], capture_output=True, text=True, timeout=LIMIT, env=self.environment)
        self.assertEqual(message.returncode, 2)
        self.assertIn(f"{old}: a board is a folder", message.stderr)

    def test_installed(self):
        """Installed programs have the boards that were installed with them."""
        prefix = self.folder / "opt" / "swai"
        subprocess.run(["make", "install-boards", f"DESTDIR={self.folder}", "PREFIX=/opt/swai"], check=True, capture_output=True, timeout=LIMIT)
        self.assertTrue((prefix / "lib/udev/rules.d/70-swai-boards.rules").exists())
        (prefix / "lib/swai/firmware").mkdir()
        for program, place in ((SWAI, "bin/swai"), (EMULATOR, "lib/swai/swai-usb-board")):
            (prefix / place).parent.mkdir(exist_ok=True)
            shutil.copy(program, prefix / place)
        (prefix / "lib/swai/boards/versa").rename(prefix / "lib/swai/boards/another")
        command = [prefix / "bin/swai", "--json", "flash", "--programmer", f"emulated:{self.chip}", "--board", "another", "info"]
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=LIMIT, env=self.environment)
        self.assertEqual(done.returncode, 0, done)
        self.assertEqual(json.loads(done.stdout)["boards"][0]["board"], "another")


class SeveralBoards(FlashTest):
    def test_all_and_serial(self):
        other = self.folder / "other.flash"
        images.chip(other, a=self.old)
        chips = [self.chip, other]
        message = self.flash("write", self.image, chips=chips, code=3)[1]
        self.assertIn("2 boards", message)
        self.assertIn("--serial", message)
        self.flash("--serial", "SWAI0002", "write", self.image, chips=chips)
        self.assert_holds("b", self.new, other)
        self.assertEqual(set(self.slot("b")), {0xFF})
        report = self.flash_json("--all", "write", self.image, chips=chips)
        self.assertEqual([board["outcome"] for board in report["boards"]], ["done", "nothing to do"])
        self.assert_holds("b", self.new)
        self.assertIn("serial number nobody", self.flash("--serial", "nobody", "info", chips=chips, code=3)[1])
        self.assertEqual(len(self.flash_json("list", chips=chips)["plugged"]), 2)


class Failures(FlashTest):
    def setUp(self):
        super().setUp()
        # Large enough for the fault to come in the middle of writing.
        self.new = images.image(NEW, 60_000, SEED)
        self.image.write_bytes(self.new)

    def assert_happened(self):
        self.assertEqual(len(self.seen()["faults"]), 1, "the fault did not come")

    def assert_unharmed(self):
        self.assertEqual(self.slot("a")[: len(self.old)], self.old)
        self.assertIn("boots slot", self.flash("info")[0])

    def test_no_board(self):
        done = subprocess.run([SWAI, "flash", "info"], capture_output=True, text=True, timeout=LIMIT, env=self.environment)
        self.assertEqual(done.returncode, 3, done.stderr)

    def test_permission(self):
        self.assertIn("udev rules", self.flash("info", faults=["no-access"], code=3)[1])

    def test_doctor(self):
        report = self.flash_json("doctor")
        self.assertEqual(report["healthy"], True, report)
        self.assertIn({"what": "board at usb 1-1", "good": True, "found": "iCEBreaker V1.0e SWAI0001"}, report["checks"])
        report = self.flash_json("doctor", faults=["no-access"], code=1)
        self.assertEqual([check["what"] for check in report["checks"] if not check["good"]], ["board at usb 1-1"])
        # Plugged in by the emulator before the file is wrong: it reads the same files.
        file = self.folder / "swai" / "boards" / "mine" / "board.json"
        words = ["sh", "-c", f"mkdir -p {file.parent}; echo [] > {file}; exec {SWAI} flash doctor"]
        self.assertIn(f"{file}: is no object", self.emulated(*words, code=1)[0])

    def test_udev_rules(self):
        rules = pathlib.Path("boards/70-swai-boards.rules").read_text()
        for board in BOARDS.values():
            usb = board["usb"]
            self.assertIn(f'ATTR{{idVendor}}=="{usb["vendor"]}", ATTR{{idProduct}}=="{usb["product"]}"', rules)

    def test_every_board_has_its_page(self):
        for name, board in BOARDS.items():
            page = pathlib.Path("boards", name, "README.md").read_text()
            for idcode in board.get("jtag", {"idcodes": []})["idcodes"]:
                self.assertIn(idcode, page)
            self.assertIn(f'{board["flash_bytes"] >> 20} MiB', page)
            self.assertIn(f"({name}/README.md)", pathlib.Path("boards/README.md").read_text())
            self.assertIn(f"(../../boards/{name}/README.md)", pathlib.Path("docs/use/flash.md").read_text())

    def test_busy(self):
        self.assertIn("another program", self.flash("info", faults=["claimed"], code=3)[1])
        self.assertIn("does not let go", self.flash("info", faults=["detach-refused"], code=3)[1])

    def test_unplugged(self):
        message = self.flash("write", self.image, faults=["unplug=transfer:90"], code=4)
        self.assert_happened()
        self.assertIn("unplugged", message[1])
        self.assertIn("holds test 1.0.0 (0123abc) as before", message[0])
        self.assertIn("swai flash info", message[0])
        self.assert_unharmed()
        self.assertIn("unplugged", self.flash("info", faults=["unplug=transfer:20"], code=4)[1])

    def test_transfers_that_fail_once(self):
        for fault in ("stall=transfer:100", "error=transfer:100", "nak=transfer:100:50", "short=transfer:100"):
            with self.subTest(fault=fault):
                images.chip(self.chip, a=self.old)
                self.flash("write", self.image, faults=[fault])
                self.assert_happened()
                self.assert_holds("b", self.new)

    def test_no_answer(self):
        self.environment["SWAI_USB_PATIENCE_MS"] = "300"
        images.chip(self.chip, a=self.old)
        self.flash("write", self.image, faults=["timeout=transfer:100"])
        self.assert_happened()
        self.assert_holds("b", self.new)
        self.assertIn("does not answer", self.flash("info", faults=["timeout=transfer:12"], code=4)[1])

    def test_answers_in_data(self):
        """What is left over of a lost transfer looks like the answers by which the programmer finds its place again."""
        self.environment["SWAI_USB_PATIENCE_MS"] = "300"
        # Odd lengths, so that the pattern lies differently in each packet.
        self.new = images.with_payload(NEW, (b"\xfa\xaa\xfa\xab\x00" * 12_000)[:60_000])
        self.image.write_bytes(self.new)
        for transfer in range(94, 106):
            with self.subTest(transfer=transfer):
                images.chip(self.chip, a=self.old)
                self.flash("write", self.image, faults=[f"timeout=transfer:{transfer}"])
                self.assert_happened()
                self.assert_holds("b", self.new)

    def test_wrong_board(self):
        self.assertIn("is a 1BitSquared iCEBreaker", self.flash("--board", "versa", "info", code=3)[1])
        message = self.flash("--board", "versa", "info", board="ecpix5", code=3)[1]
        self.assertIn("81113043", message)
        self.assertIn("does not tell what board", self.flash("info", board="ecpix5", code=3)[1])
        self.assertIn("there is no board", self.flash("--board", "nothing", "info", code=2)[1])
        # Its flash chip is not where that board would have it.
        self.assertIn("no flash chip", self.flash("--board", "ft2232h", "info", board="ecpix5", code=3)[1])

    def test_chips(self):
        self.flash("write", self.image, options=["--chip", "unknown"])
        self.assert_holds("b", self.new)
        self.assertIn("7A 55 18", self.flash("info", options=["--chip", "no-sfdp"], code=3)[1])
        self.assertIn("no flash chip", self.flash("info", options=["--chip", "none"], code=3)[1])
        self.assertIn("no flash chip", self.flash("info", faults=["data-line=0"], code=3)[1])

    def test_wrong_image(self):
        for contents, message in (
            (self.new[:-100], "truncated"),
            (self.new[:5000] + b"!" + self.new[5001:], "digest wrong"),
            (b"", "truncated"),
            (pathlib.Path(SWAI).read_bytes()[:100_000], "no image header"),
        ):
            self.image.write_bytes(contents)
            self.assertIn(message, self.flash("write", self.image, code=2)[1])
        self.flash("write", self.folder / "nothing", code=2)
        self.flash("--programmer", "nothing", "info", code=2)
        self.flash("--programmer", f"file:{self.folder / 'nothing'}", "info", code=2)
        self.assertEqual(set(self.slot("b")), {0xFF})

    def test_cells_that_fail(self):
        at = next(i for i in range(5000, 6000) if self.new[i] & 1)
        fault = f"stuck={images.SLOTS['b'] + at}:0:0"
        out, message = self.flash("write", self.image, faults=[fault], code=1)
        self.assertIn(f"{images.SLOTS['b'] + at:#x}", message)
        self.assertIn("the card boots slot A", out)
        self.assert_unharmed()
        images.chip(self.chip, a=self.old, b=b"\0" * 20000)
        self.flash("write", self.image, faults=[f"worn={images.SLOTS['b'] + 4096}:3:1"])
        self.assert_holds("b", self.new)

    def full_disk(self, *words, bytes=1 << 20):
        """Limits the size of files of the commands that run."""
        command = ["prlimit", f"--fsize={bytes}", SWAI, "--quiet", "flash", "--programmer", *map(str, words)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, env=self.environment)
        self.assertEqual(done.returncode, 2, done)
        self.assertIn("File too large", done.stderr)

    def test_full_disk(self):
        """A full disk is reported; no partial file is left, and a previous file stays."""
        for board in ("icebreaker", "versa"):
            self.full_disk(f"emulated:{self.chip}", "--board", board, "write", self.image)
        self.assert_unharmed()
        self.full_disk(f"file:{self.chip}", "write", self.image)
        self.full_disk(f"emulated:{self.folder}/none.flash", "--board", "versa", "info")
        before = sorted(self.folder.iterdir())
        copy = self.folder / "copy"
        self.full_disk(f"file:{self.chip}", "read", copy)
        self.assertEqual(sorted(self.folder.iterdir()), before)
        copy.write_bytes(b"before")
        self.full_disk(f"file:{self.chip}", "read", copy)
        self.assertEqual(sorted(self.folder.iterdir()), sorted([*before, copy]))
        self.assertEqual(copy.read_bytes(), b"before")

    def test_power_cut(self):
        self.flash("write", self.image, faults=["cut=byte:6000"], code=4)
        self.assert_unharmed()
        self.flash("write", self.image)
        self.assert_holds("b", self.new)

    def test_interruption(self):
        self.image.write_bytes(images.image(NEW, 230_000, SEED))
        for _ in range(10):
            images.chip(self.chip, a=self.old)
            pid = self.folder / "pid"
            pid.unlink(missing_ok=True)
            command = f"echo $$ > {pid}.new; mv {pid}.new {pid}; exec {SWAI} flash write {self.image}"
            writing = subprocess.Popen(
                [EMULATOR, "--board", "versa", str(self.chip), "--", "sh", "-c", command],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                env=self.environment,
            )
            while writing.poll() is None and (not pid.exists() or set(self.slot("b")) == {0xFF}):
                time.sleep(0.005)
            if writing.poll() is None:
                os.kill(int(pid.read_text()), signal.SIGINT)
            out, error = writing.communicate(timeout=LIMIT)
            self.assertIn(writing.returncode, (0, 130), error)
            self.assert_unharmed()
            if writing.returncode == 130:
                self.assertRegex(error, "stopped at 0x5[0-9a-f]{5}, after [0-9]+ of [0-9]+ steps")
                self.assertIn("the card boots slot A", out)
                self.flash("write", self.image)
                self.assert_holds("b", self.image.read_bytes())
                return
        self.fail("ten times it was faster than the interruption")


class Flashrom(FlashTest):
    """An independent program agrees with us about what is on the chip."""

    def flashrom(self, *words):
        return self.emulated("flashrom", "-p", "ft2232_spi:type=2232H", "-c", "W25Q64JV-.Q", *words, board="ft2232h", options=["--flash-size", "8M"])

    def setUp(self):
        super().setUp()
        self.chip.write_bytes(self.chip.read_bytes()[: 8 << 20])

    def ours(self, *words):
        return self.flash("--board", "ft2232h", *words, board="ft2232h", options=["--flash-size", "8M"])

    def test_theirs_then_ours(self):
        wanted = bytearray(self.chip.read_bytes())
        at = images.SLOTS["b"]
        wanted[at : at + len(self.new)] = self.new
        file = self.folder / "theirs.bin"
        file.write_bytes(wanted)
        self.assertIn("VERIFIED", self.flashrom("-w", file)[0])
        copy = self.folder / "copy"
        self.ours("read", copy)
        self.assertEqual(copy.read_bytes(), wanted)
        self.assertIn("boots slot B: test 1.1.0", self.ours("info")[0])

    def test_ours_then_theirs(self):
        self.ours("write", self.image)
        copy = self.folder / "copy"
        self.flashrom("-r", copy)
        cells = copy.read_bytes()
        self.assertEqual(cells, self.chip.read_bytes())
        at = images.SLOTS["b"]
        self.assertEqual(cells[at : at + len(self.new)], self.new)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    options, rest = parser.parse_known_args()
    SEED = options.seed
    print(f"seed {SEED}")
    unittest.main(argv=[sys.argv[0], *rest])
