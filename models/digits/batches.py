# SPDX-License-Identifier: Apache-2.0
"""Batches of training: windows as short as their sound, and windows of 30 seconds."""

import dataclasses

import numpy as np
import torch

import sequences
import tokens
from model import Sound

IGNORE = -100
POOL = 16  # batches that are drawn in one go
SAMPLED = 24  # frames that stand for the silence of a window of 30 seconds
FRAME_SAMPLES = 320


@dataclasses.dataclass
class Batch:
    sound: Sound
    columns: torch.Tensor  # what the decoder is given
    targets: torch.Tensor  # what it should say behind each, or IGNORE
    spoken: torch.Tensor  # for each frame that the encoder sees


class Batches:
    def __init__(self, drawer, filters):
        self.drawer, self.filters, self.random = drawer, filters, drawer.random
        self.ready = []

    def draw(self, kind, size, most_digits, most_groups):
        """`kind`: "short" windows, "sampled" ones of 30 seconds, or "whole" ones."""
        if kind == "whole":
            return self.batch(kind, [self.drawer.clip(most_digits, most_groups) for _ in range(size)])
        if not self.ready:
            # Clips of like length share a batch.
            clips = [self.drawer.clip(most_digits, most_groups) for _ in range(size * POOL)]
            clips.sort(key=lambda clip: len(clip.spoken))
            self.ready = [clips[i * size : (i + 1) * size] for i in range(POOL)]
            self.random.shuffle(self.ready)
        return self.batch(kind, self.ready.pop())

    def batch(self, kind, clips):
        frames = max(len(clip.spoken) for clip in clips)
        more = 0
        if kind == "short":
            frames = min(frames + int(self.random.integers(0, 40)), tokens.FRAMES)
        elif kind == "whole":
            frames = tokens.FRAMES
        elif frames + SAMPLED < tokens.FRAMES:
            more = 2  # silent ones
        mels = np.stack([sequences.features(c.samples, self.filters, (frames + more) * FRAME_SAMPLES) for c in clips])
        self.mask(mels)
        sound = Sound(torch.tensor(mels, dtype=torch.float32))
        seen = frames
        if more:
            edges = np.linspace(frames, tokens.FRAMES, SAMPLED + 1)
            sound.silence = torch.tensor(self.random.uniform(edges[:-1], edges[1:]).astype(np.int64))
            sound.weight = (tokens.FRAMES - frames) / SAMPLED
            seen = frames + SAMPLED
        spoken = np.full((len(clips), seen), len(tokens.WORDS))
        for row, clip in zip(spoken, clips):
            row[: len(clip.spoken)] = clip.spoken
        columns, targets = self.texts(clips)
        return Batch(sound, columns, targets, torch.tensor(spoken))

    def mask(self, mels):
        """Hides some bands of every other clip."""
        for one in mels:
            if self.drawer.chance(0.5 * self.drawer.hardship):
                width = int(self.random.integers(1, 12))
                band = int(self.random.integers(0, mels.shape[1] - width))
                one[band : band + width] = one.mean()

    def texts(self, clips):
        rows = [self.text(clip) for clip in clips]
        longest = max(len(given) for given, _ in rows)
        columns = np.full((len(rows), longest), tokens.COLUMN_OF[tokens.END])
        targets = np.full((len(rows), longest), IGNORE)
        for i, (given, wanted) in enumerate(rows):
            columns[i, : len(given)] = tokens.COLUMN_OF[given]
            targets[i, : len(given)] = np.where(wanted == IGNORE, IGNORE, tokens.COLUMN_OF[wanted])
        return torch.tensor(columns), torch.tensor(targets)

    def text(self, clip):
        """What the decoder is given, and the next token behind each."""
        timestamps = self.drawer.chance(0.85)
        before = self.prompt() if self.drawer.chance(0.08) else []
        wanted = sequences.target(clip, timestamps)
        if not clip.segments:
            # Whatever the rules of decoding make the model begin with, there is no text.
            wanted = [tokens.FIRST_TIME if timestamps else tokens.NO_TIMESTAMPS] + wanted
        given = np.array(before + [tokens.START] + wanted[:-1])
        wanted = np.array([IGNORE] * len(before) + wanted)
        if not clip.segments:
            wanted[len(before)] = tokens.NO_SPEECH
        return given, wanted

    def prompt(self):
        """What was said before, as Whisper is told when it goes through long sound."""
        out, timestamps = [tokens.PREVIOUS], self.drawer.chance(0.8)
        at, length = 0.0, int(self.random.integers(1, 200 if self.drawer.chance(0.03) else 30))
        while len(out) < length and at < 22:
            if timestamps:
                out.append(tokens.time_id(at))
            out.append(tokens.WORD_IDS[int(self.random.integers(len(tokens.WORDS)))])
            at += self.drawer.uniform(0.3, 0.8)
            if timestamps:
                out.append(tokens.time_id(at))
            at += self.drawer.uniform(0, 1)
        return out
