#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests `swai serve --http` as its clients see it, on the fast tier. Run from the repository root."""

import concurrent.futures
import json
import math
import os
import pathlib
import re
import signal
import socket
import struct
import sys
import tempfile
import time
import types
import unittest
import urllib.error
import urllib.request
import wave

sys.path[:0] = ["verif/host/tools/swai", "verif/host/models/speech"]
import daemons  # noqa: E402
import digits  # noqa: E402
import random_chat  # noqa: E402
import random_whisper  # noqa: E402
from sounds import write_sound  # noqa: E402
from swai_test_case import LIMIT, SwaiTest  # noqa: E402

MODEL = "models/stories260K/stories260K.bin"
LONG = "SWAI_LONG" in os.environ
# Launches beside those of its tokens: its encoder's list, which goes to the cores in two pieces.
OF_A_WINDOW = 2
# Its list goes in two pieces, too; of the first one there is no first piece, but one behind the end, for nothing.
OF_A_TOKEN = 2
STORIES = json.loads(pathlib.Path("verif/host/models/text/stories.json").read_text())

shared = types.SimpleNamespace()  # the daemon


def start_daemon(folder, *words):
    daemon, said = daemons.start(folder, "--tier", "fast", "serve", *words)
    found = re.search(r"http://\S+", said)
    assert found, said
    return daemon, found[0]


def setUpModule():
    shared.folder = tempfile.TemporaryDirectory(prefix="swai-http-")
    shared.chat = pathlib.Path(shared.folder.name) / "chat.gguf"
    shared.speech = pathlib.Path(shared.folder.name) / "speech.ggml"
    random_chat.write(shared.chat)
    random_whisper.write(shared.speech)
    shared.daemon, shared.url = start_daemon(
        shared.folder.name, "--http", "0", "--model", f"stories={MODEL}", "--model", shared.chat,
        "--model", shared.speech, "--model", f"digits={digits.MODEL}", "--context", "400")
    shared.log = daemons.ignore(shared.daemon)


def tearDownModule():
    shared.chat.unlink()
    shared.speech.unlink()
    daemons.end(shared.daemon, shared.log, shared.folder)


