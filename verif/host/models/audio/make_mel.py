#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes verif/host/models/audio/data/mel.json: OpenAI's mel filters, and the spectrograms that PyTorch makes with them as OpenAI's
program does (whisper/audio.py: stft, power, filters, logarithm, eight decades).

  /usr/bin/python3 verif/host/models/audio/make_mel.py --data DATA        (Debian's python3-torch)

DATA has whisper/mel_filters.npz, OpenAI's file (MIT). What this makes is committed; a test does not need it."""

import argparse
import json
import pathlib

import numpy as np
import torch
import torch.nn.functional as F

OUT = pathlib.Path(__file__).resolve().parent / "data/mel.json"


def noise(count):
    """Whole numbers that C++ makes as easily, as samples."""
    state, samples = 12345, []
    for _ in range(count):
        state = (state * 1103515245 + 12345) % 2**31
        samples.append(((state >> 15) - 32768) / 32768)
    return np.array(samples, np.float32)


def square(count):
    return np.array([0.5 if i // 18 % 2 else -0.5 for i in range(count)], np.float32)


def log_mel(samples, filters, silence, precision):
    audio = F.pad(torch.from_numpy(samples).to(precision), (0, silence))
    stft = torch.stft(audio, 400, 160, window=torch.hann_window(400, dtype=precision), return_complex=True)
    mel = torch.from_numpy(filters).to(precision) @ (stft[..., :-1].abs() ** 2)
    log = torch.clamp(mel, min=1e-10).log10()
    return (torch.maximum(log, log.max() - 8.0) + 4.0) / 4.0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=pathlib.Path, required=True)
    with np.load(parser.parse_args().data / "whisper/mel_filters.npz") as file:
        filters = {bands: file[f"mel_{bands}"] for bands in (80, 128)}
    cases = {"noise": (noise(2400), 80, 800), "square": (square(1600), 128, 800), "silence": (np.zeros(800, np.float32), 80, 0),
             "one sample": (np.ones(1, np.float32), 80, 1600), "no silence behind": (noise(1000), 80, 0)}
    out = {"filters": {}, "cases": {}}
    for bands, table in filters.items():
        rows, columns = np.nonzero(table)
        out["filters"][str(bands)] = [[int(r), int(c), float(f"{table[r, c]:.9g}")] for r, c in zip(rows, columns)]
    for name, (samples, bands, silence) in cases.items():
        # In double precision, so that rounding hides no mistake; how far OpenAI's fp32 is from that is printed.
        mel = log_mel(samples, filters[bands], silence, torch.float64)
        print(f"{name}: fp32 differs by up to {(mel - log_mel(samples, filters[bands], silence, torch.float32)).abs().max():.2g}")
        out["cases"][name] = {"bands": bands, "silence": silence, "frames": mel.shape[1], "mel": [float(f"{x:.9g}") for x in mel.flatten().tolist()]}
    OUT.parent.mkdir(exist_ok=True)
    OUT.write_text(json.dumps(out) + "\n")


if __name__ == "__main__":
    main()
