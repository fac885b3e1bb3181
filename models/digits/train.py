#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains the model of spoken digits. Goes on from its checkpoint, if there is one."""

import argparse
import math
import pathlib
import time

import numpy as np
import torch
from torch.nn import functional

import batches
import recordings
import sequences
import tokens
from model import Whisper

ROOT = pathlib.Path(__file__).resolve().parents[2]
WARM_UP = 200
TIMES_WEIGHT = 0.5
BLUR_STEPS = 1.0
FRAMES_WEIGHT = 0.3


def rate_at(step, steps, highest):
    if step < WARM_UP:
        return highest * step / WARM_UP
    return highest * (0.01 + 0.99 * (0.5 + 0.5 * math.cos(math.pi * (step - WARM_UP) / (steps - WARM_UP))))


def blurred(columns):
    """Of each timestamp the target: its own frame most, and its neighbours, for nobody hears a step of 20 ms."""
    steps = torch.arange(tokens.TIMES)[None] + tokens.FIRST_TIME_COLUMN - columns[:, None]
    return torch.softmax(-0.5 * (steps / BLUR_STEPS) ** 2, dim=1)


def losses(model, batch):
    """Of words and control tokens, of timestamps, and of frames."""
    logits, frames = model(batch.sound, batch.columns)
    targets = batch.targets.flatten()
    logs = logits.flatten(0, 1).log_softmax(dim=1)
    times = targets >= tokens.FIRST_TIME_COLUMN
    words = (targets != batches.IGNORE) & ~times
    columns = slice(tokens.FIRST_TIME_COLUMN, tokens.FIRST_TIME_COLUMN + tokens.TIMES)
    return (
        -logs[words, targets[words]].mean(),
        -(blurred(targets[times]) * logs[times, columns]).sum() / max(1, int(times.sum())),
        functional.cross_entropy(frames.flatten(0, 1), batch.spoken.flatten()),
    )


def kind_at(random, step, steps):
    """Short windows first, then more and more of 30 seconds; whole ones, which take long, near the end."""
    if step > 0.6 * steps and random.random() < 0.03:
        return "whole"
    return "sampled" if random.random() < min(0.5, step / (0.3 * steps)) else "short"


class Run:
    def __init__(self, options):
        self.options = options
        self.model = Whisper()
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=0, betas=(0.9, 0.98), weight_decay=0.01)
        self.step = 0
        self.checkpoint = options.work / "checkpoint.pt"
        if self.checkpoint.exists():
            state = torch.load(self.checkpoint)
            self.model.load_state_dict(state["model"])
            self.optimizer.load_state_dict(state["optimizer"])
            self.step = state["step"]
        elif options.encoder:
            old = torch.load(options.encoder)["model"]
            self.model.load_state_dict({k: v for k, v in old.items() if not k.startswith("decoder.")}, strict=False)
        self.random = np.random.default_rng([options.seed, self.step])
        torch.manual_seed(options.seed + self.step)
        people = recordings.read_fsdd(options.data / "speech/fsdd/recordings", test=False)
        synthetic = recordings.speak(options.work / "voices")
        drawer = sequences.Drawer(people, synthetic, self.random)
        self.batches = batches.Batches(drawer, np.load(options.data / "whisper/mel_filters.npz")["mel_80"])

    def save(self):
        state = {"model": self.model.state_dict(), "optimizer": self.optimizer.state_dict(), "step": self.step}
        part = self.checkpoint.with_suffix(".part")
        torch.save(state, part)
        part.rename(self.checkpoint)

    def draw(self):
        """Few digits first, and clean ones; both get worse by and by."""
        kind = kind_at(self.random, self.step, self.options.steps)
        done = self.step / self.options.steps
        most = 4 if done < 0.05 else 8
        hardship = min(1.0, max(0.2, (done - 0.05) / 0.3))
        # Some stay clean to the end, else clean sounds are forgotten.
        self.batches.drawer.hardship = hardship * self.random.choice([0.0, 0.5, 1.0, 1.0])
        if kind == "whole":
            return self.batches.draw(kind, self.options.batch // 4, most, 9)
        return self.batches.draw(kind, self.options.batch, most, 1 if most < 8 else 3)

    def one_step(self):
        batch = self.draw()
        words, times, frames = losses(self.model, batch)
        self.optimizer.zero_grad()
        (words + TIMES_WEIGHT * times + FRAMES_WEIGHT * frames).backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        for group in self.optimizer.param_groups:
            group["lr"] = rate_at(self.step, self.options.steps, self.options.rate)
        self.optimizer.step()
        self.step += 1
        return np.array([words.item(), times.item(), frames.item()])

    def go(self):
        self.model.train()
        began = saved = time.time()
        sums = []
        while self.step < self.options.steps:
            sums.append(self.one_step())
            if self.step % self.options.every == 0:
                words, times, frames = np.mean(sums, axis=0)
                print(
                    f"step {self.step:6} of {self.options.steps}  words {words:.4f}  times {times:.4f}"
                    f"  frames {frames:.4f}  {time.time() - began:6.0f} s",
                    flush=True,
                )
                sums = []
            if time.time() - saved > 120:
                self.save()
                saved = time.time()
        self.save()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=pathlib.Path, required=True, help="has speech/fsdd and whisper/mel_filters.npz")
    parser.add_argument("--work", type=pathlib.Path, default=ROOT / "build/digits", help="checkpoint and voices")
    parser.add_argument("--steps", type=int, default=6500)
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--rate", type=float, default=1.5e-3, help="the highest rate of learning")
    parser.add_argument("--encoder", type=pathlib.Path, help="checkpoint whose encoder this one begins with")
    parser.add_argument("--every", type=int, default=100, help="steps between two lines")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    torch.set_num_threads(1)
    options.work.mkdir(parents=True, exist_ok=True)
    Run(options).go()


if __name__ == "__main__":
    main()