def ask(path, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(shared.url + path, data, {"Content-Type": "application/json"})
    return urllib.request.urlopen(request, timeout=LIMIT)


def complete(path="/completions", **body):
    with ask(path, {"temperature": 0} | body) as answer:
        return json.load(answer)


def events(path="/completions", **body):
    """What comes, up to [DONE]."""
    with ask(path, {"temperature": 0, "stream": True} | body) as answer:
        assert answer.headers["Content-Type"] == "text/event-stream"
        lines = [line for line in answer.read().decode().split("\n\n") if line]
    assert lines.pop() == "data: [DONE]"
    return [json.loads(line.removeprefix("data: ")) for line in lines]


def form(fields, sound):
    """As clients write it."""
    body = b""
    for name, text in fields.items():
        body += f'--xyz\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{text}\r\n'.encode()
    body += b'--xyz\r\nContent-Disposition: form-data; name="file"; filename="sound.wav"\r\n\r\n' + sound.read_bytes() + b"\r\n--xyz--\r\n"
    return body, {"Content-Type": "multipart/form-data; boundary=xyz"}


def hear(sound, url=None, **fields):
    data, headers = form({"model": "speech", **fields}, sound)
    request = urllib.request.Request((url or shared.url) + "/audio/transcriptions", data, headers)
    with urllib.request.urlopen(request, timeout=LIMIT) as answer:
        return answer.read().decode()


class HttpTest(SwaiTest):
    CONFIG = ()

    def setUp(self):
        super().setUp()
        self.environment["XDG_RUNTIME_DIR"] = shared.folder.name

    def of_clients(self, what):
        (card,) = self.run_json("top", "--count", "1", "--interval", "0.2")["cards"]
        return sum(client[what] for client in card["clients"])

    def refused(self, path, body):
        with self.assertRaises(urllib.error.HTTPError) as caught:
            ask(path, body)
        error = json.load(caught.exception)["error"]
        return caught.exception.code, error


class Answers(HttpTest):
    def test_models(self):
        with ask("/models") as answer:
            self.assertEqual([model["id"] for model in json.load(answer)["data"]], ["chat", "stories", "digits", "speech"])

    def test_stories(self):
        """The likeliest tokens are those of an independent evaluation."""
        for story in STORIES["stories"][2 if LONG else 3 : 4]:
            answer = complete(model="stories", prompt=story["prompt"], max_tokens=STORIES["most"])
            (choice,) = answer["choices"]
            self.assertEqual(story["prompt"] + choice["text"], story["text"])
            self.assertEqual(choice["finish_reason"], "length" if story["tokens"] == STORIES["most"] else "stop")
            self.assertEqual(answer["usage"]["completion_tokens"], story["tokens"])

    def test_several_at_once(self):
        wishes = STORIES["stories"][1:6]
        with concurrent.futures.ThreadPoolExecutor(len(wishes)) as clients:
            told = list(clients.map(lambda story: complete(model="stories", prompt=story["prompt"], max_tokens=40), wishes))
        for story, answer in zip(wishes, told):
            self.assertTrue(story["text"].startswith(story["prompt"] + answer["choices"][0]["text"]), answer)

    def test_texts_share_steps(self):
        """Texts that begin while others are written are what they are alone. There are more than are written at once."""
        prompts = ["Once upon a time", "The", "A dog", STORIES["stories"][0]["text"][:400], "Lily", "One day", "Tim", "She", "It was", "Mom"]
        kinds = [{}, {"temperature": 1, "seed": 7}, {"frequency_penalty": 1.5, "presence_penalty": 0.5}]
        most, less = (90, 8) if LONG else (40, 3)
        wishes = [{"model": "stories", "prompt": prompt, "max_tokens": most - less * i} | kinds[i % len(kinds)] for i, prompt in enumerate(prompts)]
        begin = self.of_clients("launches")
        alone = [complete(**wish) for wish in wishes]
        between = self.of_clients("launches")
        with concurrent.futures.ThreadPoolExecutor(len(wishes)) as clients:
            together = list(clients.map(lambda wish: complete(**wish), wishes))
        end = self.of_clients("launches")
        for one, other in zip(alone, together):
            self.assertEqual((one["choices"], one["usage"]), (other["choices"], other["usage"]))
        self.assertLess(end - between, between - begin)

    def test_stream(self):
        story = STORIES["stories"][2]
        told = events(model="stories", prompt=story["prompt"], max_tokens=STORIES["most"], stream_options={"include_usage": True})
        text = "".join(event["choices"][0]["text"] for event in told[:-1])
        self.assertEqual(story["prompt"] + text, story["text"])
        self.assertGreater(len(told), 150)
        self.assertEqual(told[-2]["choices"][0]["finish_reason"], "length")
        self.assertEqual(told[-1]["usage"]["completion_tokens"], 200)

    def test_sampling(self):
        wish = {"model": "stories", "prompt": "Once upon a time", "max_tokens": 30, "temperature": 1}
        text = [complete(**wish, seed=seed)["choices"][0]["text"] for seed in (5, 6, 5)]
        self.assertEqual(text[0], text[2])
        self.assertNotEqual(text[0], text[1])
        # Without a seed each is another one.
        self.assertNotEqual(complete(**wish)["choices"][0]["text"], complete(**wish)["choices"][0]["text"])

    def test_penalties(self):
        wish = ["-m", MODEL, "-p", "Once upon a time", "-n", "40", "--frequency-penalty", "1.5", "--presence-penalty", "0.5"]
        report = self.run_json("generate", *wish)
        for _ in range(2):  # what was said before counts no more
            answer = complete(model="stories", prompt="Once upon a time", max_tokens=40, frequency_penalty=1.5, presence_penalty=0.5)
            self.assertEqual(answer["choices"][0]["text"], report["text"])

    def test_stop(self):
        before = self.of_clients("launches")
        (choice,) = complete(model="stories", prompt="Once upon a time", max_tokens=390, stop=["girl", "none"])["choices"]
        self.assertEqual((choice["text"], choice["finish_reason"]), (", there was a little ", "stop"))
        # The card has stopped, too, a few tokens later: it launches once for each.
        launches = self.of_clients("launches") - before
        self.assertGreater(launches, 5)
        self.assertLess(launches, 100)

    def test_tokens(self):
        report = self.run_json("generate", "-m", MODEL, "-p", "Once upon a time", "-n", "5")
        answer = complete(model="stories", prompt=report["prompt_tokens"], max_tokens=5)
        self.assertEqual(answer["choices"][0]["text"], report["text"])
        self.assertEqual(answer["usage"]["prompt_tokens"], len(report["prompt_tokens"]))

    def test_chat(self):
        """The same as `swai generate --chat`, on the same card."""
        report = self.run_json("generate", "-m", shared.chat, "--chat", "--system", "Be brief.", "-p", "Hi", "-n", "30")
        messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"}]
        answer = complete("/chat/completions", model="chat", messages=messages, max_completion_tokens=30)
        self.assertEqual(answer["choices"][0]["message"], {"role": "assistant", "content": report["text"], "refusal": None})
        self.assertEqual(answer["usage"]["prompt_tokens"], len(report["prompt_tokens"]))
        told = events("/chat/completions", model="chat", messages=messages, max_tokens=30)
        self.assertEqual("".join(event["choices"][0]["delta"].get("content", "") for event in told), report["text"])

    def test_room(self):
        code, error = self.refused("/completions", {"model": "stories", "prompt": "word " * 500})
        self.assertEqual((code, error["code"]), (400, "context_length_exceeded"))
        self.assertIn("room for 400", error["message"])
        answer = complete(model="stories", prompt="word " * 130, max_tokens=1000)
        self.assertEqual(answer["choices"][0]["finish_reason"], "length")
        self.assertEqual(answer["usage"]["total_tokens"], 401)

    def test_refusals(self):
        self.assertIn("chat template", self.refused("/chat/completions", {"model": "stories", "messages": [{"role": "user", "content": "Hi"}]})[1]["message"])
        self.assertEqual(self.refused("/completions", {"model": "no"})[0], 404)
        self.assertIn("the token 512", self.refused("/completions", {"model": "stories", "prompt": [512]})[1]["message"])
        self.assertEqual(self.refused("/completions", {"model": "chat"})[1]["param"], "prompt")


class Speech(HttpTest):
    def test_the_same_as_by_command(self):
        sound = self.folder / "sound.wav"
        with wave.open(str(sound), "wb") as out:
            out.setparams((1, 2, 16000, 0, "NONE", ""))
            out.writeframes(b"".join(struct.pack("<h", int(8000 * math.sin(i * i / 640000))) for i in range(2 * 16000)))
        command = ["--quiet", "transcribe", "-m", shared.speech, sound]
        report = json.loads(self.run_swai(*command, "--format", "json")[0])
        told = json.loads(hear(sound, response_format="verbose_json"))
        self.assertEqual(told["segments"], report["segments"])
        self.assertEqual((told["text"], told["duration"], told["language"]), (report["text"].lstrip(" "), 2, "en"))
        # Another time it is the same, whatever was heard before.
        self.assertEqual(hear(sound, response_format="srt"), self.run_swai(*command, "--format", "srt")[0])
        sound.write_bytes(b"no sound")
        with self.assertRaises(urllib.error.HTTPError) as caught:
            hear(sound)
        self.assertEqual(caught.exception.code, 400)
        self.assertIn("no sound that can be read", json.load(caught.exception)["error"]["message"])

    def test_length(self):
        """The default limit of a sound is 30 minutes."""
        sound = self.folder / "sound.wav"
        with wave.open(str(sound), "wb") as out:
            out.setparams((1, 1, 8000, 0, "NONE", ""))
            out.writeframes(bytes([128]) * (8000 * 1802))
        with self.assertRaises(urllib.error.HTTPError) as caught:
            hear(sound)
        self.assertEqual(caught.exception.code, 413)
        error = json.load(caught.exception)["error"]
        self.assertEqual((error["param"], error["code"]), ("file", "sound_too_long"))
        self.assertIn("longer than 1800 s", error["message"])
        self.assertIn("--http-sound-seconds", error["message"])

    def test_a_sound_is_one_launch(self):
        """The card's program launches lists for each token and some for the window; a host that leads, or a second job, others."""
        # What the card tells may lack launches that have just ended, at either look: so there is a sound of this model before
        # each, and those of one token more or less are no other way.
        hear(digits.SEQUENCES["010"].sound(), model="digits")
        for name in ("010", "042") if LONG else ("010",):
            with self.subTest(sequence=name):
                before = self.of_clients("launches")
                told = json.loads(hear(digits.SEQUENCES[name].sound(), model="digits", response_format="verbose_json"))
                launches = self.of_clients("launches") - before
                self.assertEqual(told["text"].split(), digits.SEQUENCES[name].words())
                tokens = 1 + sum(len(one["tokens"]) for one in told["segments"])  # the end, too
                self.assertAlmostEqual(launches, OF_A_WINDOW + OF_A_TOKEN * tokens, delta=OF_A_TOKEN)


class Clients(HttpTest):
    def test_gone_in_the_line(self):
        """200 clients leave while others' texts are generated or sounds transcribed: the daemon closes their
        connections, too."""
        def open_files():
            return len(os.listdir(f"/proc/{shared.daemon.pid}/fd"))

        host, port = re.search(r"//([\d.]+):(\d+)", shared.url).groups()
        sound = self.folder / "sound.wav"
        write_sound(str(sound), 1)
        form_bytes, headers = form({"model": "speech"}, sound)
        text = json.dumps({"model": "stories", "prompt": "Once", "max_tokens": 390, "temperature": 1}).encode()
        before = open_files()
        for i in range(200):
            path, kind, body = [("completions", "application/json", text),
                                ("audio/transcriptions", headers["Content-Type"], form_bytes)][i % 2]
            with socket.create_connection((host, int(port))) as client:
                head = (f"POST /v1/{path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {kind}\r\n"
                        f"Content-Length: {len(body)}\r\n\r\n")
                client.sendall(head.encode() + body)
        answer = complete(model="stories", prompt="Once upon a time", max_tokens=5)
        self.assertEqual(answer["choices"][0]["text"], ", there was a little")
        deadline = time.monotonic() + LIMIT
        while open_files() > before and time.monotonic() < deadline:
            time.sleep(0.05)
        self.assertLessEqual(open_files(), before)

    def test_gone(self):
        """In the middle of a stream, and before anything has come: the card is the next one's."""
        host, port = re.search(r"//([\d.]+):(\d+)", shared.url).groups()
        for stream in (True, False):
            body = json.dumps({"model": "stories", "prompt": "Once", "max_tokens": 390, "temperature": 1, "stream": stream}).encode()
            with socket.create_connection((host, int(port))) as client:
                client.sendall(b"POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                               b"Content-Length: %d\r\n\r\n" % len(body) + body)
                if stream:
                    self.assertTrue(client.recv(1))
            answer = complete(model="stories", prompt="Once upon a time", max_tokens=5)
            self.assertEqual(answer["choices"][0]["text"], ", there was a little")

    def test_gone_in_a_sound(self):
        """Of a minute that nobody waits for, in the middle."""
        sound = self.folder / "sound.wav"
        write_sound(str(sound), 60)
        body, headers = form({"model": "speech"}, sound)
        host, port = re.search(r"//([\d.]+):(\d+)", shared.url).groups()
        before = self.of_clients("launches")
        with socket.create_connection((host, int(port))) as client:
            client.sendall(b"POST /v1/audio/transcriptions HTTP/1.1\r\nHost: localhost\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n" % (
                headers["Content-Type"].encode(), len(body)) + body)
            while self.of_clients("launches") == before:
                pass  # not begun yet
        write_sound(str(sound), 1)
        self.assertEqual(hear(sound, response_format="text"), hear(sound, response_format="text"))


class Daemon(HttpTest):
    def serve(self, *words):
        """What is wrong is found before a card is started."""
        error = self.run_swai("--tier", "fast", "serve", "--folder", self.folder / "serve", *words, code=2)[1]
        self.assertNotIn("starts a simulated card", error)
        return error

    def test_bad_usage(self):
        self.assertIn("--model", self.serve("--http", "0"))
        self.assertIn("has packed", self.serve("--model", MODEL))
        self.assertIn("no-such-file", self.serve("--http", "0", "--model", "no-such-file"))
        self.assertIn("Whisper's vocabularies have", self.serve("--http", "0", "--precision", "w4a8", "--model", "verif/host/models/files/data/tiny-whisper"))
        self.assertIn("two of that name", self.serve("--http", "0", "--model", MODEL, "--model", MODEL))
        self.assertIn("no address", self.serve("--http", "port", "--model", MODEL))
        self.assertIn("nobody can listen", self.serve("--http", re.search(r"[\d.]+:\d+", shared.url)[0], "--model", MODEL))
        self.assertIn("sound-seconds", self.serve("--http", "0", "--model", MODEL, "--http-sound-seconds", "0"))
        self.assertIn("no key", self.serve("--http", "0", "--model", MODEL, "--http-key", "/dev/null"))

    def test_sound_seconds(self):
        """The limit of a sound is the daemon's option."""
        sound = self.folder / "sound.wav"
        write_sound(str(sound), 3)
        with tempfile.TemporaryDirectory(prefix="swai-http-") as folder:
            daemon, url = start_daemon(folder, "--http", "0", "--model", shared.speech, "--http-sound-seconds", "2")
            try:
                with self.assertRaises(urllib.error.HTTPError) as caught:
                    hear(sound, url=url)
                self.assertIn("longer than 2 s", json.load(caught.exception)["error"]["message"])
                daemon.send_signal(signal.SIGTERM)
                self.assertEqual(daemon.wait(LIMIT), 0)
            finally:
                daemon.kill()
                daemon.communicate()

    def test_key_and_end(self):
        """Who has no key gets nothing; the daemon ends in the middle of an answer."""
        key = self.folder / "key"
        key.write_text("secret\n")
        with tempfile.TemporaryDirectory(prefix="swai-http-") as folder:
            daemon, url = start_daemon(folder, "--http", "0", "--model", f"stories={MODEL}", "--http-key", key)
            try:
                with self.assertRaises(urllib.error.HTTPError) as caught:
                    urllib.request.urlopen(url + "/models")
                self.assertEqual(caught.exception.code, 401)
                self.assertIn("no API key", json.load(caught.exception)["error"]["message"])
                body = json.dumps({"model": "stories", "prompt": "Once", "max_tokens": 500, "temperature": 1, "stream": True})
                headers = {"Content-Type": "application/json", "Authorization": "Bearer secret"}
                answer = urllib.request.urlopen(urllib.request.Request(url + "/completions", body.encode(), headers))
                self.assertTrue(answer.readline().startswith(b"data: {"))
                daemon.send_signal(signal.SIGTERM)
                self.assertEqual(daemon.wait(LIMIT), 0)
                answer.close()
                self.assertEqual(os.listdir(folder), [])
            finally:
                daemon.kill()
                daemon.communicate()


if __name__ == "__main__":
    os.environ.pop("SWAI_TIER", None)
    unittest.main(verbosity=2)
