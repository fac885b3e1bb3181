#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the files of verif/host/models/files/data: two tiny random models in every format that host/models/files reads, and what their
weights are. With packages of PyPI that are independent of our loaders where there are such (gguf, safetensors).

  python3 -m venv build/venv && build/venv/bin/pip install numpy gguf==0.19.0 safetensors==0.8.0
  build/venv/bin/python verif/host/models/files/make_models.py

What it makes is committed; a test does not need it."""

import json
import pathlib
import struct
import zlib

import gguf
import numpy as np
import safetensors.numpy

HERE = pathlib.Path(__file__).resolve().parent / "data"
random = np.random.default_rng(2022)
TOKENS = ["<unk>", "<s>", "</s>", *[f"<0x{b:02X}>" for b in range(32, 64)], "\u2581", *"etaoinshrdlu", "th", "he", "\u2581the", "in", "er", "an",
          "\u2581a", "on", "re", "nd", "ed", "or", "es", "en", "at", "to"]
LLAMA = dict(width=32, inner=64, layers=2, heads=4, kv_heads=2, vocabulary=len(TOKENS), context=32)
WHISPER = dict(mels=8, width=32, inner=128, audio_context=12, audio_layers=2, audio_heads=2, text_context=16, text_layers=2, text_heads=4, vocabulary=60)
crcs = {}


def weights(*shape, spread=None):
    """Random numbers that fp16 and bf16 hold exactly."""
    spread = spread or 1 / np.sqrt(np.prod(shape[1:]) if len(shape) > 1 else 1)
    x = np.clip(random.standard_normal(shape), -4, 4) * spread
    return (np.sign(x) * np.maximum(np.round(np.abs(x) * 64) / 64, 1 / 64)).astype(np.float32)


def note(file, tensors):
    crcs[file] = {name: zlib.crc32(np.ascontiguousarray(t, np.float32).tobytes()) for name, t in tensors.items()}


def llama():
    w, kv = LLAMA["width"], LLAMA["width"] * LLAMA["kv_heads"] // LLAMA["heads"]
    tensors = {"embedding": weights(LLAMA["vocabulary"], w)}
    for i in range(LLAMA["layers"]):
        a, f = f"layer.{i}.attention.", f"layer.{i}.feed_forward."
        tensors |= {a + "norm": 1 + weights(w, spread=0.1), a + "query": weights(w, w), a + "key": weights(kv, w), a + "value": weights(kv, w),
                    a + "output": weights(w, w), f + "norm": 1 + weights(w, spread=0.1), f + "gate": weights(LLAMA["inner"], w),
                    f + "up": weights(LLAMA["inner"], w), f + "down": weights(w, LLAMA["inner"])}
    return tensors | {"norm": 1 + weights(w, spread=0.1), "head": weights(LLAMA["vocabulary"], w)}


GGUF = {"embedding": "token_embd", "norm": "output_norm", "head": "output", "attention.norm": "attn_norm", "attention.query": "attn_q", "attention.key": "attn_k",
        "attention.value": "attn_v", "attention.output": "attn_output", "feed_forward.norm": "ffn_norm", "feed_forward.gate": "ffn_gate",
        "feed_forward.up": "ffn_up", "feed_forward.down": "ffn_down"}
HF = {"embedding": "model.embed_tokens", "norm": "model.norm", "head": "lm_head", "attention.norm": "input_layernorm", "attention.query": "self_attn.q_proj",
      "attention.key": "self_attn.k_proj", "attention.value": "self_attn.v_proj", "attention.output": "self_attn.o_proj",
      "feed_forward.norm": "post_attention_layernorm", "feed_forward.gate": "mlp.gate_proj", "feed_forward.up": "mlp.up_proj", "feed_forward.down": "mlp.down_proj"}


def renamed(name, table, layer):
    if not name.startswith("layer."):
        return table[name] + ".weight"
    _, number, rest = name.split(".", 2)
    return layer.format(number) + table[rest] + ".weight"


def write_gguf(file, tensors, type_of, tied):
    writer = gguf.GGUFWriter(HERE / file, "llama")
    writer.add_context_length(LLAMA["context"])
    writer.add_embedding_length(LLAMA["width"])
    writer.add_block_count(LLAMA["layers"])
    writer.add_feed_forward_length(LLAMA["inner"])
    writer.add_head_count(LLAMA["heads"])
    writer.add_head_count_kv(LLAMA["kv_heads"])
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_freq_base(10000)
    writer.add_tokenizer_model("llama")
    writer.add_token_list(TOKENS)
    writer.add_token_scores([0.0] * 35 + [-float(i) for i in range(len(TOKENS) - 35)])
    writer.add_token_types([2, 3, 3] + [6] * 32 + [1] * (len(TOKENS) - 35))
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    kept = {}
    for name, t in tensors.items():
        if tied and name == "head":
            continue
        kind = type_of(name, t)
        packed = gguf.quantize(t, kind)
        kept[name] = gguf.dequantize(packed, kind)
        raw = None if kind in (gguf.GGMLQuantizationType.F32, gguf.GGMLQuantizationType.F16) else kind
        writer.add_tensor(renamed(name, GGUF, "blk.{}."), packed, raw_dtype=raw)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    note(file, kept)


def halves(t, heads):
    """Rows of queries and keys as Hugging Face's rotation of halves wants them."""
    return t.reshape(heads, -1, 2, t.shape[1]).swapaxes(1, 2).reshape(t.shape)


