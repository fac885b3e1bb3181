#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests cpe-run as its users see it, on the tiny group: results, counters, traces, windows, faults, messages, exit codes.

Run from the repository root. --seed N: what reset leaves open. What a kernel does is compared with iss-cpe-run, which runs the model.
"""

import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest

VARIANT = os.environ.get("SWAI_VARIANT", "fast")
TINY = "build/cpe-run-tiny" if VARIANT == "fast" else f"build/{VARIANT}/cpe-run-tiny"
MODEL = "build/iss-cpe-run"
MODULES = pathlib.Path("build/cpe-kernels")
SEED = "1"
CPES = 4
CORE = ["instructions", "waiting for code", "waiting for local memory", "waiting for the window", "waiting for control, sync",
        "waiting for DMA", "waiting for row channel", "waiting for column channel", "waiting for another unit", "division"]


def run(*arguments, program=TINY):
    command = [program, *map(str, arguments)]
    if program != MODEL and "--seed" not in command:
        command += ["--seed", SEED]
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=1500)


def report(*arguments, program=TINY):
    done = run(*arguments, "--json", "-", program=program)
    return json.loads(done.stdout), done


class CpeRun(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_result_and_cycles(self):
        (self.folder / "in").write_bytes(bytes(i * 7 & 255 for i in range(5000)))
        json_report, done = report(MODULES / "copy.elf", "--args", "buf:5000", f"buf:={self.folder}/in", 5000, 0,
                                   "--dump", f"0:{self.folder}/out")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((self.folder / "out").read_bytes(), (self.folder / "in").read_bytes())
        self.assertTrue(json_report["passed"])
        cycles = json_report["launches"][0]["cycles"]
        self.assertIn(f"copy: done, {cycles} cycles\n", done.stderr)
        again, _ = report(MODULES / "copy.elf", "--args", "buf:5000", f"buf:={self.folder}/in", 5000, 0)
        self.assertEqual(again["launches"][0]["cycles"], cycles)

    def test_later_launches_are_warm(self):
        json_report, _ = report(MODULES / "empty.elf", "--launches", 5)
        cycles = [launch["cycles"] for launch in json_report["launches"]]
        self.assertGreater(cycles[0], 100)  # from memory
        self.assertEqual(len(set(cycles[1:])), 1)
        self.assertLess(cycles[1], 30)

    def test_counters_add_up(self):
        json_report, done = report(MODULES / "broadcast.elf", "--args", "buf:4096", "buf:2048:random", 1024, 1, 3, 0, "--stats",
                                   "--by-cpe")
        model, _ = report(MODULES / "broadcast.elf", "--args", "buf:4096", "buf:2048:random", 1024, 1, 3, 0, "--rows", 2, "--columns", 2,
                          program=MODEL)
        self.assertEqual(done.returncode, 0, done.stderr)
        counters, cycles = json_report["counters"], json_report["launches"][0]["cycles"]
        for cpe in range(CPES):
            awake = sum(counters[name][cpe] for name in CORE)
            # From the launch's offer to its end, and what the daemon does around it.
            self.assertLess(abs(awake + counters["asleep"][cpe] - cycles), 12)
            moved = model["counters"]["row bytes sent"][cpe] + model["counters"]["row bytes received"][cpe]
            self.assertEqual(counters["row channel words"][cpe], moved // 32)
            self.assertEqual(counters["column channel words"][cpe], 0)
            self.assertEqual(counters["instructions"][cpe], model["counters"]["instructions"][cpe] + 2)
            self.assertLessEqual(counters["DMA busy"][cpe], cycles)
        lines = sum(counters["DMA lines"])
        bytes_moved = sum(model["counters"]["DMA bytes loaded"]) + sum(model["counters"]["DMA bytes stored"])
        self.assertEqual(lines, bytes_moved // 64)  # all aligned
        self.assertEqual(json_report["figures"]["DMA, of 64 bytes a cycle"], 100 * lines / cycles)
        self.assertIn("waiting for row channel", done.stderr)
        self.assertEqual(done.stderr.count("\n  DMA lines"), 2)  # in both tables
        self.assertTrue(all(0 <= value <= 100 for name, value in json_report["figures"].items()
                            if not name.startswith(("waited", "CPE"))), json_report["figures"])

    def test_faults_are_those_of_the_model(self):
        for kernel in ["illegal_instruction", "breakpoint", "assertion", "misaligned", "jump_nowhere", "read_nowhere", "beyond_ldm", "store_to_code",
                       "dma_read", "dma_write", "window_read", "window_write", "bad_command", "no_such_unit", "ends_its_launch",
                       "deadlock_channel", "deadlock_sync"]:
            with self.subTest(kernel=kernel):
                # `at`: a null pointer
                arguments = [MODULES / "faults.elf", "--kernel", kernel, "--limit", 5000, "--args", 0, 0, 3, 0]
                mine, done = report(*arguments)
                model, _ = report(*arguments, "--rows", 2, "--columns", 2, program=MODEL)
                self.assertEqual(done.returncode, 1)
                self.assertEqual(mine["faults"], model["faults"], done.stderr)
                self.assertIn(f"  CPE 3: {'waits at' if 'deadlock' in kernel else ''}", done.stderr)

    def test_watchdog(self):
        json_report, done = report(MODULES / "faults.elf", "--kernel", "endless_loop", "--limit", 3000, "--args", "buf:64", 2, 0)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(json_report["ending"], "watchdog")
        self.assertGreaterEqual(json_report["launches"][0]["cycles"], 3000)
        self.assertLess(json_report["launches"][0]["cycles"], 3100)
        self.assertRegex(done.stderr, r"CPE 2: runs at 0x50000[0-9a-f]+ \(endless_loop")

    def test_trace(self):
        """Instructions of each CPE, as the model's, and only those of the window."""
        # Registers hold anything after a reset, and so do what kernels save of them and what local memory holds; the model's are zero.
        arguments = [MODULES / "copy.elf", "--args", "buf:999", "buf:999:random", 999, 0]
        mine, model = self.folder / "mine", self.folder / "model"
        self.assertEqual(run(*arguments, "--trace", mine, "--seed", 0).returncode, 0)
        self.assertEqual(run(*arguments, "--trace", model, "--rows", 2, "--columns", 2, program=MODEL).returncode, 0)

        def by_cpe(lines):
            return {cpe: [line for line in lines if line.split()[0] == str(cpe)] for cpe in range(CPES)}

        lines = mine.read_text().splitlines()
        times = [int(line[:10]) for line in lines]
        self.assertEqual(times, sorted(times))
        here = by_cpe([line[10:].strip() for line in lines])
        there = by_cpe([line.strip() for line in model.read_text().splitlines()])
        for cpe in range(CPES):
            self.assertGreater(len(there[cpe]), 50)
            # The model stops with the launch; here the daemon goes on for an instruction or two.
            self.assertEqual(here[cpe][:len(there[cpe])], there[cpe])
            self.assertLess(len(here[cpe]) - len(there[cpe]), 3)
        first, last = times[len(times) // 3], times[len(times) // 2]
        run(*arguments, "--trace", mine, "--trace-from", first, "--trace-to", last, "--seed", 0)
        self.assertEqual(mine.read_text().splitlines(), [line for line, time in zip(lines, times) if first <= time <= last])

    def test_fault_in_trace(self):
        run(MODULES / "faults.elf", "--kernel", "misaligned", "--args", "buf:64", 1, 0, "--trace", self.folder / "t")
        self.assertEqual([line for line in (self.folder / "t").read_text().splitlines() if line.endswith("fault")][0].split()[1], "1")

    def test_waves(self):
        wave = self.folder / "x.fst"
        done = run(MODULES / "empty.elf", "--wave", wave)
        if VARIANT == "wave":
            self.assertEqual(done.returncode, 0, done.stderr)
            whole = wave.stat().st_size
            run(MODULES / "empty.elf", "--wave", wave, "--wave-from", 400, "--wave-to", 420)
            self.assertLess(wave.stat().st_size, whole)
            self.assertEqual(run(MODULES / "empty.elf", "--wave", "/nonexistent/x.fst").returncode, 2)
        else:
            self.assertEqual(done.returncode, 2)
            self.assertEqual(done.stderr, "cpe-run: this build writes no waves; those in build/wave do\n")
            self.assertEqual(run(MODULES / "empty.elf", "--wave-from", 400).returncode, 2)

    def test_configurations(self):
        done = run("--config", "tiny", MODULES / "empty.elf", "--json", "-", program="build/cpe-run")
        self.assertEqual(json.loads(done.stdout)["mask"], 15, done.stderr)
        done = run("--config", "cg1", MODULES / "empty.elf", "--json", "-")
        self.assertEqual(json.loads(done.stdout)["mask"], 0xffffffff, done.stderr)
        self.assertEqual(run("--config", "huge", MODULES / "empty.elf").returncode, 2)

    def test_bad_input(self):
        """One line that says what is wrong, and exit code 2."""
        def refused(text, *arguments):
            with self.subTest(arguments=arguments):
                done = run(*arguments)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertRegex(done.stderr, text)
                self.assertEqual(done.stdout, "")

        copy, empty = MODULES / "copy.elf", MODULES / "empty.elf"
        data = bytearray(empty.read_bytes())
        card_abi = data.find(b"SWAI-MOD") + 10
        data[card_abi:card_abi + 2] = struct.pack("<H", 2)
        (self.folder / "other.elf").write_bytes(data)
        (self.folder / "text").write_text("hello")
        (self.folder / "short.elf").write_bytes(empty.read_bytes()[:200])
        refused(r"cpe-run: .*missing: ", self.folder / "missing")
        refused(r"cpe-run: .*text: ", self.folder / "text")
        refused(r"cpe-run: .*short.elf: ends too early", self.folder / "short.elf")
        refused(r"cpe-run: .*: made for another version of the card \(0x2\)", self.folder / "other.elf")
        refused(r"cpe-run: .*: undefined symbol: function_that_is_nowhere", MODULES / "undefined.elf")
        refused(r"cpe-run: .*: linked for another part of the address space", MODULES / "daemon.elf")
        refused(r"has no kernel 'nonsense'; it has: empty", empty, "--kernel", "nonsense")
        refused(r"--kernel is needed", MODULES / "faults.elf")
        refused(r"takes 24 bytes of arguments .*, not 0", copy)
        refused(r"takes 0 bytes of arguments .*, not 4", empty, "--args", 1)
        refused(r"cpe-run: .*buf:", copy, "--args", "buf:x", "buf:1", 1, 0)
        refused(r"--mask", empty, "--mask", "0x10")
        refused(r"--limit 4294967296: the watchdog counts to 4294967295", empty, "--limit", 1 << 32)
        refused(r"/nonexistent/t: cannot write", empty, "--trace", "/nonexistent/t")
        refused(r"trace-from", empty, "--trace-from", 1)
        refused(r"nonsense", empty, "--nonsense")
        refused(r"MODULE", )
        self.assertEqual(run("--help").returncode, 0)


if __name__ == "__main__":
    if "--seed" in sys.argv:
        at = sys.argv.index("--seed")
        SEED = sys.argv[at + 1]
        del sys.argv[at:at + 2]
    unittest.main()
