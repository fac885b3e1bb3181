#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests build/swai as its users see it: output, files, exit codes, what is left behind. Run from the repository root."""

import concurrent.futures
import json
import math
import os
import pathlib
import re
import resource
import signal
import struct
import subprocess
import sys
import time
import types
import unittest

sys.path.insert(0, "verif/sim/card")
import perfetto  # noqa: E402
import picture  # noqa: E402
from swai_test_case import FAST, HANGS, LIMIT, MODULES, SAMPLES, SWAI, TINY, SwaiTest, on_rtl  # noqa: E402

ADDS = SAMPLES / "vectorAdd.elf"
REDUCES = SAMPLES / "reduction.elf"
COPY = [MODULES / "copy.elf", "--args", "buf:64", "buf:64", "64", "0"]
END_FIRMWARE = pathlib.Path("build/end-firmware").resolve()

shared = types.SimpleNamespace()  # the card that runs


def setUpModule():
    say = ["sh", "-c", "echo $SWAI_CARD; cat"]
    command = [SWAI, "--config", "tiny", "--quiet", "exec", *say]
    environment = {name: value for name, value in os.environ.items() if name != "SWAI_CARD"}
    shared.card = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)
    shared.socket = shared.card.stdout.readline().strip()


def tearDownModule():
    shared.card.communicate()


class CardTest(SwaiTest):
    """A card that runs is there for all, and is used unless the test forgets it."""

    def setUp(self):
        super().setUp()
        self.environment["SWAI_CARD"] = shared.socket

    def forget_card(self):
        del self.environment["SWAI_CARD"]

    def wait_for_client(self, socket, process):
        """Until this process has a connection to the card with this socket, beside the one that listens."""
        while process.poll() is None and sum(socket in line for line in pathlib.Path("/proc/net/unix").read_text().splitlines()) < 2:
            time.sleep(0.05)


class Cards(CardTest):
    def test_list_and_info(self):
        self.forget_card()
        (card,) = self.run_json("info")["cards"]
        self.assertEqual((card["name"], card["cores"], card["rows"], card["columns"]), (TINY, 4, 2, 2))
        self.assertLess(card["memory_free_bytes"], card["memory_bytes"])
        self.assertEqual(self.run_json("list")["cards"][0]["name"], card["name"])
        text, progress = self.run_swai("info")
        self.assertIn("4: 1 group of 2 x 2", text)
        self.assertIn("starts a simulated card (tiny", progress)
        header, row = self.run_swai("--quiet", "list")[0].splitlines()
        self.assertEqual(header.index("name"), row.index("SWAI tiny"))

    def test_no_card(self):
        # Each waits some seconds for a card that may be starting.
        with concurrent.futures.ThreadPoolExecutor() as pool:
            told = [pool.submit(self.run_swai, "--card", "/nothing", command, code=3) for command in ("info", "reset")]
            error = pool.submit(self.run_json, "info", "--card", "/nothing", code=3).result()
        for command in told:
            self.assertIn("no such socket", command.result()[1])
        self.assertIn("no such socket", error["error"])
        self.assertEqual(error["exit_code"], 3)
        self.forget_card()
        self.environment["TMPDIR"] = "/proc"
        self.assertIn("TMPDIR", self.run_swai("info", code=3)[1])

    def test_a_card_that_runs(self):
        self.assertEqual(self.run_swai("reset")[0], f"{shared.socket}: reset\n")
        self.assertEqual(self.run_json("reset")["cards"], [shared.socket])
        text, progress = self.run_swai("list")
        self.assertIn("SWAI tiny", text)
        self.assertEqual(progress, "", "a card was started although there is one")
        self.assertIn("somebody listens", self.run_swai("doctor")[0])
        # Exec passes it on.
        self.assertEqual(self.run_swai("exec", "sh", "-c", "echo $SWAI_CARD")[0], shared.socket + "\n")
        # One client at a time; whoever comes then is told.
        hangs = subprocess.Popen(self.command("--quiet", *HANGS), stderr=subprocess.DEVNULL, env=self.environment)
        self.wait_for_client(shared.socket, hangs)
        self.assertIn("has a client already", self.run_swai("list", code=3)[1])
        hangs.kill()
        hangs.wait()
        self.assertIn("SWAI tiny", self.run_swai("list")[0])
        self.forget_card()
        self.assertIn("which card?", self.run_swai("reset", code=2)[1])


