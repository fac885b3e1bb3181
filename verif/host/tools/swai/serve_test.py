#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests `swai serve` as its users see it: several programs on one card, jobs, top. Run from the repository root."""

import json
import os
import pathlib
import pty
import re
import resource
import signal
import subprocess
import sys
import tempfile
import termios
import time
import types
import unittest

sys.path.insert(0, "verif/sim/card")
import daemons  # noqa: E402
import perfetto  # noqa: E402
from swai_test_case import HANGS, LIMIT, MODULES, SWAI, SwaiTest, on_rtl  # noqa: E402

COPY = ["run", MODULES / "copy.elf", "--args", "buf:4096", "buf:4096:index", "4096", "0"]

SERVE = ("--config", "tiny", "serve")

shared = types.SimpleNamespace()  # the daemon


def setUpModule():
    shared.folder = tempfile.TemporaryDirectory(prefix="swai-serve-")
    shared.daemon, _ = daemons.start(shared.folder.name, *SERVE, "--jobs", "1")
    shared.log = daemons.ignore(shared.daemon)


def tearDownModule():
    daemons.end(shared.daemon, shared.log, shared.folder)


class ServeTest(SwaiTest):
    CONFIG = ()

    def setUp(self):
        super().setUp()
        self.environment["XDG_RUNTIME_DIR"] = shared.folder.name

    def start(self, *words):
        process = subprocess.Popen(
            self.command(*words), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=self.environment
        )
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def free_memory(self):
        return self.run_json("info")["cards"][0]["memory_free_bytes"]

    def wait_until(self, condition, what):
        end = time.monotonic() + LIMIT
        while not condition():
            self.assertLess(time.monotonic(), end, what)
            time.sleep(0.1)

    def wait_for_a_client(self):
        self.wait_until(lambda: self.run_json("top", "--count", "1", "--interval", "0.2")["cards"][0]["clients"], "no client")


class Clients(ServeTest):
    def test_programs_find_the_card(self):
        text, progress = self.run_swai("info")
        self.assertIn("SWAI tiny", text)
        self.assertEqual(progress, "", "a card was started although one is served")
        self.assertIn("a daemon shares", self.run_swai("--config", "tiny", "doctor")[0])
        # Another kind of card is started all the same.
        self.assertIn("starts a simulated card (tiny", self.run_swai("--config", "tiny", "list")[1])

    def test_several_at_once(self):
        hangs = self.start("--quiet", *HANGS)
        self.wait_for_a_client()
        self.assertIn("serving the host", self.run_swai("log")[0])
        card = f"{shared.folder.name}/swai/card0"
        self.assertIn("other programs use this card", self.run_swai("--card", card, "reset", code=1)[1])
        self.run_json("info")
        hangs.kill()
        hangs.wait()
        target = self.folder / "copied"
        programs = [self.start(*COPY, "--dump", f"0:{target}{i}") for i in range(3)]
        for i, program in enumerate(programs):
            self.assertEqual(program.wait(LIMIT), 0, program.stdout.read())
            self.assertEqual(
                pathlib.Path(f"{target}{i}").read_bytes(), b"".join(word.to_bytes(4, "little") for word in range(1024))
            )

    def test_a_launch_that_runs(self):
        """`top` counts it, and who waits behind it is told whose it is."""
        # The fast tier comes to the usual limit before anybody is told.
        hangs = self.start("--quiet", *HANGS, "--limit", str(2**32 - 1))
        self.environment["SWAI_PATIENCE_SECONDS"] = "1"
        looks = ("top", "--count", "1", "--interval", "0.2")

        seen = []

        def running():
            seen[:] = [one for one in self.run_json(*looks)["cards"][0]["clients"] if one["launches_running"] and one["busy"] > 0]
            return seen

        # A card that is simulated slowly does little in a fifth of a second: one look is not like the next.
        self.wait_until(running, "the launch that runs is not counted")
        (client,) = seen
        self.assertEqual(client["launches"], 0)
        waits = subprocess.Popen(self.command(*COPY), stderr=subprocess.PIPE, text=True, env=self.environment)
        self.addCleanup(waits.communicate)
        self.addCleanup(waits.kill)
        said = waits.stderr.readline()
        whose = f"swai, process {hangs.pid} (client {client['context']} in `swai top`)"
        self.assertIn(f"waiting for a launch of {whose} on device 0 for ", said)
        # It is a limit of this program's own launches.
        self.assertNotIn("SWAI_LAUNCH_LIMIT", said)
        hangs.kill()
        hangs.wait()
        self.assertEqual(waits.wait(LIMIT), 0)

    def test_dump(self):
        (card,) = self.run_json("dump", "state")["cards"]
        self.assertTrue(card["firmware"]["serves"])
        self.assertIn("boot_status", card["registers"]["pcie"])
        self.assertNotIn("packets_in", card["registers"]["pcie"])
        self.assertIn("client of a shared card", self.run_swai("dump", "memory", "0x8010000000", "64", code=2)[1])

    def test_bench_measures_what_a_client_may(self):
        text = self.run_swai("--quiet", "bench", "sdaa", "--figure", "9", "--sizes", "4K")[0]
        self.assertIn("a shared card has none", text)
        self.assertIn("sdaaMallocHost", text)

    def test_what_a_killed_program_had_is_free_again(self):
        before = self.free_memory()
        hangs = self.start("--quiet", *HANGS)
        self.wait_until(lambda: self.free_memory() < before, "nothing was taken")
        hangs.kill()
        hangs.wait()
        self.wait_until(lambda: self.free_memory() == before, "something was left")
        self.run_swai(*COPY)


