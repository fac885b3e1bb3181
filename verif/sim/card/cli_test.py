#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests build/swai-card as its users see it: command line, console, exit codes, what lies in the flash file afterwards.

Run from the repository root. --seed N: power-on contents of the card where that matters.
"""

import hashlib
import json
import os
import pathlib
import pty
import re
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unittest
import zlib

CARD = "build/swai-card"
FLASH = pathlib.Path("build/firmware/flash.bin")
IMAGE = "build/firmware/kernel.img"
SEED = 1

SLOT_A = 0x400000
SRAM = 0x80000000
LIMIT = 1500  # ends what hangs
# What only the card in RTL has: cycles that mean something, traces, waves, seeds, gdb.
on_rtl = unittest.skipIf(os.environ.get("SWAI_TIER") == "fast", "the fast tier has it not")


def loop_image():
    """Switches the watchdog off and loops for ever: lui t0, 0x10004; sd zero, 0x68(t0); j ."""
    payload = struct.pack("<IIII", 0x100042B7, 0x0602B423, 0x0000006F, 0)
    identity = b"loop".ljust(32, b"\0") + b"1.0.0".ljust(96, b"\0")
    header = struct.pack("<QIIQQQQ", 0x474D492D49415753, 1, 256, 1 << 32, len(payload), SRAM, SRAM)
    header += hashlib.sha256(payload).digest() + identity + bytes(12)
    header += struct.pack("<I", zlib.crc32(header))
    state = struct.pack("<QQQQ", 2**64 - 1, 0, 2**64 - 1, 2**64 - 1)
    return header + state + payload


class CardTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.flash = self.folder / "card.flash"

    def factory_flash(self):
        shutil.copy(FLASH, self.flash)
        return self.flash

    def loop_flash(self):
        contents = bytearray(b"\xff" * (8 << 20))
        image = loop_image()
        contents[SLOT_A : SLOT_A + len(image)] = image
        self.flash.write_bytes(contents)
        return self.flash

    def card(self, *options, stdin="", expect=0, program=CARD):
        done = subprocess.run(
            [program, *map(str, options)],
            input=stdin,
            capture_output=True,
            text=True,
            timeout=LIMIT,
        )
        self.assertEqual(done.returncode, expect, done.stdout + done.stderr)
        return done

    def boot(self, *options, **keys):
        return self.card("--flash", self.flash, *options, **keys)

    def start(self, *options, **keys):
        """A card that runs on, with its console on pipes."""
        process = subprocess.Popen(
            [CARD, "--flash", self.flash, *map(str, options)],
            stdin=keys.get("stdin", subprocess.PIPE),
            stdout=keys.get("stdout", subprocess.PIPE),
            stderr=keys.get("stderr", subprocess.PIPE),
        )
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream:
                self.addCleanup(stream.close)
        return process

    def read_until(self, fd, text, seconds=LIMIT):
        seen = b""
        end = time.monotonic() + seconds
        while text not in seen:
            ready, _, _ = select.select([fd], [], [], max(0, end - time.monotonic()))
            self.assertTrue(ready, f"no {text!r} in {seen!r}")
            got = os.read(fd, 4096)
            self.assertTrue(got, f"no {text!r} in {seen!r}")
            seen += got
        return seen


class CommandLine(CardTest):
    def test_help_teaches(self):
        text = self.card("--help").stdout
        for part in ("--flash", "--until-ready", "Examples:", "Exit codes:"):
            self.assertIn(part, text)

    def refused(self, *options):
        """Exit code 2 and one clear line."""
        done = self.card(*options, expect=2)
        self.assertEqual(done.stdout, "")
        return done.stderr

    def refused_file(self, *options):
        message = self.refused(*options)
        self.assertEqual(message.count("\n"), 1, message)
        return message

    def test_bad_usage(self):
        self.assertIn("--flash is required", self.refused())
        self.assertIn("--nonsense", self.refused("--flash", self.flash, "--nonsense"))
        self.assertIn("--max-cycles", self.refused("--flash", self.flash, "--max-cycles", "many"))
        self.assertIn("--flash-speed", self.refused("--flash", self.flash, "--flash-speed", "0"))
        self.assertFalse(self.flash.exists())

    def test_unusable_flash_files(self):
        self.flash.write_bytes(b"x" * 1000)
        self.assertIn("1000 bytes", self.refused_file("--flash", self.flash))
        self.flash.write_bytes(b"")
        self.assertIn("0 bytes", self.refused_file("--flash", self.flash))
        self.flash.write_bytes(b"\xff" * (8 << 20))
        self.assertIn("16777216 were asked", self.refused_file("--flash", self.flash, "--flash-size", "16M"))
        self.assertIn("5000000 bytes asked", self.refused_file("--flash", self.flash, "--flash-size", "5000000"))
        self.assertIn("cannot open", self.refused_file("--flash", self.folder))
        self.assertIn("cannot create", self.refused_file("--flash", self.folder / "no" / "file"))

    def test_flash_file_in_use(self):
        self.factory_flash()
        process = self.start()
        self.read_until(process.stdout.fileno(), b"ready")
        self.assertIn("in use", self.refused_file("--flash", self.flash))

    @on_rtl
    def test_other_unusable_files(self):
        self.factory_flash()
        self.assertIn("boot ROM", self.refused_file("--flash", self.flash, "--rom", self.folder / "none"))
        console = self.folder / "no" / "console"
        self.assertIn("console", self.refused_file("--flash", self.flash, "--console", console))
        self.assertIn("wave", self.refused_file("--flash", self.flash, "--wave", self.folder / "x.fst"))
        self.assertIn("trace", self.refused_file("--flash", self.flash, "--trace", self.folder))
        with socket.create_server(("127.0.0.1", 0)) as server:
            self.assertIn("port", self.refused_file("--flash", self.flash, "--gdb", server.getsockname()[1]))


class Boot(CardTest):
    @on_rtl
    def test_kernel_becomes_ready(self):
        self.factory_flash()
        done = self.boot("--until-ready", "--stats")
        self.assertIn("booting slot A", done.stdout)
        self.assertIn("AI-Kernel", done.stdout)
        self.assertRegex(done.stdout, r"image +[\d,]+ bytes")
        self.assertRegex(done.stdout, r"boot, reset to ready +[\d,]+ cycles")
        self.assertRegex(done.stdout, r"speed +[\d,]+ kHz")
        self.assertEqual(done.stderr, "")

    @on_rtl
    def test_json(self):
        self.factory_flash()
        done = self.boot("--until-ready", "--json")
        report = json.loads(done.stdout)
        self.assertEqual(report["version"], 1)
        self.assertEqual(report["stage"], "ready")
        self.assertEqual(report["slot"], "A")
        self.assertEqual(report["image_bytes"], pathlib.Path(IMAGE).stat().st_size)
        self.assertEqual(report["flash"]["violations"], 0)
        self.assertEqual(report["flash"]["ignored"], 0)
        self.assertEqual(report["uart_framing_errors"], 0)
        expected = report["boot_cycles"] / (16 * report["image_bytes"])
        self.assertAlmostEqual(report["boot_over_flash"], expected)
        self.assertGreater(report["cycles"], report["boot_cycles"])
        self.assertIn("AI-Kernel", done.stderr)

    def test_confirmation_survives_a_restart(self):
        subprocess.run(
            ["build/swai-image", "write", IMAGE, "--flash", self.flash, "--create", "--slot", "b"],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        self.assertIn("unconfirmed, attempt 1 of 3", self.boot("--until-ready").stdout)
        again = self.boot("--until-ready").stdout
        self.assertIn("booting slot B", again)
        self.assertNotIn("unconfirmed", again)

    @on_rtl
    def test_missing_flash_file_is_created_and_ends_in_recovery(self):
        done = self.boot("--until-ready", "--flash-size", "8M", expect=1)
        self.assertIn("recovery: no bootable image", done.stdout)
        self.assertIn("stage recovery", done.stderr)
        contents = self.flash.read_bytes()
        self.assertEqual(contents, b"\xff" * (8 << 20))
        # Without --until-ready it is the end of the input that ends the run; recovery is a failure then, too.
        self.assertIn("recovery", self.boot(expect=1).stderr)

    def test_chip_too_small_for_the_slots(self):
        self.assertIn("recovery", self.boot("--until-ready", "--flash-size", "1M", expect=1).stdout)

    @on_rtl
    def test_trace(self):
        self.factory_flash()
        trace = self.folder / "trace"
        self.boot("--until-ready", "--trace", trace)
        lines = trace.read_text().splitlines()
        self.assertRegex(lines[0], r"^ +\d+ M 0000000000010000 ")
        self.assertTrue(any(re.match(r" +\d+ M 0000000080000000 ", line) for line in lines))
        self.assertTrue(any(re.match(r" +\d+ S ", line) for line in lines))
        cycles = [int(line.split()[0]) for line in lines]
        self.assertEqual(cycles, sorted(cycles))

    @on_rtl
    def test_max_cycles(self):
        self.factory_flash()
        done = self.boot("--max-cycles", "50000", "--json", expect=1)
        self.assertIn("no end after 50000 cycles", done.stderr)
        self.assertEqual(json.loads(done.stdout)["cycles"], 50000)

    @on_rtl
    def test_seeds(self):
        self.factory_flash()
        for seed in range(SEED, SEED + 5):
            self.assertIn("AI-Kernel", self.boot("--until-ready", "--seed", seed).stdout)

    @on_rtl
    def test_repetition(self):
        self.factory_flash()
        first = json.loads(self.boot("--json", stdin="info\nhelp\n").stdout)
        second = json.loads(self.boot("--json", stdin="info\nhelp\n").stdout)
        first.pop("khz")
        second.pop("khz")
        self.assertEqual(first, second)


class Console(CardTest):
    def test_commands_from_a_pipe(self):
        self.factory_flash()
        output = self.boot(stdin="info\nnonsense\n").stdout
        self.assertIn("instructions", output)
        self.assertIn("unknown command", output)
        self.assertEqual(output, self.boot(stdin="info\nnonsense\n").stdout)

    def test_reboot_from_the_console(self):
        self.factory_flash()
        output = self.boot(stdin="reboot\ninfo\n").stdout
        self.assertIn("reset: software", output)
        self.assertEqual(output.count("AI-Kernel"), 2)

    def test_file_and_none(self):
        self.factory_flash()
        log = self.folder / "log"
        self.assertEqual(self.boot("--console", log, "--until-ready").stdout, "")
        self.assertIn("AI-Kernel", log.read_text())
        self.assertEqual(self.boot("--console", "none", "--until-ready").stdout, "")

    def test_idle_card_costs_no_cpu_and_wakes(self):
        self.factory_flash()
        process = self.start()
        self.read_until(process.stdout.fileno(), b"ready")

        def cpu_ticks():
            fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
            return int(fields[11]) + int(fields[12])

        # However busy the machine is, it comes to rest some time: two seconds in which it did nothing.
        end = time.monotonic() + LIMIT
        before = -2
        while cpu_ticks() - before > 1:
            self.assertLess(time.monotonic(), end, "the idle card costs CPU")
            before = cpu_ticks()
            time.sleep(2)
        process.stdin.write(b"help\n")
        process.stdin.flush()
        self.read_until(process.stdout.fileno(), b"reboot: ")
        process.stdin.close()
        self.assertEqual(process.wait(LIMIT), 0)

    def test_signals_end_in_order(self):
        self.factory_flash()
        for number in (signal.SIGINT, signal.SIGTERM):
            process = self.start("--stats")
            self.read_until(process.stdout.fileno(), b"ready")
            process.send_signal(number)
            self.assertEqual(process.wait(LIMIT), 0)
            self.assertRegex(process.stdout.read(), b"simulated|cycles to ready")
        # While it runs, too; and then it did not become ready.
        self.loop_flash()
        process = self.start("--until-ready")
        self.read_until(process.stdout.fileno(), b"booting slot A")
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(LIMIT), 1)

    def test_reader_that_goes_away(self):
        self.factory_flash()
        process = self.start()
        self.read_until(process.stdout.fileno(), b"ready")
        process.stdout.close()
        process.stdin.write(b"help\n")
        process.stdin.flush()
        self.assertEqual(process.wait(LIMIT), 0)

    def test_terminal(self):
        self.factory_flash()
        master, slave = pty.openpty()
        self.addCleanup(os.close, master)
        self.addCleanup(os.close, slave)
        before = termios.tcgetattr(slave)
        process = subprocess.Popen(
            [CARD, "--flash", self.flash],
            stdin=slave,
            stdout=slave,
            stderr=subprocess.PIPE,
            start_new_session=True,
            preexec_fn=lambda: os.close(os.open(os.ttyname(0), os.O_RDWR)),  # becomes the controlling terminal
        )
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.read_until(master, b"ready")
        self.assertNotEqual(termios.tcgetattr(slave), before)
        os.write(master, b"info\r")
        self.read_until(master, b"instructions")
        os.write(master, b"\x03")
        self.assertEqual(process.wait(LIMIT), 0)
        self.assertEqual(termios.tcgetattr(slave), before)

    @on_rtl
    def test_progress_on_a_terminal_only(self):
        self.loop_flash()
        master, slave = pty.openpty()
        self.addCleanup(os.close, master)
        process = self.start("--console", "none", stdin=subprocess.DEVNULL, stderr=slave)
        os.close(slave)
        shown = self.read_until(master, b"kHz")
        self.assertRegex(shown, rb"million cycles")
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(LIMIT), 0)


@on_rtl
class Debugger(CardTest):
    def gdb(self, *commands):
        """A card that waits for gdb, and a gdb that is about to run these commands."""
        self.factory_flash()
        process = self.start("--gdb", 0, "--console", self.folder / "log")
        line = self.read_until(process.stderr.fileno(), b"\n")
        port = re.search(rb"localhost:(\d+)", line)[1].decode()
        arguments = ["gdb-multiarch", "-q", "-nx", "-batch", "-ex", f"target remote localhost:{port}"]
        for command in commands:
            arguments += ["-ex", command]
        debugger = subprocess.Popen(
            arguments, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        self.addCleanup(debugger.wait)
        self.addCleanup(debugger.kill)
        self.addCleanup(debugger.stdout.close)
        return process, debugger

    def wait_for_ready(self):
        end = time.monotonic() + LIMIT
        log = self.folder / "log"
        while not log.exists() or "ready" not in log.read_text():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.1)

    def test_breakpoints_in_rom_and_kernel(self):
        process, debugger = self.gdb(
            "info registers pc",
            "stepi",  # gdb does this by a breakpoint, and this one is in the ROM
            "info registers pc",
            f"hbreak *{SRAM:#x}",
            "continue",
            "info registers pc",
            f"x/1xw {SRAM:#x}",
            "monitor status",
            "delete",
            "detach",
        )
        output, _ = debugger.communicate(timeout=LIMIT)
        self.assertEqual(re.findall(r"pc +0x([0-9a-f]+)", output), ["10000", "10004", "80000000"])
        payload = pathlib.Path(IMAGE).read_bytes()[256:]
        self.assertIn(f"{struct.unpack('<I', payload[:4])[0]:#010x}", output)
        self.assertIn("loading", output)
        # Detached, the card goes on.
        self.wait_for_ready()

    def test_interrupting_a_sleeping_card(self):
        process, debugger = self.gdb("continue", "info registers pc", "kill")
        self.wait_for_ready()
        time.sleep(0.5)
        debugger.send_signal(signal.SIGINT)
        output, _ = debugger.communicate(timeout=LIMIT)
        self.assertIn("SIGINT", output)
        self.assertRegex(output, r"pc +0x[0-9a-f]+")
        self.assertEqual(process.wait(LIMIT), 1)


if __name__ == "__main__":
    if "--seed" in sys.argv:
        at = sys.argv.index("--seed")
        SEED = int(sys.argv[at + 1])
        del sys.argv[at : at + 2]
    print("seed", SEED)
    unittest.main()
