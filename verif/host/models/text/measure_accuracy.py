#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures on the fast tier what few bits cost stories260K: perplexity of 2,000 tokens and more of its own kind of text,
which the model in fp32 writes itself (temperature 1, seeds 1 to 10). Prints a flat JSON object for `make bench`."""

import json
import subprocess

MODEL = "models/stories260K/stories260K.bin"
TOKENS = 2_000


def swai(*words):
    command = ["build/swai", "--tier", "fast", "--quiet", "--json", "generate", "-m", MODEL, *words]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)


def stories():
    """Texts of so many tokens together."""
    texts, tokens, seed = [], 0, 0
    while tokens < TOKENS:
        seed += 1
        told = swai("-p", "", "--temp", "1", "--seed", str(seed), "-n", "250")
        texts.append(told["text"])
        tokens += len(told["tokens"])
    return texts


def log_probability(texts, precision):
    """Of a token, in the mean."""
    reports = [swai("--score", "--precision", precision, "-p", text) for text in texts]
    return sum(one["log_probability"] for one in reports) / sum(one["foretold"] for one in reports)


def main():
    texts = stories()
    exact = log_probability(texts, "fp32")
    figures = {}
    for precision in "w8a8", "w4a8":
        ratio = 2.718281828459045 ** (exact - log_probability(texts, precision))
        figures[f"llm.ppl_ratio_{precision}"] = round(ratio, 4)
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
