#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Lists the operators that eager PyTorch issues for Whisper when it is computed as OpenAI's program does (openai/whisper:
weights in fp32 that are cast where they are used, activations in 16 bits, keys and values kept). There is a list for the
encoder's pass, for the decoder's first pass, which computes the sound's keys and values, and for each later pass; with the
greedy choice of a token and without rules for timestamps. `swai bench paper` counts one launch for each operator. Needs
Debian's python3-torch. Run from the root of the repository: with --write it writes the list, without it compares.

Views and allocations launch nothing and are left out. bfloat16 stands for half, which the processor cannot multiply; the
operators are the same. GPUs launch more kernels for some operators (convolutions), so counts from the list are a least."""

import math
import pathlib
import sys

import torch
from torch.nn import functional
from torch.utils._python_dispatch import TorchDispatchMode

import pytorch_whisper

LIST = pathlib.Path("bench/paper/eager_operators.hpp")
KIND = torch.bfloat16
HEADS, WIDTH, MELS, FRAMES, VOCABULARY, CONTEXT = 2, 32, 80, 40, 500, 32
PROMPT = 4  # tokens of the first pass: start, language, task, no timestamps
END = 7
# Neither a view by its schema nor a kernel.
NO_KERNEL = {"_unsafe_view", "empty", "empty_strided", "lift_fresh", "_local_scalar_dense"}


class Recorder(TorchDispatchMode):
    def __init__(self):
        super().__init__()
        self.names = []

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        returns = function._schema.returns
        view = bool(returns) and returns[0].alias_info is not None and not returns[0].alias_info.is_write
        name = function._schema.name.removeprefix("aten::")
        if not view and name not in NO_KERNEL:
            self.names.append(name)
        return function(*args, **(kwargs or {}))


def recorded(action):
    with Recorder() as recorder:
        action()
    return recorder.names


def project(layer, rows):
    """A linear layer in 16 bits: eager code casts its parameters each time."""
    bias = layer.bias if layer.bias is None else layer.bias.to(KIND)
    return functional.linear(rows, layer.weight.to(KIND), bias)


def convolve(layer, signal):
    return functional.conv1d(signal, layer.weight.to(KIND), layer.bias.to(KIND), layer.stride, layer.padding)


def normalise(layer, rows):
    """Layer norm in fp32 between two casts."""
    return functional.layer_norm(rows.to(torch.float32), layer.normalized_shape, layer.weight, layer.bias).to(KIND)


def by_head(rows):
    """[batch, rows, width] as [batch, heads, rows, width of a head]."""
    return rows.unflatten(-1, (HEADS, WIDTH // HEADS)).transpose(1, 2)


def attention(queries, keys, values, mask=None):
    """All heads in one batched product; queries and keys each carry half of the scale."""
    half_scale = (WIDTH // HEADS) ** -0.25
    scores = (by_head(queries) * half_scale) @ (by_head(keys).mT * half_scale)
    if mask is not None:
        length = queries.shape[1]
        scores = mask[:length, :length] + scores
    shares = scores.to(torch.float32).softmax(dim=-1).to(KIND)
    return (shares @ by_head(values)).transpose(1, 2).flatten(-2)


class Store:
    """Keys and values of one window, by the layer that computed them."""

    def __init__(self):
        self.rows = {}

    def extended(self, layer, rows):
        """A text's rows so far, with those of `rows` appended."""
        new = project(layer, rows)
        self.rows[layer] = torch.cat((self.rows[layer], new), dim=1) if layer in self.rows else new
        return self.rows[layer]

    def fixed(self, layer, rows):
        """The sound's rows, computed by the first call."""
        return self.rows[layer] if layer in self.rows else self.rows.setdefault(layer, project(layer, rows))


def self_attention(block, rows, keep=project, mask=None):
    """The residual sum of a block's own attention; `keep(layer, rows)` gives keys and values."""
    part, inner = block.attn, normalise(block.attn_ln, rows)
    mixed = attention(project(part.query, inner), keep(part.key, inner), keep(part.value, inner), mask)
    return rows + project(part.out, mixed)


def cross_attention(block, rows, sound, store):
    part, inner = block.cross_attn, normalise(block.cross_attn_ln, rows)
    mixed = attention(project(part.query, inner), store.fixed(part.key, sound), store.fixed(part.value, sound))
    return rows + project(part.out, mixed)


def feed_forward(block, rows):
    widen, activation, narrow = block.mlp
    return rows + project(narrow, activation(project(widen, normalise(block.mlp_ln, rows))))


def encode(encoder, mel):
    signal = mel
    for layer in (encoder.conv1, encoder.conv2):
        signal = functional.gelu(convolve(layer, signal))
    rows = (signal.mT + encoder.positional_embedding).to(KIND)
    for block in encoder.blocks:
        rows = feed_forward(block, self_attention(block, rows))
    return normalise(encoder.ln_post, rows)


