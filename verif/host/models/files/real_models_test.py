#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Models that people use, on the fast tier: what they say is right. scripts/get-model fetches them. Run from the
repository root."""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, "verif/host/models/speech")
from tiny import MODEL as SPEECH, RECORDING, SAID, words  # noqa: E402

CHAT = pathlib.Path("build/models/smollm2-135m/SmolLM2-135M-Instruct.Q4_1.gguf")
LANGUAGES = pathlib.Path("build/models/whisper-base")
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


class Languages(unittest.TestCase):
    """Whisper base, multilingual, and sentences read by espeak-ng. The model transcribes its German and French poorly,
    even in fp32 with faster-whisper, so only reliable words are compared."""

    # By language: voice, speed, sentence, and words that the transcription and the translation must contain.
    SPOKEN = {
        "de": ("de", 120, "Guten Morgen. Heute ist das Wetter schön, und wir gehen zusammen in den Park.", "guten morgen", "good morning"),
        "fr": ("fr-fr", 120, "Je voudrais un café et un verre d'eau, s'il vous plaît.", "un café", "coffee"),
        "es": ("es", 140, "Buenos días. Hoy hace buen tiempo y vamos juntos al mercado.", "vamos juntos al mercado", "to the market"),
        "en": ("en-us", 130, "Good morning. My name is Anna and I live in London with my family.", "i live in london with my family", ""),
    }

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        for code, (voice, speed, sentence, *_) in cls.SPOKEN.items():
            subprocess.run(["espeak-ng", "-v", voice, "-s", str(speed), "-w", cls.sound(code), sentence], check=True)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def sound(cls, code):
        return f"{cls.folder.name}/{code}.wav"

    def heard(self, codes, *how):
        """Detected language and text, by spoken language."""
        out = swai("--json", "transcribe", "--no-fallback", "-m", LANGUAGES, *how, *map(self.sound, codes))
        reports = json.loads("[" + re.sub(r"(?m)^}$", "},", out).rstrip().rstrip(",") + "]")
        return {code: (report["language"], report["text"].lower()) for code, report in zip(codes, reports, strict=True)}

    def test_detected_and_written_down(self):
        for code, (language, text) in self.heard(self.SPOKEN, "--language", "auto").items():
            with self.subTest(code):
                self.assertEqual(language, code)
                self.assertIn(self.SPOKEN[code][3], text)

    def test_translated(self):
        for code, (language, text) in self.heard(("de", "fr", "es"), "--language", "auto", "--task", "translate").items():
            with self.subTest(code):
                self.assertEqual(language, code)
                self.assertIn(self.SPOKEN[code][4], text)

    def test_in_every_precision_detected_or_given(self):
        for precision in "fp32", "w8a8", "w4a8":
            with self.subTest(precision):
                detected, given = (self.heard(("es",), "--precision", precision, "--language", language) for language in ("auto", "es"))
                self.assertEqual(detected, given)
                self.assertIn(self.SPOKEN["es"][3], given["es"][1])


if __name__ == "__main__":
    for model in CHAT, SPEECH, LANGUAGES, DIGITS:
        if not model.exists():
            sys.exit(f"{model} is not there: `make test-models` fetches it")
    unittest.main(verbosity=2)