class Jobs(ServeTest):
    def submit(self, *words):
        return self.run_json("job", "submit", *map(str, words))["job"]

    def state(self, number):
        return next(job for job in self.run_json("job", "list")["jobs"] if job["job"] == number)["state"]

    def test_jobs(self):
        text = self.run_swai("job", "submit", "--watch", SWAI, "--json", *COPY)[0]
        self.assertIn('"kernel"', text)
        number = self.submit("sh", "-c", "echo here; exit 5")
        self.assertEqual(self.run_swai("job", "watch", number, code=5)[0], "here\n")
        report = self.run_json("job", "watch", number, code=5)
        self.assertEqual((report["state"], report["exit_code"], report["text"]), ("done", 5, "here\n"))
        self.assertIn("echo here", self.run_swai("job", "list")[0])

    def test_one_after_the_other_and_cancelled(self):
        hangs = self.submit(SWAI, "--quiet", *HANGS)
        waits = self.submit("true")
        self.wait_until(lambda: self.state(hangs) == "running", "the job does not begin")
        self.assertEqual(self.state(waits), "waiting")
        self.wait_until(lambda: "swai" in self.run_swai("top", "--count", "1", "--interval", "0.2")[0], "top does not show it")
        self.assertIn("\njobs: 1 running, 1 waiting\n", self.run_swai("top", "--count", "1", "--interval", "0.2")[0])
        self.run_swai("job", "cancel", hangs)
        self.assertIn("was cancelled", self.run_swai("job", "watch", hangs, code=143)[1])
        self.wait_until(lambda: self.state(waits) == "done", "the next job does not run")
        self.assertIn("not over", self.run_swai("job", "cancel", hangs, code=2)[1])
        self.assertIn("there is no job 999", self.run_swai("job", "watch", "999", code=2)[1])

    def test_a_program_that_there_is_not(self):
        number = self.submit("no-such-program")
        self.assertIn("No such file", self.run_swai("job", "watch", number, code=2)[1])
        self.assertEqual(self.state(number), "failed")
        self.assertRegex(self.run_swai("job", "list")[0], rf"(?m)^ *{number}  failed  +127  .*  no-such-program: No such file or directory  no-such-program$")

    def test_full_disk(self):
        """Output that does not fit on the disk is missing and reported; the job's own exit code is unchanged."""
        before = resource.prlimit(shared.daemon.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(shared.daemon.pid, resource.RLIMIT_FSIZE, (4096, before[1]))
        try:
            good, bad = (self.submit("sh", "-c", f"yes | head -c 10000; exit {code}") for code in (0, 3))
            problem = "its output is cut off after 4096 bytes: File too large"
            for number, code, own in ((good, 2, 0), (bad, 3, 3)):
                text, error = self.run_swai("job", "watch", number, code=code)
                self.assertEqual((len(text), error), (4096, f"swai: job {number}: {problem}\n"))
                report = self.run_json("job", "watch", number, code=code)
                self.assertEqual((report["state"], report["exit_code"], report["reason"]), ("done", own, problem))
            self.assertIn(problem, self.run_swai("job", "list")[0])
        finally:
            resource.prlimit(shared.daemon.pid, resource.RLIMIT_FSIZE, before)


class Daemon(ServeTest):
    def test_several_cards(self):
        folder = tempfile.TemporaryDirectory(prefix="swai-serve-")
        self.addCleanup(folder.cleanup)
        daemon, said = daemons.start(folder.name, *SERVE, "--cards", "2")
        self.addCleanup(daemon.stderr.close)
        self.addCleanup(daemon.kill)
        self.assertIn("starts 2 simulated cards (tiny", said)
        self.environment["XDG_RUNTIME_DIR"] = folder.name
        self.assertEqual([card["number"] for card in self.run_json("list")["cards"]], [0, 1])
        self.assertIn("card 1: SWAI tiny", self.run_swai("info")[0])
        self.assertEqual(len(self.run_json("info", "--card", f"{folder.name}/swai/card1")["cards"]), 1)
        # Work on the second one alone, and what top says of both meanwhile.
        hangs = self.start("--card", f"{folder.name}/swai/card1", "--quiet", *HANGS)
        top = ("top", "--count", "1", "--interval", "0.2")
        self.wait_until(lambda: self.run_json(*top)["cards"][1]["clients"], "no client")
        self.assertEqual(self.run_json(*top)["cards"][0]["clients"], [])
        number = self.run_json("job", "submit", SWAI, "list")["job"]
        self.assertRegex(self.run_swai("job", "watch", number)[0], r"(?m)^ *1  SWAI tiny")
        hangs.kill()
        hangs.wait()
        self.journals_of_several(f"{folder.name}/swai/card1")
        daemon.send_signal(signal.SIGTERM)
        self.assertEqual(daemon.wait(LIMIT), 0)
        self.assertEqual(os.listdir(folder.name), [])
        self.assertIn("leave it out", self.run_swai("--card", "x", "serve", "--cards", "2", code=2)[1])

    def journals_of_several(self, second):
        """A kernel fails on the second card: each line says whose it is."""
        faults = ["--quiet", "--card", second, "run", MODULES / "faults.elf", "--kernel", "misaligned", "--args", "buf:64", "3", "0"]
        self.run_swai(*faults, code=1)
        found = self.run_swai("fault", code=1)[0].splitlines()
        self.assertEqual(found[0], "card 0  no faults")
        self.assertRegex(found[-1], r"^card 1  +\d+  .*core 3 of group 0: misaligned access")
        self.assertEqual(self.run_swai("fault", "--number", "0")[0], "card 0  no faults\n")
        of_both = self.run_json("fault", code=1)["cards"]
        self.assertEqual([(card["card"], bool(card["records"])) for card in of_both], [(0, False), (1, True)])
        (of_one,) = self.run_json("log", "--number", "1")["cards"]
        self.assertEqual(of_one["card"], 1)
        for number in ("0", "1"):
            self.assertRegex(self.run_swai("log")[0], rf"(?m)^card {number}  +\d+  info     serving the host")
        self.assertIn("there are 2 cards, 0 to 1", self.run_swai("log", "--number", "2", code=2)[1])

    def test_two_of_them(self):
        daemon, said = daemons.start(shared.folder.name, *SERVE)
        self.assertEqual(daemon.wait(LIMIT), 2, said)
        said += daemon.stderr.read()
        self.assertIn(f"a daemon runs already, process {shared.daemon.pid}", said)
        self.assertNotIn("starts a simulated card", said)
        daemon.stderr.close()

    def test_detached(self):
        with tempfile.TemporaryDirectory(prefix="swai-serve-") as folder:
            self.environment |= {"XDG_RUNTIME_DIR": folder, "TMPDIR": folder}
            self.CONFIG = ("--config", "tiny")
            _, said = subprocess.Popen(
                self.command("serve", "--detach"), stderr=subprocess.PIPE, text=True, env=self.environment
            ).communicate(timeout=LIMIT)
            process = int(re.search(r"the daemon is ready: process (\d+)", said)[1])
            self.CONFIG = ()
            self.assertEqual(pathlib.Path(f"/proc/{process}/comm").read_text(), "swai\n")
            # It is there at once, and says who comes and goes.
            done = subprocess.run(self.command(*COPY), capture_output=True, text=True, env=self.environment, timeout=LIMIT)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertNotIn("starts a simulated card", done.stderr)
            log = pathlib.Path(folder, "swai/log")
            self.wait_until(lambda: "has left" in log.read_text(), "the log does not report that the program has left")
            self.assertRegex(log.read_text(), r"swai: swai \(process \d+\) comes as client \d+")
            # A program can have any name, which is printed without control characters.
            strange = self.folder / "\x1b[31m\x7f"
            strange.symlink_to(SWAI)
            subprocess.run([strange, *map(str, COPY)], capture_output=True, env=self.environment, timeout=LIMIT, check=True)
            self.wait_until(lambda: log.read_text().count("has left") == 2, "the log does not report that the program has left")
            self.assertIn("swai: ?[31m? (process", log.read_text())
            self.assertNotRegex(log.read_text(), r"[\x00-\x09\x0b-\x1f\x7f-\x9f]")
            # Each line behind the one that says that a card is started.
            for line in log.read_text().splitlines()[1:]:
                self.assertRegex(line, r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d swai: ")
            self.assertNotIn("reset", log.read_text())
            again = subprocess.run(self.command("serve", "--detach"), capture_output=True, text=True, env=self.environment)
            self.assertEqual(again.returncode, 2)
            self.assertIn(f"a daemon runs already, process {process}", again.stderr)
            stopped = subprocess.run(self.command("serve", "--stop"), capture_output=True, text=True, env=self.environment)
            self.assertEqual(stopped.returncode, 0, stopped.stderr)
            self.assertFalse(pathlib.Path(f"/proc/{process}").exists() and "Z" not in pathlib.Path(f"/proc/{process}/stat").read_text())
            self.assertEqual(list(pathlib.Path(folder).glob("swai-card-*")), [])

    def test_who_comes_while_it_boots(self):
        with tempfile.TemporaryDirectory(prefix="swai-serve-") as folder:
            self.environment["XDG_RUNTIME_DIR"] = folder
            daemon = daemons.begin(folder, *SERVE)
            self.addCleanup(daemon.stderr.close)
            self.addCleanup(daemon.kill)
            # It says so behind taking its place.
            self.assertIn("starts a simulated card", daemon.stderr.readline())
            text, said = self.run_swai("info")
            self.assertIn("SWAI tiny", text)
            self.assertIn(f"waits for the daemon, process {daemon.pid}", said)
            self.assertNotIn("starts a simulated card", said)
            daemon.send_signal(signal.SIGTERM)
            self.assertEqual(daemon.wait(LIMIT), 0)

    def test_top_for_machines(self):
        """A line for each look, so that one can be read when it has come."""
        lines = self.run_swai("--json", "top", "--count", "2", "--interval", "0.1")[0].splitlines()
        self.assertEqual([[card["card"] for card in json.loads(line)["cards"]] for line in lines], [[0], [0]])

    def test_top_on_a_terminal(self):
        """As wide as the terminal, until q is pressed."""
        terminal, other = pty.openpty()
        self.addCleanup(os.close, terminal)
        quiet = termios.tcgetattr(other)
        quiet[3] &= ~termios.ECHO
        termios.tcsetattr(other, termios.TCSANOW, quiet)
        top = subprocess.Popen(self.command("top", "--interval", "3600"), stdin=other, stdout=other, stderr=other, env=self.environment)
        self.addCleanup(top.wait)
        self.addCleanup(top.kill)
        os.write(terminal, b"xq")
        self.assertEqual(top.wait(LIMIT), 0)
        # What has no room goes as a whole, the least important first.
        order = ["queues", "to host", "to card", "client", "running", "memory", "launches", "process", "program", "busy"]
        for width, least in ((120, 10), (80, 8), (60, 6), (40, 3)):
            termios.tcsetwinsize(other, (24, width))
            once = subprocess.Popen(self.command("top", "--count", "1", "--interval", "0.1"), stdin=other, stdout=other, env=self.environment)
            self.assertEqual(once.wait(LIMIT), 0)
            lines = os.read(terminal, 10_000).decode().splitlines()
            self.assertTrue(any("card 0: " in line for line in lines), lines)
            self.assertTrue(any("in use" in line for line in lines), lines)
            self.assertLessEqual(max(map(len, lines)), width, lines)
            (titles,) = [re.split("  +", line.strip()) for line in lines if "program" in line]
            self.assertEqual(set(titles), set(order[-len(titles) :]), width)
            self.assertGreaterEqual(len(titles), least, width)
        os.close(other)

    def test_none(self):
        self.environment["XDG_RUNTIME_DIR"] = str(self.folder)
        for words in (["top"], ["job", "list"]):
            self.assertIn("swai serve", self.run_swai(*words, code=3)[1])
        self.run_swai("job", code=2)
        self.run_swai("job", "submit", code=2)

    def test_killed(self):
        folder = tempfile.TemporaryDirectory(prefix="swai-serve-")
        self.addCleanup(folder.cleanup)
        daemon, _ = daemons.start(folder.name, *SERVE)
        self.environment["XDG_RUNTIME_DIR"] = folder.name
        program = subprocess.Popen(self.command("--quiet", *HANGS), stderr=subprocess.PIPE, text=True, env=self.environment)
        self.wait_for_a_client()
        daemon.kill()
        daemon.wait()
        daemon.stderr.close()
        _, error = program.communicate(timeout=LIMIT)
        self.assertEqual(program.returncode, 4, error)
        # What it left is told, and cleared by the next one.
        self.environment["TMPDIR"] = folder.name
        self.assertRegex(self.run_left_over(), r"1 folders of cards, \d+ MiB")
        # The sockets that it left are in nobody's way, and its card's folder is cleared away.
        daemon, _ = daemons.start(folder.name, *SERVE)
        self.assertEqual(len(list(pathlib.Path(folder.name).glob("swai-card-*"))), 1)
        self.assertIn("SWAI tiny", self.run_swai("list")[0])
        daemon.send_signal(signal.SIGINT)
        self.assertEqual(daemon.wait(LIMIT), 0)
        daemon.stderr.close()

    def run_left_over(self):
        done = subprocess.run(self.command("--json", "doctor"), capture_output=True, text=True, env=self.environment, timeout=LIMIT)
        return next(one["found"] for one in json.loads(done.stdout)["checks"] if one["what"] == "left by killed programs")

    def test_interrupted_boot(self):
        with tempfile.TemporaryDirectory(prefix="swai-serve-") as folder:
            daemon = daemons.begin(folder, *SERVE)
            while not list(pathlib.Path(folder).glob("swai-*")) and daemon.poll() is None:
                time.sleep(0.01)  # its card's folder
            daemon.send_signal(signal.SIGINT)
            _, said = daemon.communicate(timeout=LIMIT)
            self.assertEqual(daemon.returncode, 130, said)
            self.assertIn("swai: interrupted", said)
            self.assertNotIn("ready", said)
            self.assertEqual(list(pathlib.Path(folder).glob("swai-*")), [], "its card is still there")

    @on_rtl("the fast tier writes no trace")
    def test_session(self):
        """What the README shows a newcomer, line by line, with the small card, and in another folder for what is written."""
        lines = re.findall(r"^    (build/swai .*)$", pathlib.Path("README.md").read_text(), re.M)
        first = lines.index("build/swai serve &")
        said = {}
        with tempfile.TemporaryDirectory(prefix="swai-serve-") as folder:
            daemon, _ = daemons.start(folder, *SERVE)
            self.addCleanup(daemon.kill)
            self.environment["XDG_RUNTIME_DIR"] = folder
            (self.folder / "build").symlink_to(pathlib.Path("build").resolve())
            for line in lines[first + 1 :]:
                # A card of the line's own is the small one, too.
                line = line.replace("build/swai trace", "build/swai --config tiny trace")
                done = subprocess.run(
                    line, shell=True, cwd=self.folder, env=self.environment, capture_output=True, text=True, timeout=LIMIT
                )
                self.assertEqual(done.returncode, 0, f"{line}\n{done.stdout}{done.stderr}")
                said[re.search(r"swai (?:--config tiny )?(\w+)", line)[1]] = done.stdout
            daemon.send_signal(signal.SIGTERM)
            self.assertEqual(daemon.wait(LIMIT), 0)
            daemon.stderr.close()
        self.assertEqual(list(said), ["info", "run", "job", "top", "trace"])
        self.assertIn("SWAI tiny", said["info"])
        self.assertIn("copy: done in", said["run"])
        self.assertIn("card 0:", said["top"])
        # The reader takes nothing that is not in Perfetto's schema.
        tracks = {part.track.name for part in perfetto.read(self.folder / "copy.pftrace").slices}
        self.assertIn("DMA 0", tracks)


if __name__ == "__main__":
    unittest.main()
