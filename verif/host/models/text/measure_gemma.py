#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures whether Gemma 3 270M (Q4_K_M) in fp32 on the fast tier continues texts as llama.cpp does: the share of 10
beginnings of English paragraphs after which the 32 likeliest tokens are all the same. llama.cpp gets the same file, whose
weights it multiplies by activations of eight bits (house.gemma_agreement), and the same weights written out in fp32, so that
it computes in fp32 as the card does (house.gemma_agreement_fp32). Prints a flat JSON object for `make bench-long`. `scripts/get-model gemma3-270m` fetches the
model; the head of llama_cpp_tokens.py says how llama.cpp is installed."""

import argparse
import json
import pathlib
import subprocess
import sys

MODEL = pathlib.Path("build/models/gemma3-270m/gemma-3-270m-q4_k_m.gguf")
IN_FP32 = pathlib.Path("build/bench/gemma3-270m-fp32.gguf")
JUDGE = pathlib.Path("build/llamacpp/bin/python")
TEXT = pathlib.Path("verif/host/models/text/data/squad-paragraphs.txt")
BEGINNINGS = 10
WORDS_OF_A_BEGINNING = 8
TOKENS = "32"
KEY, KEY_FP32 = "house.gemma_agreement", "house.gemma_agreement_fp32"


def swai(beginning):
    command = ["build/swai", "--tier", "fast", "--quiet", "--json", "generate", "-m", MODEL, "--precision", "fp32", "-p", beginning, "-n", TOKENS]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)["tokens"]


def llama_cpp(beginnings, *options):
    command = [JUDGE, "verif/host/models/text/llama_cpp_tokens.py", MODEL, TOKENS, *options]
    done = subprocess.run(command, check=True, input=json.dumps(beginnings), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return json.loads(done.stdout)


def main():
    argparse.ArgumentParser(description=__doc__).parse_args()
    for needed, how in ((MODEL, "scripts/get-model gemma3-270m fetches it"), (JUDGE, "verif/host/models/text/llama_cpp_tokens.py says how to make it")):
        if not needed.exists():
            print(json.dumps({"not measured": dict.fromkeys((KEY, KEY_FP32), f"{needed} is not there: {how}")}))
            return
    IN_FP32.parent.mkdir(parents=True, exist_ok=True)
    beginnings = [" ".join(paragraph.split()[:WORDS_OF_A_BEGINNING]) for paragraph in TEXT.read_text().splitlines()[:BEGINNINGS]]
    as_it_is, in_fp32 = llama_cpp(beginnings), llama_cpp(beginnings, "--fp32", IN_FP32)
    same = same_fp32 = 0
    for beginning, a8, fp32 in zip(beginnings, as_it_is, in_fp32, strict=True):
        said = swai(beginning)
        print(f"same file: {said == a8}, in fp32: {said == fp32}: {beginning}", file=sys.stderr, flush=True)
        same += said == a8
        same_fp32 += said == fp32
    print(json.dumps({KEY: same / BEGINNINGS, KEY_FP32: same_fp32 / BEGINNINGS}))


if __name__ == "__main__":
    main()
