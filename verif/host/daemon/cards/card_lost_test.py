#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kills the card's process under `swai serve`, on the fast tier: the daemon ends, and all waiting clients fail. Run
from the repository root."""

import http.client
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path[:0] = ["verif/host/tools/swai"]
import daemons  # noqa: E402
from swai_test_case import HANGS, LIMIT, SWAI, SwaiTest  # noqa: E402

MODEL = "models/stories260K/stories260K.bin"
LOST = "card 0 cannot be served any more, so the daemon ends: its process was ended by signal 9"
# Nearly the whole context of the model.
LONG = ["-n", "480", "--temp", "0"]

files = tempfile.TemporaryDirectory(prefix="swai-models-")
packed = pathlib.Path(files.name) / "stories.packed"


def setUpModule():
    subprocess.run([SWAI, "--quiet", "model", "import", MODEL, "--precision", "w8a8", "-o", packed], check=True, stdout=subprocess.DEVNULL)


def tearDownModule():
    files.cleanup()


def kill_card(daemon):
    """The process that a daemon has started for its card."""
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            name, parent = re.match(r"\d+ \((.*)\) \S+ (\d+)", (folder / "stat").read_text()).groups()
        except FileNotFoundError:  # it has ended meanwhile
            continue
        if name.startswith("swai-card") and int(parent) == daemon:
            os.kill(int(folder.name), signal.SIGKILL)
            return
    raise AssertionError("the daemon has no card")


class CardLost(SwaiTest):
    CONFIG = ("--tier", "fast")

    def setUp(self):
        super().setUp()
        folder = tempfile.TemporaryDirectory(prefix="swai-lost-")
        self.addCleanup(folder.cleanup)
        self.serves_in = folder.name
        self.environment |= {"XDG_RUNTIME_DIR": folder.name, "TMPDIR": folder.name}

    def serve(self, *words):
        daemon, said = daemons.start(self.serves_in, *self.CONFIG, "serve", *words)
        self.addCleanup(daemon.communicate)
        self.addCleanup(daemon.kill)
        return daemon, said

    def start(self, *words):
        client = subprocess.Popen(self.command("--quiet", *words), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=self.environment)
        self.addCleanup(client.communicate)
        self.addCleanup(client.kill)
        return client

    def check_end(self, daemon):
        """The daemon ends by itself, reports the reason, and leaves nothing that hinders the next one."""
        said = daemon.stderr.read()
        self.assertEqual(daemon.wait(LIMIT), 4, said)
        self.assertIn(LOST, said)
        self.assertEqual(os.listdir(self.serves_in), [])
        self.assertIn("no daemon of yours runs", self.run_swai("serve", "--stop", code=3)[1])
        fresh, _ = self.serve("--model", packed)
        report = self.run_json("generate", "-m", packed, "-p", "Once", "-n", "5")
        self.assertIsNotNone(report["stats"]["shared"])
        fresh.send_signal(signal.SIGTERM)
        self.assertEqual(fresh.wait(LIMIT), 0)

    def test_idle(self):
        for words in ([], ["--model", packed]):
            with self.subTest(words=words):
                daemon, _ = self.serve(*words)
                kill_card(daemon.pid)
                self.check_end(daemon)

    def test_quiet(self):
        """The cause is reported even with --quiet, with which a service starts the daemon."""
        daemon = daemons.begin(self.serves_in, *self.CONFIG, "--quiet", "serve")
        self.addCleanup(daemon.communicate)
        self.addCleanup(daemon.kill)
        while not pathlib.Path(self.serves_in, "swai/control").exists() and daemon.poll() is None:
            time.sleep(0.02)
        kill_card(daemon.pid)
        said = daemon.stderr.read()
        self.assertEqual(daemon.wait(LIMIT), 4)
        self.assertRegex(said, rf"^swai: {LOST} .*\n$")

    def test_while_a_client_computes(self):
        daemon, _ = self.serve()
        client = self.start(*HANGS, "--limit", 2**32 - 1)
        job = self.run_json("job", "submit", "sleep", "1000")["job"]
        top = ("top", "--count", "1", "--interval", "0.1")
        while not any(one["launches_running"] for one in self.run_json(*top)["cards"][0]["clients"]):
            self.assertIsNone(client.poll())
        watcher = self.start("job", "watch", job)
        kill_card(daemon.pid)
        _, error = client.communicate(timeout=LIMIT)
        self.assertEqual(client.returncode, 4, error)
        watcher.communicate(timeout=LIMIT)
        self.assertNotEqual(watcher.returncode, 0)
        self.check_end(daemon)

    def test_while_text_is_written(self):
        """Texts for a program and over HTTP, begun or not, fail at once."""
        daemon, said = self.serve("--http", "0", "--model", f"stories={packed}")
        url = re.search(r"http://\S+", said)[0]
        writes = self.start("generate", "-m", packed, *(["-p", "Once"] * 8), *LONG)
        stream = self.ask(url, stream=True)
        self.assertTrue(stream.readline().startswith(b"data: {"))
        waiting = [self.send(url) for _ in range(4)]
        kill_card(daemon.pid)
        try:
            rest = stream.read()
        except http.client.IncompleteRead as cut:
            rest = cut.partial
        self.assertTrue(b'"error"' in rest or b"[DONE]" not in rest, rest)
        for connection in waiting:
            try:
                self.assertGreaterEqual(connection.getresponse().status, 500)
            except ConnectionError:  # it was closed
                pass
        _, error = writes.communicate(timeout=LIMIT)
        self.assertEqual(writes.returncode, 4, error)
        self.check_end(daemon)

    def send(self, url, **body):
        connection = http.client.HTTPConnection(url.removeprefix("http://").removesuffix("/v1"), timeout=LIMIT)
        self.addCleanup(connection.close)
        body = {"model": "stories", "prompt": "The", "temperature": 0, "max_tokens": 480, **body}
        connection.request("POST", "/v1/completions", json.dumps(body), {"Content-Type": "application/json"})
        return connection

    def ask(self, url, **body):
        return self.send(url, **body).getresponse()

    def test_while_models_load(self):
        daemon = daemons.begin(self.serves_in, *self.CONFIG, "serve", *(["--model", packed] + [word for i in range(6) for word in ("--model", f"m{i}={packed}")]))
        self.addCleanup(daemon.communicate)
        self.addCleanup(daemon.kill)
        for line in daemon.stderr:
            if "card 0 is at" in line:
                break
        kill_card(daemon.pid)
        said = daemon.stderr.read()
        self.assertEqual(daemon.wait(LIMIT), 4, said)
        self.assertIn("lost", said)
        self.assertEqual(os.listdir(self.serves_in), [])

    def test_detached(self):
        """A daemon in the background also ends, with the reason in its log; another one can take its place."""
        ready = r"process (\d+), log (\S+);"
        stop = self.command("serve", "--stop")
        self.addCleanup(subprocess.run, stop, capture_output=True, env=self.environment, timeout=LIMIT)
        process, log = re.search(ready, self.run_swai("serve", "--detach")[1]).groups()
        kill_card(int(process))
        end = time.monotonic() + LIMIT
        while LOST not in pathlib.Path(log).read_text():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.02)
        # The daemon may not have ended yet; this waits for it.
        subprocess.run(stop, capture_output=True, env=self.environment, timeout=LIMIT)
        self.assertRegex(self.run_swai("serve", "--detach")[1], ready)
        self.run_swai("serve", "--stop")


if __name__ == "__main__":
    os.environ.pop("SWAI_TIER", None)
    unittest.main(verbosity=2)