class Run(CardTest):
    def test_copies(self):
        target = self.folder / "copied"
        words = ["run", MODULES / "copy.elf", "--args", "buf:4096", "buf:4096:index", "4096", "0"]
        report = self.run_json(*words, "--dump", f"0:{target}", "--repeat", "3")
        self.assertEqual(target.read_bytes(), b"".join(i.to_bytes(4, "little") for i in range(1024)))
        self.assertEqual(len(report["ns"]), 3)
        self.assertTrue(all(300 < time < 100_000 for time in report["ns"]), report)

    def module_of(self, text):
        source = self.folder / "kernel.cpp"
        source.write_text('#include "swai/cpe.hpp"\nusing namespace swai::cpe;\n' + text)
        self.run_swai("cc", source, "-o", source.with_suffix(".elf"))
        return source.with_suffix(".elf")

    def test_arguments_have_types(self):
        module = self.module_of(
            "enum class Mode : uint8_t { kOne = 1 };\n"
            "__global__ void put(GlobalPtr<uint32_t> to, uint8_t a, float b, int8_t c, Mode mode, double d, bool e) {\n"
            "  if (rank() != 0) return;\n  Window<uint32_t> out(to);\n  out[0] = a;\n"
            "  out[1] = __builtin_bit_cast(uint32_t, b);\n  out[2] = static_cast<uint32_t>(c);\n"
            "  out[3] = uint32_t(mode) + (e ? 16 : 0);\n  out[4] = __builtin_bit_cast(uint64_t, d) >> 32;\n}\n"
        )
        listed = "GlobalPtr<uint32_t> to, uint8_t a, float b, int8_t c, Mode mode, double d, bool e"
        self.assertIn(listed, self.run_swai("run", module, "--list")[0])
        (kernel,) = self.run_json("run", module, "--list")["kernels"]
        self.assertEqual(kernel["arguments"][2], {"name": "b", "type": "float", "offset": 12, "bytes": 4})
        run = ["--quiet", "run", module, "--args"]
        words = subprocess.run(
            self.command(*run, "buf:20", "200", "2", "-128", "1", "-1e300", "true", "--dump", "0:-"),
            capture_output=True, timeout=LIMIT, env=self.environment, check=True,
        ).stdout  # fmt: skip
        self.assertEqual(words, struct.pack("<IfiII", 200, 2.0, -128, 17, struct.unpack("<2I", struct.pack("<d", -1e300))[1]))
        good = ["buf:20", "200", "2", "-128", "1", "2.5", "0"]
        for index, text, message in (
            (0, "-1", "argument 1 (GlobalPtr<uint32_t> to): '-1' is not a number from 0 to 18446744073709551615, or buf:BYTES"),
            (1, "256", "argument 2 (uint8_t a): '256' is not a number from 0 to 255"),
            (1, "2.5", "'2.5' is not a number from 0 to 255"),
            (1, "buf:8", "argument 2 (uint8_t a) is a number, not memory"),
            (2, "1e99", "argument 3 (float b): '1e99' is not a real number of 32 bits"),
            (2, "2x", "'2x' is not a real number"),
            (3, "300", "argument 4 (int8_t c): '300' is not a number from -128 to 127"),
            (3, "-129", "'-129' is not a number from -128 to 127"),
            (4, "-1", "argument 5 (Mode mode): '-1' is not a number from 0 to 255"),
            (6, "2", "argument 7 (bool e): '2' is not a number from 0 to 1"),
        ):
            wrong = [*good[:index], text, *good[index + 1 :]]
            self.assertIn(message, self.run_swai(*run, *wrong, code=2)[1])
        self.assertIn(f"takes 7 arguments, not 1: {listed}", self.run_swai(*run, "1", code=2)[1])
        self.assertIn("has standard output for itself", self.run_swai("--json", *run, *good, "--dump", "0:-", code=2)[1])
        # Without the compiler's table sizes are known, of values; of a structure nothing but its size.
        subprocess.run(["riscv64-unknown-elf-strip", module], check=True)
        self.assertIn("8 bytes, 1 bytes, 4 bytes, 1 bytes", self.run_swai("run", module, "--list")[0])
        self.assertIn("'300' is not a number from -128 to 255", self.run_swai(*run, *good[:3], "300", *good[4:], code=2)[1])

    def test_members_of_a_structure(self):
        copy = MODULES / "copy.elf"
        names = "GlobalPtr<void> to, GlobalPtr<const void> from, uint32_t bytes, uint32_t reserved"
        self.assertIn(names, self.run_swai("run", copy, "--list")[0])
        words = ["--quiet", "run", copy, "--args", "buf:8K", "buf:8K:index"]
        self.run_swai(*words, "8192", "0", "--dump", f"0:{self.folder}/out")
        self.assertEqual((self.folder / "out").read_bytes()[-4:], (2047).to_bytes(4, "little"))
        self.assertIn("argument 3 (uint32_t bytes): '-1' is not", self.run_swai(*words, "-1", "0", code=2)[1])
        stripped = self.folder / "stripped.elf"
        subprocess.run(["riscv64-unknown-elf-strip", "-o", stripped, copy], check=True)
        self.assertIn("a structure", self.run_swai("run", stripped, "--list")[0])
        self.assertIn("a structure of 24 bytes, not 8", self.run_swai("run", stripped, "--args", "buf:8", code=2)[1])

    def test_grids(self):
        added = self.folder / "added"
        numbers = ["--args", "buf:1000:0x40", "buf:1000:0x40", "buf:1000", "250"]
        self.run_swai("run", ADDS, "--grid", "4", "--block", "64", *numbers, "--dump", f"2:{added}")
        self.assertEqual(struct.unpack("<250f", added.read_bytes()), (2 * struct.unpack("<f", b"@@@@")[0],) * 250)
        sums = self.folder / "sums"
        words = ["--grid", "2", "--block", "128", "--args", "buf:2K:index", "buf:8", "512", "--dump", f"1:{sums}"]
        self.run_swai("run", REDUCES, "--shared", "512", *words)
        self.assertEqual(struct.unpack("<2I", sums.read_bytes()), (sum(range(256)), sum(range(256, 512))))
        self.assertRegex(self.run_swai("run", ADDS, "--list")[0], r"vectorAdd +64 +up to 1024 +GlobalPtr<const float> A, ")
        (kernel,) = self.run_json("run", ADDS, "--list")["kernels"]
        self.assertEqual(kernel["max_threads_per_block"], 1024)
        (kernel,) = self.run_json("run", MODULES / "copy.elf", "--list")["kernels"]
        self.assertIsNone(kernel["max_threads_per_block"])

    def test_bad_input_needs_no_card(self):
        self.forget_card()
        adds = ["--args", "buf:8", "buf:8", "buf:8", "2"]
        copies = ["--args", "buf:64", "buf:64", "64", "0"]
        for words, message in (
            (["/nothing"], "cannot read"),
            ([SWAI], "ELF"),
            ([MODULES / "faults.elf"], "--kernel is needed"),
            ([MODULES / "copy.elf", "--kernel", "x"], "it has: copy"),
            ([MODULES / "copy.elf"], "takes 4 arguments, not 0"),
            ([MODULES / "copy.elf", "--args", "buf:8", "buf:8", "1x", "0"], "not a number"),
            ([MODULES / "copy.elf", "--args", "buf:=/nothing", "buf:8", "0", "0"], "cannot read"),
            ([MODULES / "copy.elf", "--args", "buf:64", "buf:64", "64", "0", "--dump", "2:x"], "there are 2 buffers"),
            ([MODULES / "copy.elf", "--repeat", "0"], "--repeat"),
            ([ADDS, *adds], "vectorAdd runs once for each thread of a grid: give --grid (blocks) and --block (threads"),
            ([ADDS, "--grid", "4", *adds], "give --grid (blocks) and --block"),
            ([ADDS, "--grid", "4,x", "--block", "1", *adds], "--grid 4,x: 'x' is not a number"),
            ([ADDS, "--grid", "4", "--block", "1025", *adds], "a block of 1025 x 1 x 1 threads; 1024 are the most"),
            ([ADDS, "--grid", "4", "--block", "64", "--shared", "1M", *adds], "bytes of local memory are to be shared, where"),
            ([MODULES / "copy.elf", "--grid", "4", "--block", "64", *copies], "has no threads, every core runs it once"),
        ):
            _, error = self.run_swai("run", *words, code=2)
            self.assertIn(message, error)
            self.assertNotIn("starts a simulated card", error)

    def test_failures(self):
        faults = ["--quiet", "run", MODULES / "faults.elf", "--kernel"]
        error = self.run_swai(*faults, "misaligned", "--args", "buf:64", "3", "0", code=1)[1]
        self.assertIn(f"misaligned, {self.line_of('lw %0, 0(%1)')}, failed on core 3 of group 0: misaligned access", error)
        words = self.run_swai(*faults, "assertion", "--args", "buf:64", "3", "1", code=1)[1]
        self.assertIn("sdaaErrorAssert", words)
        why = 'assertion failed: value == 0 && "by \\"100 %\\""'
        line = self.line_of("assert(value == 0")
        self.assertIn(f"assertion, {line}, failed on core 3 of group 0: {why} (sdaaErrorAssert)", words)
        fault = self.run_json("fault", "--module", MODULES / "faults.elf", code=1)["cards"][0]["records"][-1]
        self.assertEqual((fault["place"], fault["why"]), (f"assertion, {line}", why))
        deep = ["--quiet", "run", MODULES / "stack.elf", "--kernel", "recursion", "--mask", "1", "--args", "buf:64"]
        self.run_swai(*deep, "20")
        overflow = self.run_swai(*deep, "200", code=1)[1]
        self.assertRegex(overflow, r"recursion, verif/kit/faulty/stack.cpp:\d+, failed on core 0 of group 0: "
                                   r"stack overflow in \{anonymous\}::deepest ")
        hang = self.run_swai("--quiet", *HANGS, "--limit", "5000", code=1)[1]
        self.assertIn("sdaaErrorLaunchTimeOut", hang)
        self.assertIn(f"endless_loop, {self.line_of('for (;;)')}, ran too long", hang)
        stuck = self.run_swai(*faults, "deadlock_sync", "--args", "buf:64", "3", "0", code=1)[1]
        self.assertIn("sdaaErrorLaunchFailure", stuck)
        self.assertIn(f"deadlock_sync, {self.line_of('sync();')}, can never end and was stopped", stuck)
        self.assertIn("core 3 of group 0 waits to synchronise with all CPEs; missing: 0-2", stuck)
        # The same from the journal.
        fault = self.run_json("fault", "--module", MODULES / "faults.elf", code=1)["cards"][0]["records"][-1]
        self.assertIn("kernel stuck: core 3 of group 0 waits to synchronise with all CPEs", fault["text"])

    def test_prints(self):
        """Core after core, on standard output if that is free; also what was printed before a core stopped."""
        lines = ["--quiet", "run", MODULES / "print.elf", "--kernel", "lines", "--mask", "0x6", "--args", "2"]
        expected = "".join(f"core {core}: line {line} of 2\n" for core in (1, 2) for line in (0, 1))
        self.assertTrue(self.run_swai(*lines)[0].startswith(expected + "lines: done in "))
        output, error = self.run_swai("--json", *lines)
        self.assertEqual((json.loads(output)["kernel"], error), ("lines", expected))
        twice = self.run_swai(*lines[:-1], "300", "--repeat", "2")[0].splitlines()
        for core in (1, 2):
            self.assertEqual(twice.count(f"core {core}: line 255 of 300"), 2)
            self.assertEqual(twice.count(f"core {core}: 44 more lines are lost, for want of room"), 2)
        stops = self.run_swai(*lines[:4], "stops", "--args", "3", code=1)
        self.assertEqual(stops[0], "".join(f"core {core}: before\n" for core in range(4)))
        self.assertIn("failed on core 3 of group 0: breakpoint", stops[1])

    def test_limit_of_launches(self):
        self.environment["SWAI_LAUNCH_LIMIT"] = "20000"
        hang = self.run_swai("--quiet", *HANGS, code=1)[1]
        self.assertIn("ran too long", hang)
        self.environment["SWAI_LAUNCH_LIMIT"] = "2 seconds"
        self.assertIn("SWAI_LAUNCH_LIMIT=2 seconds: a number of cycles", self.run_swai("--quiet", *HANGS, code=2)[1])

    def test_runs_that_are_refused(self):
        words = ["run", MODULES / "copy.elf", "--args", "buf:64", "buf:64", "64", "0", "--dump", f"0:{self.folder}/no/file"]
        self.assertIn("cannot write", self.run_swai(*words, code=2)[1])
        bad_mask = ["run", MODULES / "copy.elf", "--args", "buf:64", "buf:64", "64", "0", "--mask", "0x10"]
        self.assertIn("core mask", self.run_swai(*bad_mask, code=2)[1])

    def line_of(self, text):
        """The only one, in the kernels that fail."""
        source = "verif/kit/faulty/faults.cpp"
        (line,) = [number for number, line in enumerate(pathlib.Path(source).read_text().splitlines(), 1) if text in line]
        return f"{source}:{line}"

    def test_memory_check(self):
        """A kernel that writes behind its buffer, where the segment does not end: nobody notices but the check."""
        words = ["--quiet", "run", MODULES / "memset.elf", "--args", "buf:4096"]
        self.run_swai(*words, "4160", "7")
        self.environment["SWAI_MEMORY_CHECK"] = "1"
        self.run_swai(*words, "4096", "7")
        error = self.run_swai(*words, "4160", "7", code=1)[1]
        # The functional model checks each access; in RTL a zone around the buffer shows what was written.
        told = (r"memory that is not allocated, 0 bytes after the end of allocation 1 of .*: 4096 bytes at" if FAST else
                r"4096 bytes at 0x[0-9a-f]+ for cores; 64 bytes behind it were written, the first 0 bytes away")
        self.assertRegex(error, told)
        self.assertEqual("accesses of kernels are not checked" in error, not FAST, error)

    def test_interrupted(self):
        self.forget_card()
        # As it begins, while its card boots, while it uses the card.
        for when, number in (("begins", signal.SIGINT), ("boots", signal.SIGINT), ("computes", signal.SIGTERM)):
            process = subprocess.Popen(self.command(*HANGS), stderr=subprocess.PIPE, text=True, env=self.environment)
            while when == "begins" and process.poll() is None and not self.minds(process, number):
                time.sleep(0.01)
            while when == "boots" and process.poll() is None and not self.cards():
                time.sleep(0.05)
            if when == "computes":
                self.wait_for_client(str(self.folder), process)
            process.send_signal(number)
            _, error = process.communicate(timeout=LIMIT)
            self.assertEqual(process.returncode, 128 + number, error)
            self.assertNotIn("lost", error)
            self.assertEqual(list(self.folder.glob("swai-*")), [])
            self.assertEqual(self.cards(), [])

    def minds(self, process, number):
        """Whether it waits for this signal, which would end it before."""
        status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
        return int(re.search(r"SigBlk:\s*(\w+)", status)[1], 16) >> (number - 1) & 1

    def test_killed(self):
        self.forget_card()
        process = subprocess.Popen(self.command(*HANGS), stderr=subprocess.DEVNULL, env=self.environment)
        end = time.monotonic() + LIMIT
        while not self.cards() and time.monotonic() < end:
            time.sleep(0.05)
        process.kill()
        process.wait()
        while self.cards() and time.monotonic() < end:
            time.sleep(0.05)
        self.assertEqual(self.cards(), [], "a card has outlived its user")

    def cards(self):
        """Command lines of cards that were started for this test."""
        found = []
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                line = (process / "cmdline").read_bytes().decode(errors="replace")
            except OSError:
                continue
            if "swai-card" in line and str(self.folder) in line:
                found.append(line)
        return found


