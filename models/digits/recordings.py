# SPDX-License-Identifier: Apache-2.0
"""Spoken digits: recordings of the Free Spoken Digit Dataset, and voices of espeak-ng."""

import pathlib
import re
import subprocess
import sys

import numpy as np
from scipy import fft
from scipy.io import wavfile

import tokens

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "studies"))
import mel  # noqa: E402

TEST_INDICES = 5  # recordings 0 to 4 of each digit and speaker, by the convention of the dataset's authors
VOICES = ["en-us", "en-gb", "en-gb-x-rp", "en-gb-scotland", "en-gb-x-gbclan", "en-gb-x-gbcwmd", "en-029"]
VARIANTS = ["", "+m1", "+m3", "+m5", "+m7", "+f1", "+f2", "+f4", "+f5", "+croak", "+whisper"]


class Recording:
    """A digit that somebody says, at the rate of its file."""

    def __init__(self, digit, speaker, rate, samples):
        self.digit, self.speaker, self.rate = digit, speaker, rate
        loud = np.flatnonzero(np.abs(samples) > 0.02 * np.abs(samples).max())
        self.samples = samples[loud[0] : loud[-1] + 1].astype(np.float32)

    def at(self, speed):
        """At mel.RATE, and so much faster (and higher)."""
        return resample(self.samples, mel.RATE / self.rate / speed)


def resample(samples, ratio):
    """All frequencies that both rates have, none of the others. The ratio may be off by a little: lengths are such that
    the transforms are fast. What lies around the end comes around, hence padded."""
    margin = 256
    before = fft.next_fast_len(len(samples) + margin, real=True)
    after = fft.next_fast_len(round(before * ratio), real=True)
    spectrum = np.fft.rfft(samples, before)
    return np.fft.irfft(spectrum, after)[: round(len(samples) * after / before)] * (after / before)


def read_fsdd(folder, test):
    found = []
    for path in sorted(pathlib.Path(folder).glob("*.wav")):
        digit, speaker, index = re.fullmatch(r"(\d)_(\w+)_(\d+)", path.stem).groups()
        if (int(index) < TEST_INDICES) == test:
            rate, samples = wavfile.read(path)
            found.append(Recording(int(digit), speaker, rate, samples / 32768))
    if not found:
        raise SystemExit(f"{folder} has no recordings; see README.md for where they come from")
    return found


def speak(folder):
    """Digits that espeak-ng reads, in every voice; what it has read before lies in `folder`."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    found = []
    for voice in (v + variant for v in VOICES for variant in VARIANTS):
        for digit, word in enumerate(tokens.WORDS):
            path = folder / f"{digit}_{voice}.wav"
            if not path.exists():
                subprocess.run(["espeak-ng", "-v", voice, "-s", "150", "-w", path, word], check=True)
            rate, samples = wavfile.read(path)
            found.append(Recording(digit, voice, rate, samples / 32768))
    return found
