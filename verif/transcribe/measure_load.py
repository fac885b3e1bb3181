#!/usr/bin/python3
"""Measures what a host does to load Whisper in base's shape (74 million parameters, random ones, fp32) from a packed file in
the page cache: as swai does it, and as programs on PyTorch do it, with the same file, both in this process, and both up
to the window from which the card takes its copy. Prints a flat JSON object for `make bench`. The card's own time is in
none of the figures. Without PyTorch (Debian's python3-torch) there are no figures of that."""

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

TIMES = 9  # of each; the quickest counts, because whatever else the machine does only adds to it
SHAPE = {
    "mels": random_whisper.MELS,
    "audio_context": random_whisper.AUDIO_CONTEXT,
    "vocabulary": random_whisper.VOCABULARY,
    "text_context": random_whisper.BASE.text_context,
    "width": random_whisper.BASE.width,
    "layers": random_whisper.BASE.layers,
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


def classic(bench, path, first):
    """As whisper.load_model does it: the file's bytes, their hash, a model with its first numbers, and then the file's. Each
    parameter gets the next bytes of the file; which are whose plays no part in the time."""
    stages = Stages()
    contents = path.read_bytes()
    stages.end("read")
    hashlib.sha256(contents).hexdigest()
    stages.end("hash")
    model = pytorch_whisper.construct(**SHAPE)
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


def quickest(name, measure):
    """The stages of the quickest of several runs; shown, too."""
    measure()  # what is needed for the first time is there then
    best = min((measure() for _ in range(TIMES)), key=total)
    print(f"{name}: {total(best):.1f} ms ({', '.join(f'{stage} {spent:.2f}' for stage, spent in best.items())})", file=sys.stderr)
    return total(best)


def require_all(bench, path):
    """Ends this unless each run brought all of the file into the window, but for its header, tokens and what fills up."""
    taken, size = bench.load_bench_taken() / (TIMES + 1), path.stat().st_size
    if not 0.99 * size < taken <= size:
        raise SystemExit(f"{taken / 1e6:.1f} MB of {size / 1e6:.1f} came into the window")


def packed(folder):
    model, path = folder / "model", folder / "packed"
    random_whisper.write(model, shape=random_whisper.BASE)
    subprocess.run(["build/swai", "model", "import", model, "--precision", "fp32", "-o", path], check=True, stdout=subprocess.DEVNULL)
    return path


def main():
    warnings.filterwarnings("ignore", message="The given buffer is not writable")
    bench = library()
    with tempfile.TemporaryDirectory() as folder:
        path = packed(pathlib.Path(folder))
        path.read_bytes()  # into the page cache
        print(f"the file: {path.stat().st_size / 1e6:.1f} MB", file=sys.stderr)
        limit = quickest("limit", lambda: stages_of(bench.load_bench_read, path))
        fast = quickest("fast", lambda: stages_of(bench.load_bench_load, path))
        require_all(bench, path)
        figures = {"load.fast_ms": round(fast, 1), "load.limit_ratio": round(fast / limit, 3)}
        if torch is None:
            print("classic: PyTorch is not installed", file=sys.stderr)
        else:
            first = begin_of_tensors(path)
            slow = quickest("classic", lambda: classic(bench, path, first))
            require_all(bench, path)
            figures |= {"load.classic_ms": round(slow, 1), "load.speedup": round(slow / fast, 1)}
    print(json.dumps(figures))


main()
