#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes verif/host/models/files/data/logits.json: what PyTorch computes, in double precision, with the tiny models of
make_models.py, in the words of PyTorch's own operators.

  /usr/bin/python3 verif/host/models/files/make_logits.py        (Debian's python3-torch)

What it makes is committed; a test does not need it."""

import json
import pathlib
import struct

import torch
import torch.nn.functional as F

HERE = pathlib.Path(__file__).resolve().parent / "data"
TYPES = {"F16": torch.float16, "BF16": torch.bfloat16, "F32": torch.float32}
torch.set_default_dtype(torch.float64)


def read(folder):
    data = (HERE / folder / "model.safetensors").read_bytes()
    size = struct.unpack_from("<Q", data)[0]
    header = json.loads(data[8:8 + size])
    header.pop("__metadata__", None)
    tensors = {}
    for name, entry in header.items():
        begin, end = (8 + size + x for x in entry["data_offsets"])
        tensors[name] = torch.frombuffer(bytearray(data[begin:end]), dtype=TYPES[entry["dtype"]]).reshape(entry["shape"]).double()
    return json.loads((HERE / folder / "config.json").read_text()), tensors


def llama(tokens):
    """As Hugging Face's modeling_llama: halves of a head rotate."""
    config, t = read("tiny-llama")
    heads, kv = config["num_attention_heads"], config["num_key_value_heads"]
    width = config["hidden_size"] // heads
    angles = torch.arange(len(tokens))[:, None] / config["rope_theta"] ** (torch.arange(0, width, 2) / width)
    cos, sin = (torch.cat([f(angles), f(angles)], dim=1) for f in (torch.cos, torch.sin))

    def norm(x, weight):
        return weight * x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + config["rms_norm_eps"])

    def rotated(x):
        a, b = x.chunk(2, dim=-1)
        return x * cos + torch.cat([-b, a], dim=-1) * sin

    def split(x, count):
        return x.reshape(len(tokens), count, width).transpose(0, 1)

    x = F.embedding(torch.tensor(tokens), t["model.embed_tokens.weight"])
    for i in range(config["num_hidden_layers"]):
        p = f"model.layers.{i}."
        h = norm(x, t[p + "input_layernorm.weight"])
        q, k, v = (F.linear(h, t[f"{p}self_attn.{n}_proj.weight"]) for n in "qkv")
        q, k, v = rotated(split(q, heads)), rotated(split(k, kv)), split(v, kv)
        k, v = (y.repeat_interleave(heads // kv, dim=0) for y in (k, v))
        scores = (q @ k.transpose(1, 2) / width ** 0.5).masked_fill(torch.ones(len(tokens), len(tokens)).triu(1).bool(), float("-inf"))
        x = x + F.linear((scores.softmax(-1) @ v).transpose(0, 1).reshape(len(tokens), -1), t[p + "self_attn.o_proj.weight"])
        h = norm(x, t[p + "post_attention_layernorm.weight"])
        x = x + F.linear(F.silu(F.linear(h, t[p + "mlp.gate_proj.weight"])) * F.linear(h, t[p + "mlp.up_proj.weight"]), t[p + "mlp.down_proj.weight"])
    return F.linear(norm(x, t["model.norm.weight"]), t["lm_head.weight"])


def whisper(mel, tokens):
    """(what the encoder makes of the sound, logits)"""
    config, t = read("tiny-whisper")

    def norm(x, name):
        return F.layer_norm(x, x.shape[-1:], t[name + ".weight"], t[name + ".bias"], 1e-5)

    def linear(x, name):
        return F.linear(x, t[name + ".weight"], t.get(name + ".bias"))

    def attention(name, heads, x, y, mask=None):
        q, k, v = (linear(z, f"{name}.{n}_proj").reshape(len(z), heads, -1).transpose(0, 1) for z, n in ((x, "q"), (y, "k"), (y, "v")))
        scores = q @ k.transpose(1, 2) / q.shape[-1] ** 0.5
        scores = scores if mask is None else scores.masked_fill(mask, float("-inf"))
        return linear((scores.softmax(-1) @ v).transpose(0, 1).reshape(len(x), -1), name + ".out_proj")

    def feed_forward(p, x):
        return x + linear(F.gelu(linear(norm(x, p + "final_layer_norm"), p + "fc1")), p + "fc2")

    e, d = "model.encoder.", "model.decoder."
    x = F.gelu(F.conv1d(mel[None], t[e + "conv1.weight"], t[e + "conv1.bias"], padding=1))
    x = F.gelu(F.conv1d(x, t[e + "conv2.weight"], t[e + "conv2.bias"], stride=2, padding=1))[0].T
    x = x + t[e + "embed_positions.weight"]
    for i in range(config["encoder_layers"]):
        p = f"{e}layers.{i}."
        h = norm(x, p + "self_attn_layer_norm")
        x = feed_forward(p, x + attention(p + "self_attn", config["encoder_attention_heads"], h, h))
    sound = norm(x, e + "layer_norm")
    x = F.embedding(torch.tensor(tokens), t[d + "embed_tokens.weight"]) + t[d + "embed_positions.weight"][:len(tokens)]
    mask = torch.ones(len(tokens), len(tokens)).triu(1).bool()
    for i in range(config["decoder_layers"]):
        p, heads = f"{d}layers.{i}.", config["decoder_attention_heads"]
        h = norm(x, p + "self_attn_layer_norm")
        x = x + attention(p + "self_attn", heads, h, h, mask)
        x = feed_forward(p, x + attention(p + "encoder_attn", heads, norm(x, p + "encoder_attn_layer_norm"), sound))
    return sound, F.linear(norm(x, d + "layer_norm"), t[d + "embed_tokens.weight"])


def main():
    tokens = [1, 36, 40, 52, 63, 0, 5, 36, 36, 49, 50, 12]
    mel = ((torch.arange(8)[:, None] * 24 + torch.arange(24)) * 37 % 101) / 50 - 1
    spoken = [3, 59, 0, 17, 17, 42, 8]
    sound, logits = whisper(mel, spoken)
    out = {"llama": {"tokens": tokens, "logits": llama(tokens).tolist()},
           "whisper": {"tokens": spoken, "sound": sound.tolist(), "logits": logits.tolist()}}
    text = json.dumps(json.loads(json.dumps(out), parse_float=lambda x: float(f"{float(x):.13g}")))
    (HERE / "logits.json").write_text(text.replace("], [", "],\n[") + "\n")


if __name__ == "__main__":
    main()
