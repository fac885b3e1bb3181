# SPDX-License-Identifier: Apache-2.0
"""Sound with spoken digits in it, and what Whisper should write about it: the training data, drawn at random."""

import dataclasses

import numpy as np
from scipy import fft, signal

import recordings
import tokens

mel = recordings.mel
MOST_FIRST_TIME = 1.0  # Whisper's rules of decoding forbid a first timestamp behind it


@dataclasses.dataclass
class Segment:
    start: float  # seconds
    end: float
    digit: int


@dataclasses.dataclass
class Clip:
    samples: np.ndarray  # at mel.RATE, no longer than 30 seconds
    segments: list
    spoken: np.ndarray  # for each frame of the encoder the digit, or 10


class Drawer:
    """Draws clips. `people` and `synthetic` are lists of recordings, of which sequences of one speaker are made."""

    def __init__(self, people, synthetic, random):
        self.random = random
        self.hardship = 1.0  # from 0, clean sound of people, to 1
        self.pools = [self.by_speaker(people), self.by_speaker(synthetic)]

    @staticmethod
    def by_speaker(found):
        pool = {}
        for recording in found:
            pool.setdefault(recording.speaker, [[] for _ in tokens.WORDS])[recording.digit].append(recording)
        return list(pool.values())

    def chance(self, probability):
        return self.random.random() < probability

    def uniform(self, low, high):
        return self.random.uniform(low, high)

    def pick(self, things):
        return things[self.random.integers(len(things))]

    def clip(self, most_digits, most_groups):
        if self.chance(0.04):
            return self.without_speech()
        pool = self.pools[int(self.chance(0.2 * self.hardship) and bool(self.pools[1]))]
        speaker, mixed = self.pick(pool), self.chance(0.25 * self.hardship)
        speed, unhurried = self.uniform(0.85, 1.2), self.uniform(0.05, 0.6)
        parts, segments, spoken = [], [], []
        at = 0

        def silence(seconds):
            nonlocal at
            parts.append(np.zeros(int(seconds * mel.RATE)))
            at += len(parts[-1])

        silence(self.uniform(0, 1.6) if self.chance(0.7) else 0)
        for group in range(1 if self.chance(0.85) else self.random.integers(1, most_groups + 1)):
            if group:
                silence(self.uniform(0.6, 2.5))
            for number in range(self.random.integers(1, most_digits + 1)):
                if number:
                    silence(min(self.uniform(0, 1) ** 2 * unhurried * 2, 0.6))
                digit = int(self.random.integers(len(tokens.WORDS)))
                sound = self.pick((self.pick(pool) if mixed else speaker)[digit]).at(speed * self.uniform(0.95, 1.05))
                parts.append(sound * (10 ** self.uniform(-0.3, 0) / np.abs(sound).max()))
                spoken.append((at, at + len(sound), digit))
                segments.append(Segment(at / mel.RATE, (at + len(sound)) / mel.RATE, digit))
                at += len(sound)
        silence(self.uniform(0, 1.2) if self.chance(0.8) else 0)
        samples = self.worse(np.concatenate(parts))[: mel.SAMPLES]
        frames = np.full(-(-len(samples) // 320), len(tokens.WORDS))
        for first, last, digit in spoken:
            frames[round(first / 320) : round(last / 320)] = digit
        return Clip(samples, segments, frames)

    def without_speech(self):
        length = int(self.uniform(0.3, 5) * mel.RATE)
        samples = self.noise(length) * 10 ** self.uniform(-4, -0.5)
        if self.chance(0.3):
            samples *= 0
        elif self.chance(0.4):  # tones, one after the other
            pitch = 110 * 2 ** (self.random.integers(0, 48, size=16) / 12)
            count = -(-length // 16)
            phase = np.cumsum(np.repeat(pitch, count)[:length]) * 2 * np.pi / mel.RATE
            samples += 10 ** self.uniform(-2, -0.3) * (np.sin(phase) + 0.5 * np.sin(2 * phase))
        return Clip(samples, [], np.full(-(-length // 320), len(tokens.WORDS)))

    def noise(self, length):
        """Of mean square 1, with a slope from white to brown."""
        even = 2 * fft.next_fast_len(-(-length // 2), real=True)
        spectrum = np.fft.rfft(self.random.standard_normal(even))
        spectrum *= (np.arange(len(spectrum)) + 20.0) ** -self.uniform(0, 1)
        noise = np.fft.irfft(spectrum)[:length]
        return noise / np.sqrt(np.mean(noise**2))

    def worse(self, samples):
        """As rooms, microphones and sound cards leave it."""
        if self.chance(0.2 * self.hardship):
            echo = self.random.standard_normal(int(self.uniform(0.05, 0.25) * mel.RATE))
            echo *= np.exp(-np.arange(len(echo)) * 5 / len(echo)) * self.uniform(0.02, 0.15)
            echo[0] = 1
            samples = signal.fftconvolve(samples, echo)[: len(samples)]
        if self.chance(0.4 * self.hardship):
            samples = samples + self.uniform(-0.6, 0.6) * np.concatenate([[0], samples[:-1]])
        if self.chance(0.75 * self.hardship):
            level = np.sqrt(np.mean(samples**2)) * 10 ** (-self.uniform(40 - 32 * self.hardship, 45) / 20)
            samples = samples + level * self.noise(len(samples))
        samples = samples * (10 ** self.uniform(-0.2 - 1.8 * self.hardship, 0) / np.abs(samples).max())
        return np.round(samples * 32767) / 32768  # 16 bits


def target(clip, timestamps):
    """The tokens behind the start of text: each digit is a segment, and stands between its times."""
    if not clip.segments:
        return [tokens.END]
    out = [] if timestamps else [tokens.NO_TIMESTAMPS]
    limit = mel.SAMPLES / mel.RATE
    for segment in clip.segments:
        start = segment.start if len(out) else min(segment.start, MOST_FIRST_TIME)
        if timestamps and segment.start < limit:
            out.append(tokens.time_id(start))
        if segment.end > limit:
            break  # cut off by the window's end: the next window begins with it
        out.append(tokens.WORD_IDS[segment.digit])
        if timestamps:
            out.append(tokens.time_id(segment.end))
    return out + [tokens.END]


def features(samples, filters, length):
    """The mel spectrogram, with silence up to so many samples, 80 x frames."""
    return mel.spectrogram(samples, filters, length).T