def write_hugging_face_llama(tensors):
    folder = HERE / "tiny-llama"
    folder.mkdir(exist_ok=True)
    turned = dict(tensors)
    for i in range(LLAMA["layers"]):
        turned[f"layer.{i}.attention.query"] = halves(tensors[f"layer.{i}.attention.query"], LLAMA["heads"])
        turned[f"layer.{i}.attention.key"] = halves(tensors[f"layer.{i}.attention.key"], LLAMA["kv_heads"])
    # bf16 is the upper half of fp32; safetensors' numpy side does not know it.
    header, data = {}, b""
    for name, t in turned.items():
        raw = (np.ascontiguousarray(t).view(np.uint32) >> 16).astype("<u2").tobytes()
        header[renamed(name, HF, "model.layers.{}.")] = {"dtype": "BF16", "shape": list(t.shape), "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    (folder / "model.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + data)
    (folder / "config.json").write_text(json.dumps({
        "model_type": "llama", "hidden_size": LLAMA["width"], "intermediate_size": LLAMA["inner"], "num_hidden_layers": LLAMA["layers"],
        "num_attention_heads": LLAMA["heads"], "num_key_value_heads": LLAMA["kv_heads"], "vocab_size": LLAMA["vocabulary"],
        "max_position_embeddings": LLAMA["context"], "rms_norm_eps": 1e-5, "rope_theta": 10000.0, "rope_scaling": None, "hidden_act": "silu",
        "tie_word_embeddings": False}, indent=1) + "\n")
    note("tiny-llama", turned)


def llama2c_shape(vocabulary):
    return struct.pack("<7i", *(LLAMA[k] for k in ("width", "inner", "layers", "heads", "kv_heads")), vocabulary, LLAMA["context"])


