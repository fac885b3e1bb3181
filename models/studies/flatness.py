#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How the weights of Whisper's attention are spread, and what quantising them costs, per layer and head.

For each head, over all rows: how many tokens the weights are spread over (exp of the entropy; median and largest), the share of all
weight that lies below half a step of 7 bits (and so is rounded to nothing) relative to the row's maximum, mean and worst row; and
the root mean square error of the outputs of some schemes, of the outputs' own, by nothing but the weights."""

import argparse
import pathlib

import numpy as np

import clips
import compare
import mel
import schemes
import whisper

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCHEMES = {"7 of row": (127, "row", "exact"), "7 of block": (127, "block", "exact"), "7 of block, quantised": (127, "block", "quantised"),
           "8 of block, quantised": (255, "block", "quantised"), "two products": (127 * 128, "running", "exact")}


def weights_of(q, k):
    s = q @ k.swapaxes(1, 2) / np.sqrt(q.shape[2])
    p = np.exp(s - s.max(axis=2, keepdims=True))
    return p, p.sum(axis=2)


def report(name, q, k, v):
    p, total = weights_of(q, k)
    lost = np.where(p < 0.5 / 127, p, 0).sum(axis=2) / total
    spread = np.exp(np.log(total) - (p * np.log(np.maximum(p, 1e-30))).sum(axis=2) / total)
    fine = schemes.attention(schemes.Attention(weight_levels=2 ** 22, relative_to="row"), q, k, v)
    errors = []
    for levels, relative_to, normalise in SCHEMES.values():
        y = schemes.attention(schemes.Attention(weight_levels=levels, relative_to=relative_to, normalise=normalise), q, k, v)
        errors.append(np.sqrt(((y - fine) ** 2).mean(axis=(1, 2)) / (fine ** 2).mean(axis=(1, 2))))
    for h in range(len(q)):
        compare.row(f"{name} {h}", [f"{np.median(spread[h]):.0f}", f"{spread[h].max():.0f}", f"{lost[h].mean():.3f}", f"{lost[h].max():.3f}",
                                    *(f"{e[h]:.4f}" for e in errors)])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clip", choices=clips.NAMES, default="jfk")
    parser.add_argument("--model", type=pathlib.Path, default=ROOT / "build/models/whisper-tiny.en")
    parser.add_argument("--data", type=pathlib.Path, default=ROOT / "../shared/data", help="where whisper/ and speech/ are")
    parser.add_argument("--sounds", type=pathlib.Path, default=ROOT / "build/studies", help="where sentences are kept that espeak-ng reads")
    options = parser.parse_args()
    model = whisper.Model(options.model, np.float32)
    filters = np.load(options.data / "whisper/mel_filters.npz")["mel_80"]
    compare.head(["layer, attention, head", "median spread", "largest", "lost, mean", "worst row", *SCHEMES])
    model.watch = lambda name, *qkv: report(name, *qkv) if "encoder" in name else None
    encoded = model.encode(mel.spectrogram(clips.read(options.clip, options.data, options.sounds), filters))
    model.watch = None
    tokens, _ = model.greedy(encoded)
    model.watch = lambda name, *qkv: report(name, *qkv) if "cross" in name else None
    model.decode(model.start(encoded), [whisper.START, whisper.NO_TIMESTAMPS, *tokens])


if __name__ == "__main__":
    main()
