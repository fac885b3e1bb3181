#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What operators reach on the RTL of a core group, memory to memory, launch included. Prints a flat JSON object: the figures, and
beside each what roofline.py draws it from (`Figure.report`).

Each figure is a walk of one node, or of a few. Large ones are launched once; of small ones the second launch counts, which has its
code in the caches. Data are in memory always.
"""

import argparse
import dataclasses
import json
import pathlib
import random
import struct
import subprocess
import sys
import tempfile
import tomllib
import typing

import limits

BUFFER = 4 << 48       # segment of the only buffer: the nodes, then tensors
MACHINE = limits.machine()
HBM = MACHINE.bytes(limits.DMA_EFF)  # in a cycle
FORMATS = {"u8": "B", "u16": "H", "u32": "I", "i32": "i", "f32": "f", "number": "B", "pointer": "Q", "source": "Q"}
BARRIER_NONE, BARRIER_ALL = 0, 3
FP32, FP16, INT8 = 0, 2, 3


class Operators:
    """Numbers and arguments of operators, from their description."""

    def __init__(self, path):
        raw = tomllib.loads(pathlib.Path(path).read_text())
        self.fields = {arguments["name"]: arguments["fields"] for arguments in raw["arguments"]}
        self.operators = {operator["name"]: operator for operator in raw["operator"]}

    def node(self, name, values, barrier=BARRIER_NONE):
        operator = self.operators[name]
        fields = self.fields[operator["arguments"]]
        unknown = set(values) - {field["name"] for field in fields}
        assert not unknown, unknown
        arguments = b"".join(struct.pack("<" + FORMATS[field["type"]], values.get(field["name"], 0))
                             for field in fields)
        return (struct.pack("<HB5x", operator["number"], barrier) + arguments).ljust(128, b"\0")


@dataclasses.dataclass(frozen=True)
class Launch:
    cycles: int
    bytes: int  # that memory read and wrote, code included


@dataclasses.dataclass(frozen=True)
class Work:
    """What an operator had to do, and what it took."""
    operations: int       # products of the systolic units, or slots of the vector units
    cycles: int
    bytes: int = 0        # none: all is in local memory
    least_bytes: int = 0  # each node's operands and results once

    def least_cycles(self, peak):
        return max(self.operations / peak, self.least_bytes / HBM)


class SparseWeights:
    """As pack_linear_sparse leaves them (cpe-kernels/operators/linear_sparse/plan.hpp), of random places in one piece; all are 1."""

    def __init__(self, random, depth, columns, kept):
        table, tiles = [0], []
        self.numbers = 0  # that are not zeros
        for _ in range(0, columns, 8):
            halves = [[k for k in range(depth) if random.random() < kept] for _ in range(2)]
            self.numbers += 4 * sum(map(len, halves))
            count = -(-max(1, *map(len, halves)) // 8)
            table.append(table[-1] + count)
            tiles += [self.tile([places[8 * number:8 * number + 8] for places in halves]) for number in range(count)]
        self.most = max(after - before for before, after in zip(table, table[1:]))
        head = struct.pack(f"<{len(table)}I", *table)
        self.packed = head.ljust(-(-len(head) // 64) * 64, b"\0") + b"".join(tiles)

    @staticmethod
    def tile(halves):
        return (b"".join(struct.pack("<8H", *(places + [0] * 8)[:8]) for places in halves)
                + b"".join(bytes([1] * 4 * len(places)).ljust(32, b"\0") for places in halves))


class Bench:
    def __init__(self):
        self.operators = Operators("abi/operators.toml")
        self.random = random.Random(1)

    def node(self, operations, name, sizes, values, launches=1, contents=None):
        """Of one node in the last launch. `sizes`: bytes of the tensors, by argument."""
        return self.nodes(operations, sizes, [(name, values | {argument: argument for argument in sizes})], launches, contents)

    def nodes(self, operations, sizes, nodes, launches=1, contents=None):
        launch = self.walk(sizes, nodes, launches, contents)
        tensors = [value for _, values in nodes for value in values.values() if isinstance(value, str) and value != "workspace"]
        return Work(operations, launch.cycles, launch.bytes, sum(sizes[tensor] for tensor in tensors))

    def walk(self, sizes, nodes, launches=1, contents=None):
        """Of several nodes; a pointer is the name of a tensor. `contents`: bytes of tensors that cannot have any."""
        image, words = self.image(sizes, nodes, contents)
        return self.launch("operators", "walk", image, words, launches)

    @staticmethod
    def launch(module, kernel, memory, words, launches=1):
        """The last launch. The first argument is a buffer with `memory`."""
        with tempfile.TemporaryDirectory() as folder:
            place, report = pathlib.Path(folder) / "memory", pathlib.Path(folder) / "report"
            place.write_bytes(memory)
            done = subprocess.run(["build/cpe-run", f"build/cpe-kernels/{module}.elf", "--kernel", kernel, "--quiet",
                                   "--launches", str(launches), "--json", report, "--args", f"buf:={place}",
                                   *map(str, words)], capture_output=True, text=True)
            if done.returncode != 0:
                sys.exit(done.stdout + done.stderr)
            said = json.loads(report.read_text())
        cycles = said["launches"][-1]["cycles"]
        lines = round(said["figures"]["HBM, of 64 bytes a cycle"] / 100 * cycles)
        return Launch(cycles, lines * MACHINE.line_bytes)

    def image(self, sizes, nodes, contents=None):
        """What the only buffer of a walk holds, and the words that follow it among the arguments."""
        places, end = {}, 4096
        for tensor, size in sizes.items():
            places[tensor] = end
            end += (size + 4095) // 4096 * 4096
        buffer = self.numbers(end)
        for tensor, content in (contents or {}).items():
            buffer[places[tensor]:places[tensor] + len(content)] = content
        for number, (name, values) in enumerate(nodes):
            pointers = {argument: BUFFER | places[value] for argument, value in values.items() if isinstance(value, str)}
            buffer[128 * number:128 * (number + 1)] = self.operators.node(name, values | pointers,
                                                                          BARRIER_ALL if number else BARRIER_NONE)
        return buffer, [str(len(nodes)), *["0"] * 7]

    def numbers(self, size):
        """Of any kind, that are neither large nor NaN: bytes of 0x3c make fp32 of 0.01."""
        return bytearray(self.random.choices(range(0x38, 0x40), k=size))

    def linear(self, rows, depth, columns, **values):
        element = 1 if values.get("to_type") == INT8 else 4
        sizes = {"to": rows * columns * element, "x": rows * depth, "w": depth * columns, "x_scales": rows * 4,
                 "w_scales": columns * 4, "biases": columns * 4}
        # Of a short product the fetching of code would be a part that shows.
        return self.node(rows * depth * columns, "linear", sizes, {
            "rows": rows, "depth": depth, "columns": columns, "group": depth, "to_stride": columns * element, "x_stride": depth,
            "x_scales_stride": rows * 4} | values, launches=2 if rows <= 512 else 1)

    def linear_sparse(self, rows, depth, columns, kept, **values):
        """`kept`: the part of the blocks of 1 x 4 that are not zeros, any of them with the same chance."""
        element = 1 if values.get("to_type") == INT8 else 4
        weights = SparseWeights(self.random, depth, columns, kept)
        sizes = {"to": rows * columns * element, "x": rows * depth, "w": len(weights.packed), "x_scales": rows * 4,
                 "w_scales": columns * 4, "biases": columns * 4}
        return self.node(rows * weights.numbers, "linear_sparse", sizes, {
            "rows": rows, "depth": depth, "columns": columns, "tiles": weights.most, "to_stride": columns * element,
            "x_stride": depth} | values, launches=2, contents={"w": weights.packed})

    def linear_w4(self, rows, depth, columns):
        """Weights in groups of 32: with scales and zeros."""
        tiles = -(-columns // 8)
        sizes = {"to": rows * columns * 4, "x": rows * depth, "w": tiles * (-(-depth // 8) * 32 + -(-depth // 32) * 16),
                 "x_scales": rows * 4, "w_scales": columns * 4}
        return self.node(rows * depth * columns, "linear_w4", sizes, {
            "rows": rows, "depth": depth, "columns": columns, "group": depth, "to_stride": columns * 4, "x_stride": depth,
            "w_group": 32, "x_scales_stride": rows * 4})

    def attention_prefill(self, rows, heads, width):
        """All rows see all, from and to fp32: with what makes keys and values int8."""
        columns = heads * width
        fp32, int8, scales = rows * columns * 4, rows * columns, heads * rows * 4
        sizes = {"to": fp32, "q": fp32, "k": fp32, "v": fp32, "k8": int8, "v8": int8, "k_scales": scales, "v_scales": scales}
        quantised = [("quantise", {"from": tensor, "to": tensor + "8", "scales": tensor + "_scales", "rows": rows,
                                   "columns": columns, "group": width, "to_stride": columns, "from_stride": columns * 4,
                                   "scales_stride": rows * 4}) for tensor in ("k", "v")]
        return self.nodes(2 * rows * rows * columns, sizes, quantised + [("attention_int8", {
            "to": "to", "q": "q", "k": "k8", "v": "v8", "k_scales": "k_scales", "v_scales": "v_scales", "rows": rows,
            "heads": heads, "kv_heads": heads, "width": width, "keys": rows, "to_stride": columns * 4,
            "q_stride": columns * 4, "kv_stride": columns, "scales_stride": rows * 4, "scale": width ** -0.5})])

    def conv_stem(self, frames, mels, width):
        """Both layers of Whisper's stem: products of three rows of x each, which overlap; the second one goes two rows ahead."""
        sizes = {"mel": (frames + 2) * mels, "between": (frames + 2) * width, "to": frames // 2 * width * 4, "x_scales": frames * 4,
                 "w1": 3 * mels * width, "w2": 3 * width * width, "w_scales": width * 4, "biases": width * 4}
        shared = {"columns": width, "w_scales": "w_scales", "x_scales": "x_scales", "biases": "biases"}
        first = {"to": "between", "x": "mel", "w": "w1", "rows": frames, "depth": 3 * mels, "group": 3 * mels, "to_stride": width,
                 "x_stride": mels, "x_scales_stride": frames * 4, "to_type": INT8}
        second = {"to": "to", "x": "between", "w": "w2", "rows": frames // 2, "depth": 3 * width, "group": 3 * width,
                  "to_stride": width * 4, "x_stride": 2 * width, "x_scales_stride": frames // 2 * 4}
        products = (frames * mels + frames // 2 * width) * 3 * width
        return self.nodes(products, sizes, [("linear", shared | one) for one in (first, second)])

    def attention_decode(self, keys, heads, width):
        """One row, keys and values in fp16. A number of a key or of a value is one product, which takes a slot."""
        columns = heads * width
        sizes = {"to": columns * 4, "q": columns * 4, "k": keys * columns * 2, "v": keys * columns * 2}
        workspace = {"workspace": heads * -(-keys // 64) * (width + 8) * 4}
        return self.node(2 * keys * columns, "attention", sizes | workspace, {
            "rows": 1, "heads": heads, "kv_heads": heads, "width": width, "keys": keys, "to_stride": columns * 4,
            "q_stride": columns * 4, "kv_stride": columns * 2, "scale": width ** -0.5, "kv_type": FP16})

    def by_rows(self, name, rows, columns, slots, extra, **values):
        """`slots`: of the vector units, for each number."""
        sizes = {"to": rows * columns * 4, "from": rows * columns * 4} | {argument: columns * 4 for argument in extra}
        return self.node(rows * columns * slots, name, sizes, {"rows": rows, "columns": columns, "to_stride": columns * 4,
                                                               "from_stride": columns * 4} | values)

    def in_ldm(self, kernel, rows, columns, slots):
        """Of a tile as the operator has it, in each CPE's local memory (in_local_memory.cpp). What is not the tile's is left out:
        two launches differ in nothing but how often it is computed."""
        few, many = 2, 6
        memory = self.numbers((rows + 2) * columns * 4)
        cycles = [self.launch("operators-in-ldm", kernel, memory, (rows, columns, times)).cycles for times in (few, many)]
        return Work(MACHINE.cpes * rows * columns * slots * (many - few), cycles[1] - cycles[0])


@dataclasses.dataclass(frozen=True)
class Figure:
    key: str
    operator: str
    shape: str
    measure: typing.Callable[[Bench], Work]
    systolic: bool = False    # its operations are products of the systolic units, else slots of the vector units
    long: bool = False        # about a million cycles, or more; the others take seconds to a minute
    dense: typing.Callable[[Bench], Work] | None = None  # the figure is how many times as many cycles this takes

    @property
    def name(self):
        """Of what stands beside the figure, and in the picture."""
        return self.key.removesuffix("_eff").removesuffix("_speedup")

    @property
    def peak(self):
        return MACHINE.products if self.systolic else MACHINE.slots

    def report(self, bench):
        dense = self.dense and self.dense(bench)
        work = self.measure(bench)
        value = dense.cycles / work.cycles if dense else work.least_cycles(self.peak) / work.cycles
        parts = {f"{self.name}.operations": work.operations, f"{self.name}.cycles": work.cycles}
        if work.bytes:
            parts |= {f"{self.name}.bytes": work.bytes, f"{self.name}.least_bytes": work.least_bytes}
        return {self.key: round(value, 3)} | parts


FIGURES = [
    Figure("op.gemm_w8a8_eff", "linear", "512 x 512 by 512, to int8",
           lambda bench: bench.linear(512, 512, 512, to_type=INT8), systolic=True),
    Figure("op.gemm_w8a8_whisper_base_eff", "linear", "1500 x 512 by 2048, to int8",
           lambda bench: bench.linear(1500, 512, 2048, to_type=INT8), systolic=True, long=True),
    Figure("op.sparse_speedup", "linear_sparse", "512 x 1024 by 1024, to int8, four fifths zeros in random blocks",
           lambda bench: bench.linear_sparse(512, 1024, 1024, 0.2, to_type=INT8), systolic=True, long=True,
           dense=lambda bench: bench.linear(512, 1024, 1024, to_type=INT8)),
    Figure("op.gemm_w4a8_prefill_eff", "linear_w4", "560 x 2048 by 5504, groups of 32",
           lambda bench: bench.linear_w4(560, 2048, 5504), systolic=True, long=True),
    Figure("op.gemv_w4a8_decode_eff", "linear_w4", "1 x 2048 by 5504, groups of 32",
           lambda bench: bench.linear_w4(1, 2048, 5504), systolic=True),
    Figure("op.attn_prefill_eff", "attention_int8", "1500 x 1500, 8 heads of 64, with `quantise` of k and v, from fp32 to fp32",
           lambda bench: bench.attention_prefill(1500, 8, 64), systolic=True, long=True),
    Figure("op.attn_decode_eff", "attention", "one row, 2,048 keys in fp16, 16 heads of 128",
           lambda bench: bench.attention_decode(2048, 16, 128)),
    Figure("op.conv_stem_eff", "linear", "three rows of x each, which overlap: 3000 x 240 by 512, then 1500 x 1536 by 512",
           lambda bench: bench.conv_stem(3000, 80, 512), systolic=True, long=True),
    Figure("op.layernorm_eff", "layer_norm", "1500 x 512",
           lambda bench: bench.by_rows("layer_norm", 1500, 512, 5, ("gamma", "beta"), epsilon=1e-5)),
    Figure("op.softmax_eff", "softmax", "1500 x 1500", lambda bench: bench.by_rows("softmax", 1500, 1500, 4, (), scale=0.125)),
    Figure("op.gelu_eff", "gelu_tanh", "1500 x 2048", lambda bench: bench.by_rows("gelu_tanh", 1500, 2048, 7, ())),
    Figure("op.layernorm_ldm_eff", "layer_norm", "a tile of 16 x 512 in each CPE's local memory",
           lambda bench: bench.in_ldm("layer_norm_in_ldm", 16, 512, 5)),
    Figure("op.softmax_ldm_eff", "softmax", "a tile of 5 x 1500", lambda bench: bench.in_ldm("softmax_in_ldm", 5, 1500, 4)),
    Figure("op.gelu_ldm_eff", "gelu_tanh", "a tile of 7168", lambda bench: bench.in_ldm("gelu_tanh_in_ldm", 1, 7168, 7)),
]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--long", action="store_true", help="large products and attention, in place of the others")
    options = parser.parse_args()
    bench, found = Bench(), {}
    for figure in FIGURES:
        if figure.long == options.long:
            found |= figure.report(bench)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
