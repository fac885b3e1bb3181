#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What each way to compute SmolLM2, or stories260K, costs in perplexity, against double precision."""

import argparse
import dataclasses
import json
import pathlib

import numpy as np

import bpe
import compare
import llama
from schemes import EXACT, EXACT_ATTENTION, Attention, Linear

ROOT = pathlib.Path(__file__).resolve().parents[2]
INT8, Q4 = Linear("int8"), Linear("q4_1")
CALIBRATION = 256   # tokens, which are not measured
ATTENTION = Attention(relative_to="block", normalise="quantised", v="token")


def is_down(name):
    return name.endswith("ffn_down")


def everywhere(scheme, head=INT8, down=None):
    """The same for all linear layers, but for the head, and perhaps for the layer whose input is the widest spread."""
    return lambda name: head if "blk" not in name else down if down and is_down(name) else scheme


def change(scheme, **changes):
    return dataclasses.replace(scheme, **changes)


def linear():
    yield "nothing (fp32)", everywhere(EXACT, EXACT), EXACT_ATTENTION
    for name, layers in {
            "W8A8": everywhere(INT8),
            "W8A8, head fp32": everywhere(INT8, EXACT),
            "W8A8, ffn_down fp32": everywhere(INT8, down=EXACT),
            "W8A8, all but ffn_down fp32": everywhere(EXACT, EXACT, INT8),
            "W8A8, activations per 128": everywhere(change(INT8, activation_group=128), change(INT8, activation_group=128)),
            "W8A8, activations per 32": everywhere(change(INT8, activation_group=32), change(INT8, activation_group=32)),
            "W8A8, smoothed": everywhere(change(INT8, smoothing=0.5), change(INT8, smoothing=0.5)),
            "W8, ffn_down A16, others A8": everywhere(INT8, down=change(INT8, activation_bits=15)),
            "W8A16": everywhere(change(INT8, activation_bits=15), change(INT8, activation_bits=15))}.items():
        yield name, layers, EXACT_ATTENTION


def four_bits():
    a16 = change(Q4, activation_bits=15)
    for name, layers in {
            "Q4_1, A16, scales exact": everywhere(change(a16, scale_bits=0), EXACT),
            "Q4_1, A16, scales 8 bits": everywhere(a16, EXACT),
            "Q4_1, A16, minimum int8": everywhere(change(a16, minimum="int8"), EXACT),
            "Q4_1, A16, minimum whole steps": everywhere(change(a16, minimum="whole"), EXACT),
            "Q4_1, A8": everywhere(Q4),
            "Q4_1, A8 per 128": everywhere(change(Q4, activation_group=128)),
            "Q4_1, A8 per 32": everywhere(change(Q4, activation_group=32)),
            "Q4_1, ffn_down A16, others A8": everywhere(Q4, down=a16),
            "Q4_1, A16, head W8A16": everywhere(a16, change(INT8, activation_bits=15))}.items():
        yield name, layers, EXACT_ATTENTION


def attention():
    fine = Attention(weight_levels=2 ** 20, v="token")
    for name, scheme in {
            "k, v fp16": change(EXACT_ATTENTION, k="fp16", v="fp16"),
            "k, v int8 per token, rest fp32": change(EXACT_ATTENTION, k="token", v="token"),
            "q, k, v int8, weights exact": fine,
            "7 bits, of running maximum, exact sum": change(fine, weight_levels=127),
            "7 bits, of block maximum, exact sum": change(ATTENTION, normalise="exact"),
            "7 bits, of block maximum, quantised sum": ATTENTION,
            "8 bits, of block maximum, quantised sum": change(ATTENTION, weight_levels=255),
            "two products, of running maximum": change(fine, weight_levels=127 * 128),
            "7 bits, of block maximum, v per channel": change(ATTENTION, v="channel")}.items():
        yield name, everywhere(EXACT, EXACT), scheme


def together():
    a16 = {"activation_bits": 15}
    for name, layers in {
            "W8A8": everywhere(INT8),
            "W8, ffn_down A16": everywhere(INT8, down=change(INT8, **a16)),
            "W8A8 per 128": everywhere(change(INT8, activation_group=128), change(INT8, activation_group=128)),
            "Q4_1 A8": everywhere(Q4),
            "Q4_1, ffn_down A16": everywhere(Q4, down=change(Q4, **a16)),
            "Q4_1 A8 per 128": everywhere(change(Q4, activation_group=128), change(INT8, activation_group=128)),
            "Q4_1 A16": everywhere(change(Q4, **a16), change(INT8, **a16))}.items():
        yield name + ", k and v fp16", layers, change(EXACT_ATTENTION, k="fp16", v="fp16")
        yield name + ", attention 7 bits of block", layers, ATTENTION