def decode(decoder, tokens, past, sound, store, mask):
    """Logits in fp32 of `tokens`, which follow `past` others."""
    places = decoder.positional_embedding[past : past + tokens.shape[1]]
    rows = (decoder.token_embedding(tokens) + places).to(KIND)
    for block in decoder.blocks:
        rows = self_attention(block, rows, store.extended, mask)
        rows = feed_forward(block, cross_attention(block, rows, sound, store))
    last = normalise(decoder.ln, rows)
    return (last @ decoder.token_embedding.weight.to(KIND).T).to(torch.float32)


class Greedy:
    """A text that grows by its likeliest token, with the sum of its log probabilities."""

    RULED_OUT = [1, 2, 3]

    def __init__(self):
        self.prompt = torch.zeros(1, PROMPT, dtype=torch.long)
        self.score = torch.zeros(1)

    def restart(self):
        self.tokens = self.prompt

    def grow(self, logits):
        last = logits[:, -1]
        last[:, self.RULED_OUT] = -math.inf
        token = last.argmax(dim=-1)
        log_shares = last.to(torch.float32).log_softmax(dim=-1)
        gain = log_shares[torch.arange(len(token)), token]
        self.score += gain * (self.tokens[:, -1] != END)
        token[self.tokens[:, -1] == END] = END
        self.tokens = torch.cat((self.tokens, token[:, None]), dim=-1)
        return bool((self.tokens[:, -1] == END).all())


class Window:
    """A window with `layers` layers of encoder and decoder, on minimal tensors: the encoder's pass, the decoder's first pass,
    then steps, for STEPS of which the context has space."""

    STEPS = CONTEXT - PROMPT

    def __init__(self, layers):
        self.model = pytorch_whisper.construct(mels=MELS, audio_context=FRAMES // 2, vocabulary=VOCABULARY,
                                               text_context=CONTEXT, width=WIDTH, layers=layers)
        self.model.eval()
        self.mask = torch.full((CONTEXT, CONTEXT), -math.inf).triu(diagonal=1)
        self.mel = torch.zeros(1, MELS, FRAMES, dtype=KIND)
        self.text = Greedy()

    @torch.no_grad()
    def encoder(self):
        self.store = Store()
        self.text.restart()
        self.sound = encode(self.model.encoder, self.mel)

    @torch.no_grad()
    def first(self):
        self.pass_over(self.text.tokens, 0)

    @torch.no_grad()
    def step(self):
        self.pass_over(self.text.tokens[:, -1:], self.text.tokens.shape[1] - 1)

    def pass_over(self, given, past):
        self.text.grow(decode(self.model.decoder, given, past, self.sound, self.store, self.mask))


PASSES = ("encoder", "first", "step")


def lists(layers):
    """Operators of an encoder's pass, of the decoder's first pass and of one after it."""
    window = Window(layers)
    return {name: recorded(getattr(window, name)) for name in PASSES}


def parts(one, two, three):
    """What stands before a layer, in each, and behind the last, of the lists of one, two and three layers."""
    per_layer = len(two) - len(one)
    before = next(i for i in range(len(one) + 1) if two[:i] + two[i : i + per_layer] * 2 + two[i + 2 * per_layer :] == two)
    layer, after = two[before : before + per_layer], two[before + 2 * per_layer :]
    for count, whole in ((1, one), (2, two), (3, three)):
        if before + count * per_layer + len(after) != len(whole) or two[:before] + layer * count + after != whole:
            raise SystemExit("layers are not all alike")
    return two[:before], layer, after


def written():
    made = [lists(layers) for layers in (1, 2, 3)]
    lines = ["// Operators that eager PyTorch issues for Whisper, each of which launches a kernel at least. Written by",
             f"// verif/host/models/speech/eager_operators.py --write with PyTorch {torch.__version__}, which says how.", "#pragma once", "",
             "#include <array>", "", "namespace swai::cli::bench::eager {", "", "// clang-format off"]
    for kind in PASSES:
        for part, names in zip(("Before", "Layer", "After"), parts(*(one[kind] for one in made))):
            lines.append(f"inline constexpr std::array k{kind.capitalize()}{part} = {{")
            lines += [f'    "{name}",' for name in names]
            lines += ["};"]
    return "\n".join(lines + ["// clang-format on", "", "}  // namespace swai::cli::bench::eager", ""])


def main():
    text = written()
    if sys.argv[1:] == ["--write"]:
        LIST.write_text(text)
    elif text != LIST.read_text():
        raise SystemExit(f"{LIST} is not what PyTorch issues; {sys.argv[0]} --write writes it anew")


if __name__ == "__main__":
    main()
