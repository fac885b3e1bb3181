#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Transcribes recordings with Whisper tiny.en in double precision."""

import argparse
import pathlib

import numpy as np

import mel
import whisper

ROOT = pathlib.Path(__file__).resolve().parents[2]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("recordings", nargs="+", type=pathlib.Path, help="WAV files")
    parser.add_argument("--model", type=pathlib.Path, default=ROOT / "build/models/whisper-tiny.en")
    parser.add_argument("--filters", type=pathlib.Path, required=True, help="OpenAI's mel_filters.npz")
    options = parser.parse_args()
    filters = np.load(options.filters)["mel_80"]
    model = whisper.Model(options.model)
    for path in options.recordings:
        encoded = model.encode(mel.spectrogram(mel.read_wav(path), filters))
        print(model.text(model.greedy(encoded)[0]))


if __name__ == "__main__":
    main()
