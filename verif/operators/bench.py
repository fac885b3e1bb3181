#!/usr/bin/env python3
"""What operators reach on the RTL of a core group, memory to memory, launch included. Prints a flat JSON object.

Each figure is a walk of one node, or of a few. Large ones are launched once; of small ones the second launch counts, which has its
code in the caches. Data are in memory always.
"""

import argparse
import json
import pathlib
import random
import struct
import subprocess
import sys
import tempfile
import tomllib

BUFFER = 4 << 48       # segment of the only buffer: the nodes, then tensors
CPES = 32
PRODUCTS = 64 * CPES   # of bytes, in a cycle
SLOTS = 8 * CPES       # of the vector units, in a cycle
HBM = 64 * 0.95        # bytes in a cycle: what cpe.dma_eff measures
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


class SparseWeights:
    """As pack_linear_sparse leaves them (cpe-kernels/operators/linear_sparse/plan.hpp), of random places in one piece; all are 1."""

    def __init__(self, random, depth, columns, kept):
        table, tiles = [0], []
        for _ in range(0, columns, 8):
            halves = [[k for k in range(depth) if random.random() < kept] for _ in range(2)]
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

    def cycles(self, name, sizes, values, launches=1, contents=None):
        """Of one node in the last launch. `sizes`: bytes of the tensors, by argument."""
        return self.walk(sizes, [(name, values | {argument: argument for argument in sizes})], launches, contents)

    def walk(self, sizes, nodes, launches=1, contents=None):
        """Of several nodes; a pointer is the name of a tensor. `contents`: bytes of tensors that cannot have any."""
        image, words = self.image(sizes, nodes, contents)
        return self.launch("operators", "walk", image, words, launches)

    @staticmethod
    def launch(module, kernel, memory, words, launches=1):
        """Cycles of the last launch. The first argument is a buffer with `memory`."""
        with tempfile.TemporaryDirectory() as folder:
            place, report = pathlib.Path(folder) / "memory", pathlib.Path(folder) / "report"
            place.write_bytes(memory)
            done = subprocess.run(["build/cpe-run", f"build/cpe-kernels/{module}.elf", "--kernel", kernel, "--quiet",
                                   "--launches", str(launches), "--json", report, "--args", f"buf:={place}",
                                   *map(str, words)], capture_output=True, text=True)
            if done.returncode != 0:
                sys.exit(done.stdout + done.stderr)
            return json.loads(report.read_text())["launches"][-1]["cycles"]

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
        return buffer, [str(len(nodes)), *["0"] * 5]

    def numbers(self, size):
        """Of any kind, that are neither large nor NaN: bytes of 0x3c make fp32 of 0.01."""
        return bytearray(self.random.choices(range(0x38, 0x40), k=size))

    def linear(self, rows, depth, columns, **values):
        return rows * depth * columns / PRODUCTS / self.linear_cycles(rows, depth, columns, **values)

    def linear_cycles(self, rows, depth, columns, **values):
        element = 1 if values.get("to_type") == INT8 else 4
        sizes = {"to": rows * columns * element, "x": rows * depth, "w": depth * columns, "x_scales": rows * 4,
                 "w_scales": columns * 4, "biases": columns * 4}
        # Of a short product the fetching of code would be a part that shows.
        return self.cycles("linear", sizes, {"rows": rows, "depth": depth, "columns": columns, "group": depth,
                                             "to_stride": columns * element, "x_stride": depth,
                                             "x_scales_stride": rows * 4} | values, launches=2 if rows <= 512 else 1)

    def linear_sparse_cycles(self, rows, depth, columns, kept, **values):
        """`kept`: the part of the blocks of 1 x 4 that are not zeros, any of them with the same chance."""
        element = 1 if values.get("to_type") == INT8 else 4
        weights = SparseWeights(self.random, depth, columns, kept)
        sizes = {"to": rows * columns * element, "x": rows * depth, "w": len(weights.packed), "x_scales": rows * 4,
                 "w_scales": columns * 4, "biases": columns * 4}
        return self.cycles("linear_sparse", sizes, {"rows": rows, "depth": depth, "columns": columns,
                                                    "tiles": weights.most,
                                                    "to_stride": columns * element, "x_stride": depth} | values,
                           launches=2, contents={"w": weights.packed})

    def sparse_speedup(self, rows, depth, columns, kept, **values):
        """Against the dense product."""
        return self.linear_cycles(rows, depth, columns, **values) / self.linear_sparse_cycles(rows, depth, columns, kept, **values)

    def linear_w4(self, rows, depth, columns):
        """Cycles, and bytes of weights, in groups of 32: with scales and zeros."""
        tiles = -(-columns // 8)
        weights = tiles * (-(-depth // 8) * 32 + -(-depth // 32) * 16)
        sizes = {"to": rows * columns * 4, "x": rows * depth, "w": weights, "x_scales": rows * 4,
                 "w_scales": columns * 4}
        return self.cycles("linear_w4", sizes, {"rows": rows, "depth": depth, "columns": columns, "group": depth,
                                                "to_stride": columns * 4, "x_stride": depth, "w_group": 32,
                                                "x_scales_stride": rows * 4}), weights

    def gemv_w4(self, depth, columns):
        """Against memory: all that is read."""
        cycles, weights = self.linear_w4(1, depth, columns)
        return (weights + columns * 8 + depth) / HBM / cycles

    def gemm_w4(self, rows, depth, columns):
        return rows * depth * columns / PRODUCTS / self.linear_w4(rows, depth, columns)[0]

    def attention_prefill(self, rows, heads, width):
        """All rows see all, from and to fp32: with what makes keys and values int8."""
        columns = heads * width
        fp32, int8, scales = rows * columns * 4, rows * columns, heads * rows * 4
        sizes = {"to": fp32, "q": fp32, "k": fp32, "v": fp32, "k8": int8, "v8": int8, "k_scales": scales, "v_scales": scales}
        quantised = [("quantise", {"from": tensor, "to": tensor + "8", "scales": tensor + "_scales", "rows": rows,
                                   "columns": columns, "group": width, "to_stride": columns, "from_stride": columns * 4,
                                   "scales_stride": rows * 4}) for tensor in ("k", "v")]
        cycles = self.walk(sizes, quantised + [("attention_int8", {
            "to": "to", "q": "q", "k": "k8", "v": "v8", "k_scales": "k_scales", "v_scales": "v_scales", "rows": rows,
            "heads": heads, "kv_heads": heads, "width": width, "keys": rows, "to_stride": columns * 4,
            "q_stride": columns * 4, "kv_stride": columns, "scales_stride": rows * 4, "scale": width ** -0.5})])
        return 2 * rows * rows * columns / PRODUCTS / cycles

    def conv_stem(self, frames, mels, width):
        """Both layers of Whisper's stem: products of three rows of x each, which overlap; the second one goes two rows ahead."""
        sizes = {"mel": (frames + 2) * mels, "between": (frames + 2) * width, "to": frames // 2 * width * 4, "x_scales": frames * 4,
                 "w1": 3 * mels * width, "w2": 3 * width * width, "w_scales": width * 4, "biases": width * 4}
        shared = {"columns": width, "w_scales": "w_scales", "x_scales": "x_scales", "biases": "biases"}
        first = {"to": "between", "x": "mel", "w": "w1", "rows": frames, "depth": 3 * mels, "group": 3 * mels, "to_stride": width,
                 "x_stride": mels, "x_scales_stride": frames * 4, "to_type": INT8}
        second = {"to": "to", "x": "between", "w": "w2", "rows": frames // 2, "depth": 3 * width, "group": 3 * width,
                  "to_stride": width * 4, "x_stride": 2 * width, "x_scales_stride": frames // 2 * 4}
        cycles = self.walk(sizes, [("linear", shared | one) for one in (first, second)])
        return (frames * mels + frames // 2 * width) * 3 * width / PRODUCTS / cycles

    def attention_decode(self, keys, heads, width):
        """One row, keys and values in fp16, against memory: all that is read."""
        columns = heads * width
        sizes = {"to": columns * 4, "q": columns * 4, "k": keys * columns * 2, "v": keys * columns * 2}
        workspace = {"workspace": heads * -(-keys // 64) * (width + 8) * 4}
        cycles = self.cycles("attention", sizes | workspace, {
            "rows": 1, "heads": heads, "kv_heads": heads, "width": width, "keys": keys, "to_stride": columns * 4,
            "q_stride": columns * 4, "kv_stride": columns * 2, "scale": width ** -0.5, "kv_type": FP16})
        return (sizes["k"] + sizes["v"]) / HBM / cycles

    def by_rows(self, name, rows, columns, slots, extra, **values):
        """Against the larger of bytes at HBM's rate and slots of the vector units."""
        sizes = {"to": rows * columns * 4, "from": rows * columns * 4} | {argument: columns * 4 for argument in extra}
        cycles = self.cycles(name, sizes, {"rows": rows, "columns": columns, "to_stride": columns * 4,
                                           "from_stride": columns * 4} | values)
        moved = sum(sizes.values())
        return max(moved / HBM, rows * columns * slots / SLOTS) / cycles

    def in_ldm(self, kernel, rows, columns, slots):
        """Of a tile as the operator has it, in each CPE's local memory (in_local_memory.cpp), against slots of the vector units.
        What is not the tile's is left out: two launches differ in nothing but how often it is computed."""
        few, many = 2, 6
        memory = self.numbers((rows + 2) * columns * 4)
        cycles = [self.launch("operators-in-ldm", kernel, memory, (rows, columns, times)) for times in (few, many)]
        return CPES * rows * columns * slots / SLOTS * (many - few) / (cycles[1] - cycles[0])


# Seconds to a minute each.
SHORT = {
    "op.gemm_w8a8_eff": lambda bench: bench.linear(512, 512, 512, to_type=INT8),
    "op.gemv_w4a8_decode_eff": lambda bench: bench.gemv_w4(2048, 5504),
    "op.attn_decode_eff": lambda bench: bench.attention_decode(2048, 16, 128),
    "op.layernorm_eff": lambda bench: bench.by_rows("layer_norm", 1500, 512, 5, ("gamma", "beta"), epsilon=1e-5),
    "op.softmax_eff": lambda bench: bench.by_rows("softmax", 1500, 1500, 4, (), scale=0.125),
    "op.gelu_eff": lambda bench: bench.by_rows("gelu_tanh", 1500, 2048, 7, ()),
    "op.layernorm_ldm_eff": lambda bench: bench.in_ldm("layer_norm_in_ldm", 16, 512, 5),
    "op.softmax_ldm_eff": lambda bench: bench.in_ldm("softmax_in_ldm", 5, 1500, 4),
    "op.gelu_ldm_eff": lambda bench: bench.in_ldm("gelu_tanh_in_ldm", 1, 7168, 7),
}
# About a million cycles each, or more.
LONG = {
    "op.sparse_speedup": lambda bench: bench.sparse_speedup(512, 1024, 1024, 0.2, to_type=INT8),
    "op.gemm_w8a8_whisper_base_eff": lambda bench: bench.linear(1500, 512, 2048, to_type=INT8),
    "op.gemm_w4a8_prefill_eff": lambda bench: bench.gemm_w4(560, 2048, 5504),
    "op.attn_prefill_eff": lambda bench: bench.attention_prefill(1500, 8, 64),
    "op.conv_stem_eff": lambda bench: bench.conv_stem(3000, 80, 512),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--long", action="store_true", help="large products and attention, in place of the others")
    figures = LONG if parser.parse_args().long else SHORT
    bench = Bench()
    print(json.dumps({key: round(measure(bench), 3) for key, measure in figures.items()}))


if __name__ == "__main__":
    main()
