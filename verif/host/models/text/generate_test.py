#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests `swai generate` and packed models as their users see them, on a card. Run from the repository root.

  verif/host/models/text/generate_test.py [--tier fast|rtl] [unittest's arguments]"""

import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import unittest

sys.path[:0] = ["verif/host/tools/swai", "verif/host/daemon/http"]
import random_chat  # noqa: E402
from swai_test_case import LIMIT, SWAI, SwaiTest  # noqa: E402

MODEL = "models/stories260K/stories260K.bin"
STORIES = json.loads(pathlib.Path("verif/host/models/text/stories.json").read_text())
TIER = "fast"
LONG = "SWAI_LONG" in os.environ
PAGE = 2 << 20  # in which the card gives memory away


class GenerateTest(SwaiTest):
    @property
    def CONFIG(self):
        return ("--tier", TIER)

    def generate(self, *words, **how):
        return self.run_swai("--quiet", "generate", "-m", MODEL, *words, **how)

    def text(self, *words, **how):
        return self.generate(*words, **how)[0]

    def check_wall(self, stats, prompt, answer):
        """Prefill and decode are reported separately; the first token of each answer is part of prefill."""
        wall = stats["wall"]
        self.assertEqual((wall["prefill"]["tokens"], wall["decode"]["tokens"]), (prompt, answer))
        self.assertTrue(all(phase["seconds"] > 0 for phase in wall.values()))
        self.assertLessEqual(wall["prefill"]["seconds"] + wall["decode"]["seconds"], stats["wall_seconds"])


class Stories(GenerateTest):
    """The likeliest tokens are those of an evaluation in single precision that shares nothing with ours."""

    def check(self, *stories, launch="three-tier"):
        for story in stories:
            with self.subTest(prompt=story["prompt"]):
                text = self.text("-p", story["prompt"], "-n", STORIES["most"], "--launch", launch)
                self.assertEqual(text, story["text"] + "\n")

    def test_from_nothing(self):
        self.check(STORIES["stories"][0])

    def test_with_prompts(self):
        self.check(*STORIES["stories"][1 : None if LONG else 2])

    def test_penalties(self):
        """What the text has already is said less often; who launches makes no difference."""
        words = ["-p", "Once upon a time", "-n", "150" if LONG else "80"]
        plain = self.text(*words)
        told = {launch: self.text(*words, "--repeat-penalty", "1.2", "--frequency-penalty", "0.1", "--launch", launch)
                for launch in ("two-tier", "three-tier")}
        self.assertEqual(told["two-tier"], told["three-tier"])
        self.assertLess(told["two-tier"].count("Lily"), plain.count("Lily"))
        self.assertIn("--repeat-penalty", self.generate("-p", "x", "--repeat-penalty", "0", code=2)[1])

    def test_penalties_see_the_text_alone(self):
        """What counts for a token that is often in the text counts for those that are in it, and for no others."""
        report = self.run_json("generate", "-m", MODEL, "-p", "Once upon a time", "-n", "20", "--frequency-penalty", "-100")
        self.assertLessEqual(set(report["tokens"]), set(report["prompt_tokens"]))

    def test_launched_by_the_host(self):
        self.check(*STORIES["stories"][2 : 4 if LONG else 3], launch="two-tier")

    def test_operators_one_by_one_say_the_same(self):
        words = ["-p", "Once upon a time", "-n", "6"]
        for several in ([], ["-p", "A cat"]) if LONG else (["-p", "A cat"],):
            for launch in ("two-tier", "three-tier"):
                lists, each = (self.run_json("generate", "-m", MODEL, *words, *several, "--launch", launch, "--graph", graph)
                               for graph in ("full", "per-op"))
                part = "decode" if launch == "two-tier" else "jobs"
                few, many = (report["stats"][part].pop("launches") for report in (lists, each))
                # A step is more than 50 operators; the card's own launches are not the host's.
                self.assertEqual(few * 50 < many, launch == "two-tier")
                for report in (lists, each):
                    del report["stats"]
                self.assertEqual(lists, each)

    def test_json(self):
        story = STORIES["stories"][3]
        report = self.run_json("generate", "-m", MODEL, "-p", story["prompt"], "-n", STORIES["most"])
        self.assertEqual(story["prompt"] + report["text"], story["text"])
        self.assertEqual(report["end"], "model")
        self.assertEqual(len(report["tokens"]), story["tokens"])
        stats = report["stats"]
        # One launch for all. The last token was made, and then nothing was made of it.
        prompt = len(report["prompt_tokens"])
        self.assertEqual(stats["jobs"]["launches"], 1)
        self.assertEqual(stats["jobs"]["tokens"], prompt + story["tokens"])
        self.check_wall(stats, prompt, story["tokens"])
        self.assertEqual(stats["prefill"]["launches"] + stats["decode"]["launches"], 0)
        self.assertGreater(stats["jobs"]["ns"], 0)
        self.assertGreater(stats["weight_bytes"], 1_000_000)
        other = self.run_json("generate", "-m", MODEL, "-p", story["prompt"], "-n", STORIES["most"], "--launch", "two-tier")
        self.assertEqual(other["tokens"], report["tokens"])
        self.assertEqual(other["end"], "model")
        self.assertEqual(other["stats"]["prefill"]["tokens"], prompt)
        self.assertEqual(other["stats"]["decode"]["tokens"], story["tokens"])
        self.assertEqual(other["stats"]["decode"]["launches"], story["tokens"])
        self.assertEqual(other["stats"]["jobs"]["launches"], 0)

    def test_long_prompts_come_in_parts(self):
        """What a prompt of several launches leaves behind is what tokens one by one leave behind."""
        story = STORIES["stories"][0]["text"]
        cut = story.rindex(" said")
        report = self.run_json("generate", "-m", MODEL, "-p", story[:cut], "-n", "4")
        self.assertGreater(len(report["prompt_tokens"]), 128)
        self.assertEqual(report["stats"]["prefill"]["launches"], 0)
        self.assertEqual(report["stats"]["jobs"]["launches"], 1)
        self.assertTrue(report["text"].startswith(story[cut:cut + 8]), report["text"])


class Wishes(GenerateTest):
    def test_standard_input(self):
        done = subprocess.run(self.command("--quiet", "generate", "-m", MODEL, "-p", "-", "-n", "3"), input="Once upon a",
                              capture_output=True, text=True, env=self.environment, check=True)
        self.assertEqual(done.stdout, "Once upon a time, there\n")

    def test_stats(self):
        text, notes = self.generate("-p", "Once", "-n", "2", "--stats")
        self.assertEqual(text, "Once upon a\n")
        self.assertRegex(notes, r"prefill and decode by the card: \d+ tokens in 1 launch, [\d.]+ ms of the card\n")
        notes = self.generate("-p", "Once", "-n", "2", "--stats", "--launch", "two-tier")[1]
        self.assertRegex(notes, r"prefill: \d+ tokens in 1 launch,")
        self.assertRegex(notes, r"decode: 1 token in 1 launch,")
        # The first token of the answer is part of prefill.
        self.assertRegex(notes, r"wall time: .* s; prefill: \d+ tokens in .* s, .* per second; decode: 1 token in .* s, .* per second\n")

    def test_the_context_ends(self):
        report = self.run_json("generate", "-m", MODEL, "-p", "Once upon a time", "--context", "10")
        self.assertEqual(report["end"], "context")
        self.assertEqual(len(report["prompt_tokens"]) + len(report["tokens"]), 11)
        other = self.run_json("generate", "-m", MODEL, "-p", "Once upon a time", "--context", "10", "--launch", "two-tier")
        self.assertEqual((other["end"], other["tokens"]), (report["end"], report["tokens"]))
        self.assertIn("the prompt has", self.generate("-p", "word " * 600, code=2)[1])
        self.assertIn("at most", self.generate("--context", "600", code=2)[1])

    def talk(self, most, *words, counts=(1, 2, 1), code=0):
        """Messages of several lengths; what was said, the tokens that memory was taken for, and notes."""
        messages = "".join(f"{'What is that? ' * count}\n" for count in counts)
        model = self.folder / "chat.gguf"
        random_chat.write(model)
        done = subprocess.run(self.command("generate", "-m", model, "--chat", "-n", most, "--stats", *words), input=messages,
                              capture_output=True, text=True, env=self.environment)
        self.assertEqual(done.returncode, code, done.stderr)
        taken = re.search(r"keys and values for (\d+) tokens", done.stderr)
        return done.stdout, taken and int(taken[1]), done.stderr

    def test_memory_grows_with_a_conversation(self):
        """What was kept is kept when memory grows: the same is said as with all of it from the beginning."""
        for launch in ("three-tier", "two-tier") if LONG else ("three-tier",):
            grown, taken, _ = self.talk("4", "--launch", launch)
            at_once, all_tokens, _ = self.talk("4", "--launch", launch, "--context", str(random_chat.CONTEXT))
            self.assertEqual(grown, at_once)
            self.assertEqual(all_tokens, random_chat.CONTEXT)
            self.assertLess(taken, all_tokens)
            self.assertLess(self.talk("4", "--launch", launch, counts=(1,))[1], taken)
        self.assertIn("give a larger --context", self.talk("4", "--context", "100", code=1)[2])
        self.assertNotIn("--context", self.talk("99", code=1)[2])

    def test_bad_input(self):
        self.assertIn("byte 2", self.generate("-p", os.fsdecode(b"ab\xff"), code=2)[1])
        self.assertIn("no chat template", self.generate("-p", "Hi", "--chat", code=2)[1])
        self.assertIn("--json", self.run_swai("--json", "generate", "-m", MODEL, "--chat", code=2)[1])
        damaged = self.folder / "damaged.bin"
        damaged.write_bytes(pathlib.Path(MODEL).read_bytes()[:-4])
        self.assertIn("damaged.bin", self.run_swai("generate", "-m", damaged, "-p", "x", code=2)[1])
        self.assertIn("speech", self.run_swai("generate", "-m", "verif/host/models/files/data/tiny-whisper", "-p", "x", code=2)[1])

    def test_long_prompts_with_penalties(self):
        """Of several launches; penalties that are next to nothing change nothing."""
        prompt = "A cat ran to the big red house and saw nothing there. " * 8
        words = ["-p", prompt, "-n", "10"]
        plain = self.run_json("generate", "-m", MODEL, *words)
        self.assertGreater(len(plain["prompt_tokens"]), 128)
        for launch in ("three-tier", "two-tier"):
            told = self.run_json("generate", "-m", MODEL, *words, "--presence-penalty", "1e-9", "--launch", launch)
            self.assertEqual(told["tokens"], plain["tokens"])

    def test_a_trace_says_that_times_are_coarse(self):
        trace = self.folder / "trace"
        self.environment["SWAI_PROFILE"] = str(trace)
        self.run_swai("generate", "-m", MODEL, "-n", "2")
        self.assertIn(b"card 0 (fast tier: coarse)", trace.read_bytes())

    def test_interrupted(self):
        process = subprocess.Popen(self.command("--quiet", "generate", "-m", MODEL, "-n", "500"), stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, env=self.environment)
        begin = process.stdout.read(12)   # words come while others are still to come
        process.send_signal(signal.SIGINT)
        rest, _ = process.communicate(timeout=LIMIT)
        self.assertEqual(process.returncode, 130)
        self.assertEqual(begin, b"Once upon a ")
        self.assertFalse(rest.endswith(b"\n"))
        self.assertEqual(list(self.folder.glob("swai-*")), [])


class SeveralTexts(GenerateTest):
    """What becomes of a text does not depend on those beside it."""

    # A long one, of several launches; one that ends early; short ones.
    PROMPTS = [STORIES["stories"][0]["text"][:400], STORIES["stories"][3]["prompt"], "The", "Once upon a time"]

    def texts(self, *words):
        prompts = [word for prompt in self.PROMPTS for word in ("-p", prompt)]
        return self.run_json("generate", "-m", MODEL, *prompts, *words)

    def check(self, *words, launch="three-tier"):
        report = self.texts(*words, "--launch", launch)
        self.assertEqual(report["stats"]["jobs"]["launches"], int(launch == "three-tier"))
        told = report["texts"]
        self.assertEqual(len(told), len(self.PROMPTS))
        for prompt, text in zip(self.PROMPTS, told):
            alone = self.run_json("generate", "-m", MODEL, "-p", prompt, *words)
            with self.subTest(prompt=prompt):
                self.assertEqual(text, {key: alone[key] for key in text})
        return told

    def test_likeliest(self):
        told = self.check("-n", "170" if LONG else "40")
        # One that ends early goes on beside others in generate.batch, too.
        self.assertEqual([text["end"] for text in told], ["limit", "model" if LONG else "limit", "limit", "limit"])
        self.assertGreater(len(told[0]["prompt_tokens"]), 128)

    def test_one_launch(self):
        """It counts what the host's launches count."""
        words = ["-n", "170" if LONG else "40"]
        own, host = (self.texts(*words, "--launch", launch) for launch in ("three-tier", "two-tier"))
        self.assertEqual(own["texts"], host["texts"])
        job, prefill, decode = (own["stats"]["jobs"], host["stats"]["prefill"], host["stats"]["decode"])
        self.assertEqual(job["tokens"], prefill["tokens"] + decode["tokens"])
        self.assertEqual(job["launches"], 1)
        self.assertEqual(own["stats"]["prefill"]["launches"] + own["stats"]["decode"]["launches"], 0)

    def test_drawn(self):
        told = self.check("-n", "24", "--temp", "0.9", "--top-p", "0.95", "--top-k", "40", "--seed", "11")
        self.assertEqual({len(text["tokens"]) for text in told}, {24})

    def test_few_bits(self):
        self.check("-n", "16", "--precision", "w4a8")

    def test_penalised(self):
        """What a text has already is its own alone."""
        many = "40" if LONG else "24"
        words = ["-n", many, "--repeat-penalty", "1.3", "--frequency-penalty", "0.2", "--presence-penalty", "0.1"]
        told = self.check(*words)
        self.assertNotEqual(told, self.texts("-n", many)["texts"])
        self.assertEqual(told, self.texts(*words, "--launch", "two-tier")["texts"])

    def test_the_context_ends(self):
        prompts = ["-p", "Once upon a time", "-p", "Lily"]
        told = self.run_json("generate", "-m", MODEL, *prompts, "--context", "12")["texts"]
        self.assertEqual({text["end"] for text in told}, {"context"})
        self.assertEqual({len(text["prompt_tokens"]) + len(text["tokens"]) for text in told}, {13})

    def test_words(self):
        words, notes = self.generate("-p", "Once", "-p", "Once upon", "-n", "2", "--stats")
        self.assertEqual(words, "[1] Once upon a\n[2] Once upon a time\n")
        self.assertRegex(notes, r"by the card: \d+ tokens in 1 launch,")
        words, notes = self.generate("-p", "Once", "-p", "Once upon", "-n", "2", "--stats", "--launch", "two-tier")
        self.assertEqual(words, "[1] Once upon a\n[2] Once upon a time\n")
        self.assertRegex(notes, r"decode: 2 tokens in 1 launch,")
        report = self.run_json("generate", "-m", MODEL, "-p", "Once", "-p", "Once upon", "-n", "2")
        self.check_wall(report["stats"], sum(len(text["prompt_tokens"]) for text in report["texts"]), 2)

    def test_memory(self):
        """More texts take keys and values, and next to nothing else."""
        def memory(texts):
            words = ["-p", "Once"] * texts + ["-n", "1", "--context", "500"]
            stats = self.run_json("generate", "-m", MODEL, *words)["stats"]
            return stats["kv_bytes"], stats["card_bytes"]
        (few_kept, few), (many_kept, many) = memory(2), memory(64)
        kept = many_kept - few_kept
        self.assertEqual(many_kept, 32 * few_kept)
        self.assertGreater(kept, 80_000_000)
        self.assertLessEqual(many - few, kept + kept // 200 + PAGE)

    def test_refused(self):
        self.assertIn("one text", self.generate("-p", "a", "-p", "b", "--score", code=2)[1])
        self.assertIn("once", self.generate("-p", "-", "-p", "-", code=2)[1])
        self.assertIn("the prompt has", self.generate("-p", "a", "-p", "word " * 600, code=2)[1])


class Score(GenerateTest):
    """What few bits cost, measured by a text of the model's own kind."""

    def perplexity(self, precision, *words):
        report = self.run_json("generate", "-m", MODEL, "--score", "-p", STORIES["stories"][0]["text"], "--precision", precision, *words)
        return report["perplexity"]

    def test_precisions(self):
        exact = self.perplexity("fp32")
        # The likeliest tokens, but for the first few.
        self.assertTrue(1 < exact < 3, exact)
        # Nothing is cut off where the parts are as long as all; in short parts there is less to look back to.
        if LONG:
            self.assertEqual(self.perplexity("fp32", "--context", "512"), exact)
        self.assertGreater(self.perplexity("fp32", "--context", "16"), 1.1 * exact)
        self.assertLess(abs(self.perplexity("w8a8") / exact - 1), 0.05)
        self.assertLess(abs(self.perplexity("w4a8") / exact - 1), 0.2)

    def test_nothing_to_judge(self):
        self.assertIn("nothing to foretell", self.generate("--score", "-p", "", code=2)[1])


class Packed(GenerateTest):
    def setUp(self):
        super().setUp()
        self.packed = self.folder / "stories.packed"

    def pack(self, precision):
        report = self.run_json("model", "import", MODEL, "-o", self.packed, "--precision", precision)
        self.assertEqual(report["bytes"], self.packed.stat().st_size)

    def test_the_same_text(self):
        story = STORIES["stories"][2]
        self.pack("fp32")
        self.assertIn("all is as it was", self.run_swai("model", "verify", self.packed)[0])
        text = self.run_swai("--quiet", "generate", "-m", self.packed, "-p", story["prompt"], "-n", STORIES["most"])[0]
        self.assertEqual(text, story["text"] + "\n")
        self.assertIn("packed as fp32", self.run_swai("generate", "-m", self.packed, "--precision", "w8a8", code=2)[1])
        self.assertEqual(self.run_json("model", "info", self.packed)["precision"], "fp32")

    def test_eight_bits(self):
        self.pack("w8a8")
        self.assertLess(self.packed.stat().st_size, 700_000)
        words = ["-p", "Once upon a time", "-n", "40"]
        packed = self.run_swai("--quiet", "generate", "-m", self.packed, *words)[0]
        self.assertEqual(packed, self.text("--precision", "w8a8", *words))
        self.assertTrue(packed.startswith("Once upon a time, there was a little"), packed)

    def test_four_bits(self):
        self.pack("w4a8")
        self.assertLess(self.packed.stat().st_size, 620_000)
        words = ["-p", "Once upon a time", "-n", "40"]
        packed = self.run_swai("--quiet", "generate", "-m", self.packed, *words)[0]
        self.assertEqual(packed, self.text("--precision", "w4a8", *words))
        self.assertTrue(packed.startswith("Once upon a time, there was a"), packed)
        whole = self.packed.read_bytes()
        for change in (b'i4\\"', b'i8\\"'), (b'head', b'haed'):
            self.assertNotEqual(whole.replace(*change), whole)
            self.packed.write_bytes(whole.replace(*change))
            self.assertIn("damaged", self.run_swai("model", "info", self.packed, code=2)[1])

    def test_damage(self):
        self.pack("w8a8")
        whole = self.packed.read_bytes()
        self.packed.write_bytes(whole[:100_000] + bytes([whole[100_000] ^ 1]) + whole[100_001:])
        self.assertIn("is not what was packed", self.run_swai("model", "verify", self.packed, code=1)[1])
        self.packed.write_bytes(whole[:-1])
        self.assertIn("damaged", self.run_swai("generate", "-m", self.packed, "-p", "x", code=2)[1])
        self.packed.write_bytes(whole.replace(b'\\"layers\\":5', b'\\"layers\\":6'))
        self.assertIn("damaged", self.run_swai("model", "info", self.packed, code=2)[1])
        self.packed.write_bytes(whole.replace(b'"swai":"4"', b'"swai":"2"'))
        self.assertIn("another version", self.run_swai("model", "info", self.packed, code=2)[1])


class Shared(GenerateTest):
    def test_served(self):
        """Two on one card at once, each with memory of its own."""
        self.environment["XDG_RUNTIME_DIR"] = str(self.folder)
        serve = subprocess.Popen(self.command("serve"), stderr=subprocess.PIPE, text=True, env=self.environment)
        try:
            while "ready" not in (line := serve.stderr.readline()):
                self.assertTrue(line, "the daemon has ended")
            told = [subprocess.Popen([SWAI, "--quiet", "generate", "-m", MODEL, "-p", story["prompt"], "-n", str(STORIES["most"])],
                                     stdout=subprocess.PIPE, text=True, env=self.environment) for story in STORIES["stories"][2:4]]
            for one, story in zip(told, STORIES["stories"][2:4]):
                self.assertEqual(one.communicate(timeout=LIMIT)[0], story["text"] + "\n")
        finally:
            serve.send_signal(signal.SIGTERM)
            serve.communicate(timeout=LIMIT)


if __name__ == "__main__":
    if len(sys.argv) > 2 and sys.argv[1] == "--tier":
        TIER = sys.argv[2]
        del sys.argv[1:3]
    os.environ.pop("SWAI_TIER", None)
    unittest.main(verbosity=2)