def write_llama2c(tensors):
    """As export.py of llama2.c writes version 0 and version 2."""
    def layers(part):
        return [tensors[f"layer.{i}.{part}"] for i in range(LLAMA["layers"])]
    first = ["attention.norm", "attention.query", "attention.key", "attention.value", "attention.output", "feed_forward.norm",
             "feed_forward.gate", "feed_forward.down", "feed_forward.up"]
    order = [tensors["embedding"], *[t for part in first for t in layers(part)], tensors["norm"],
             np.zeros((LLAMA["context"], LLAMA["width"] // LLAMA["heads"]), np.float32), tensors["head"]]
    (HERE / "tiny-llama.bin").write_bytes(llama2c_shape(-LLAMA["vocabulary"]) + b"".join(t.tobytes() for t in order))
    note("tiny-llama.bin", tensors)
    group, kept = 32, dict(tensors)
    data = b"ak42"[::-1] + struct.pack("<i", 2) + llama2c_shape(LLAMA["vocabulary"]) + struct.pack("<Bi", 0, group)
    data = data.ljust(256, b"\0") + b"".join(t.tobytes() for part in ("attention.norm", "feed_forward.norm") for t in layers(part)) + tensors["norm"].tobytes()
    matrices = ["embedding", *[f"layer.{i}.{part}" for part in first if "norm" not in part for i in range(LLAMA["layers"])], "head"]
    for name in matrices:
        flat = tensors[name].reshape(-1, group)
        scale = (np.abs(flat).max(axis=1, keepdims=True) / 127).astype(np.float32)
        whole = np.round(flat / scale).astype(np.int8)
        data += whole.tobytes() + scale.tobytes()
        kept[name] = (whole * scale).astype(np.float32).reshape(tensors[name].shape)
    (HERE / "tiny-llama-int8.bin").write_bytes(data)
    note("tiny-llama-int8.bin", kept)


def whisper():
    w, inner = WHISPER["width"], WHISPER["inner"]
    tensors = {"encoder.conv1": weights(w, WHISPER["mels"], 3), "encoder.conv1.bias": weights(w, spread=0.1),
               "encoder.conv2": weights(w, w, 3), "encoder.conv2.bias": weights(w, spread=0.1),
               "encoder.positions": weights(WHISPER["audio_context"], w, spread=0.3)}

    def norm(name):
        return {name: 1 + weights(w, spread=0.1), name + ".bias": weights(w, spread=0.1)}

    def linear(name, outputs, inputs, bias=True):
        return {name: weights(outputs, inputs)} | ({name + ".bias": weights(outputs, spread=0.1)} if bias else {})

    def attention(name):
        return norm(name + ".norm") | linear(name + ".query", w, w) | linear(name + ".key", w, w, False) | linear(name + ".value", w, w) | linear(name + ".output", w, w)

    def feed_forward(name):
        return norm(name + ".norm") | linear(name + ".up", inner, w) | linear(name + ".down", w, inner)

    for i in range(WHISPER["audio_layers"]):
        tensors |= attention(f"encoder.layer.{i}.attention") | feed_forward(f"encoder.layer.{i}.feed_forward")
    tensors |= norm("encoder.norm") | {"decoder.embedding": weights(WHISPER["vocabulary"], w), "decoder.positions": weights(WHISPER["text_context"], w, spread=0.3)}
    for i in range(WHISPER["text_layers"]):
        tensors |= attention(f"decoder.layer.{i}.attention") | attention(f"decoder.layer.{i}.cross") | feed_forward(f"decoder.layer.{i}.feed_forward")
    return tensors | norm("decoder.norm")


# ours, OpenAI's, Hugging Face's, CTranslate2's
PARTS = [("attention.norm", "attn_ln", "self_attn_layer_norm", "self_attention/layer_norm"), ("attention.query", "attn.query", "self_attn.q_proj", None),
         ("attention.key", "attn.key", "self_attn.k_proj", None), ("attention.value", "attn.value", "self_attn.v_proj", None),
         ("attention.output", "attn.out", "self_attn.out_proj", "self_attention/linear_1"), ("cross.norm", "cross_attn_ln", "encoder_attn_layer_norm", "attention/layer_norm"),
         ("cross.query", "cross_attn.query", "encoder_attn.q_proj", "attention/linear_0"), ("cross.key", "cross_attn.key", "encoder_attn.k_proj", None),
         ("cross.value", "cross_attn.value", "encoder_attn.v_proj", None), ("cross.output", "cross_attn.out", "encoder_attn.out_proj", "attention/linear_2"),
         ("feed_forward.norm", "mlp_ln", "final_layer_norm", "ffn/layer_norm"), ("feed_forward.up", "mlp.0", "fc1", "ffn/linear_0"),
         ("feed_forward.down", "mlp.2", "fc2", "ffn/linear_1")]
WHOLE = {"encoder.positions": ("encoder.positional_embedding", "model.encoder.embed_positions.weight", "encoder/position_encodings/encodings"),
         "decoder.positions": ("decoder.positional_embedding", "model.decoder.embed_positions.weight", "decoder/position_encodings/encodings"),
         "decoder.embedding": ("decoder.token_embedding.weight", "model.decoder.embed_tokens.weight", "decoder/embeddings/weight")}
ENDS = {"encoder.norm": ("encoder.ln_post", "model.encoder.layer_norm", "encoder/layer_norm"), "decoder.norm": ("decoder.ln", "model.decoder.layer_norm", "decoder/layer_norm")}


def name_of(name, who):
    if name in WHOLE:
        return WHOLE[name][who]
    bias = name.endswith(".bias")
    base = name.removesuffix(".bias")
    if base in ENDS:
        stem = ENDS[base][who]
    elif ".layer." in base:
        side, _, number, part = base.split(".", 3)
        row = next(r for r in PARTS if r[0] == part)
        prefix = (f"{side}.blocks.{number}.", f"model.{side}.layers.{number}.", f"{side}/layer_{number}/")[who]
        if row[1 + who] is None:
            return None
        stem = prefix + row[1 + who]
    else:
        stem = (base, "model." + base, base.replace(".", "/"))[who]
    if who == 2:
        return stem + "/" + (("beta" if bias else "gamma") if stem.endswith("layer_norm") else ("bias" if bias else "weight"))
    return stem + (".bias" if bias else ".weight")


def write_hugging_face_whisper(tensors):
    folder = HERE / "tiny-whisper"
    folder.mkdir(exist_ok=True)
    safetensors.numpy.save_file({name_of(n, 1): t.astype(np.float16) for n, t in tensors.items()}, folder / "model.safetensors", {"format": "pt"})
    W = WHISPER
    (folder / "config.json").write_text(json.dumps({
        "model_type": "whisper", "num_mel_bins": W["mels"], "d_model": W["width"], "encoder_ffn_dim": W["inner"], "decoder_ffn_dim": W["inner"],
        "max_source_positions": W["audio_context"], "encoder_layers": W["audio_layers"], "encoder_attention_heads": W["audio_heads"],
        "max_target_positions": W["text_context"], "decoder_layers": W["text_layers"], "decoder_attention_heads": W["text_heads"],
        "vocab_size": W["vocabulary"], "activation_function": "gelu", "scale_embedding": False}, indent=1) + "\n")
    note("tiny-whisper", tensors)


def write_ggml(tensors):
    W = WHISPER
    data = struct.pack("<I11i", 0x67676D6C, W["vocabulary"], W["audio_context"], W["width"], W["audio_heads"], W["audio_layers"], W["text_context"], W["width"],
                       W["text_heads"], W["text_layers"], W["mels"], 1)
    data += struct.pack("<2i", W["mels"], 201) + np.zeros((W["mels"], 201), np.float32).tobytes()
    data += struct.pack("<i", 50) + b"".join(struct.pack("<I", 1) + bytes([65 + i]) for i in range(50))
    for name, t in tensors.items():
        # Matrices in fp16; positions, norms and biases in fp32, those of convolutions as columns.
        half = t.ndim > 1 and "positions" not in name
        shape = (t.shape + (1,)) if name.startswith("encoder.conv") and t.ndim == 1 else t.shape
        text = name_of(name, 0).encode()
        data += struct.pack("<3i", len(shape), len(text), int(half)) + struct.pack(f"<{len(shape)}i", *shape[::-1]) + text
        data += t.astype(np.float16 if half else np.float32).tobytes()
    (HERE / "tiny-whisper.ggml").write_bytes(data)
    note("tiny-whisper.ggml", tensors)


def write_ctranslate2(tensors, name, int8):
    folder = HERE / name
    folder.mkdir(exist_ok=True)
    parts, kept, all_of = [], dict(tensors), {}

    def text(x):
        return struct.pack("<H", len(x) + 1) + x.encode() + b"\0"

    def add(name, t, kind):
        parts.append(text(name) + struct.pack("<B", t.ndim) + struct.pack(f"<{t.ndim}I", *t.shape) + struct.pack("<BI", kind, t.nbytes) + t.tobytes())

    def matrix(name, t):
        if not int8:
            return add(name, t.astype(np.float16), 4), t
        scale = (127 / np.abs(t).max(axis=1)).astype(np.float32)
        whole = np.round(t * scale[:, None]).astype(np.int8)
        add(name + "_scale", scale, 0)
        return add(name, whole, 1), (whole.astype(np.float32) / scale[:, None]).astype(np.float32)

    for name, t in tensors.items():
        other = name_of(name, 2)
        if other and (t.ndim != 2 or "positions" in name):
            add(other, t.astype(np.float16), 4)
        elif other:
            kept[name] = matrix(other, t)[1]
    w = WHISPER["width"]
    for side, count in (("encoder", WHISPER["audio_layers"]), ("decoder", WHISPER["text_layers"])):
        for i in range(count):
            for kind, linear, names in (("attention", "self_attention/linear_0", ("query", "key", "value")), ("cross", "attention/linear_1", ("key", "value"))):
                if side == "encoder" and kind == "cross":
                    continue
                own = [f"{side}.layer.{i}.{kind}.{n}" for n in names]
                _, whole = matrix(f"{side}/layer_{i}/{linear}/weight", np.concatenate([tensors[n] for n in own]))
                biases = [tensors.get(n + ".bias", np.zeros(w, np.float32)) for n in own]
                add(f"{side}/layer_{i}/{linear}/bias", np.concatenate(biases).astype(np.float16), 4)
                for j, n in enumerate(own):
                    kept[n], kept[n + ".bias"] = whole[j * w:(j + 1) * w], biases[j]
    for n, value, kind in (("encoder/num_heads", np.int16(WHISPER["audio_heads"]), 2), ("decoder/num_heads", np.int16(WHISPER["text_heads"]), 2),
                           ("decoder/activation", np.int8(3), 1), ("decoder/pre_norm", np.int8(1), 1)):
        add(n, np.asarray(value), kind)
    data = struct.pack("<I", 6) + text("WhisperSpec") + struct.pack("<2I", 3, len(parts)) + b"".join(parts)
    data += struct.pack("<I", 1) + text("decoder/projection/weight") + text("decoder/embeddings/weight")
    (folder / "model.bin").write_bytes(data)
    (folder / "vocabulary.txt").write_text("\n".join([chr(65 + i) for i in range(26)] + ["<|endoftext|>"]) + "\n")
    note(folder.name, kept)


def blocks():
    """Blocks of random bits, and what they mean."""
    types = gguf.GGMLQuantizationType
    for kind in (types.Q8_0, types.Q4_0, types.Q4_1, types.Q4_K, types.Q6_K, types.BF16, types.Q5_0):
        size, bytes_ = gguf.GGML_QUANT_SIZES[kind]
        raw = random.integers(0, 256, (4, bytes_ * (256 // size)), dtype=np.uint8)
        # Steps that are numbers.
        step = {types.Q8_0: (0,), types.Q5_0: (0,), types.Q4_0: (0,), types.Q4_1: (0, 2), types.Q4_K: (0, 2), types.Q6_K: (208,), types.BF16: range(0, 512, 2)}[kind]
        for at in range(0, raw.shape[1], bytes_ if kind != types.BF16 else 512):
            for s in step:
                raw[:, at + s + 1] &= 0x3B
        floats = gguf.dequantize(raw, kind).astype(np.float32)
        yield {"type": kind.name, "bytes": raw.tobytes().hex(), "crc32": zlib.crc32(floats.tobytes()), "first": [float(x) for x in floats[0, :4]]}


def main():
    HERE.mkdir(exist_ok=True)
    types = gguf.GGMLQuantizationType
    tensors = llama()
    write_gguf("tiny-llama.gguf", tensors, lambda n, t: types.F16 if "attention.value" in n else types.F32, False)
    mixed = {"query": types.Q4_0, "key": types.Q8_0, "value": types.Q4_1, "embedding": types.Q8_0}
    write_gguf("tiny-llama-q.gguf", tensors, lambda n, t: types.F32 if t.ndim == 1 else mixed.get(n.split(".")[-1], types.Q8_0), True)
    write_hugging_face_llama(tensors)
    write_llama2c(tensors)
    tensors = whisper()
    write_hugging_face_whisper(tensors)
    write_ggml(tensors)
    write_ctranslate2(tensors, "tiny-whisper-ct2", False)
    write_ctranslate2(tensors, "tiny-whisper-ct2-int8", True)
    (HERE / "models.json").write_text(json.dumps({"tensors": crcs, "blocks": list(blocks())}, indent=0) + "\n")


if __name__ == "__main__":
    main()
