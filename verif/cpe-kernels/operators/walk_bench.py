#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a node of the walker costs, on the RTL of a core group: an empty one with a barrier of all CPEs, and one of a small
model's decoder, which has one row and so little to do that scalar code counts. Prints a flat JSON object.

Of empty nodes two lists of different lengths are walked, each twice: the second time its code is in the caches. The difference
of their cycles leaves out what a launch costs. The decoder's block is walked three times.
"""

import json
import pathlib
import struct
import subprocess
import sys
import tempfile

from bench import FP16, Bench

NOTHING = 1
BARRIER_ALL = 3
LENGTHS = (64, 576)


def cycles(folder, length):
    nodes = folder / f"{length}.nodes"
    nodes.write_bytes(struct.pack("<HBx124x", NOTHING, BARRIER_ALL) * length)
    report = folder / f"{length}.json"
    done = subprocess.run(["build/cpe-run", "build/cpe-kernels/operators.elf", "--kernel", "walk", "--launches", "2",
                           "--quiet", "--json", report, "--args", f"buf:={nodes}", str(length), *["0"] * 7],
                          capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stdout + done.stderr)
    return json.loads(report.read_text())["launches"][1]["cycles"]


def decoder_nodes(width=128, heads=4, keys=100):
    """A block of a decoder with the shape of models/digits, in W8A8: kinds, order and sizes of its nodes. The numbers mean nothing."""
    line, scores = width * 4, heads * 8 * (width // heads + 8) * 4
    tensors = {"x": line, "norm": line, "gamma": line, "beta": line, "small": width, "scale": 64, "w": width * width,
               "w_scales": line, "biases": line, "y": line, "z": line, "k": width * 2 * keys, "v": width * 2 * keys, "workspace": scores}
    strides = {"to_stride": line, "from_stride": line}
    norm = ("layer_norm", {"to": "norm", "from": "x", "gamma": "gamma", "beta": "beta", "rows": 1, "columns": width,
                           "epsilon": 1e-5} | strides)
    quantise = ("quantise", {"to": "small", "from": "norm", "scales": "scale", "rows": 1, "columns": width, "group": width,
                             "to_stride": width, "from_stride": line, "scales_stride": 4})
    linear = ("linear", {"to": "y", "x": "small", "w": "w", "x_scales": "scale", "w_scales": "w_scales", "biases": "biases", "rows": 1,
                         "depth": width, "columns": width, "group": width, "to_stride": line, "x_stride": width, "x_scales_stride": 4})
    copy = ("copy", {"to": "z", "from": "y", "rows": 1, "row_bytes": line} | strides)
    attention = ("attention", {"to": "z", "q": "y", "k": "k", "v": "v", "workspace": "workspace", "rows": 1, "heads": heads,
                               "kv_heads": heads, "width": width // heads, "keys": keys, "to_stride": line, "q_stride": line,
                               "kv_stride": width * 2, "scale": 0.2, "kv_type": FP16})
    add = ("add", {"to": "x", "a": "x", "b": "y", "rows": 1, "columns": width, "to_stride": line, "a_stride": line, "b_stride": line})
    gelu = ("gelu_tanh", {"to": "z", "from": "y", "rows": 1, "columns": width} | strides)
    own = [norm, quantise, linear, linear, linear, copy, copy, attention, quantise, linear, add]
    sound = [norm, quantise, linear, attention, quantise, linear, add]
    inner = [norm, quantise, linear, gelu, quantise, linear, add]
    return tensors, own + sound + inner


def row_node_cycles():
    tensors, nodes = decoder_nodes()
    return Bench().walk(tensors, nodes, launches=3).cycles / len(nodes)


def main():
    with tempfile.TemporaryDirectory() as folder:
        short, long_ = (cycles(pathlib.Path(folder), length) for length in LENGTHS)
    print(json.dumps({"walk.node_cycles": round((long_ - short) / (LENGTHS[1] - LENGTHS[0]), 1),
                      "walk.row_node_cycles": round(row_node_cycles(), 1)}))


if __name__ == "__main__":
    main()