def own_words():
    """For stories260K: W8A8, and W4A8 with some layers at 8 bits."""
    yield "nothing (fp32)", everywhere(EXACT, EXACT), EXACT_ATTENTION
    yield "W8A8, attention fp32", everywhere(INT8), EXACT_ATTENTION
    yield "W8A8, attention 7 bits of block", everywhere(INT8), ATTENTION
    keep = ("attn_k", "attn_v", "ffn_down")
    for group in (32, 16):
        w4 = Linear("int4", group)
        yield f"W4A8 groups of {group}, attention 7 bits of block", everywhere(w4), ATTENTION
        yield f"W4A8 groups of {group}, ffn_down W8A8, attention 7 bits of block", everywhere(w4, INT8, INT8), ATTENTION
        yield (f"W4A8 groups of {group}, {', '.join(keep)} W8A8, attention 7 bits of block",
               lambda name, w4=w4: INT8 if "blk" not in name or any(part in name for part in keep) else w4, ATTENTION)


STUDIES = {"linear": linear, "four-bits": four_bits, "attention": attention, "together": together, "stories": own_words}


def sequences(options, weights):
    """Token sequences of the length asked for; the first one is for calibration."""
    if options.study == "stories":
        return stories(weights, options.tokens, options.length)
    articles = json.loads((options.data / "text/squad2-excerpt.json").read_text())["data"]
    text = "\n".join(p["context"] for a in articles for p in a["paragraphs"])
    tokens = bpe.Tokenizer(weights.file.metadata).encode(text[:10 * (options.tokens + 2 * options.length)])
    measured = tokens[:options.tokens]
    rest = tokens[options.tokens:options.tokens + CALIBRATION]
    return rest, [measured[i:i + options.length] for i in range(0, len(measured), options.length)]


def stories(weights, count, length, seed=1):
    """What the model itself tells at temperature 1."""
    random, model, texts = np.random.default_rng(seed), llama.Model(weights, np.float32), []
    for _ in range(count // length + 1):
        tokens = [1]
        while len(tokens) < length:
            p = np.exp(compare.log_softmax(model.logits(tokens)[-1:])[0])
            tokens.append(int(random.choice(len(p), p=p / p.sum())))
        texts.append(tokens)
    return texts[0], texts[1:]


def magnitudes_of(weights, tokens):
    """The largest magnitude of each channel that goes into each linear layer."""
    found = {}
    model = llama.Model(weights, np.float32)
    model.watch = lambda name, x: found.__setitem__(name, np.abs(x).max(axis=0))
    model.logits(tokens)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("study", choices=STUDIES)
    parser.add_argument("--only", help="schemes whose name holds this")
    parser.add_argument("--tokens", type=int, default=1024, help="that are measured")
    parser.add_argument("--length", type=int, default=512, help="of a sequence")
    parser.add_argument("--model", type=pathlib.Path, default=ROOT / "build/models/smollm2-135m/SmolLM2-135M-Instruct.Q4_1.gguf")
    parser.add_argument("--data", type=pathlib.Path, default=ROOT / "../shared/data", help="where text/ and llama/ are")
    parser.add_argument("--double", action="store_true", help="the reference in fp64; in fp32 it has the same perplexity, and is faster")
    options = parser.parse_args()
    if options.study == "stories":
        weights = llama.Llama2cWeights(options.data / "llama/stories260K.bin")
    else:
        weights = llama.GgufWeights(options.model)
    calibration, measured = sequences(options, weights)
    reference = llama.Model(weights, np.float64 if options.double else np.float32)
    exact = [reference.logits(s) for s in measured]
    del reference
    print(f"reference: perplexity {perplexity(exact, measured):.4f} over {sum(len(s) - 1 for s in measured)} tokens", flush=True)
    chosen = [s for s in STUDIES[options.study]() if not options.only or options.only in s[0]]
    magnitudes = magnitudes_of(weights, calibration) if any("smooth" in s[0] for s in chosen) else None
    compare.head(["quantised", "perplexity, of reference", "KL", "same best", "logits max"])
    for name, linear_of, scheme in chosen:
        model = llama.Model(weights, np.float32, linear_of, scheme, magnitudes)
        found = [model.logits(s) for s in measured]
        figures = compare.logits(np.concatenate(exact), np.concatenate(found))
        compare.row(name, [f"{perplexity(found, measured) / perplexity(exact, measured):.4f}", figures["kl"], figures["same"], figures["logit"]])


def perplexity(logits, sequences):
    likely = [compare.log_softmax(l)[np.arange(len(s) - 1), s[1:]] for l, s in zip(logits, sequences)]
    return float(np.exp(-np.concatenate(likely).mean()))


if __name__ == "__main__":
    main()
