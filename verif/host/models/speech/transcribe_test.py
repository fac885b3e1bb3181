#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests `swai transcribe` as its users see it, on a card. Run from the repository root.

  verif/host/models/speech/transcribe_test.py [--tier fast|rtl] [unittest's arguments]

The model has random weights, so what it says means nothing: that it says what it should is tested by transcribe.rules."""

import csv
import io
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import wave

sys.path.insert(0, "verif/host/tools/swai")
sys.path.insert(0, "verif/host/models/speech")
import random_whisper  # noqa: E402
from sounds import write_sound  # noqa: E402
from swai_test_case import SWAI, SwaiTest  # noqa: E402

TIER = "fast"
LONG = "SWAI_LONG" in os.environ
FOLDER = tempfile.TemporaryDirectory()
MODEL = f"{FOLDER.name}/random.ggml"
SOUND = f"{FOLDER.name}/sound.wav"


def setUpModule():
    random_whisper.write(MODEL)
    write_sound(SOUND, 5)


class TranscribeTest(SwaiTest):
    @property
    def CONFIG(self):
        return ("--tier", TIER)

    def transcribe(self, *words, **how):
        return self.run_swai("--quiet", "transcribe", "-m", MODEL, *words, **how)

    def report(self, *words):
        return json.loads(self.transcribe("--format", "json", *words)[0])

    def with_stats(self, *words):
        out = self.run_swai("--quiet", "--json", "transcribe", "-m", MODEL, "--stats", *words)[0]
        report, end = json.JSONDecoder().raw_decode(out)
        return report, json.loads(out[end:])


class Formats(TranscribeTest):
    def transcribe(self, *words, **how):
        # A second attempt at what is no text would change nothing here but the time.
        return super().transcribe("--no-fallback", *words, **how)

    def test_all_say_the_same(self):
        report = self.report(SOUND)
        self.assertEqual(report["language"], "en")
        self.assertEqual(report["duration"], 5)
        self.assertGreaterEqual(report["windows"], 1)
        self.assertEqual(report["text"], "".join(one["text"] for one in report["segments"]))
        for one in report["segments"]:
            self.assertLess(one["start"], one["end"])
            self.assertTrue(all(token < random_whisper.VOCABULARY for token in one["tokens"]))
        texts = [one["text"].strip() for one in report["segments"]]
        rows = list(csv.reader(io.StringIO(self.transcribe(SOUND, "--format", "csv")[0])))
        self.assertEqual(rows[0], ["start", "end", "text"])
        self.assertEqual([float(row[0]) / 1000 for row in rows[1:]], [one["start"] for one in report["segments"]])
        self.assertEqual(self.transcribe(SOUND)[0], "".join(text + "\n" for text in texts))
        self.assertEqual(self.transcribe(SOUND, "--format", "srt")[0].count("-->"), len(texts))
        self.assertTrue(self.transcribe(SOUND, "--format", "vtt")[0].startswith("WEBVTT\n\n"))

    def test_standard_input_and_several_files(self):
        once = self.transcribe(SOUND)[0]
        done = subprocess.run([SWAI, *self.CONFIG, "--quiet", "transcribe", "--no-fallback", "-m", MODEL, "-"],
                              input=pathlib.Path(SOUND).read_bytes(), capture_output=True, env=self.environment)
        self.assertEqual(done.stdout.decode(), once)
        self.assertEqual(self.transcribe(SOUND, SOUND)[0], 2 * f"{SOUND}:\n{once}")

    def test_a_file_for_each_sound(self):
        other = pathlib.Path(FOLDER.name) / "other.wav"
        shutil.copy(SOUND, other)
        folder = pathlib.Path(FOLDER.name) / "new" / "texts"
        for ending, *words in (("txt",), ("vtt", "--format", "vtt"), ("json", "--format", "json")):
            with self.subTest(ending=ending):
                self.assertEqual(self.transcribe(SOUND, other, *words, "--output-dir", folder)[0], "")
                for sound in (SOUND, str(other)):
                    name = pathlib.Path(sound).stem + "." + ending
                    self.assertEqual((folder / name).read_text(), self.transcribe(sound, *words)[0])
        report = self.run_json("transcribe", "--no-fallback", "-m", MODEL, SOUND, "--format", "srt", "--output-dir", folder)
        self.assertEqual(report["output"], str(folder / "sound.srt"))
        self.assertEqual((folder / "sound.srt").read_text(), self.transcribe(SOUND, "--format", "srt")[0])
        self.assertEqual(list(folder.glob("*.part")), [])
        # What was there before stays until there is something whole in its place.
        (folder / "sound.txt").write_text("before")
        (folder / "sound.txt.part").mkdir()
        self.assertIn("Is a directory", self.transcribe(SOUND, "--output-dir", folder, code=2)[1])
        self.assertEqual((folder / "sound.txt").read_text(), "before")
        (folder / "sound.txt.part").rmdir()
        there = sorted(folder.iterdir())
        (folder / "sound.txt.part").symlink_to("/dev/full")
        self.assertIn("No space left", self.transcribe(SOUND, "--output-dir", folder, code=2)[1])
        self.assertEqual((sorted(folder.iterdir()), (folder / "sound.txt").read_text()), (there, "before"))
        self.transcribe(SOUND, "--output-dir", folder)
        self.assertEqual((folder / "sound.txt").read_text(), self.transcribe(SOUND)[0])
        subprocess.run([SWAI, *self.CONFIG, "--quiet", "transcribe", "--no-fallback", "-m", MODEL, "-", "--output-dir", folder],
                       input=pathlib.Path(SOUND).read_bytes(), check=True, env=self.environment)
        self.assertEqual((folder / "standard-input.txt").read_text(), self.transcribe(SOUND)[0])
        # Nothing is written where sounds would get in each other's way, or nobody can write.
        again = folder / "sound.wav"
        shutil.copy(SOUND, again)
        for words, why in (
                ((SOUND, other, "--format", "srt"), "--output-dir FOLDER writes a file for each"),
                ((SOUND, again, "--output-dir", folder / "none"), "would both be written to"),
                ((SOUND, "--output-dir", "/dev/null/texts"), "Not a directory"),
                ((SOUND, "--output-dir", ""), "a folder without a name"),
                ((SOUND, "nowhere.wav", "--output-dir", folder / "none"), "nowhere.wav")):
            with self.subTest(why=why):
                self.assertIn(why, self.transcribe(*words, code=2)[1])
        self.assertFalse((folder / "none").exists())

    def test_stats(self):
        # Second attempts are what the host does by itself.
        report = super().transcribe(SOUND, "--stats", "--precision", "fp32")[1]
        self.assertRegex(report, r"encoder and decoder by the card: 1 window in 1 launch,")
        self.assertRegex(report, r"encoder: [1-9]\d* windows? in [1-9]\d* launch(es)?,")
        self.assertRegex(report, r"decoder: [1-9]\d* tokens")
        self.assertRegex(report, r"memory: [1-9][\d.]* MB of weights")

    def test_exported_it_says_the_same(self):
        exported = f"{FOLDER.name}/exported.ggml"
        self.run_swai("--quiet", "model", "export", "-m", MODEL, "-o", exported, "--weights", "f32")
        said = self.run_swai("--quiet", "transcribe", "--no-fallback", "-m", exported, "--format", "json", SOUND)[0]
        self.assertEqual(json.loads(said)["segments"], self.report(SOUND)["segments"])

    def test_precisions(self):
        """Weights in few bits are what was asked for: less memory, other words."""
        how = {name: words for name, *words in (
            ("fp32", "--precision", "fp32"), ("w8a8",), ("w4a8", "--precision", "w4a8"),
            ("four", "--precision", "w4a8", "--four-bits", "head", "--four-bits", "decoder"))}
        said, size = {}, {}
        for name, words in how.items():
            report, stats = self.with_stats("--no-fallback", *words, SOUND)
            said[name], size[name] = report["text"], stats["weight_bytes"]
            self.assertEqual(report["precision"], words[1] if words else "w8a8")
        # Where tokens are looked up is fp16; what tells them has eight bits, or four.
        self.assertGreater(size["w8a8"], size["four"] + 500_000)
        self.assertLessEqual(size["w4a8"], size["w8a8"])
        self.assertNotEqual(said["four"], said["w8a8"])

    def test_less_than_a_sample(self):
        """At the model's rate nothing is left of it."""
        sound = f"{FOLDER.name}/least.wav"
        with wave.open(sound, "wb") as out:
            out.setparams((1, 2, 48000, 0, "NONE", ""))
            out.writeframes(b"\x10\x10")
        self.assertEqual(self.transcribe(sound)[0], "")

    def test_cut_short(self):
        """The sound that is present is transcribed, with a warning."""
        sound = self.folder / "cut.wav"
        sound.write_bytes(pathlib.Path(SOUND).read_bytes()[:-40_000])
        warned = "cut.wav is cut short: it states more sound than it has"
        for path, is_cut in (sound, True), (SOUND, False):
            out, err = self.run_swai("transcribe", "--no-fallback", "-m", MODEL, "--format", "json", path)
            report = json.loads(out)
            self.assertEqual((report["cut_short"], report["duration"]), (is_cut, 3.75 if is_cut else 5))
            self.assertEqual(warned in err, is_cut)

    def test_limit_of_launches(self):
        self.environment["SWAI_LAUNCH_LIMIT"] = "20000"
        for words in ((), ("--launch", "two-tier")):
            with self.subTest(words=words):
                said = self.transcribe(SOUND, *words, code=1)[1]
                self.assertRegex(said, r"ran too long and was stopped .*SWAI_LAUNCH_LIMIT=CYCLES")

    def test_without_timestamps(self):
        report = self.report(SOUND, "--no-timestamps")
        for one in report["segments"]:
            self.assertTrue(all(token < 50256 for token in one["tokens"]))


class Beams(TranscribeTest):
    """Several texts at once, of which the likeliest is said."""

    def test_as_in_double_precision(self):
        # Its texts are longer than a chunk of keys.
        model = self.folder / "longer.ggml"
        random_whisper.write(model, shape=random_whisper.Shape(text_context=160, all_tokens_differ=True))
        said = {}
        for beams in ("1", "3"):
            how = ("-m", model, "--beams", beams, SOUND)
            right = json.loads(subprocess.run(["build/whisper-reference", *how], check=True, capture_output=True).stdout)
            words = ("--no-fallback", "--precision", "fp32", "--launch", "two-tier", "--stats")
            out = self.run_swai("--quiet", "--json", "transcribe", *words, *how)[0]
            report, end = json.JSONDecoder().raw_decode(out)
            self.assertGreater(json.loads(out[end:])["decoder"]["launches"], 64)
            said[beams] = [token for one in report["segments"] for token in one["tokens"]]
            self.assertEqual(said[beams], right["tokens"])
            for one, mean in zip(report["segments"], right["avg_logprob"], strict=True):
                self.assertAlmostEqual(one["avg_logprob"], mean, delta=1e-4)
        self.assertNotEqual(said["1"], said["3"])

    def test_their_host_leads(self):
        stats = self.with_stats("--no-fallback", "--beams", "3", SOUND)[1]
        self.assertEqual(stats["jobs"]["launches"], 0)
        self.assertGreater(stats["decoder"]["launches"], 0)
        for words in (("--build", "sync"), ("--memory", "copy")):
            self.assertIn("or --beams the host", self.transcribe("--beams", "2", *words, SOUND, code=2)[1])
        self.assertIn("--beams", self.transcribe("--beams", "17", SOUND, code=2)[1])


class Languages(TranscribeTest):
    """Models of several languages."""

    def test_detected_as_in_double_precision(self):
        model, sound = self.folder / "languages.ggml", f"{FOLDER.name}/35.wav"
        random_whisper.write(model, shape=random_whisper.Shape(multilingual=True))
        write_sound(sound, 35)
        how = ("-m", model, "--language", "auto", sound)
        right = json.loads(subprocess.run(["build/whisper-reference", *how], check=True, capture_output=True).stdout)
        self.assertNotEqual(right["language"], "en")
        for words in (), ("--launch", "two-tier"):
            with self.subTest(words=words):
                report = self.run_json("transcribe", "--no-fallback", "--precision", "fp32", *words, *how)
                self.assertEqual(report["language"], right["language"])
                self.assertGreater(report["windows"], 1)
                self.assertEqual([token for one in report["segments"] for token in one["tokens"]], right["tokens"])


class Packed(TranscribeTest):
    def test_it_says_the_same(self):
        for words in ((), ("--precision", "w4a8", "--four-bits", "decoder.feed_forward", "--four-bits", "head")):
            with self.subTest(words):
                packed = self.folder / "speech.packed"
                report = self.run_json("model", "import", MODEL, "-o", packed, *words)
                self.assertEqual(report["bytes"], packed.stat().st_size)
                self.assertEqual(report["precision"], words[1] if words else "w8a8")
                self.assertIn("all is as it was", self.run_swai("model", "verify", packed)[0])
                how = ("--no-fallback", "--format", "json")
                said = json.loads(self.run_swai("--quiet", "transcribe", "-m", packed, *how, SOUND)[0])
                self.assertEqual({**said, "model": MODEL}, self.report(SOUND, "--no-fallback", *words))
        info = self.run_json("model", "info", packed)
        self.assertEqual((info["format"], info["architecture"], info["precision"]), ("packed for the card", "whisper", "w4a8"))
        self.assertEqual(info["four_bits"], ["decoder.feed_forward.down", "decoder.feed_forward.up", "head"])
        self.assertEqual((info["width"], info["audio_layers"], info["vocabulary"]), (random_whisper.WIDTH, random_whisper.LAYERS, random_whisper.VOCABULARY))
        self.assertIn("packed as w4a8", self.run_swai("transcribe", "-m", packed, "--precision", "fp32", SOUND, code=2)[1])
        self.assertIn("says itself what has four bits", self.run_swai("transcribe", "-m", packed, "--four-bits", "head", SOUND, code=2)[1])
        self.assertIn("writes no text", self.run_swai("generate", "-m", packed, "-p", "x", code=2)[1])

    def test_damaged(self):
        packed = self.folder / "speech.packed"
        self.run_swai("--quiet", "model", "import", MODEL, "-o", packed)
        whole = packed.read_bytes()
        packed.write_bytes(whole[:1_000_000] + bytes([whole[1_000_000] ^ 1]) + whole[1_000_001:])
        self.assertIn("is not what was packed", self.run_swai("model", "verify", packed, code=1)[1])
        for damaged, message in ((whole[:-1], "damaged"), (whole.replace(b'\\"audio_layers\\":1', b'\\"audio_layers\\":2'), "does not have encoder.layer[1]"),
                                 (whole.replace(b'"swai":"4"', b'"swai":"2"'), "another version")):
            packed.write_bytes(damaged)
            self.assertIn(message, self.run_swai("transcribe", "-m", packed, SOUND, code=2)[1])
            self.assertIn(message, self.run_swai("model", "info", packed, code=2)[1])

    def test_a_packed_language_model(self):
        packed = self.folder / "text.packed"
        self.run_swai("--quiet", "model", "import", "models/stories260K/stories260K.bin", "-o", packed)
        self.assertIn("hears nothing", self.run_swai("transcribe", "-m", packed, SOUND, code=2)[1])
        error = self.run_swai("model", "import", packed, "-o", self.folder / "again", "--four-bits", "head", code=2)[1]
        self.assertIn("is a language model", error)


class OneLaunch(TranscribeTest):
    """The card goes through a sound by itself, or its host leads it: both say the same."""

    def both(self, sound, *words):
        said = [self.with_stats(sound, "--launch", mode, *words) for mode in ("two-tier", "three-tier")]
        self.assertEqual(said[0][0], said[1][0])
        # What the program did, its host knows: where it is not cancelled, that is the same.
        if "--no-fallback" in words:
            self.assertEqual(said[0][1]["least_cycles"], said[1][1]["least_cycles"])
            self.assertGreater(said[1][1]["least_cycles"], 0)
        return said[1]

    def launches(self, stats):
        return [stats[part]["launches"] for part in ("jobs", "encoder", "decoder")]

    def test_one_three_and_nine_windows(self):
        for seconds, windows in ((5, 1), (45, 3), (170, 9)) if LONG else ((45, 3),):
            sound = f"{FOLDER.name}/{seconds}.wav"
            write_sound(sound, seconds)
            report, stats = self.both(sound, "--no-fallback")
            self.assertEqual(report["windows"], windows)
            self.assertEqual(stats["jobs"]["windows"], windows)
            self.assertEqual(self.launches(stats), [1, 0, 0])
            self.assertGreater(len(report["segments"]), 0)

    def test_operators_one_by_one_say_the_same(self):
        (lists, few), (each, many) = (self.with_stats(SOUND, "--no-fallback", "--launch", "two-tier", "--graph", graph) for graph in ("full", "per-op"))
        self.assertEqual(lists, each)
        self.assertEqual(self.launches(few)[:2], [0, 1])
        # A list has an operator for each part of each layer.
        for part in ("encoder", "decoder"):
            self.assertEqual(few[part]["windows" if part == "encoder" else "tokens"], many[part]["windows" if part == "encoder" else "tokens"])
            self.assertGreater(many[part]["launches"], 10 * few[part]["launches"])
        if not LONG:
            return
        # A host that needs time for each.
        us = 9.5
        slow, late = self.with_stats(SOUND, "--no-fallback", "--launch", "two-tier", "--graph", "per-op", "--host-us", us)
        self.assertEqual(slow, each)
        self.assertEqual(self.launches(late), self.launches(many))
        for part in ("encoder", "decoder"):
            self.assertGreaterEqual(late[part]["ns"], us * 1000 * late[part]["launches"])
        self.assertGreater(late["decoder"]["ns"], many["decoder"]["ns"])

    def test_however_lists_are_built_and_launched_the_card_says_the_same(self):
        sound = SOUND
        if LONG:
            sound = f"{FOLDER.name}/45.wav"
            write_sound(sound, 45)
        said = {}
        modes = [("async", "full", "zero-copy"), ("sync", "full", "zero-copy"), ("async", "per-op", "copy")]
        if LONG:
            modes += [("async", "per-op", "zero-copy"), ("sync", "per-op", "zero-copy"), ("async", "full", "copy"), ("sync", "per-op", "copy")]
        for build, graph, memory in modes:
            said[build, graph, memory] = self.with_stats(sound, "--no-fallback", "--build", build, "--graph", graph, "--memory", memory)
        right, stats = said[modes[0]]
        for how, (report, other) in said.items():
            with self.subTest(how):
                self.assertEqual(report, right)
                self.assertEqual(self.launches(other), [1, 0, 0])
                # In each window a list of the encoder, one for several tokens, and one that stays from token to token.
                self.assertEqual(other["building"]["nodes"], stats["building"]["nodes"])
                self.assertEqual(other["building"]["graphs"], stats["building"]["graphs"])
                hidden = other["building"]["hidden_cycles"] / other["building"]["cycles"]
                # What is copied keeps the processor waiting meanwhile.
                least = 0.95 if how[2] == "zero-copy" else 0.9
                self.assertGreater(hidden, least) if how[0] == "async" else self.assertEqual(hidden, 0)
                self.assertEqual(other["building"]["copy_cycles"] > 0, how[2] == "copy")

    def test_a_text_that_is_no_good_is_tried_again(self):
        report, stats = self.both(SOUND)
        self.assertEqual(report["segments"][0]["temperature"], 1)
        # One as it is, then what each of five more attempts takes, and the window once more.
        self.assertEqual(stats["jobs"]["launches"], 1)
        self.assertEqual(stats["encoder"]["launches"], 1)
        self.assertGreaterEqual(stats["decoder"]["launches"], 5)

    def test_prompts_and_texts_without_times(self):
        sound = f"{FOLDER.name}/40.wav"
        write_sound(sound, 40)
        for words in (("--initial-prompt", "w300 w301 " * 20), ("--no-timestamps",)):
            several = LONG or "--no-timestamps" not in words
            self.assertEqual(self.launches(self.both(sound if several else SOUND, "--no-fallback", *words)[1]), [1, 0, 0])


class BadInput(TranscribeTest):
    def refused(self, *words, model=MODEL, message):
        self.assertIn(message, self.run_swai("--quiet", "transcribe", "-m", model, *words, code=2)[1])

    def test_models(self):
        self.refused(SOUND, model="models/stories260K/stories260K.bin", message="is a language model")
        self.refused(SOUND, model="verif/host/models/files/data/tiny-whisper", message="Whisper's vocabularies have")

    def test_sounds(self):
        self.refused("no.wav", message="no.wav: cannot be opened")
        self.refused("README.md", message="is no sound that can be read")
        empty = f"{FOLDER.name}/empty.wav"
        write_sound(empty, 0)
        self.refused(empty, message="holds no sound")

    def test_four_bits(self):
        self.refused(SOUND, "--four-bits", "head", message="only the precision w4a8")
        self.refused(SOUND, "--precision", "w4a8", "--four-bits", "header", message="there is no such matrix; there are encoder.")

    def test_operators_of_pytorch_take_a_host(self):
        eager = ("--graph", "eager", "--no-timestamps")
        self.refused(SOUND, *eager, message="--graph eager: takes --launch two-tier, --no-timestamps, and one beam")
        self.refused(SOUND, "--graph", "eager", "--launch", "two-tier", message="takes --launch two-tier, --no-timestamps, and one beam")
        self.refused(SOUND, *eager, "--launch", "two-tier", "--beams", 2, message="takes --launch two-tier, --no-timestamps, and one beam")
        self.refused(SOUND, *eager, "--launch", "two-tier", "--precision", "w8a8", message="--graph eager: takes --precision fp32")
        packed = self.folder / "packed"
        self.run_swai("--quiet", "model", "import", MODEL, "-o", packed)
        self.refused(SOUND, *eager, "--launch", "two-tier", model=packed, message="is packed; eager PyTorch's operators take the model itself")

    def test_lists_are_built_by_the_card_with_three_tier_only(self):
        self.refused(SOUND, "--build", "sync", "--launch", "two-tier", message="the host builds all lists before the first run")
        self.refused(SOUND, "--host-us", "5", message="the host launches once with --launch three-tier")
        self.refused(SOUND, "--memory", "copy", "--launch", "two-tier", message="the host copies across PCIe")

    def test_languages(self):
        # Whisper large-v3 alone knows Cantonese.
        model = self.folder / "languages.ggml"
        random_whisper.write(model, shape=random_whisper.Shape(multilingual=True))
        self.refused(SOUND, "--language", "yue", model=model, message="does not support the language yue")
        self.refused(SOUND, "--language", "xx", message="no such code")
        self.refused(SOUND, "--language", "de", message="knows English only")
        self.refused(SOUND, "--task", "translate", message="does not translate")


if __name__ == "__main__":
    if len(sys.argv) > 2 and sys.argv[1] == "--tier":
        TIER = sys.argv[2]
        del sys.argv[1:3]
    os.environ.pop("SWAI_TIER", None)
    unittest.main(verbosity=2)
