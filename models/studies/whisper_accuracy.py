#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What each way to compute Whisper tiny.en costs in accuracy, against double precision."""

import argparse
import dataclasses
import pathlib

import numpy as np

import clips
import compare
import mel
import whisper
from schemes import EXACT, EXACT_ATTENTION, Attention, Linear

ROOT = pathlib.Path(__file__).resolve().parents[2]
INT8 = Linear("int8")
BASE = Attention()
FINE = Attention(weight_levels=2 ** 20)     # nothing is lost by rounding weights
SPLIT = Attention(weight_levels=127 * 128)


def int4(group, keep=()):
    """W4A8, but for layers whose name holds one of `keep`: these have 8 bits."""
    return lambda name: INT8 if any(part in name for part in keep) else Linear("int4", group)


def aware(name):
    """Four bits where it costs little (the study `sensitivity`): the decoder's layers, and the encoder's feed-forward but for its first layer."""
    four = "decoder/layer_" in name or ("encoder/layer_" in name and "/ffn/" in name and "layer_0" not in name)
    return Linear("int4", 32) if four else INT8


def variants(base, **changes):
    return dataclasses.replace(base, **changes)


def attention_only():
    yield "nothing (fp32)", EXACT_ATTENTION
    yield "k, v fp16", variants(EXACT_ATTENTION, k="fp16", v="fp16")
    yield "q, k, v int8, weights exact", FINE
    for levels, bits in ((127, "7 bits"), (255, "8 bits"), (127 * 128, "two products")):
        for relative_to in ("row", "running", "block"):
            for normalise in ("exact", "quantised"):
                if levels < 1000 or relative_to == "running":
                    yield (f"{bits}, of {relative_to} maximum, {normalise} sum",
                           Attention(weight_levels=levels, relative_to=relative_to, normalise=normalise))
    for k in ("head", "channel"):
        yield f"weights exact, k per {k}", variants(FINE, k=k)
    for v in ("head", "token"):
        yield f"weights exact, v per {v}", variants(FINE, v=v)
    yield "7 bits, of block maximum, v per token", Attention(relative_to="block", v="token")


def linear_only():
    yield "W8A8", lambda name: INT8
    yield "W8A8, activations per 128", lambda name: Linear("int8", activation_group=128 if "conv" not in name else 0)
    yield "W8A16 (two products)", lambda name: Linear("int8", activation_bits=15)
    yield "W8A8, conv fp32", lambda name: EXACT if "conv" in name else INT8
    yield "W8A8, head fp32", lambda name: EXACT if "projection" in name else INT8
    keep = ("conv", "projection")
    for group in (32, 64, 128):
        yield f"W4A8 groups of {group}, conv and head W8A8", int4(group, keep)
    yield "W4A8 groups of 32, conv, head, decoder W8A8", int4(32, (*keep, "decoder"))
    yield "W4A8 groups of 32, conv, head, encoder W8A8", int4(32, (*keep, "encoder"))


def sensitivity():
    """Four bits in a part of the layers, the rest W8A8."""
    parts = {f"encoder's {what}": ("encoder", where) for what, where in (
        ("q, k, v", "self_attention/linear_0"), ("attention output", "self_attention/linear_1"),
        ("ffn in", "ffn/linear_0"), ("ffn out", "ffn/linear_1"))}
    parts |= {f"encoder's layer {i}": ("encoder", f"layer_{i}/") for i in range(4)}
    parts |= {"decoder": ("decoder", "layer_")}
    for name, wanted in parts.items():
        yield f"W4A8 in {name}", lambda layer, wanted=wanted: Linear("int4", 32) if all(w in layer for w in wanted) else INT8