class Rest(CardTest):
    def test_copy_test(self):
        copies = self.run_json("copy-test", "--size", "4K", "--size", "20000")["copies"]
        self.assertEqual(len(copies), 10)
        for copy in copies:
            self.assertTrue(copy["same"])
            self.assertLess(copy["bytes_per_ns"], 33, copy)
            self.assertGreater(copy["bytes_per_ns"], 0.5, copy)
        self.assertIn("--kind", self.run_swai("copy-test", "--kind", "up", code=2)[1])
        self.assertIn("--size", self.run_swai("copy-test", "--size", "0", code=2)[1])

    def test_log_and_faults(self):
        self.forget_card()
        self.assertEqual(self.run_swai("--quiet", "fault")[0], "no faults\n")
        (card,) = self.run_json("fault")["cards"]
        self.assertEqual((card["card"], card["records"], card["firmware"]), (0, [], None))
        # The journal is the card's: it stays when the program that failed has gone.
        misaligned = f"{SWAI} run {MODULES}/faults.elf --kernel misaligned --args buf:64 3 0"
        faults = f"{SWAI} fault --module {MODULES}/faults.elf"
        text, hints = self.run_swai("exec", "sh", "-c", f"{misaligned}; {faults} --json; {SWAI} fault && exit 9; {SWAI} log")
        report, end = json.JSONDecoder().raw_decode(text)
        (record,) = report["cards"][0]["records"]
        self.assertEqual((record["group"], record["core"], record["address"]), (0, 3, 0x10000001))
        self.assertRegex(record["place"], r"^misaligned, verif/kit/faulty/faults.cpp:\d+$")
        faults, log = text[end:].strip().split("\n", 1)
        self.assertIn("core 3 of group 0: misaligned access", faults)
        self.assertIn("--module FILE, with the module of the kernel", hints)
        self.assertRegex(log, r"(?m)^ *\d+  info     serving the host")

    def test_dump(self):
        source = self.folder / "state.json"
        faults = f"{SWAI} --quiet run {MODULES}/faults.elf --kernel misaligned --args buf:64 3 0"
        good = f"{SWAI} --quiet run {MODULES}/copy.elf --args buf:64 buf:64 64 0"  # what the card has told is some microseconds old
        memory = f"{SWAI} --quiet dump memory 0x8010000000"
        self.forget_card()
        script = f"{faults}; {good} && {SWAI} dump state -o {source} && {memory} 64K -o {self.folder}/bytes"
        self.run_swai("--quiet", "exec", "sh", "-c", script)
        self.assertEqual((self.folder / "bytes").stat().st_size, 65536)
        (card,) = json.loads(source.read_text())["cards"]
        self.assertTrue(card["firmware"]["serves"])
        self.assertIn("misaligned access", card["faults"]["records"][0]["text"])
        self.assertEqual(card["telemetry"]["launches_failed"], 1)
        self.assertIsNone(card["firmware_fault"])
        self.assertIn("packets_in", card["registers"]["pcie"])
        self.environment["SWAI_CARD"] = shared.socket
        self.assertEqual(len(self.run_json("dump", "memory", "0x8010000000", "20")["hex"]), 40)
        self.assertIn("kernel's own", self.run_swai("dump", "memory", "0x8000000000", "64", code=2)[1])
        self.assertIn("has memory from", self.run_swai("dump", "memory", "16", "64", code=2)[1])
        self.assertIn("there is one card", self.run_swai("dump", "memory", "0x8010000000", "64", "--number", "1", code=2)[1])

    @on_rtl("the fast tier's processor sleeps on when it is sent elsewhere")
    def test_firmware_that_has_ended(self):
        """What can be learned of it, by those who use nothing but the link; what the others say; and how it comes back."""
        self.forget_card()
        source = self.folder / "state.json"
        looks = (f"dump state -o {source}", "--json fault", "log", "info", "run " + " ".join(map(str, COPY)), "reset", "list")
        commands = "; ".join(f"{SWAI} --quiet {look} 2>&1; echo \"= $?\"" for look in looks)
        text, _ = self.run_swai("--quiet", "exec", "sh", "-c", f"{END_FIRMWARE} $SWAI_CARD && {{ {commands}; }}")
        said = re.findall(r"(?s)(.*?)= (\d+)\n", text)
        self.assertEqual([int(code) for _, code in said], [0, 1, 0, 4, 4, 0, 0], text)
        (card,) = json.loads(source.read_text())["cards"]
        self.assertEqual((card["firmware"]["serves"], card["firmware"]["ended"]), (False, True))
        self.assertRegex(card["firmware_fault"]["text"], "^unexpected exception, pc 0x40")
        self.assertIn("serving the host", [line["text"] for line in card["log"]["records"]])
        self.assertEqual(card["faults"]["records"], [])
        self.assertGreater(card["telemetry"]["uptime"], 0)
        self.assertEqual(card["clients"], [])
        self.assertIn("boot_status", card["registers"]["pcie"])
        (card,) = json.loads(said[1][0])["cards"]
        self.assertEqual(card["firmware"]["pc"], 0x40)
        self.assertIn("serving the host", said[2][0])
        for text, _ in said[3:5]:
            self.assertIn("the card's firmware has ended: unexpected exception, pc 0x40", text)
            self.assertIn("swai reset", text)
        self.assertIn("SWAI tiny", said[6][0])

    def bench(self, *words, **how):
        """The figures, with pictures of all that there is."""
        pictures = self.folder / "pictures"
        figures = self.run_json("bench", "sdaa", *words, "--svg", pictures, **how)["figures"]
        for figure in figures:
            for series in figure["series"]:
                for point in series["points"]:
                    self.assertGreater(point["ns"], 0, (figure["figure"], series))
                    self.assertLess(point.get("bytes_per_ns", 0), 64, (figure["figure"], series))
            self.assertFalse([note for note in figure["notes"] if "not measured" in note])
            drawn = pictures / f"figure-{figure['figure']}.svg"
            self.assertEqual(picture.faults(drawn) + picture.missing(drawn, figure), [])
        return {figure["figure"]: [[point["ns"] for point in one["points"]] for one in figure["series"]] for figure in figures}

    @on_rtl("times mean nothing on the fast tier")
    def test_bench(self):
        words = [word for number in (9, 10, 11, 12) for word in ("--figure", number)]
        figures = self.bench(*words, "--sizes", "1K", "--sizes", "1M")
        self.assertEqual(list(figures), [9, 10, 11, 12])
        # The slow ways are slower.
        _, _, _, small_pages, large_pages = figures[9]
        self.assertGreater(small_pages[1], 1.2 * large_pages[1])
        self.assertGreater(figures[10][1][1], 1.5 * figures[10][0][1])
        self.assertGreater(figures[12][5][1], figures[12][0][1])
        text = self.run_swai("bench", "sdaa", "--figure", "11", "--sizes", "1K")[0]
        self.assertIn("the card's choice", text)
        self.assertIn("--figure", self.run_swai("bench", "sdaa", "--figure", "7", code=2)[1])

    @on_rtl("times mean nothing on the fast tier")
    def test_bench_on_the_processor(self):
        """Figures for which the card runs firmware that measures."""
        figures = self.bench("--figure", 8, "--figure", 13, limit=5 * LIMIT)
        # The C library's allocator is the slower one in a heap that was used, where much is asked for.
        self.assertEqual([len(times) for times in figures[8]], [7] * 4)
        self.assertTrue(all(ours < libc for ours, libc in zip(figures[8][2][2:], figures[8][3][2:])), figures[8])
        whole, _, _, on_card, link, fast, classic = (times[0] for times in figures[13])
        self.assertAlmostEqual(whole, on_card + link, delta=1)
        self.assertGreater(classic, 2 * fast)

    def test_exec(self):
        self.forget_card()
        self.run_swai("--quiet", "exec", "sh", "-c", "test -S $SWAI_CARD && exit 7", code=7)
        self.run_swai("--quiet", "exec", "sh", "-c", "kill -9 $$", code=137)
        self.assertEqual(self.run_swai("--quiet", "exec", "--folder", "/", "pwd")[0], "/\n")
        # Programs that know nothing of where the library lies find it, behind what they find already.
        self.environment["LD_LIBRARY_PATH"] = "/first"
        self.assertEqual(self.run_swai("--quiet", "exec", "sh", "-c", "echo $LD_LIBRARY_PATH")[0], f"/first:{pathlib.Path(SWAI).parent}\n")
        for words in (["--"], [], ["--folder", "/", "--"]):
            self.assertEqual(self.run_swai("--quiet", "exec", *words, "echo", "a", "--", "x")[0], "a -- x\n")
        for words in ((), ("--",)):
            self.assertIn("PROGRAM", self.run_swai("exec", *words, code=2)[1])
        self.assertIn("No such file", self.run_swai("--quiet", "exec", "/nothing", code=2)[1])

    @on_rtl("the fast tier writes no trace")
    def test_trace(self):
        self.forget_card()
        full = self.run_swai("--quiet", "trace", "/dev/full", SWAI, "copy-test", "--size", "4K", "--kind", "to-card", code=2)[1]
        self.assertIn("records are missing in /dev/full, which cannot be written", full)
        trace = self.folder / "t.pftrace"
        # The previous file stays if the new one does not fit on the disk.
        trace.write_text("before")
        part = self.folder / "t.pftrace.part"
        part.symlink_to("/dev/full")
        self.assertIn("the trace is incomplete", self.run_swai("--quiet", "trace", trace, SWAI, "copy-test", "--size", "4K", "--kind", "to-card", code=2)[1])
        self.assertEqual(([*self.folder.iterdir()], trace.read_text()), ([trace], "before"))
        # A link stays one.
        link = self.folder / "link"
        link.symlink_to(trace)
        self.run_swai("--quiet", "trace", link, SWAI, "copy-test", "--size", "4K", "--kind", "to-card")
        self.assertTrue(link.is_symlink())
        # Which slice of which track: the copy went through a DMA channel.
        tracks = {part.track.name for part in perfetto.read(trace).slices}
        self.assertIn("DMA 0", tracks)
        self.assertIn("there is no launch in it", self.run_swai("trace", "--summary", trace, code=2)[1])
        self.assertIn("this is no trace", self.run_swai("trace", "--summary", SWAI, code=2)[1])
        self.assertIn("PROGRAM", self.run_swai("trace", trace, code=2)[1])
        self.assertIn("--events", self.run_swai("--card", "x", "trace", trace, "true", code=2)[1])

    @on_rtl("the fast tier writes no trace")
    def test_summary(self):
        """Launches have their kernels' names, and are taken apart."""
        self.forget_card()
        trace = self.folder / "copy.pftrace"
        kernel = [SWAI, "run", MODULES / "copy.elf", "--args", "buf:65536", "buf:65536", "65536", "0"]
        self.assertIn("launch", self.run_swai("--quiet", "trace", "--summary", trace, *kernel)[0])
        whole = self.run_json("trace", "--summary", trace)
        read = perfetto.read(trace)
        launches = [item for item in read.on(read.slices, "group 0") if item.name == "copy"]
        self.assertEqual(len(launches), 1)
        # The firmware's own, too: memory is cleared before somebody has it.
        self.assertEqual({one["kernel"] for one in whole["launches"]}, {"copy", "clearing memory"})
        # The boot is not there: the program begins.
        self.assertLess(launches[0].begin, 300_000)
        (copy,) = [one for one in whole["launches"] if one["kernel"] == "copy"]
        self.assertEqual((copy["begin"], copy["cycles"]), (launches[0].begin, launches[0].end - launches[0].begin))
        self.assertEqual(copy["cores"], 4)
        self.assertEqual(copy["roofline"]["unit"], "DMA")
        # Each line is read and written once.
        self.assertAlmostEqual(copy["roofline"]["share"], 2 * 65536 / 64 / copy["cycles"])
        core = {what: share for what, share in copy["core"].items() if what != "while it runs"}
        self.assertAlmostEqual(sum(core.values()), 1)
        self.assertAlmostEqual(sum(copy["core"]["while it runs"].values()), core["runs"], delta=0.02)
        self.assertGreater(core["waits for DMA"], 0.2)
        idle = copy["units"]["DMA"]["idle while the core"]
        self.assertAlmostEqual(sum(idle.values()) + copy["units"]["DMA"]["busy"], 1)
        text = self.run_swai("trace", "--summary", trace)[0]
        self.assertEqual(text.split("\n")[0].split(), ["kernel", "group", "launch", "begins", "cycles", "cores", "roofline", "of"])
        self.assertIn("the roof is the memory", text)
        self.assertIn("waits for DMA", text)

    def test_doctor(self):
        self.forget_card()
        self.assertTrue(self.run_json("doctor")["healthy"])
        self.environment["PATH"] = "/nowhere"
        report = self.run_json("doctor", code=1)
        bad = [check for check in report["checks"] if not check["good"]]
        self.assertEqual([check["what"] for check in bad], ["kernel compiler", "python, for the driver"])
        self.assertIn("apt install", bad[0]["cure"])
        text, _ = self.run_swai("--card", f"/nothing,{MODULES}", "doctor", code=1)
        self.assertIn("start one: swai-card", text)
        self.assertIn("not a socket", text)

    def test_usage(self):
        self.assertIn("no command 'bogus'", self.run_swai("bogus", code=2)[1])
        self.assertIn("subcommand is required", self.run_swai(code=2)[1])
        self.assertIn("--bogus", self.run_swai("info", "--bogus", code=2)[1])
        self.assertIn("SHELL", self.run_swai("completion", "tcsh", code=2)[1])
        self.assertRegex(self.run_swai("--version")[0], r"^swai ")
        for words in ([], ["run"], ["job", "submit"]):
            self.assertEqual(self.run_swai("help", *words)[0], self.run_swai(*words, "--help")[0])
        self.assertIn("there is no command 'rnu' (did you mean 'run'?)", self.run_swai("help", "rnu", code=2)[1])

    def test_graph_run(self):
        """A graph becomes a list that the card walks in one launch; what comes out is right."""
        text, given, result = (self.folder / name for name in ("sum.graph", "x.bin", "y.bin"))
        text.write_text(
            "graph sum\nsize n in 1 .. 9\ninput x: f32[n, 40]\nweight w: f32[40]\noutput y: f32[n, 40]\n"
            "s = add(x, x)\nt = gelu(s)\ny = rms_norm(t, w, epsilon: 0.5)\n"
        )
        x = [[(row * 40 + column) / 100 - 1 for column in range(40)] for row in range(3)]
        given.write_bytes(struct.pack("<120f", *(number for row in x for number in row)))
        ones = self.folder / "w.bin"
        ones.write_bytes(struct.pack("<40f", *[2.0] * 40))
        run = ["graph", "run", text, "--set", "n=3", "--in", f"x={given}", f"w={ones}", "--out", f"y={result}"]
        told = json.loads(self.run_swai(*run, "--json")[0])
        self.assertEqual((told["nodes"], told["launches"]), (3, 1))
        y = struct.unpack("<120f", result.read_bytes())
        for row in range(3):
            t = [v * (1 + math.erf(2 * v / math.sqrt(2))) for v in x[row]]
            by = math.sqrt(sum(v * v for v in t) / 40 + 0.5)
            for column in range(40):
                self.assertAlmostEqual(y[row * 40 + column], 2 * t[column] / by, delta=1e-5)
        for words, message in (
            (run[:3], "size n is open: give --set n=N, from 1 to 9"),
            ([*run[:3], "--set", "n=10"], "size n is 10; it goes from 1 to 9"),
            ([*run[:3], "--set", "n=3"], "nothing is in x, w: give files with --in x=FILE, or --seed N"),
            ([*run[:3], "--set", "n=2", *run[5:]], f"{given} has 480 bytes; x takes 320"),
            ([*run, "--out", "s=/dev/null"], "--out s: no output or state has that name"),
            (["graph", "run", "examples/graphs/encoder.graph", "--set", "rows=3", "--seed", "1", "--set", "m=1"], "no such size"),
        ):
            self.assertIn(message, self.run_swai(*words, code=2)[1])

    def test_graph(self):
        """Needs no card; a mistake is told with its place."""
        self.forget_card()
        decoder = "examples/graphs/decoder.graph"
        self.assertIn("decoder: 34 nodes, 1 input, 38 weights, 4 states, 1 output", self.run_swai("graph", "check", decoder)[0])
        self.assertIn("multiply", self.run_swai("graph", "show", decoder)[0])
        whole = json.loads(self.run_swai("graph", "show", decoder, "--json")[0])
        self.assertEqual([node["operation"] for node in whole["nodes"][:3]], ["embedding", "rms_norm", "quantise"])
        self.assertEqual(whole["symbols"], [{"name": "past", "least": 0, "most": 255}])
        names = [one["name"] for one in json.loads(self.run_swai("graph", "operators", "--json")[0])["operators"]]
        self.assertIn("attention", names)
        wrong = self.folder / "wrong.graph"
        wrong.write_text("graph g\ninput x: f32[4, 8]\ny = gelu(z)\n")
        self.assertIn(f"{wrong}:3:10: no value is named z", self.run_swai("graph", "check", wrong, code=2)[1])
        self.assertIn("cannot read: Is a directory", self.run_swai("graph", "check", "/tmp", code=2)[1])

    def test_graph_compile(self):
        """A template says what is in it, and what has become of it."""
        self.forget_card()
        decoder, template = "examples/graphs/decoder.graph", self.folder / "decoder.template"
        told = json.loads(self.run_swai("graph", "compile", decoder, "-o", template, "--json")[0])
        self.assertEqual((told["name"], told["bytes"]), ("decoder", template.stat().st_size))
        shown = json.loads(self.run_swai("graph", "show", template, "--json")[0])
        self.assertEqual(len(shown["nodes"]), told["nodes"])
        self.assertEqual(shown["symbols"], [{"name": "past", "least": 0, "most": 255}])
        self.assertEqual(shown["nodes"][0]["operator"], "embedding")
        self.assertIn("past", shown["parameters"])
        self.assertIn({"name": "tokens", "kind": "input", "bytes": "4", "most": 4}, shown["memory"])
        self.assertIn("a template of", self.run_swai("graph", "show", template)[0])
        self.assertIn("is a template, which `swai graph show` explains", self.run_swai("graph", "check", template, code=2)[1])
        self.assertIn("that is the graph text itself", self.run_swai("graph", "compile", decoder, "-o", decoder, code=2)[1])
        damaged = bytearray(template.read_bytes())
        damaged[200] ^= 1
        template.write_bytes(damaged)
        self.assertIn("it is damaged: its checksum is wrong", self.run_swai("graph", "show", template, code=2)[1])

    def test_what_cannot_be_read_or_written(self):
        """Found before a card is started, and told in a line."""
        self.forget_card()
        copy = ["run", MODULES / "copy.elf", "--args", "buf:64", "buf:64", "64", "0"]
        for words, message in (
            (["run", "/tmp"], "/tmp: cannot read: Is a directory"),
            (["fault", "--module", "/tmp"], "/tmp: cannot read: Is a directory"),
            ([*copy, "--dump", "0:/tmp"], "/tmp: cannot write: Is a directory"),
            ([*copy, "--dump", "0:/no/file"], "/no/file: cannot write: No such file"),
            ([*copy, "--mask", "zz"], "--mask: 'zz' is not a number"),
            ([*copy[:3], "buf:99G", *copy[4:]], "'99G' is not a number of bytes up to 4294967296 (4096, 4K, 1M, 1G)"),
            (["dump", "state", "-o", "/no/file"], "/no/file: cannot write"),
            (["trace", "/no/file", "true"], "/no/file: cannot write"),
            (["exec", "no-such-program"], "no-such-program: there is no such program in PATH"),
            (["exec", "./no-such-program"], "./no-such-program: No such file"),
            (["exec", "--folder", "/", "./tmp"], "./tmp: Permission denied"),
            (["log", "--number", "7"], "--number 7: there is one card, 0"),
            (["fault", "--number", "1"], "--number 1: there is one card, 0"),
            (["--card", ",", "list"], "names no socket"),
        ):
            _, error = self.run_swai(*words, code=2)
            self.assertIn(message, error)
            self.assertEqual(len(error.splitlines()), 1, error)
        self.environment["TMPDIR"] = "/nowhere"
        self.assertIn("set TMPDIR", self.run_swai("info", code=3)[1])

    def test_no_room_for_a_card(self):
        """The folder is named, not the image that has no place in it."""
        self.forget_card()

        def small():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))

        done = subprocess.run(self.command("info"), capture_output=True, text=True, env=self.environment, preexec_fn=small, timeout=LIMIT)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertRegex(done.stderr, rf"no card can be started in {self.folder}/swai-card-\w+: .*; set TMPDIR")
        self.assertEqual(list(self.folder.glob("swai-*")), [])

    def test_no_room_for_a_file(self):
        """The previous file stays, and no partial file is left."""
        dumped = self.folder / "bytes"
        dumped.write_bytes(b"before")
        # The same through a link.
        link = self.folder / "link"
        link.symlink_to(dumped)
        for name in ("bytes", "link", "new"):
            error = self.run_swai("--quiet", "dump", "memory", "0x8010000000", "64K", "-o", self.folder / name, code=2, fsize=4096)[1]
            self.assertIn("cannot be written: File too large", error)
            self.assertEqual((dumped.read_bytes(), sorted(self.folder.iterdir())), (b"before", [dumped, link]))
        self.run_swai("--quiet", "dump", "memory", "0x8010000000", "64K", "-o", link)
        self.assertEqual((link.is_symlink(), dumped.stat().st_size), (True, 65536))
        self.assertEqual(len(self.run_swai("--quiet", "dump", "state", "-o", "/dev/stdout")[0].splitlines()[0]), 1)

    def test_names_of_strangers(self):
        """Names of files are printed without control characters."""
        for words in (["model", "info", "\x1b[31m\u009b"], ["run", "\x1b[31m\u009b"], ["dump", "state", "-o", "/no/\x1b[31m\u009b"], ["bench", "\x1b[31m\u009b"]):
            output, error = self.run_swai(*words, code=2)
            self.assertEqual(output, "")
            self.assertIn("?[31m?", error)
            self.assertNotRegex(error, r"[\x00-\x09\x0b-\x1f\x7f-\x9f]")

    def test_wrong_usage(self):
        """Told for machines, too; with the word that was meant."""
        for words, message in (
            (["inof"], "there is no command 'inof' (did you mean 'info'?); see --help"),
            (["docto"], "(did you mean 'doctor'?)"),
            (["something"], "there is no command 'something'; see --help"),
            (["job", "sumbit", "x"], "there is no command 'sumbit' (did you mean 'submit'?)"),
            (["graph", "ceck"], "(did you mean 'check'?)"),
            (["run"], "MODULE is required"),
            (["info", "--teir", "fast"], "there is no option '--teir' (did you mean '--tier'?); see --help"),
            (["info", "--teir=fast"], "there is no option '--teir' (did you mean '--tier'?); see --help"),
            (["run", "m.elf", "--stream"], "there is no option '--stream'; see --help"),
            (["info", "one", "two"], "'one two' is not expected; see --help"),
        ):
            output, error = self.run_swai(*words, code=2)
            self.assertEqual((output, error), ("", f"swai: {error[6:]}"))
            self.assertIn(message, error)
            report = json.loads(self.run_swai("--json", *words, code=2)[0])
            self.assertEqual((f"swai: {report['error']}\n", report["exit_code"], report["version"]), (error, 2, 2))

    def test_output_that_goes_nowhere(self):
        for words in (["man"], ["--help"], ["--json", "doctor"]):
            with open("/dev/full", "w") as full:
                done = subprocess.run(self.command(*words), stdout=full, stderr=subprocess.PIPE, timeout=LIMIT, env=self.environment)
            self.assertEqual(done.returncode, 2, (words, done.stderr))
        # Who reads has gone: like other programs that end by SIGPIPE.
        reader, writer = os.pipe()
        os.close(reader)
        done = subprocess.run(self.command("man"), stdout=writer, stderr=subprocess.PIPE, timeout=LIMIT, env=self.environment)
        os.close(writer)
        self.assertEqual((done.returncode, done.stderr), (128 + signal.SIGPIPE, b""))

    def test_documentation(self):
        """Parser, help, manual, completion and the page in docs/ have the same commands."""
        commands = re.findall(r"^  (\w[\w-]*) {2,}", self.run_swai("--help")[0].split("Subcommands:")[1], re.M)
        self.assertIn("copy-test", commands)
        manual = self.run_swai("man")[0]
        page = pathlib.Path("docs/use/swai.md").read_text()
        commands = [name for name in commands if not name.isdigit()]
        for name in commands:
            self.assertIn(f".SS swai {name}\n", manual)
            self.assertIn(f"`swai {name}", page)
            if name != "cc":
                self.assertIn("Usage: swai " + name, self.run_swai(name, "--help")[0])
        script = self.run_swai("completion", "bash")[0]
        ask = script + "\nCOMP_WORDS=(swai copy-test --k); COMP_CWORD=2; _swai; echo ${COMPREPLY[@]}\n"
        ask += "COMP_WORDS=(swai do); COMP_CWORD=1; _swai; echo ${COMPREPLY[@]}\n"
        self.assertEqual(subprocess.run(["bash", "-c", ask], capture_output=True, text=True, check=True).stdout, "--kind\ndoctor\n")
        for shell in ("zsh", "fish"):
            self.assertIn("copy-test", self.run_swai("completion", shell)[0])


if __name__ == "__main__":
    unittest.main(verbosity=2)
