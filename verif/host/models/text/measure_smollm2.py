#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures SmolLM2-135M-Instruct on the fast tier against the same file in double precision: perplexity of 4,000 tokens of
English and tokens a second of wall time in W4A8, and in each precision the share of 20 beginnings after which the 32
likeliest tokens are all the same. Prints a flat JSON object for `make bench-long`. scripts/get-model smollm2-135m fetches
the model."""

import argparse
import json
import math
import os
import pathlib
import subprocess
import sys
import time

MODEL = pathlib.Path("build/models/smollm2-135m/SmolLM2-135M-Instruct.Q4_1.gguf")
TEXT = pathlib.Path("verif/host/models/text/data/squad-paragraphs.txt")
CONTEXT = "512"
PACKED = pathlib.Path("build/bench/smollm2.packed")
BEGINNINGS = 20
WORDS_OF_A_BEGINNING = 8
TOKENS = "32"
PAST = 200
MADE = 41
PRECISIONS = ("fp32", "w8a8", "w4a8")
AGREEMENT = "llm.smollm2_agreement"
KEYS = ("llm.smollm2_ppl_ratio", "llm.smollm2_wall_tps", *(f"{AGREEMENT}_{precision}" for precision in PRECISIONS))


def output(*command):
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)


def swai(*words):
    return output("build/swai", "--tier", "fast", "--quiet", "--json", *map(str, words))


def reference(*words):
    return output("build/llama-reference", MODEL, *words)


def perplexity(report):
    return math.exp(-report["log_probability"] / report["foretold"])


def pack(precision):
    PACKED.parent.mkdir(parents=True, exist_ok=True)
    swai("model", "import", MODEL, "--precision", precision, "-o", PACKED)


def perplexity_ratio():
    text = TEXT.read_text()
    card = swai("generate", "-m", PACKED, "--score", "--context", CONTEXT, "-p", text)
    right = reference("--context", CONTEXT, "-p", text)
    assert card["foretold"] == right["foretold"], (card, right)
    return perplexity(card) / perplexity(right)


def beginnings():
    """With the tokens that follow each in double precision."""
    for paragraph in TEXT.read_text().splitlines()[:BEGINNINGS]:
        beginning = " ".join(paragraph.split()[:WORDS_OF_A_BEGINNING])
        yield beginning, reference("-p", beginning, "-n", TOKENS)["tokens"]


def agreement(expected):
    """The share of beginnings after which all tokens are the same."""
    same = 0
    for beginning, tokens in expected:
        equal = swai("generate", "-m", PACKED, "-p", beginning, "-n", TOKENS)["tokens"] == tokens
        print(f"{equal}: {beginning}", file=sys.stderr, flush=True)
        same += equal
    return same / len(expected)


def words_a_second():
    """Of wall time, behind 200 other words: from the first token of an answer to its last one. Reading the text before it
    takes as long as a hundred tokens, so the difference of two whole runs says little."""
    text = " ".join(TEXT.read_text().split()[:PAST])
    command = ["build/swai", "--tier", "fast", "--quiet", "generate", "-m", str(PACKED), "-p", text, "-n", str(MADE)]
    said, times = b"", []
    with subprocess.Popen(command, stdout=subprocess.PIPE) as told:
        while piece := os.read(told.stdout.fileno(), 1 << 16):
            said += piece
            if len(said) > len(text.encode()) + 1:
                times.append(time.monotonic())
    assert told.returncode == 0 and len(times) > MADE // 2, (told.returncode, times)
    return (MADE - 1) / (times[-1] - times[0])


def main():
    argparse.ArgumentParser(description=__doc__).parse_args()
    if not MODEL.exists():
        reason = f"{MODEL} is not there: scripts/get-model smollm2-135m fetches it"
        print(json.dumps({"not measured": dict.fromkeys(KEYS, reason)}))
        return
    figures = {}
    expected = list(beginnings())
    for precision in PRECISIONS:
        pack(precision)
        figures[f"{AGREEMENT}_{precision}"] = agreement(expected)
    # Measured in W4A8, which was packed last.
    figures["llm.smollm2_ppl_ratio"] = round(perplexity_ratio(), 4)
    figures["llm.smollm2_wall_tps"] = round(words_a_second(), 1)
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
