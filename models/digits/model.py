# SPDX-License-Identifier: Apache-2.0
"""Whisper's architecture in PyTorch, under the names of Hugging Face.

Three things serve training alone and leave no trace in the file: tables of positions and timestamps are smooth (made of
sinusoids, so that one second teaches the next), a head tells digits apart frame by frame, and the silence behind short
sound can be sampled (`Sound.silence`) where Whisper has 30 seconds of it.
"""

import dataclasses
import math

import numpy as np
import torch
from torch import nn
from torch.nn import functional

import tokens

WIDTH, HEADS, INNER, MELS = 128, 2, 512, 80
ENCODER_LAYERS, DECODER_LAYERS = 2, 3


def sinusoids(rows, width=WIDTH):
    scale = np.exp(-math.log(10000) / (width // 2 - 1) * np.arange(width // 2))
    angles = np.arange(rows)[:, None] * scale[None]
    return torch.tensor(np.concatenate([np.sin(angles), np.cos(angles)], axis=1), dtype=torch.float32)


@dataclasses.dataclass
class Sound:
    """Mel frames of a batch. `silence`: None for windows as long as the mel, which is computed as Whisper does. Else
    the last two encoder frames of the mel are silent, and stand at these positions instead, each for `weight` many."""

    mel: torch.Tensor
    silence: torch.Tensor = None
    weight: float = 1.0


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.q_proj = nn.Linear(WIDTH, WIDTH)
        self.k_proj = nn.Linear(WIDTH, WIDTH, bias=False)
        self.v_proj = nn.Linear(WIDTH, WIDTH)
        self.out_proj = nn.Linear(WIDTH, WIDTH)

    def forward(self, x, y, bias):
        def by_head(z):
            return z.view(z.shape[0], z.shape[1], HEADS, -1).transpose(1, 2)

        q, k, v = by_head(self.q_proj(x)), by_head(self.k_proj(y)), by_head(self.v_proj(y))
        scores = (q * (WIDTH // HEADS) ** -0.5) @ k.transpose(2, 3)
        if bias is not None:
            scores = scores + bias
        return self.out_proj((scores.softmax(dim=-1) @ v).transpose(1, 2).reshape(x.shape))


def look_around(attention, reaches, query_map=None, key_map=None):
    """Begins with two heads that look so many rows ahead (or back), whatever is there: sinusoids of two positions have
    a product that depends on their distance. Learning this takes thousands of steps, where all else is quick. The maps
    turn sinusoids as queries or keys hold them."""
    sharpness, half = 1.5, WIDTH // 2
    rate = torch.exp(-math.log(10000) / (half - 1) * torch.arange(half))
    query, key = torch.zeros(WIDTH, WIDTH), torch.zeros(WIDTH, WIDTH)
    for i in range(half):
        # Every other frequency belongs to the second head.
        row, turn = i % 2 * half + i // 2 * 2, torch.tensor(float(reaches[i % 2]))
        sine, cosine = torch.sin(rate[i] * turn), torch.cos(rate[i] * turn)
        key[row, i], key[row + 1, half + i] = sharpness, sharpness
        query[row, i], query[row, half + i] = sharpness * cosine, sharpness * sine
        query[row + 1, i], query[row + 1, half + i] = -sharpness * sine, sharpness * cosine
    with torch.no_grad():
        attention.q_proj.weight.add_(query if query_map is None else query @ query_map.T)
        attention.k_proj.weight.add_(key if key_map is None else key @ key_map.T)


class Layer(nn.Module):
    def __init__(self, decoder):
        super().__init__()
        self.self_attn = Attention()
        self.self_attn_layer_norm = nn.LayerNorm(WIDTH)
        if decoder:
            self.encoder_attn = Attention()
            self.encoder_attn_layer_norm = nn.LayerNorm(WIDTH)
        self.fc1 = nn.Linear(WIDTH, INNER)
        self.fc2 = nn.Linear(INNER, WIDTH)
        self.final_layer_norm = nn.LayerNorm(WIDTH)

    def forward(self, x, own_bias, sound=None, sound_bias=None):
        h = self.self_attn_layer_norm(x)
        x = x + self.self_attn(h, h, own_bias)
        if sound is not None:
            x = x + self.encoder_attn(self.encoder_attn_layer_norm(x), sound, sound_bias)
        return x + self.fc2(functional.gelu(self.fc1(self.final_layer_norm(x))))


class SmoothTable(nn.Module):
    """Rows that are a linear function of sinusoids of their number."""

    def __init__(self, rows):
        super().__init__()
        self.register_buffer("basis", sinusoids(rows), persistent=False)
        self.map = nn.Linear(WIDTH, WIDTH)

    def forward(self):
        return self.map(self.basis)


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv1d(MELS, WIDTH, 3, padding=1)
        self.conv2 = nn.Conv1d(WIDTH, WIDTH, 3, stride=2, padding=1)
        self.layers = nn.ModuleList(Layer(decoder=False) for _ in range(ENCODER_LAYERS))
        self.layer_norm = nn.LayerNorm(WIDTH)
        # Louder than the positions: else these are all that the layers hear, for thousands of steps.
        for conv, gain in ((self.conv1, 1), (self.conv2, 2.5)):
            nn.init.kaiming_normal_(conv.weight, nonlinearity="relu")
            conv.weight.data *= gain
        for number, layer in enumerate(self.layers):
            look_around(layer.self_attn, [4 * (number + 1), -4 * (number + 1)])
        # As the file has it, in fp16.
        self.register_buffer("positions", sinusoids(tokens.FRAMES).half().float(), persistent=False)

    def forward(self, sound):
        """States of the frames, and what attention adds to scores of each of them."""
        x = functional.gelu(self.conv1(sound.mel))
        # F.gelu goes backwards wrongly where gradients are not contiguous, hence on this side of the transposition.
        x = functional.gelu(self.conv2(x).transpose(1, 2).contiguous())
        bias = None
        if sound.silence is None:
            x = x + self.positions[: x.shape[1]]
        else:
            frames, more = x.shape[1] - 2, len(sound.silence)
            quiet = x[:, frames : frames + 1].expand(-1, more, -1)
            x = torch.cat([x[:, :frames] + self.positions[:frames], quiet + self.positions[sound.silence]], dim=1)
            bias = torch.cat([torch.zeros(frames), torch.full((more,), math.log(sound.weight))])
        for layer in self.layers:
            x = layer(x, bias)
        return self.layer_norm(x), bias


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.rows = nn.Parameter(torch.randn(tokens.COLUMNS - tokens.TIMES, WIDTH) * 0.05)
        self.times = SmoothTable(tokens.TIMES)
        self.places = SmoothTable(tokens.TEXT_CONTEXT)
        self.layers = nn.ModuleList(Layer(decoder=True) for _ in range(DECODER_LAYERS))
        self.layer_norm = nn.LayerNorm(WIDTH)
        # Timestamps begin as the positions of their frames, places in the text as the same, turned to be told apart.
        apart = torch.linalg.qr(torch.randn(WIDTH, WIDTH))[0]
        for table, turn, size in ((self.times, torch.eye(WIDTH), 0.15), (self.places, apart, 0.1)):
            table.map.weight.data = turn * size
            nn.init.zeros_(table.map.bias)
        look_around(self.layers[0].self_attn, [-1, -2], apart, apart)
        for layer, reaches in zip(self.layers, ([8, 20], [4, 14], [10, 30])):
            look_around(layer.encoder_attn, reaches)
        # As many tokens as share the last row count as often.
        share = torch.zeros(tokens.COLUMNS)
        share[tokens.UNUSED_COLUMN] = math.log(tokens.UNUSED_TOKENS)
        self.register_buffer("share", share, persistent=False)

    def embedding(self):
        """One row for each column of `tokens`."""
        return torch.cat([self.rows[:-1], self.times(), self.rows[-1:]])

    def forward(self, columns, sound, sound_bias):
        """Logarithms of what becomes, by softmax, the probability of each column."""
        embedding = self.embedding()
        length = columns.shape[1]
        x = functional.embedding(columns, embedding) + self.places()[:length]
        later = torch.full((length, length), -math.inf).triu(1)
        for layer in self.layers:
            x = layer(x, later, sound, sound_bias)
        return self.layer_norm(x) @ embedding.T + self.share


class Whisper(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = Encoder()
        self.decoder = Decoder()
        self.frame_head = nn.Linear(WIDTH, len(tokens.WORDS) + 1)

    def forward(self, sound, columns):
        """Logits of the next token behind each, and of the digit that is spoken in each frame (or of none)."""
        states, bias = self.encoder(sound)
        return self.decoder(columns, states, bias), self.frame_head(states)
