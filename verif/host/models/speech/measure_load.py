#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Measures what a host does to load Whisper in base's shape (74 million parameters, random ones, fp32), or large's (1,550
million, which takes 20 GB of memory), from a packed file in the page cache: as swai does it, and as programs on PyTorch do
it, with the same file, both in this process, and both up to the window from which the card takes its copy. Prints a flat
JSON object for `make bench`. The card's own time is in none of the figures. Without PyTorch (Debian's python3-torch) its
figures are not measured. With --stages FILE it also adds the time of each stage to this file, for `swai bench paper
--loading FILE`."""

import argparse
import ctypes
import hashlib
import json
import pathlib
import subprocess
import sys
import tempfile
import time
import warnings

import random_whisper

try:
    import torch
    import pytorch_whisper
except ImportError:
    torch = None

SHAPES = {"base": random_whisper.BASE, "large": random_whisper.LARGE}
TIMES = {"base": 9, "large": 2}  # of each; the quickest counts, because whatever else the machine does only adds to it
KEYS = {"base": "load.", "large": "load.large_"}


def size_of(shape):
    return {
        "mels": random_whisper.MELS,
        "audio_context": random_whisper.AUDIO_CONTEXT,
        "vocabulary": random_whisper.VOCABULARY,
        "text_context": shape.text_context,
        "width": shape.width,
        "layers": shape.layers,
    }


def library():
    bench = ctypes.CDLL("build/load-bench.so")
    for function in (bench.load_bench_load, bench.load_bench_read):
        function.argtypes = [ctypes.c_char_p]
        function.restype = ctypes.c_char_p
    bench.load_bench_take.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
    bench.load_bench_take.restype = None
    bench.load_bench_taken.argtypes = []
    bench.load_bench_taken.restype = ctypes.c_size_t
    return bench


def stages_of(function, path):
    stages = json.loads(function(str(path).encode()))
    if "error" in stages:
        raise SystemExit(f"{path}: {stages['error']}")
    return stages


def begin_of_tensors(path):
    with open(path, "rb") as file:
        return 8 + int.from_bytes(file.read(8), "little")


class Stages(dict):
    def __init__(self):
        self.begin = time.perf_counter()

    def end(self, name):
        now = time.perf_counter()
        self[name] = 1000 * (now - self.begin)
        self.begin = now


def classic(bench, path, shape):
    """As whisper.load_model does it: the file's bytes, their hash, a model with its first numbers, and then the file's. Each
    parameter gets the next bytes of the file; which are whose plays no part in the time."""
    first = begin_of_tensors(path)
    stages = Stages()
    contents = path.read_bytes()
    stages.end("read")
    hashlib.sha256(contents).hexdigest()
    stages.end("hash")
    model = pytorch_whisper.construct(**size_of(shape))
    stages.end("construct")
    pytorch_whisper.initialise(model)
    stages.end("initialise")
    numbers = torch.frombuffer(contents, dtype=torch.float32, offset=first)
    state, at = {}, 0
    for name, parameter in model.state_dict().items():
        state[name] = numbers[at : at + parameter.numel()].view(parameter.shape)
        at += parameter.numel()
    model.load_state_dict(state)
    stages.end("copy")
    for parameter in model.state_dict().values():
        bench.load_bench_take(parameter.data_ptr(), parameter.numel() * parameter.element_size())
    stages.end("transfer preparation")
    return stages


def total(stages):
    return sum(stages.values())


def quickest(name, measure, times):
    """The stages of the quickest of several runs; shown, too."""
    measure()  # what is needed for the first time is there then
    best = min((measure() for _ in range(times)), key=total)
    print(f"{name}: {total(best):.1f} ms ({', '.join(f'{stage} {spent:.2f}' for stage, spent in best.items())})", file=sys.stderr)
    return best


def require_all(bench, path, times):
    """Ends this unless each run brought all of the file into the window, but for its header, tokens and what fills up."""
    taken, size = bench.load_bench_taken() / (times + 1), path.stat().st_size
    if not 0.99 * size < taken <= size:
        raise SystemExit(f"{taken / 1e6:.1f} MB of {size / 1e6:.1f} came into the window")


def packed(folder, shape):
    model, path = folder / "model", folder / "packed"
    random_whisper.write(model, shape=shape)
    subprocess.run(["build/swai", "model", "import", model, "--precision", "fp32", "-o", path], check=True, stdout=subprocess.DEVNULL)
    return path


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shape", choices=SHAPES, default="base")
    parser.add_argument("--stages", type=pathlib.Path)
    wish = parser.parse_args()
    name = wish.shape
    shape, times, key = SHAPES[name], TIMES[name], KEYS[name]
    warnings.filterwarnings("ignore", message="The given buffer is not writable")
    bench = library()
    with tempfile.TemporaryDirectory() as folder:
        path = packed(pathlib.Path(folder), shape)
        print(f"the file: {path.stat().st_size / 1e6:.1f} MB", file=sys.stderr)
        # The first reading brings it into the page cache.
        limit = quickest("limit", lambda: stages_of(bench.load_bench_read, path), times)
        fast = quickest("fast", lambda: stages_of(bench.load_bench_load, path), times)
        require_all(bench, path, times)
        stages = {"fast": fast}
        figures = {f"{key}fast_ms": round(total(fast), 1), f"{key}limit_ratio": round(total(fast) / total(limit), 3)}
        if torch is None:
            keys = (f"{key}classic_ms", f"{key}speedup")
            figures["not measured"] = dict.fromkeys(keys, "python3-torch is not installed")
        else:
            slow = quickest("classic", lambda: classic(bench, path, shape), times)
            require_all(bench, path, times)
            stages["classic"] = slow
            figures |= {f"{key}classic_ms": round(total(slow), 1), f"{key}speedup": round(total(slow) / total(fast), 1)}
    if wish.stages:
        known = json.loads(wish.stages.read_text()) if wish.stages.exists() else {}
        wish.stages.write_text(json.dumps(known | {name: stages}))
    print(json.dumps(figures))


main()
