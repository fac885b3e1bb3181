# SPDX-License-Identifier: Apache-2.0
"""Recordings for the studies of Whisper: jfk.wav, sentences that espeak-ng reads, spoken digits of FSDD."""

import pathlib
import subprocess

import numpy as np
import scipy.io.wavfile

import mel

SENTENCES = {
    "weather": ("en-us", "The weather will be cold and windy tomorrow, with some rain in the afternoon."),
    "library": ("en-gb", "Please return the books to the library before the end of the month."),
    "train": ("en-us+f3", "The train to London leaves at seven o'clock from platform nine, and it is usually late."),
    "science": ("en-gb", "Scientists have discovered a small planet that circles a star far away from our own sun."),
}
DIGITS = "3_jackson_0 1_jackson_1 4_jackson_2 1_jackson_3 5_jackson_0 9_jackson_1"


def read(name, data, folder):
    """Samples at 16 kHz. `data`: where whisper/ and speech/ are; `folder`: where sentences that were read are kept."""
    if name == "jfk":
        return mel.read_wav(data / "whisper/jfk.wav")
    if name == "digits":
        pause = np.zeros(mel.RATE // 4)
        files = (data / f"speech/fsdd/recordings/{d}.wav" for d in DIGITS.split())
        return np.concatenate([part for f in files for part in (mel.read_wav(f), pause)])
    path = pathlib.Path(folder) / f"{name}.wav"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        voice, text = SENTENCES[name]
        subprocess.run(["espeak-ng", "-v", voice, "-s", "150", "-w", path, text], check=True)
    return mel.read_wav(path)


NAMES = ["jfk", *SENTENCES, "digits"]