def together():
    for linear, layers in (("W8A8", lambda name: INT8), ("W4A8 but for sensitive layers", aware),
                           ("W4A8 but for conv and head", int4(32, ("conv", "projection")))):
        yield f"{linear}, attention fp32", layers, EXACT_ATTENTION
        for name, scheme in (("7 bits, running, exact sum", BASE), ("7 bits, block, exact sum", variants(BASE, relative_to="block")),
                             ("7 bits, block, quantised sum", variants(BASE, relative_to="block", normalise="quantised")),
                             ("8 bits, block, quantised sum", Attention(weight_levels=255, relative_to="block", normalise="quantised")),
                             ("two products, running", SPLIT)):
            yield f"{linear}, attention {name}", layers, scheme


STUDIES = {"attention": ((name, lambda layer: EXACT, scheme) for name, scheme in attention_only()),
           "linear": ((name, layers, EXACT_ATTENTION) for name, layers in linear_only()),
           "sensitivity": ((name, layers, EXACT_ATTENTION) for name, layers in sensitivity()),
           "together": together()}


class Clip:
    """A recording with what double precision makes of it."""

    def __init__(self, name, options, filters, exact):
        self.mel = mel.spectrogram(clips.read(name, options.data, options.sounds), filters)
        self.encoded = exact.encode(self.mel)
        self.tokens, _ = exact.greedy(self.encoded)
        self.fed = [whisper.START, whisper.NO_TIMESTAMPS, *self.tokens]
        self.logits = exact.decode(exact.start(self.encoded), self.fed)[1:]
        self.text = exact.text(self.tokens)


def measure(model, clip):
    encoded = model.encode(clip.mel)
    logits = model.decode(model.start(encoded), clip.fed)[1:]
    tokens, _ = model.greedy(encoded)
    figures = compare.vectors(clip.encoded, encoded) | compare.logits(clip.logits, logits)
    return figures | {"text": model.text(tokens), "tokens": tokens == clip.tokens}


def words(text):
    return [w.strip(".,!?;:\"").lower() for w in text.split()]


def study(schemes, sounds, options):
    compare.head(["quantised", "encoder max", "rms", "least cosine", "logits max", "KL", "same best", "texts equal", "words equal"])
    for name, linear_of, attention in schemes:
        if options.only and options.only not in name:
            continue
        model = whisper.Model(options.model, np.float32, linear_of, attention)
        results = [measure(model, clip) for clip in sounds]
        mean = {key: float(np.mean([r[key] for r in results])) for key in ("rms", "kl", "same")}
        same_words = sum(words(r["text"]) == words(c.text) for r, c in zip(results, sounds))
        compare.row(name, [float(max(r["max"] for r in results)), mean["rms"], f"{min(r['cosine'] for r in results):.5f}",
                           float(max(r["logit"] for r in results)), mean["kl"], mean["same"],
                           f"{sum(r['tokens'] for r in results)}/{len(results)}", f"{same_words}/{len(results)}"])
        if options.texts:
            for r, c in zip(results, sounds):
                if r["text"] != c.text:
                    print(f"    {r['text']}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("study", choices=STUDIES)
    parser.add_argument("--only", help="schemes whose name holds this")
    parser.add_argument("--clips", nargs="+", choices=clips.NAMES, default=clips.NAMES)
    parser.add_argument("--model", type=pathlib.Path, default=ROOT / "build/models/whisper-tiny.en")
    parser.add_argument("--data", type=pathlib.Path, default=ROOT / "../shared/data", help="where whisper/ and speech/ are")
    parser.add_argument("--sounds", type=pathlib.Path, default=ROOT / "build/studies", help="where sentences are kept that espeak-ng reads")
    parser.add_argument("--texts", action="store_true", help="show texts that differ")
    options = parser.parse_args()
    filters = np.load(options.data / "whisper/mel_filters.npz")["mel_80"]
    exact = whisper.Model(options.model)
    sounds = [Clip(name, options, filters, exact) for name in options.clips]
    for clip in sounds:
        print(clip.text)
    study(STUDIES[options.study], sounds, options)


if __name__ == "__main__":
    main()
