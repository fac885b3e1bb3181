# SPDX-License-Identifier: Apache-2.0
"""Whisper's modules in PyTorch, under OpenAI's names: what its parameters are, and how they begin. It computes nothing."""

import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(width, width, bias=False)
        self.value = nn.Linear(width, width)
        self.out = nn.Linear(width, width)


class Block(nn.Module):
    def __init__(self, width, cross):
        super().__init__()
        self.attn = Attention(width)
        self.attn_ln = nn.LayerNorm(width)
        if cross:
            self.cross_attn = Attention(width)
            self.cross_attn_ln = nn.LayerNorm(width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))
        self.mlp_ln = nn.LayerNorm(width)


class Encoder(nn.Module):
    def __init__(self, mels, context, width, layers):
        super().__init__()
        self.conv1 = nn.Conv1d(mels, width, kernel_size=3, padding=1)
        self.conv2 = nn.Conv1d(width, width, kernel_size=3, stride=2, padding=1)
        self.register_buffer("positional_embedding", torch.empty(context, width))
        self.blocks = nn.ModuleList(Block(width, cross=False) for _ in range(layers))
        self.ln_post = nn.LayerNorm(width)


class Decoder(nn.Module):
    def __init__(self, vocabulary, context, width, layers):
        super().__init__()
        self.token_embedding = nn.Embedding(vocabulary, width)
        self.positional_embedding = nn.Parameter(torch.empty(context, width))
        self.blocks = nn.ModuleList(Block(width, cross=True) for _ in range(layers))
        self.ln = nn.LayerNorm(width)


class Whisper(nn.Module):
    def __init__(self, mels, audio_context, vocabulary, text_context, width, layers):
        super().__init__()
        self.encoder = Encoder(mels, audio_context, width, layers)
        self.decoder = Decoder(vocabulary, text_context, width, layers)


def construct(**shape):
    """A model with memory for all parameters, and nothing in it: what constructors do before they draw numbers."""
    with SkippedInitialisation():
        return Whisper(**shape)


class SkippedInitialisation:
    """While it lasts, the modules that Whisper is made of do not draw their first numbers."""

    KINDS = (nn.Linear, nn.Conv1d, nn.LayerNorm, nn.Embedding)

    def __enter__(self):
        self.kept = [(kind, kind.reset_parameters) for kind in self.KINDS]
        for kind in self.KINDS:
            kind.reset_parameters = lambda module: None

    def __exit__(self, *error):
        for kind, reset in self.kept:
            kind.reset_parameters = reset


def initialise(model):
    """What constructors draw; loading overwrites all of it."""
    for module in model.modules():
        if isinstance(module, SkippedInitialisation.KINDS):
            module.reset_parameters()
