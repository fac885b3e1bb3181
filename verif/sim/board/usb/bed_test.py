#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The bed as libusb and a user see it: devices, drivers, each fault by the name that libusb gives it, options, exit codes.

Run from the repository root. --seed N: what a fault leaves open.
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
LIMIT = 1500  # ends what hangs
SEED = 1
STATUS = "3260"
ID = "ef4014"
GOOD = [14, 0, STATUS + ID, 0]


class Bed(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)
        os.environ["XDG_CONFIG_HOME"] = self.folder.name
        self.flash = self.path / "card.flash"
        self.flash.write_bytes(b"\x00" * (1 << 20))

    def run_bed(self, *arguments, code=0, environment=None):
        result = subprocess.run(
            [BOARD, *arguments], capture_output=True, text=True, timeout=LIMIT, env=os.environ | (environment or {})
        )
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        return result

    def client(self, name, *options, files=None, arguments=()):
        """What a function of client.py says in there."""
        inside = [sys.executable, "verif/sim/board/usb/client.py", name, *arguments]
        report = ["--report", self.path / "report.json"]
        result = self.run_bed("--seed", str(SEED), *report, *options, *(files or [self.flash]), "--", *inside)
        return json.loads(result.stdout)

    def report(self, board=0):
        return json.loads((self.path / "report.json").read_text())["boards"][board]

    # What is there.

    def test_one_board(self):
        (device,) = self.client("listing", "--board", "versa", "--serial", "A1B2")
        self.assertEqual(device["descriptor"], "120100020000004003041060000701020301")
        self.assertEqual(device["texts"], ["Lattice", "Lattice ECP5_5G VERSA Board", "A1B2"])
        self.assertEqual(device["speed"], 3)
        self.assertTrue(self.report()["kernel_driver_attached"])

    def test_what_sysfs_shows(self):
        """What programs that do not use libusb read: lsusb, udev."""
        folder = self.path / "swai" / "boards" / "mine"
        folder.mkdir(parents=True)
        board = json.loads(pathlib.Path("boards/versa/board.json").read_text())
        board["usb"] |= {"vendor": "1209", "product": "ab0f", "strings": {"manufacturer": "W\\e", "product": "Ours"}, "prefix": "Ours"}
        (folder / "board.json").write_text(json.dumps(board))
        command = "cd /sys/bus/usb/devices/1-1 && cat idVendor idProduct manufacturer product serial"
        shown = self.run_bed("--board", "mine", "--serial", "A\\B", self.flash, "--", "sh", "-c", command).stdout
        self.assertEqual(shown.split("\n"), ["1209", "ab0f", "W\\e", "Ours", "A\\B", ""])
        (device,) = self.client("listing", "--board", "mine")
        self.assertEqual(device["descriptor"][16:24], "09120fab")

    def test_several_boards(self):
        files = [self.path / f"{n}.flash" for n in range(3)]
        small = ("--flash-size", "1M")
        listed = self.client("listing", "--board", "ecpix5,icebreaker", "--serial", "X,Y", *small, files=files)
        listed.sort(key=lambda board: board["place"])
        self.assertEqual([board["texts"][2] for board in listed], ["X", "Y", "SWAI0003"])
        self.assertEqual(len({tuple(board["place"]) for board in listed}), 3)
        self.assertEqual([self.report(n)["board"] for n in range(3)], ["ecpix5", "icebreaker", "icebreaker"])
        self.assertEqual([path.stat().st_size for path in files], [1 << 20] * 3)

    # Whose it is.

    def test_kernel_driver(self):
        steps = self.client("driver")
        expected = [1, "BUSY", 0, 0, "NOT_FOUND", 0, "BUSY", 0, "NOT_FOUND", 0, 1]
        self.assertEqual(steps[:-1], expected)
        self.assertNotEqual(steps[-1], 0)
        self.assertTrue(self.report()["kernel_driver_attached"])

    def test_driver_stays_away(self):
        self.client("identify")
        self.assertFalse(self.report()["kernel_driver_attached"])

    def test_nobody_may(self):
        (device,) = self.client("listing", "--fault", "no-access")
        self.assertEqual(device["open"], "ACCESS")

    def test_claimed_and_driver_that_stays(self):
        self.assertEqual(self.client("identify", "--fault", "claimed")["take"], "BUSY")
        self.assertEqual(self.client("identify", "--fault", "detach-refused")["take"], "BUSY")

    def test_unclaimed(self):
        self.assertEqual(self.client("unclaimed"), ["IO", 0])

    def test_two_handles(self):
        self.assertEqual(self.client("two_handles"), ["BUSY", 0, STATUS + ID, 0])

    # What goes wrong. The transfers of identify(): 1 bit mode, 2 setting up, 3 and 5 out, 4 and 6 in.

    def test_nothing_goes_wrong(self):
        answer = self.client("identify")
        self.assertEqual((answer["first"], answer["second"]), (GOOD, GOOD))
        self.assertEqual(self.report()["usb"]["transfers"], 6)
        self.assertEqual(self.report()["faults"], [])

    def test_faults_as_libusb_names_them(self):
        expected = {
            "stall=transfer:4": [14, 0, "", "PIPE"],
            "error=transfer:4": [14, 0, "", "IO"],
            "timeout=transfer:4": [14, 0, "", "TIMEOUT"],
            "timeout=transfer:3": [0, "TIMEOUT", STATUS, 0],
            "nak=transfer:4:200": GOOD,
            "short=transfer:4:1": [14, 0, STATUS + ID[:2], 0],
            "short=transfer:3:4": [4, 0, STATUS, 0],
            "unplug=transfer:3": [0, "NO_DEVICE", "", "NO_DEVICE"],
            "unplug=transfer:4": [14, 0, "", "NO_DEVICE"],
        }
        for fault, first in expected.items():
            with self.subTest(fault):
                hangs = [fault.split(":")[1]] if fault.startswith("timeout") else []
                answer = self.client("identify", "--fault", fault, arguments=hangs)
                self.assertEqual(answer["first"], first)
                (happened,) = self.report()["faults"]
                self.assertEqual((happened["kind"], happened["transfer"]), (fault.split("=")[0], int(fault.split(":")[1])))
                gone = fault.startswith("unplug")
                self.assertEqual(answer["devices"], 0 if gone else 1)
                self.assertEqual(self.report()["attached"], not gone)

    def test_a_stall_lasts_until_it_is_cleared(self):
        self.assertEqual(self.client("recover", "--fault", "stall=transfer:3"), ["PIPE", "PIPE", 0, *GOOD])

    def test_a_short_answer_goes_on(self):
        answer = self.client("identify", "--fault", "short=transfer:4:1")
        self.assertTrue(answer["second"][2].startswith(STATUS + ID[2:]), answer)

    # Time.

    def test_time_stands_still_for_a_program_that_sleeps(self):
        self.assertEqual(self.client("sleep_while_busy", arguments=["0.2"]), ["03", "03"])

    def test_unless_the_clock_on_the_wall_counts(self):
        self.assertEqual(self.client("sleep_while_busy", "--wall-clock", arguments=["0.2"])[1], "00")

    def test_power_goes_although_nobody_looks(self):
        before = self.flash.read_bytes()
        self.client("sleep_while_busy", "--fault", "cut=byte:2000", arguments=["0"])
        after = self.flash.read_bytes()
        self.assertTrue(after[4096:] == before[4096:])
        self.assertNotIn(after[:4096], (before[:4096], b"\xff" * 4096))
        self.assertEqual(self.report()["faults"], [{"kind": "cut"}])

    def test_a_run_is_the_same_every_time(self):
        choice = random.Random(SEED)
        kind, transfer = choice.choice(["stall", "error", "nak", "short", "unplug"]), choice.randrange(1, 7)
        reports = []
        for _ in range(2):
            self.client("identify", "--fault", f"{kind}=transfer:{transfer}")
            reports.append(self.report())
        self.assertEqual(*reports)

    # The command line.

    def test_the_exit_code_is_that_of_the_command(self):
        for code in (0, 1, 42):
            self.run_bed(self.flash, "--", "sh", "-c", f"exit {code}", code=code)
        self.run_bed(self.flash, "--", "sh", "-c", "kill -TERM $$", code=128 + 15)
        self.run_bed(self.flash, "--", "/no/such/program", code=127)

    def test_a_signal_is_passed_on(self):
        command = ["sh", "-c", "trap 'exit 7' TERM; echo ready; while :; do sleep 0.05; done"]
        with subprocess.Popen([BOARD, self.flash, "--", *command], stdout=subprocess.PIPE, text=True) as bed:
            self.assertEqual(bed.stdout.readline(), "ready\n")
            bed.terminate()
            self.assertEqual(bed.wait(LIMIT), 7)

    def test_what_is_refused(self):
        nothing = ("--", "true")
        refused = {
            "FLASHFILE is required": nothing,
            "-- COMMAND is required": (self.flash,),
            "printable characters": ("--serial", "two\nlines", self.flash, *nothing),
            "write it as": ("--fault", "cut=now", self.flash, *nothing),
            "cannot write it": ("--report", self.path / "no" / "folder", self.flash, *nothing),
        }
        for message, arguments in refused.items():
            result = self.run_bed(*arguments, code=125)
            self.assertIn(message, result.stderr)
        for message, arguments in (
            ("cannot open it", (self.path,)),
            ("but a chip has", (__file__,)),
            ("there is no board 'nonsense'; there are ecp5-evn,", ("--board", "nonsense", self.flash)),
        ):
            self.assertIn(message, self.run_bed(*arguments, *nothing, code=2).stderr)

    def test_without_umockdev(self):
        """What cannot be loaded must not pass for a machine without boards."""
        folder = self.path / "broken"
        folder.mkdir()
        (folder / "libumockdev-preload.so.0").write_bytes(b"")
        result = self.run_bed(self.flash, "--", "true", code=125, environment={"LD_LIBRARY_PATH": str(folder)})
        self.assertIn("umockdev is missing", result.stderr)
        self.assertIn("apt-get install umockdev", result.stderr)

    def test_one_bed_for_a_file(self):
        inner = [BOARD, self.flash, "--", "true"]
        result = self.run_bed(self.flash, "--", *inner, code=2)
        self.assertIn("in use by another card", result.stderr)

    def test_help_and_version(self):
        self.assertIn("unplug=transfer:N", self.run_bed("--help").stdout)
        self.assertRegex(self.run_bed("--help").stdout, "icebreaker +1BitSquared iCEBreaker")
        self.assertTrue(self.run_bed("--version").stdout.startswith("swai-usb-board "))


if __name__ == "__main__":
    if "--seed" in sys.argv:
        at = sys.argv.index("--seed")
        SEED = int(sys.argv[at + 1])
        del sys.argv[at : at + 2]
    print("seed", SEED)
    unittest.main()
