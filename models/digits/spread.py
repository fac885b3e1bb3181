#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a model folder as Hugging Face's out of digits.safetensors: every token of Whisper's English vocabulary gets its
row, and a tokenizer is written. Needs nothing but Python."""

import argparse
import base64
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "studies"))
from bpe import byte_letters  # noqa: E402

VOCABULARY = 51864
EMBEDDING = "model.decoder.embed_tokens.weight"
CONFIG = {
    "model_type": "whisper",
    "architectures": ["WhisperForConditionalGeneration"],
    "activation_function": "gelu",
    "num_mel_bins": 80,
    "d_model": 128,
    "encoder_layers": 2,
    "encoder_attention_heads": 2,
    "encoder_ffn_dim": 512,
    "decoder_layers": 3,
    "decoder_attention_heads": 2,
    "decoder_ffn_dim": 512,
    "max_source_positions": 1500,
    "max_target_positions": 448,
    "vocab_size": VOCABULARY,
    "scale_embedding": False,
    "tie_word_embeddings": True,
    "bos_token_id": 50256,
    "eos_token_id": 50256,
    "pad_token_id": 50256,
    "decoder_start_token_id": 50257,
    "trained_for": {"only": "spoken digits", "short_windows": True},
}
LANGUAGES = (
    "en zh de es ru ko fr ja pt tr pl ca nl ar sv it id hi fi vi he uk el ms cs ro da hu ta no th ur hr bg lt la mi ml"
    " cy sk te fa lv bn sr az sl kn et mk br eu is hy ne mn bs kk sq sw gl mr pa si km sn yo so af oc ka be tg sd gu am"
    " yi lo uz fo ht ps tk nn mt sa lb my bo tl mg as tt haw ln ha ba jw su"
).split()


def read_safetensors(path):
    """The header without its metadata, the metadata, and all bytes of the tensors."""
    content = path.read_bytes()
    begin = 8 + int.from_bytes(content[:8], "little")
    header = json.loads(content[8:begin])
    return header, header.pop("__metadata__"), content[begin:]


def spread(header, metadata, data):
    """Header and tensors in pieces, with a row of the embedding for each token."""
    in_use = {int(token): row for row, token in enumerate(metadata["tokens"].split(","))}
    rows, width = header[EMBEDDING]["shape"]
    begin = header[EMBEDDING]["data_offsets"][0]
    row_bytes = 2 * width
    unused = rows - 1
    out, pieces, at = {}, [], 0
    for name, entry in header.items():
        first, last = entry["data_offsets"]
        shape, size = entry["shape"], last - first
        if name == EMBEDDING:
            shape, size = [VOCABULARY, width], VOCABULARY * row_bytes
            for token in range(VOCABULARY):
                row = begin + in_use.get(token, unused) * row_bytes
                pieces.append(data[row : row + row_bytes])
        else:
            pieces.append(data[first:last])
        out[name] = {"dtype": "F16", "shape": shape, "data_offsets": [at, at + size]}
        at += size
    return out, pieces


def write_safetensors(path, header, pieces):
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        file.write(b"".join(pieces))


def merge_of(piece, ranks):
    """The two pieces that were joined last: what joining by rank leaves of the piece before that."""
    parts = [bytes([byte]) for byte in piece]
    while len(parts) > 2:
        pairs = [ranks.get(parts[i] + parts[i + 1], len(ranks)) for i in range(len(parts) - 1)]
        i = pairs.index(min(pairs))
        parts[i : i + 2] = [parts[i] + parts[i + 1]]
    return parts


def tokenizer(path):
    """tokenizer.json of a list of pieces by rank, as OpenAI publishes it."""
    ranks = {base64.b64decode(piece): int(rank) for piece, rank in (line.split() for line in path.read_text().splitlines())}
    letters = byte_letters()

    def written(piece):
        return "".join(letters[byte] for byte in piece)

    merges = [" ".join(map(written, merge_of(piece, ranks))) for piece in ranks if len(piece) > 1]
    named = ["endoftext", "startoftranscript", *LANGUAGES, "translate", "transcribe", "startoflm", "startofprev"]
    named += ["nospeech", "notimestamps", *(f"{step * 0.02:.2f}" for step in range(1501))]
    added = [
        {"id": len(ranks) + i, "content": f"<|{name}|>", "single_word": False, "lstrip": False, "rstrip": False,
         "normalized": False, "special": True}
        for i, name in enumerate(named)
    ]
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    return {
        "version": "1.0",
        "added_tokens": added,
        "normalizer": None,
        "pre_tokenizer": byte_level,
        "decoder": byte_level,
        "model": {"type": "BPE", "vocab": {written(piece): rank for piece, rank in ranks.items()}, "merges": merges},
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=pathlib.Path)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    write_safetensors(options.folder / "model.safetensors", *spread(*read_safetensors(HERE / "digits.safetensors")))
    (options.folder / "tokenizer.json").write_text(json.dumps(tokenizer(HERE / "gpt2.tiktoken"), ensure_ascii=False))
    (options.folder / "config.json").write_text(json.dumps(CONFIG, indent=2) + "\n")


if __name__ == "__main__":
    main()
