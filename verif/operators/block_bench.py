#!/usr/bin/env python3
"""Measures a whole block of a language model (decoder_block.graph, the shape of Qwen 1.8B, W4A8) on the RTL of a core group:
one launch walks its nodes. The figures are the sum of what each node takes at the card's limits, alone, over the cycles of
the walk; and how many times as many tokens a second come of eight texts at once, each with keys and values of its own, as of
one text. Prints a flat JSON object; --nodes prints a table of nodes instead, each launched by itself.

The limit of a node is the largest of three times: products at the peak of the systolic units, slots of the vector units,
bytes at HBM's rate. Attention's products count as products, though it uses the vector units today."""

import argparse
import json
import pathlib
import re
import struct
import subprocess
import tempfile

from bench import FORMATS, HBM, PRODUCTS, SLOTS, Operators

GRAPH = pathlib.Path("verif/operators/decoder_block.graph")
NODE = 128
DECODE = {"rows": 1, "past": 585}
PREFILL = {"rows": 128, "past": 0}
# Behind 128 others: of one text, and of each of eight.
TEXT = {"rows": 1, "past": 128}
TEXTS = {"rows": 8, "past": 128, "own": True}
CHUNKS = 17  # of 64 keys, that a text has room for
BYTES = {0: 4, 1: 4, 2: 2, 3: 1}  # of a number, by its type
# Slots of the vector units for each number of a row.
ROW_SLOTS = {"rms_norm": 4, "rotary": 3, "mul": 1, "quantise": 4}


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

    def __init__(self, folder, rows, past, own=False):
        self.path = pathlib.Path(folder) / "memory"
        text = GRAPH.read_text().replace("ROWS", str(rows))
        words = ["build/graph-image", "-", "--set", "past", str(past), "-o", self.path]
        if own:
            text = of_own_texts(text)
            words += ["--count", "positions", str(past), "0", "--count", "chunks", "0", "1"]
        done = subprocess.run(words, input=text, stdout=subprocess.PIPE, text=True, check=True)
        said = json.loads(done.stdout)
        self.count, self.parameters, self.parameter_count = said["nodes"], said["parameters"], said["parameter_count"]
        self.memory = self.path.read_bytes()
        at = self.parameters & 0xFFFFFFFF
        self.values = struct.unpack_from(f"<{self.parameter_count}Q", self.memory, at)

    def cycles(self, launches, only=None):
        """Of the last launch of all nodes, or of one."""
        path, count = self.path, self.count
        if only is not None:
            path, count = path.with_suffix(".one"), 1
            node = bytearray(self.memory[NODE * only:NODE * only + NODE])
            path.write_bytes(node + self.memory[NODE:])
        report = self.path.with_suffix(".json")
        words = [count, 0, self.parameters & 0xFFFFFFFF, self.parameters >> 32, self.parameter_count, 0]
        subprocess.run(["build/cpe-run", "build/cpe-kernels/operators.elf", "--kernel", "walk", "--quiet", "--launches",
                        str(launches), "--json", report, "--args", f"buf:={path}", *map(str, words)], check=True,
                       stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        return json.loads(report.read_text())["launches"][-1]["cycles"]

    def nodes(self):
        """Names and arguments, with parameters added."""
        operators = Operators("abi/operators.toml")
        names = {operator["number"]: name for name, operator in operators.operators.items()}
        for index in range(self.count):
            node = bytearray(self.memory[NODE * index:NODE * index + NODE])
            for target, parameter in (node[4:6], node[6:8]):
                if target:
                    form = "<Q" if target & 0xC0 == 0xC0 else "<I"
                    at = 8 + 4 * (target & 0x1F)
                    value = struct.unpack_from(form, node, at)[0] + self.values[parameter]
                    struct.pack_into(form, node, at, value & (2**64 - 1 if form == "<Q" else 2**32 - 1))
            name = names[struct.unpack_from("<H", node)[0]]
            fields = operators.fields[operators.operators[name]["arguments"]]
            form = "<" + "".join(FORMATS[field["type"]] for field in fields)
            yield name, dict(zip((field["name"] for field in fields), struct.unpack_from(form, node, 8)))


def limit(name, node):
    """Cycles that the card needs at least."""
    rows = node["rows"]
    if name == "linear_w4":
        depth, columns = node["depth"], node["columns"]
        weights = -(-columns // 8) * (-(-depth // 8) * 32 + -(-depth // node["w_group"]) * 16)
        moved = weights + columns * 4 + rows * (depth + columns * BYTES[node["to_type"]])
        moved += rows * columns * 4 if node["residual"] else 0
        return max(rows * depth * columns / PRODUCTS, moved / HBM)
    if name == "attention":
        keys, width = node["keys"], node["heads"] * node["width"]
        own = bool(node["positions"])
        seen = rows * keys - (rows * (rows - 1) // 2 if node["causal"] and not own else 0)
        kept = keys * node["kv_heads"] * node["width"] * 2 * BYTES[node["kv_type"]]
        moved = kept * (rows if own else 1) + rows * width * 8
        return max(seen * width * 2 / PRODUCTS, moved / HBM)
    if name == "copy":
        return rows * node["row_bytes"] * 2 / HBM
    columns = node["heads"] * node["width"] if name == "rotary" else node["columns"]
    moved = {"mul": 12, "quantise": 5}.get(name, 8)
    return max(rows * columns * moved / HBM, rows * columns * ROW_SLOTS[name] / SLOTS)


def efficiency(sizes, launches):
    with tempfile.TemporaryDirectory() as folder:
        image = Image(folder, **sizes)
        return sum(limit(name, node) for name, node in image.nodes()) / image.cycles(launches)


def gain():
    """Of a token's throughput, by eight texts at once."""
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as eight:
        return TEXTS["rows"] * Image(one, **TEXT).cycles(2) / Image(eight, **TEXTS).cycles(2)


def show(sizes):
    with tempfile.TemporaryDirectory() as folder:
        image = Image(folder, **sizes)
        for index, (name, node) in enumerate(image.nodes()):
            least, found = limit(name, node), image.cycles(2, index)
            shape = " x ".join(str(node[size]) for size in ("rows", "depth", "keys", "columns", "heads", "row_bytes") if size in node)
            print(f"{index:3} {name:10} {shape:20} {least:9.0f} {found:9} {least / found:6.3f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", choices=("decode", "prefill", "texts"), help="each node by itself")
    options = parser.parse_args()
    if options.nodes:
        show({"decode": DECODE, "prefill": PREFILL, "texts": TEXTS}[options.nodes])
        return
    figures = {"walk.step_eff": efficiency(DECODE, 2), "walk.prefill_eff": efficiency(PREFILL, 1), "llm.batch8_gain": gain()}
    print(json.dumps({key: round(value, 3) for key, value in figures.items()}))


if __name__ == "__main__":
    main()
