#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The sequences of test.txt as sounds: recordings that training never hears, joined."""

import argparse
import pathlib

import numpy as np
import soundfile

import recordings
from test_list import TEST_LIST, Entry, read_list

RATE = recordings.mel.RATE
COUNT = 100


def draw_list(seed):
    """Sequences of 1 to 8 digits, each of one speaker, half of them with noise."""
    random = np.random.default_rng(seed)
    speakers = ["george", "jackson", "lucas", "nicolas", "theo", "yweweler"]
    entries = []
    for number in range(COUNT):
        speaker = speakers[number % len(speakers)]
        parts = [f"{random.uniform(0.05, 0.9):.2f}"]
        for _ in range(number // len(speakers) % 8 + 1):
            parts.append(f"{random.integers(10)}_{speaker}_{random.integers(recordings.TEST_INDICES)}")
            parts.append(f"{random.uniform(0.03, 0.6):.2f}")
        noise = random.uniform(15, 40) if random.random() < 0.5 else None
        entries.append(Entry(f"{number:03}", random.uniform(0.9, 1.12), random.uniform(-20, 0), noise, parts))
    return entries


def sound_of(entry, folder):
    """Samples of 16 bits."""
    parts = []
    for number, part in enumerate(entry.parts):
        if number % 2 == 0:
            parts.append(np.zeros(round(float(part) * RATE)))
            continue
        rate, samples = recordings.wavfile.read(folder / f"{part}.wav")
        recording = recordings.Recording(int(part[0]), "", rate, samples / 32768).at(entry.speed)
        parts.append(recording / np.abs(recording).max())
    samples = np.concatenate(parts)
    if entry.noise is not None:
        loudness = np.sqrt(np.mean(samples**2)) * 10 ** (-entry.noise / 20)
        samples += loudness * np.random.default_rng(int(entry.name)).standard_normal(len(samples))
    return np.round(samples * 10 ** (entry.gain / 20) / np.abs(samples).max() * 32767).astype(np.int16)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--recordings", type=pathlib.Path, required=True, help="the dataset's folder of that name")
    parser.add_argument("--list", type=pathlib.Path, default=TEST_LIST)
    parser.add_argument("--draw", type=int, metavar="SEED", help="draw the list anew first")
    parser.add_argument("folder", type=pathlib.Path, help="gets a FLAC file for each line")
    options = parser.parse_args()
    if options.draw is not None:
        lines = [entry.line() for entry in draw_list(options.draw)]
        options.list.write_text("\n".join([f"# clips.py --draw {options.draw}"] + lines) + "\n")
    options.folder.mkdir(parents=True, exist_ok=True)
    for entry in read_list(options.list):
        sound = sound_of(entry, options.recordings)
        soundfile.write(options.folder / f"{entry.name}.flac", sound, RATE, subtype="PCM_16")


if __name__ == "__main__":
    main()
