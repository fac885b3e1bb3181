# SPDX-License-Identifier: Apache-2.0
"""The sequences of test.txt, and how many words of one are wrong. Needs nothing but Python.

A line is a sequence: name, speed, gain in dB, noise below the digits in dB ("-" for none), and then, in turn, seconds of
silence and recordings, from silence to silence.
"""

import dataclasses
import pathlib

HERE = pathlib.Path(__file__).resolve().parent
TEST_LIST = HERE / "test.txt"
WORDS = "zero one two three four five six seven eight nine".split()


@dataclasses.dataclass
class Entry:
    name: str
    speed: float
    gain: float
    noise: float  # None without
    parts: list  # silence, recording, silence ...

    @staticmethod
    def read(line):
        name, speed, gain, noise, *parts = line.split()
        return Entry(name, float(speed), float(gain), None if noise == "-" else float(noise), parts)

    def line(self):
        noise = "-" if self.noise is None else f"{self.noise:.0f}"
        return " ".join([self.name, f"{self.speed:.2f}", f"{self.gain:.0f}", noise] + self.parts)

    def sound(self):
        return HERE / "test" / f"{self.name}.flac"

    def digits(self):
        return [int(part[0]) for part in self.parts[1::2]]

    def words(self):
        return [WORDS[digit] for digit in self.digits()]


def read_list(path=TEST_LIST):
    lines = path.read_text().splitlines()
    return [Entry.read(line) for line in lines if line and not line.startswith("#")]


def errors(wanted, got):
    """Words to insert, delete or replace."""
    row = list(range(len(got) + 1))
    for i, word in enumerate(wanted):
        before, row[0] = row[0], i + 1
        for j, other in enumerate(got):
            before, row[j + 1] = row[j + 1], min(row[j + 1] + 1, row[j] + 1, before + (word != other))
    return row[-1]
