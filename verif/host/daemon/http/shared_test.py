#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests how programs share a model that `swai serve` has on its card, on the fast tier. Run from the repository root."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time
import types
import unittest

sys.path[:0] = ["verif/host/tools/swai"]
import daemons  # noqa: E402
import random_chat  # noqa: E402
from swai_test_case import LIMIT, SWAI, SwaiTest  # noqa: E402

MODEL = "models/stories260K/stories260K.bin"
LONG = "SWAI_LONG" in os.environ
PAGE = 2 << 20  # in which the card gives memory away
ROOM = 400
SERVE = ("--tier", "fast", "serve")
PROMPTS = ["Once upon a time", "The", "A dog", "Lily", "One day", "Tim", "She", "It was", "Mom", "He"]

shared = types.SimpleNamespace()  # the daemon, and packed models


def setUpModule():
    shared.files = tempfile.TemporaryDirectory(prefix="swai-models-")
    shared.folder = tempfile.TemporaryDirectory(prefix="swai-shared-")
    shared.stories = pathlib.Path(shared.files.name) / "stories.packed"
    shared.large = pathlib.Path(shared.files.name) / "large.packed"
    large = pathlib.Path(shared.files.name) / "large.gguf"
    random_chat.write(large, width=256, inner=1024, layers=4)
    for model, packed, precision in ((MODEL, shared.stories, "w8a8"), (large, shared.large, "fp32")):
        subprocess.run([SWAI, "--quiet", "model", "import", model, "--precision", precision, "-o", packed], check=True, stdout=subprocess.DEVNULL)
    shared.daemon, _ = daemons.start(shared.folder.name, *SERVE, "--model", shared.stories, "--model", f"large={shared.large}", "--context", ROOM)
    shared.log = daemons.ignore(shared.daemon)


def tearDownModule():
    daemons.end(shared.daemon, shared.log, shared.folder)
    shared.files.cleanup()


class SharedTest(SwaiTest):
    CONFIG = ()

    def setUp(self):
        super().setUp()
        self.environment["XDG_RUNTIME_DIR"] = shared.folder.name

    def generate(self, *words, model=None, **how):
        return self.run_json("generate", "-m", model or shared.stories, *words, **how)

    def start(self, *words, model=None, json_wanted=True, **how):
        """A `swai generate` that runs beside the test."""
        command = self.command(*(["--json"] if json_wanted else []), "generate", "-m", model or shared.stories, *words)
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=self.environment, **how)

    def finish(self, process, code=0):
        out, error = process.communicate(timeout=LIMIT)
        self.assertEqual(process.returncode, code, out + error)
        return out

    def clients(self):
        (card,) = self.run_json("top", "--count", "1", "--interval", "0.1")["cards"]
        return card["clients"]

    def memory(self):
        return sum(client["memory_bytes"] for client in self.clients())

    def memory_at_rest(self):
        """The daemon gives memory back behind a text's last line, and a card at rest may not have told of it yet."""
        seen = []
        for _ in range(5):
            self.generate("-p", "x", "-n", "1", model=shared.large)
            seen.append(self.memory())
        return min(seen)

    def launches(self):
        return sum(client["launches"] for client in self.clients())

    def same_text(self, one, other):
        for what in ("prompt_tokens", "tokens", "text", "end"):
            self.assertEqual(one[what], other[what])


class Texts(SharedTest):
    def test_the_same_as_alone(self):
        """As a program of its own says it, whatever is asked for, and without being a client of the card."""
        few = "40" if LONG else "20"
        for words in (["-n", "60"], ["-n", few, "--temp", "1", "--seed", "7"], ["-n", few, "--temp", "0.8", "--top-k", "20", "--top-p", "0.9"],
                      ["-n", few, "--frequency-penalty", "1.5", "--presence-penalty", "0.5"], ["-n", "1"], ["--context", "30"]):
            with self.subTest(words=words):
                one = self.generate("-p", "Once upon a time", *words)
                alone = self.generate("-p", "Once upon a time", *words, "--own")
                self.same_text(one, alone)
                self.assertIsNone(alone["stats"]["shared"])
                told = one["stats"]["shared"]
                self.assertEqual((told["model"], told["tokens_beside_others"]), ("stories", 0))
                self.assertEqual(told["tokens"], len(one["prompt_tokens"]) + len(one["tokens"]) + (one["end"] == "model"))
                self.assertEqual(one["stats"]["weight_bytes"], alone["stats"]["weight_bytes"])
                self.assertEqual(one["stats"]["card_bytes"], 0)
                self.assertGreater(one["stats"]["kv_bytes"], 0)

    def test_words(self):
        words = ["--quiet", "generate", "-m", shared.stories, "-p", "Once upon a time", "-n", "50", "--stats"]
        out, error = self.run_swai(*words)
        self.assertIn("written by `swai serve`", error)
        self.assertIn("'stories'", error)
        self.assertEqual(out, self.run_swai(*words, "--own")[0])

    def test_several(self):
        """More of one program than are written at once."""
        texts = [word for prompt in PROMPTS for word in ("-p", prompt)]
        most = 40 if LONG else 20
        report = self.generate(*texts, "-n", str(most))
        for prompt, text in zip(PROMPTS, report["texts"]):
            self.same_text(text, self.generate("-p", prompt, "-n", str(most)))
        self.assertGreater(report["stats"]["shared"]["tokens_beside_others"], 5 * most)

    def test_conversation(self):
        """What was said before is read again, and the same follows as from a text that is kept."""
        def talk(*words):
            return subprocess.run(self.command("--quiet", "generate", "-m", shared.large, "--chat", "-n", "20", *words), input="Hi\nAnd?\n\nBye\n",
                                  capture_output=True, text=True, check=True, env=self.environment).stdout
        self.assertEqual(talk(), talk("--own"))

    def test_in_a_job(self):
        """A job finds the daemon by its card."""
        out = self.run_json("job", "submit", "--folder", os.getcwd(), SWAI, "--json", "generate", "-m", shared.stories, "-p", "A dog", "-n", "5")
        told = self.run_swai("job", "watch", out["job"])[0]
        self.assertIsNotNone(json.loads(told[told.index("{"):])["stats"]["shared"])


