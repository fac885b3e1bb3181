# SPDX-License-Identifier: Apache-2.0
"""The kernels whose cycles the model's clock is compared by, each as a command of cpe-run and iss-cpe-run: those of
cpe-kernels, of the examples, and operators. Each is launched twice: the first launch finds cold caches."""

import json
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, "verif/cpe-kernels/operators")
import bench as operators  # noqa: E402

FP32, INT8 = operators.FP32, operators.INT8


class Run:
    """One program that runs kernels: RTL or model."""

    def __init__(self, program, *options):
        self.command = [program, *map(str, options)]

    def cycles(self, module, *words, launches=2):
        """Of each launch."""
        command = [*self.command, module, "--launches", str(launches), "--json", "-", *map(str, words)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(" ".join(command) + "\n" + done.stderr)
        return [launch["cycles"] for launch in json.loads(done.stdout)["launches"]]


def kernel(module, name, *arguments):
    words = ["--args", *arguments] if arguments else []
    return lambda run: run.cycles(f"build/cpe-kernels/{module}.elf", "--kernel", name, *words)


def example(module, options, *arguments, launches=2):
    return lambda run: run.cycles(f"build/examples/{module}.elf", *options, "--args", *arguments, launches=launches)


def grid(blocks, threads, shared=0):
    return ["--grid", blocks, "--block", threads, "--shared", shared]


def operator(name, sizes, values):
    def job(run):
        memory, words = operators.Bench().image(sizes, [(name, values | {tensor: tensor for tensor in sizes})])
        with tempfile.NamedTemporaryFile() as file:
            file.write(memory)
            file.flush()
            return run.cycles("build/cpe-kernels/operators.elf", "--kernel", "walk", "--args", f"buf:={file.name}", *words)
    return job


def linear(rows, depth, columns):
    sizes = {"to": rows * columns, "x": rows * depth, "w": depth * columns, "x_scales": rows * 4, "w_scales": columns * 4,
             "biases": columns * 4}
    return operator("linear", sizes, {"rows": rows, "depth": depth, "columns": columns, "group": depth, "to_type": INT8,
                                      "to_stride": columns, "x_stride": depth, "x_scales_stride": rows * 4})


def linear_w4(rows, depth, columns):
    weights = columns // 8 * (depth // 8 * 32 + depth // 32 * 16)
    sizes = {"to": rows * columns * 4, "x": rows * depth, "w": weights, "x_scales": rows * 4, "w_scales": columns * 4}
    return operator("linear_w4", sizes, {"rows": rows, "depth": depth, "columns": columns, "group": depth, "w_group": 32,
                                         "to_stride": columns * 4, "x_stride": depth, "x_scales_stride": rows * 4})


def by_rows(name, rows, columns, *extra, **values):
    sizes = {"to": rows * columns * 4, "from": rows * columns * 4} | {argument: columns * 4 for argument in extra}
    return operator(name, sizes, {"rows": rows, "columns": columns, "to_stride": columns * 4, "from_stride": columns * 4} | values)


def attention_decode(keys, heads, width):
    columns = heads * width
    sizes = {"to": columns * 4, "q": columns * 4, "k": keys * columns * 2, "v": keys * columns * 2,
             "workspace": heads * -(-keys // 64) * (width + 8) * 4}
    return operator("attention", sizes, {
        "rows": 1, "heads": heads, "kv_heads": heads, "width": width, "keys": keys, "to_stride": columns * 4,
        "q_stride": columns * 4, "kv_stride": columns * 2, "scale": width ** -0.5, "kv_type": operators.FP16})


def random(count):
    return f"buf:{count}:random"


JOBS = {
    "empty": kernel("empty", "empty"),
    "scalar": kernel("scalar", "scalar", "buf:128", 40, 0),
    "sync all": kernel("sync", "sync_loop", 40, 0),
    "sync row": kernel("sync", "sync_loop", 40, 1),
    "copy": kernel("copy", "copy", "buf:100000", random(100000), 100000, 0),
    "fill": kernel("memset", "fill", "buf:200000", 200000, 7),
    "stream load": kernel("stream", "stream", "buf:512K", 16384, 2048, 0, 2),
    "stream store": kernel("stream", "stream", "buf:512K", 16384, 2048, 1, 2),
    "broadcast": kernel("broadcast", "broadcast", "buf:128K", random(16384), 4096, 1, 6, 0),
    "fma loop": kernel("axpy", "fma_loop", 0, 0, 0, 0, 1024, 20),
    "axpy": kernel("axpy", "axpy", "buf:128K:0x3c", "buf:128K:0x3c", 32768, 0.5),
    "gemm in LDM": kernel("gemm", "tile_gemm", 0, 0, 0, 0, 0, 0, 64, 16, 8, 4, 2, 0),
    "gemm": kernel("gemm", "gemm", "buf:64K", random(16384), random(16384), 0, 0, 0, 0, 128, 128, 128, 0, 1, 0),
    "gemv": kernel("gemv", "gemv", "buf:4K", random(512), random(164000), 0, 0, 512, 512, 1, 0),
    "softmax": kernel("softmax", "softmax", "buf:32K", "buf:1K", "buf:128K:1", 4, 256, 4, 0.1, 1, 0),
    "sparse in LDM": kernel("sparse", "sparse_gemm", 0, 0, 0, 0, "buf:3072", 64, 128, 4, 8, 4, 2),
    "print": kernel("print", "lines", 4),
    "examples/axpy": example("axpy/kernel", [], "buf:64K:0x3c", "buf:64K:0x3c", 16384, 0.5),
    "examples/vectorAdd": example("cuda/vectorAdd", grid(32, 64), "buf:8K:0x3c", "buf:8K:0x3c", "buf:8K", 2048),
    "examples/reduction": example("cuda/reduction", grid(32, 64, 256), "buf:16K:index", "buf:128", 4096),
    "examples/transpose": example("cuda/transpose", grid("2,2", "16,8"), "buf:4K", "buf:4K:index", 32, 32),
    "examples/matrixMul": example("cuda/matrixMul", grid("1,1", "16,16"), "buf:1K", "buf:1K:0x3c", "buf:1K:0x3c", 16, 16, launches=1),
    "examples/histogram": example("cuda/histogram", grid(4, 128), "buf:512:random", "buf:256", 512, launches=1),
    "examples/convolve": example("digits/convolution", grid(8, 64), random(32768), random(1024), "buf:64:0", "buf:512K", 8,
                                 launches=1),
    "examples/add": example("streams/kernel", ["--kernel", "add"], "buf:64K", "buf:64K:index", 16384),
    "examples/squares": example("streams/kernel", ["--kernel", "squares"], "buf:16K", 4096),
    "examples/fill": example("errors/kernel", [], "buf:16K", 4096, 7),
    "linear": linear(64, 256, 256),
    "linear 1 row": linear(1, 512, 512),
    "linear_w4 1 row": linear_w4(1, 512, 1024),
    "linear_w4": linear_w4(64, 256, 256),
    "layer_norm": by_rows("layer_norm", 64, 512, "gamma", "beta", epsilon=1e-5),
    "rms_norm": by_rows("rms_norm", 1, 576, "gamma", epsilon=1e-5),
    "softmax operator": by_rows("softmax", 64, 256, scale=0.125),
    "gelu_tanh": by_rows("gelu_tanh", 64, 512),
    "attention": attention_decode(256, 8, 64),
}
