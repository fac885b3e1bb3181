#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes verif/host/models/files/data/tokens.json and tiny-bpe.json: what the tokenizers of others make of texts.

  python3 -m venv build/venv && build/venv/bin/pip install sentencepiece==0.2.3 tokenizers==0.23.3 tiktoken==0.14.0 protobuf
  build/venv/bin/python verif/host/models/files/make_tokens.py --data DATA

DATA has whisper/gpt2.tiktoken, OpenAI's file (MIT), of which the first thousand tokens are used. What this makes is
committed; a test does not need it."""

import argparse
import base64
import json
import pathlib
import struct

import sentencepiece
import tiktoken
import tokenizers
from sentencepiece import sentencepiece_model_pb2

HERE = pathlib.Path(__file__).resolve().parent / "data"
STORIES = HERE.parents[3] / "models/stories260K/tokenizer.bin"
COUNT = 1000
PATTERN = r"""'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"""
TEXTS = [
    "Once upon a time, there was a little girl named Lily.", "", " ", "  ", "a", " a", "a ", "a  b", "\n", "\n\nHello\n world \n", "tab\tand\r\nlines",
    "don't we'll I'VE they're it's 'tis 'd", "1234567890 12.5e-3 year 2024", "x1y22z333", "a 1  2   3", "caf\u00e9 na\u00efve \u00dcber stra\u00dfe",
    "\u4f60\u597d\uff0c\u4e16\u754c\u3002", "\u041f\u0440\u0438\u0432\u0435\u0442 \u043c\u0438\u0440", "\u0645\u0631\u062d\u0628\u0627", "\U0001f600\U0001f468\u200d\U0001f469\u200d\U0001f467 ok", "e\u0301 combined",
    "\u00bd \u2167 \u0664\u0665 \u00b2", "\u00a0nbsp\u2003em\u3000ideographic", "!!! ??? ... --- ((()))", "<s> </s> <unk> <0x41> <|endoftext|>", "\x00\x01\x7f",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "The quick brown fox jumps over the lazy dog. " * 3, "if (a[i] != b->c) { return \"x\\n\"; }", "\u2581 under",
    "the the  the   the", "Tom and his mom went to the park. They saw a big dog! \"Hello,\" said Tom.", "\ufeffbom", "\u180e\u200b zero",
]


def sentence_piece():
    """The real library on the pieces of stories260K."""
    data, at, model = STORIES.read_bytes(), 4, sentencepiece_model_pb2.ModelProto()
    while at < len(data):
        score, size = struct.unpack_from("<fi", data, at)
        text = data[at + 8:at + 8 + size].decode()
        at += 8 + size
        i, kinds = len(model.pieces), sentencepiece_model_pb2.ModelProto.SentencePiece
        kind = kinds.UNKNOWN if i == 0 else kinds.CONTROL if i < 3 else kinds.BYTE if i < 259 else kinds.NORMAL
        if i < 3:
            text = ("<unk>", "<s>", "</s>")[i]
        model.pieces.add(piece=text.replace(" ", "\u2581"), score=score, type=kind)
    trainer = model.trainer_spec
    trainer.model_type, trainer.byte_fallback, trainer.vocab_size = trainer.BPE, True, len(model.pieces)
    model.normalizer_spec.name = "identity"
    model.normalizer_spec.add_dummy_prefix = True
    model.normalizer_spec.remove_extra_whitespaces = False
    model.normalizer_spec.escape_whitespaces = True
    processor = sentencepiece.SentencePieceProcessor(model_proto=model.SerializeToString())
    return processor.encode


def merges_of(ranks):
    """Of each token the two that it was joined from."""
    for token, rank in sorted(ranks.items(), key=lambda pair: pair[1]):
        parts = [bytes([b]) for b in token]
        while len(parts) > 2:
            pairs = [(ranks.get(a + b, len(ranks)), i) for i, (a, b) in enumerate(zip(parts, parts[1:])) if ranks.get(a + b, len(ranks)) < rank]
            at = min(pairs)[1]
            parts[at:at + 2] = [parts[at] + parts[at + 1]]
        if len(parts) == 2:
            yield parts


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=pathlib.Path, required=True)
    lines = (parser.parse_args().data / "whisper/gpt2.tiktoken").read_text().splitlines()
    ranks = {base64.b64decode(token): int(rank) for token, rank in (line.split() for line in lines[:COUNT])}
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    letters = {b: chr(b) for b in plain} | {b: chr(256 + i) for i, b in enumerate(b for b in range(256) if b not in plain)}

    def written(token):
        return "".join(letters[b] for b in token)

    model = tokenizers.models.BPE({written(t): r for t, r in ranks.items()}, [(written(a), written(b)) for a, b in merges_of(ranks)])
    bpe = tokenizers.Tokenizer(model)
    before = tokenizers.pre_tokenizers
    bpe.pre_tokenizer = before.ByteLevel(add_prefix_space=False)
    bpe.decoder = tokenizers.decoders.ByteLevel()
    bpe.save(str(HERE / "tiny-bpe.json"), pretty=False)
    (HERE / "tiny-bpe.json").write_text((HERE / "tiny-bpe.json").read_text() + "\n")
    vectors = {"texts": TEXTS, "stories260K": [sentence_piece()(t) for t in TEXTS], "gpt2": [bpe.encode(t).ids for t in TEXTS]}
    bpe.pre_tokenizer = before.Sequence([before.Digits(individual_digits=True), before.ByteLevel(add_prefix_space=False)])
    vectors["gpt2_digits"] = [bpe.encode(t).ids for t in TEXTS]
    by_rank = tiktoken.Encoding("tiny", pat_str=PATTERN, mergeable_ranks=ranks, special_tokens={})
    vectors["gpt2_by_rank"] = [by_rank.encode_ordinary(t) for t in TEXTS]
    (HERE / "tokens.json").write_text(json.dumps(vectors).replace("], [", "],\n[") + "\n")


if __name__ == "__main__":
    main()
