#!/usr/bin/python3
"""The operators that eager PyTorch issues for Whisper as OpenAI's program computes it (github.com/openai/whisper, model.py and
decoding.py: weights in fp32, cast where they are used, activations in 16 bits, keys and values kept): of one pass of the
encoder, of the decoder's first pass, in which the sound's keys and values are computed, and of each one after it, with the
greedy choice of a token and without rules for timestamps. `swai bench paper` counts a launch for each. Needs Debian's
python3-torch; run from the root of the repository, with --write to write the list anew, else it compares.

Views and allocations launch nothing and are left out. bfloat16 stands for half, which the processor cannot multiply; the
operators are the same. GPUs launch more kernels for some operators (convolutions), so counts from the list are a least."""

import pathlib
import sys

import torch
from torch.nn import functional
from torch.utils._python_dispatch import TorchDispatchMode

import pytorch_whisper

LIST = pathlib.Path("host/cli/bench/paper/eager_operators.hpp")
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


def linear(module, x):
    bias = None if module.bias is None else module.bias.to(x.dtype)
    return functional.linear(x, module.weight.to(x.dtype), bias)


def norm(module, x):
    return module(x.float()).type(x.dtype)


def convolution(module, x):
    return module._conv_forward(x, module.weight.to(x.dtype), module.bias.to(x.dtype))


def attend(q, k, v, mask=None):
    scale = (q.shape[2] // HEADS) ** -0.25
    rows = q.shape[1]
    q = q.view(*q.shape[:2], HEADS, -1).permute(0, 2, 1, 3) * scale
    k = k.view(*k.shape[:2], HEADS, -1).permute(0, 2, 3, 1) * scale
    v = v.view(*v.shape[:2], HEADS, -1).permute(0, 2, 1, 3)
    scores = q @ k
    if mask is not None:
        scores = scores + mask[:rows, :rows]
    weights = functional.softmax(scores.float(), dim=-1).to(q.dtype)
    return (weights @ v).permute(0, 2, 1, 3).flatten(start_dim=2)


class Cache(dict):
    """What linear layers of keys and values have given so far."""

    def grown(self, module, x):
        out = linear(module, x)
        self[module] = torch.cat([self[module], out], dim=1).detach() if module in self else out
        return self[module]

    def once(self, module, x):
        if module not in self:
            self[module] = linear(module, x)
        return self[module]


def feed_forward(block, x):
    inside = functional.gelu(linear(block.mlp[0], norm(block.mlp_ln, x)))
    return x + linear(block.mlp[2], inside)


def encoder_block(block, x):
    own, y = block.attn, norm(block.attn_ln, x)
    x = x + linear(own.out, attend(linear(own.query, y), linear(own.key, y), linear(own.value, y)))
    return feed_forward(block, x)


def decoder_block(block, x, sound, cache, mask):
    own, y = block.attn, norm(block.attn_ln, x)
    query = linear(own.query, y)
    x = x + linear(own.out, attend(query, cache.grown(own.key, y), cache.grown(own.value, y), mask))
    other, y = block.cross_attn, norm(block.cross_attn_ln, x)
    query = linear(other.query, y)
    x = x + linear(other.out, attend(query, cache.once(other.key, sound), cache.once(other.value, sound)))
    return feed_forward(block, x)


def encode(encoder, mel):
    x = functional.gelu(convolution(encoder.conv1, mel))
    x = functional.gelu(convolution(encoder.conv2, x)).permute(0, 2, 1)
    x = (x + encoder.positional_embedding).to(x.dtype)
    for block in encoder.blocks:
        x = encoder_block(block, x)
    return norm(encoder.ln_post, x)


def decode(decoder, tokens, past, sound, cache, mask):
    x = decoder.token_embedding(tokens) + decoder.positional_embedding[past : past + tokens.shape[-1]]
    x = x.to(sound.dtype)
    for block in decoder.blocks:
        x = decoder_block(block, x, sound, cache, mask)
    x = norm(decoder.ln, x)
    return (x @ torch.transpose(decoder.token_embedding.weight.to(x.dtype), 0, 1)).float()


def choose(logits, tokens, sum_logprobs):
    """Signs that nobody says are ruled out, the likeliest token is taken (GreedyDecoder)."""
    logits = logits[:, -1]
    logits[:, [1, 2, 3]] = -float("inf")
    chosen = logits.argmax(dim=-1)
    logprobs = functional.log_softmax(logits.float(), dim=-1)
    current = logprobs[torch.arange(logprobs.shape[0]), chosen]
    sum_logprobs += current * (tokens[:, -1] != END)
    chosen[tokens[:, -1] == END] = END
    tokens = torch.cat([tokens, chosen[:, None]], dim=-1)
    (tokens[:, -1] == END).all()
    return tokens


class Window:
    """A window with so many layers of encoder and decoder, in tensors that are as small as can be: an encoder's pass, the
    decoder's first one, then steps, of which the context has room for STEPS."""

    STEPS = CONTEXT - PROMPT

    def __init__(self, layers):
        self.model = pytorch_whisper.construct(mels=MELS, audio_context=FRAMES // 2, vocabulary=VOCABULARY, text_context=CONTEXT,
                                               width=WIDTH, layers=layers)
        self.model.eval()
        self.mask = torch.empty(CONTEXT, CONTEXT).fill_(-float("inf")).triu_(1)
        self.mel = torch.zeros(1, MELS, FRAMES, dtype=KIND)
        self.prompt = torch.zeros(1, PROMPT, dtype=torch.long)
        self.sums = torch.zeros(1)

    @torch.no_grad()
    def encoder(self):
        self.cache = Cache()
        self.sound = encode(self.model.encoder, self.mel)
        self.tokens = self.prompt

    @torch.no_grad()
    def first(self):
        self.take(self.tokens, 0)

    @torch.no_grad()
    def step(self):
        self.take(self.tokens[:, -1:], self.tokens.shape[1] - 1)

    def take(self, given, past):
        logits = decode(self.model.decoder, given, past, self.sound, self.cache, self.mask)
        self.tokens = choose(logits, self.tokens, self.sums)


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
             f"// verif/transcribe/eager_operators.py --write with PyTorch {torch.__version__}, which says how.", "#pragma once", "",
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
