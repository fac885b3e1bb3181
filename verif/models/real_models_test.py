#!/usr/bin/env python3
"""Models that people use, on the fast tier: what they say is right. scripts/get-model fetches them. Run from the
repository root."""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, "verif/transcribe")
from tiny import MODEL as SPEECH, RECORDING, SAID, words  # noqa: E402

CHAT = pathlib.Path("build/models/smollm2-135m/SmolLM2-135M-Instruct.Q4_1.gguf")
DIGITS = pathlib.Path("build/models/digits")


def swai(*arguments):
    command = ["build/swai", "--tier", "fast", "--quiet", *map(str, arguments)]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def answer(precision, question):
    return swai("generate", "-m", CHAT, "--precision", precision, "--chat", "-p", question, "-n", "40")


class Chat(unittest.TestCase):
    def test_answers(self):
        """What the model is sure of: at "What is the capital of France?" even fp32 is of two minds whether to say it in French,
        and few bits decide that."""
        for question, word in ("How many days are in a week?", "7 days"), ("What color is the sky on a clear day?", "blue"):
            for precision in "w8a8", "w4a8":
                with self.subTest(precision, question=question):
                    self.assertIn(word, answer(precision, question))

    def test_follows_the_reference(self):
        """The likeliest tokens in fp32 are those of the same file in double precision."""
        for beginning in "The history of the world is", "Water boils at":
            told = json.loads(swai("--json", "generate", "-m", CHAT, "-p", beginning, "-n", "16"))["tokens"]
            right = subprocess.run(["build/llama-reference", CHAT, "-p", beginning, "-n", "16"], check=True,
                                   stdout=subprocess.PIPE, text=True).stdout
            self.assertEqual(told, json.loads(right)["tokens"])


class Speech(unittest.TestCase):
    def test_word_for_word(self):
        for precision in "w8a8", "fp32", "w4a8":
            with self.subTest(precision):
                text = swai("transcribe", "-m", SPEECH, "--precision", precision, RECORDING)
                self.assertEqual(words(text), SAID)

    def test_subtitles(self):
        text = swai("transcribe", "-m", SPEECH, "--format", "srt", RECORDING)
        self.assertRegex(text, r"^1\n00:00:00,\d{3} --> 00:00:\d{2},\d{3}\n")
        self.assertEqual(words(re.sub(r"(?m)^\d+$|^.*-->.*$", "", text)), SAID)

    def test_exported_it_says_the_same(self):
        """Token by token, in windows of whisper.cpp's length. fp16 holds all weights of these models."""
        for model, sound in (SPEECH, RECORDING), (DIGITS, "models/digits/test/019.flac"):
            with self.subTest(str(model)), tempfile.TemporaryDirectory() as folder:
                exported = f"{folder}/model.ggml"
                swai("model", "export", "-m", model, "-o", exported)
                heard = [json.loads(swai("transcribe", "-m", one, "--full-windows", "--format", "json", sound)) for one in (model, exported)]
                self.assertEqual(heard[0]["segments"], heard[1]["segments"])
                self.assertGreater(len(heard[0]["segments"]), 0)


if __name__ == "__main__":
    for model in CHAT, SPEECH, DIGITS:
        if not model.exists():
            sys.exit(f"{model} is not there: `make test-models` fetches it")
    unittest.main(verbosity=2)