class Programs(SharedTest):
    def test_one_copy(self):
        """Programs side by side: texts as alone, steps in common, and of memory keys and values alone."""
        most = "80" if LONG else "40"
        words = [["-p", prompt, "-n", most, "--temp", "1", "--seed", str(i)] for i, prompt in enumerate(PROMPTS[:4])]
        self.generate(*(word for prompt in PROMPTS[:8] for word in ("-p", prompt)), "-n", "2", model=shared.large)  # lists that stay
        before, launches = self.memory_at_rest(), self.launches()
        alone = [self.generate(*each, model=shared.large) for each in words]
        launches_alone = self.launches() - launches
        self.assertEqual(self.memory_at_rest(), before)
        (weights,) = {one["stats"]["weight_bytes"] for one in alone}
        self.assertGreater(weights, 8 * PAGE)
        launches, most, clients = self.launches(), [0], set()
        done = threading.Event()

        def watch():
            while not done.is_set():
                seen = self.clients()
                most.append(sum(client["memory_bytes"] for client in seen))
                clients.update(client["process"] for client in seen)

        watcher = threading.Thread(target=watch)
        watcher.start()
        processes = [self.start(*each, model=shared.large) for each in words]
        together = [json.loads(self.finish(process)) for process in processes]
        done.set()
        watcher.join()
        for one, other in zip(alone, together):
            self.same_text(one, other)
        self.assertTrue(any(one["stats"]["shared"]["tokens_beside_others"] > 0 for one in together))
        self.assertLess(self.launches() - launches, launches_alone)
        # Where it grows it takes twice what it needs, and the old is there until the new is filled.
        kept = sum(one["stats"]["kv_bytes"] for one in together)
        self.assertGreater(max(most), before)
        self.assertLessEqual(max(most) - before, 3 * kept + PAGE)
        self.assertLess(max(most) - before, weights)
        self.assertEqual(clients, {shared.daemon.pid})
        self.assertEqual(self.memory_at_rest(), before)

    def test_gone(self):
        """In the middle: its place is free, and the card is the next one's."""
        for how in (signal.SIGINT, signal.SIGKILL):
            process = self.start("-p", "Once", "-n", "390", "--temp", "1", "--seed", "3", json_wanted=False)
            self.assertTrue(process.stdout.read(6))
            process.send_signal(how)
            self.finish(process, code=130 if how == signal.SIGINT else -how)
            report = self.generate("-p", "Once upon a time", "-n", "30")
            # A token or two of it may still have been on their way.
            self.assertLess(report["stats"]["shared"]["tokens_beside_others"], 5)

    def test_stopped(self):
        """Who does not read holds nobody else up, and finds all of it later."""
        slow = self.start("-p", "Once upon a time", "-n", "120")
        time.sleep(0.05)
        slow.send_signal(signal.SIGSTOP)
        self.generate("-p", "A dog", "-n", "30")
        slow.send_signal(signal.SIGCONT)
        self.same_text(json.loads(self.finish(slow)), self.generate("-p", "Once upon a time", "-n", "120"))

    def test_its_own_where_it_must(self):
        """A text that is too long for the daemon, and a model that it does not have."""
        error = self.run_swai("generate", "-m", shared.stories, "-p", "word " * 150, "-n", "5", "--stats")[1]
        self.assertIn("too short here", error)
        self.assertIn("--context", error)
        other = self.folder / "other.packed"
        self.run_swai("--quiet", "model", "import", MODEL, "--precision", "w4a8", "-o", other)
        self.assertIsNone(self.generate("-p", "Once", "-n", "5", model=other)["stats"]["shared"])
        self.assertIsNone(self.generate("-p", "Once", "-n", "5", model=MODEL)["stats"]["shared"])
        self.assertIsNone(self.generate("-p", "Once", "-n", "5", "--launch", "two-tier")["stats"]["shared"])
        # Another file with the same in it is the same model.
        same = self.folder / "same.packed"
        self.run_swai("--quiet", "model", "import", MODEL, "--precision", "w8a8", "-o", same)
        self.assertIsNotNone(self.generate("-p", "Once", "-n", "5", model=same)["stats"]["shared"])

    def test_end_of_the_daemon(self):
        with tempfile.TemporaryDirectory(prefix="swai-shared-") as folder:
            daemon, _ = daemons.start(folder, *SERVE, "--model", shared.stories)
            self.environment["XDG_RUNTIME_DIR"] = folder
            process = self.start("-p", "Once", "-n", "500", "--temp", "1", "--seed", "3", json_wanted=False)
            self.assertTrue(process.stdout.read(6))
            daemon.send_signal(signal.SIGTERM)
            _, error = process.communicate(timeout=LIMIT)
            self.assertEqual((process.returncode, daemon.wait(LIMIT)), (4, 0))
            self.assertIn("the daemon has ended", error)
            daemon.communicate()
            self.assertEqual(os.listdir(folder), [])


if __name__ == "__main__":
    os.environ.pop("SWAI_TIER", None)
    unittest.main(verbosity=2)
