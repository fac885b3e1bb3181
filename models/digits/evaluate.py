#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Word error rate on the sequences of test.txt, by greedy decoding as OpenAI's reference does it, in PyTorch."""

import argparse
import pathlib

import numpy as np
import torch

import clips
import sequences
import tokens
from model import Sound, Whisper
from test_list import TEST_LIST, errors, read_list

MOST_TOKENS = 100
MOST_FIRST_TIME = round(sequences.MOST_FIRST_TIME / tokens.STEP_SECONDS)
FIRST = tokens.FIRST_TIME_COLUMN
NEVER = [tokens.COLUMN_OF[t] for t in (tokens.START, tokens.PREVIOUS, tokens.NO_SPEECH, tokens.NO_TIMESTAMPS)]


def allowed(said, logits):
    """Timestamps in pairs that never go back, and one where that is likelier than any word."""
    logits = logits.clone()
    logits[NEVER] = -np.inf
    if not said:
        logits[:FIRST] = logits[-1] = -np.inf
        logits[FIRST + MOST_FIRST_TIME + 1 :] = -np.inf
        return logits
    times = [c for c in said if c >= FIRST]
    opened = said[-1] >= FIRST and (len(said) < 2 or said[-2] >= FIRST)
    closed = said[-1] >= FIRST and not opened
    if opened:
        logits[FIRST:-1] = -np.inf
    elif closed:
        logits[: tokens.COLUMN_OF[tokens.END]] = logits[-1] = -np.inf
    if times:
        logits[FIRST : times[-1] + (not closed)] = -np.inf
    logs = logits.log_softmax(0)
    if logs[FIRST:-1].logsumexp(0) > max(logs[:FIRST].max(), logs[-1]):
        logits[:FIRST] = logits[-1] = -np.inf
    return logits


def greedy(model, mel):
    """Columns behind the start; mel is 80 x frames."""
    states, bias = model.encoder(Sound(torch.tensor(mel[None], dtype=torch.float32)))
    said = []
    while len(said) < MOST_TOKENS:
        columns = torch.tensor([[tokens.COLUMN_OF[tokens.START]] + said])
        best = int(allowed(said, model.decoder(columns, states, bias)[0, -1]).argmax())
        if best == tokens.COLUMN_OF[tokens.END]:
            break
        said.append(best)
    return said


def words_of(columns):
    return tokens.text_of(int(tokens.IN_USE[c]) if c < len(tokens.IN_USE) else 0 for c in columns).split()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=pathlib.Path, required=True, help="has speech/fsdd and whisper/mel_filters.npz")
    parser.add_argument("--checkpoint", type=pathlib.Path, required=True)
    parser.add_argument("--list", type=pathlib.Path, default=TEST_LIST)
    parser.add_argument("--short", action="store_true", help="windows as short as the sound, which is not what Whisper does")
    parser.add_argument("--wrong", action="store_true", help="show what is wrong")
    options = parser.parse_args()
    torch.set_num_threads(1)
    model = Whisper()
    model.load_state_dict(torch.load(options.checkpoint)["model"])
    # As the file has them.
    model = model.half().float().eval()
    filters = np.load(options.data / "whisper/mel_filters.npz")["mel_80"]
    words = wrong = 0
    for entry in read_list(options.list):
        samples = clips.sound_of(entry, options.data / "speech/fsdd/recordings") / 32768
        length = (-(-len(samples) // 320) + 8) * 320 if options.short else sequences.mel.SAMPLES
        with torch.no_grad():
            got = words_of(greedy(model, sequences.features(samples, filters, length)))
        words += len(entry.digits())
        wrong += errors(entry.words(), got)
        if options.wrong and got != entry.words():
            print(f"{entry.name}: {' '.join(entry.words())}\n     {' '.join(got)}", flush=True)
    print(f"{wrong} of {words} words wrong: {100 * wrong / words:.2f} %")


if __name__ == "__main__":
    main()
