#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures a whole block of a language model (decoder_block.graph, the shape of Qwen 1.8B, W4A8) on the RTL of a core group:
one launch walks its nodes. The figures are the sum of what each node takes at the card's limits, alone, over the cycles of
the walk. Prints a flat JSON object; --nodes prints a table of nodes instead, each launched by itself.

The limit of a node is the largest of three times: products at the peak of the systolic units, slots of the vector units,
bytes at HBM's rate (host/models/graph/demand.hpp). Attention's products count as products, though it uses the vector units today.

--model: 24 times a block and the model's output: a token, whose block is launched a second time, and 128 of a prompt; and how
many times as many tokens a second come of eight texts at once, each with keys and values of its own, as of one text."""

import argparse
import json
import pathlib
import re
import subprocess
import tempfile

GRAPH = pathlib.Path("verif/cpe-kernels/operators/decoder_block.graph")
NODE = 128
DECODE = {"rows": 1, "past": 585}
PREFILL = {"rows": 128, "past": 0}
# Behind 128 others: of one text, and of each of eight.
TEXT = {"rows": 1, "past": 128}
TEXTS = {"rows": 8, "past": 128, "own": True}
CHUNKS = 17  # of 64 keys, that a text has room for
BLOCKS = 24
# The model's output, of rows of different texts.
HEAD = """graph head
size width = 2048
size words = 151936
input x: f32[ROWS, width]
weight norm: f32[width]
weight head: i8[words, width] packed
weight head.scale: f32[words]
output token: i32[ROWS]
last = rms_norm(x, norm)
logits = linear(last, head, head.scale, x_group: 128)
token = argmax(logits)
"""


def of_own_texts(text):
    """Each row is of a text of its own, whose keys and values lie in chunks of its own."""
    inputs = f"input positions: i32[rows]\ninput chunks: i32[rows, {CHUNKS}]\n"
    text = re.sub("^input x:", inputs + "input x:", text, flags=re.M)
    text = re.sub("^size kept = .*", f"size kept = rows * {CHUNKS * 64}", text, flags=re.M)
    text = re.sub(r"(rotary\(.*), at: past\)", r"\1, positions: positions)", text)
    text = re.sub(r"extend\((.*), at: past\)", r"place(\1, positions, chunks)", text)
    return re.sub(r"(attention\(.*)\)", r"\1, positions: positions, chunks: chunks)", text)


class Image:
    """The memory of a core group with a list, its parameters, its tensors."""

    def __init__(self, folder, text, *options):
        self.path = pathlib.Path(folder) / "memory"
        done = subprocess.run(["build/graph-image", "-", *options, "-o", self.path], input=text, stdout=subprocess.PIPE,
                              text=True, check=True)
        said = json.loads(done.stdout)
        self.nodes, self.parameters, self.parameter_count = said["nodes"], said["parameters"], said["parameter_count"]

    def least(self):
        """Cycles that the card needs for all nodes, one after the other."""
        return sum(node["least_cycles"] for node in self.nodes)

    def cycles(self, launches, only=None):
        """Of the last launch of all nodes, or of one."""
        path, count = self.path, len(self.nodes)
        if only is not None:
            memory = self.path.read_bytes()
            path, count = path.with_suffix(".one"), 1
            path.write_bytes(memory[NODE * only:NODE * only + NODE] + memory[NODE:])
        report = self.path.with_suffix(".json")
        words = [count, 0, self.parameters & 0xFFFFFFFF, self.parameters >> 32, self.parameter_count, 0, 0, 0]
        subprocess.run(["build/cpe-run", "build/cpe-kernels/operators.elf", "--kernel", "walk", "--quiet", "--launches",
                        str(launches), "--json", report, "--args", f"buf:={path}", *map(str, words)], check=True,
                       stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        return json.loads(report.read_text())["launches"][-1]["cycles"]


def block(folder, rows, past, own=False):
    text, options = GRAPH.read_text().replace("ROWS", str(rows)), ["--set", "past", str(past)]
    if own:
        text = of_own_texts(text)
        options += ["--count", "positions", str(past), "0", "--count", "chunks", "0", "1"]
    return Image(folder, text, *options)


def measured(image, launches):
    """At the card's limits, and found."""
    return image.least(), image.cycles(launches)


def of_block(sizes, launches):
    with tempfile.TemporaryDirectory() as folder:
        return measured(block(folder, **sizes), launches)


def efficiency(*parts):
    """Of (times, (least, found))."""
    return sum(times * least for times, (least, _) in parts) / sum(times * found for times, (_, found) in parts)


def of_head(rows):
    with tempfile.TemporaryDirectory() as folder:
        return measured(Image(folder, HEAD.replace("ROWS", str(rows))), 1)


def model():
    heads = {rows: of_head(rows) for rows in (1, TEXTS["rows"])}
    one, several = of_block(TEXT, 2)[1], of_block(TEXTS, 2)[1]
    tokens = [BLOCKS * found + heads[rows][1] for rows, found in ((1, one), (TEXTS["rows"], several))]
    return {"llm.decode_eff": efficiency((BLOCKS, of_block(DECODE, 2)), (1, heads[1])),
            "llm.prefill_eff": efficiency((BLOCKS, of_block(PREFILL, 1)), (1, heads[1])),
            "llm.batch8_gain": TEXTS["rows"] * tokens[0] / tokens[1],
            "llm.batch8_gain_of_block": TEXTS["rows"] * one / several}


def show(sizes):
    with tempfile.TemporaryDirectory() as folder:
        image = block(folder, **sizes)
        for index, node in enumerate(image.nodes):
            least, found = node["least_cycles"], image.cycles(2, index)
            print(f"{index:3} {node['operation']:10} {node['shape']:20} {least:9.0f} {found:9} {least / found:6.3f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", choices=("decode", "prefill", "texts"), help="each node by itself")
    parser.add_argument("--several", action="store_true", help="a block for many tokens in place of one")
    parser.add_argument("--model", action="store_true", help="the whole model, in place of a block")
    options = parser.parse_args()
    if options.nodes:
        show({"decode": DECODE, "prefill": PREFILL, "texts": TEXTS}[options.nodes])
        return
    if options.model:
        figures = model()
    elif options.several:
        figures = {"walk.prefill_eff": efficiency((1, of_block(PREFILL, 1)))}
    else:
        figures = {"walk.step_eff": efficiency((1, of_block(DECODE, 2)))}
    print(json.dumps({key: round(value, 3) for key, value in figures.items()}))


if __name__ == "__main__":
    main()
