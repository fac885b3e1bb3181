#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the weights of a checkpoint as digits.safetensors, in fp16, under Hugging Face's names.

The embedding has one row for each token in use and one for all others, as in training; spread.py gives every token of
the vocabulary its row.
"""

import argparse
import pathlib

import numpy as np
import torch

import spread
import tokens
from model import Whisper

HERE = pathlib.Path(__file__).resolve().parent
TRAINING_ALONE = ("frame_head.", "decoder.rows", "decoder.times.", "decoder.places.")


def weights_of(model):
    named = {
        "decoder.embed_tokens.weight": model.decoder.embedding(),
        "decoder.embed_positions.weight": model.decoder.places(),
        "encoder.embed_positions.weight": model.encoder.positions,
    }
    for name, weight in model.state_dict().items():
        if not name.startswith(TRAINING_ALONE):
            named[name] = weight
    return {f"model.{name}": weight.detach().numpy().astype(np.float16) for name, weight in sorted(named.items())}


def file_of(weights, metadata):
    """Header and tensors of a safetensors file."""
    header, at = {"__metadata__": metadata}, 0
    for name, weight in weights.items():
        header[name] = {"dtype": "F16", "shape": list(weight.shape), "data_offsets": [at, at + weight.nbytes]}
        at += weight.nbytes
    return header, [weight.tobytes() for weight in weights.values()]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkpoint", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path, default=HERE / "digits.safetensors")
    options = parser.parse_args()
    state = torch.load(options.checkpoint)
    model = Whisper()
    model.load_state_dict(state["model"])
    in_use = ",".join(str(token) for token in tokens.IN_USE)
    metadata = {"steps": str(state["step"]), "tokens": in_use}
    spread.write_safetensors(options.out, *file_of(weights_of(model), metadata))


if __name__ == "__main__":
    main()
