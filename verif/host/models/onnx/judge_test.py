#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ONNX Runtime as the judge: random graphs, and MiniLM in three forms, give after all passes what it gives for the files as
they are. Run from the repository root: judge_test.py [--models] [--seed N]."""

import argparse
import json
import pathlib
import shutil
import subprocess
import sys

VENV = pathlib.Path("build/onnx-venv")
JUDGE = ["onnxruntime==1.32.0", "numpy"]
GRAPHS = 1000
TOLERANCE = 1e-5
# "hello world is a test", and the most nodes that may be left of each file.
TOKENS = [101, 7592, 2088, 2003, 1037, 3231, 102]
MODELS = {
    "minilm-onnx/all-minilm-l6-v2.onnx": 123,
    "minilm-onnx-dynamic/all-minilm-l6-v2-q.onnx": 114,
    "minilm-onnx-weights/model.onnx": 267,
}


def in_venv():
    """Starts again with an interpreter that has the judge, which is fetched once."""
    python = VENV / "bin/python"
    if pathlib.Path(sys.prefix).resolve() == VENV.resolve():
        return
    if subprocess.run([python, "-c", "import onnxruntime"], stderr=subprocess.DEVNULL).returncode if python.exists() else True:
        subprocess.run([sys.executable, "-m", "venv", "--clear", VENV], check=True)
        subprocess.run([python, "-m", "pip", "--disable-pip-version-check", "-q", "install", *JUDGE], check=True)
    sys.exit(subprocess.run([python, *sys.argv]).returncode)


def session(path):
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    # Its own fusions fail on two graphs in a thousand.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def difference(right, found):
    """The largest, relative to the largest value but 1 at least."""
    import numpy

    if right.shape != found.shape:
        return float("inf")
    return float(numpy.abs(right - found).max() / max(1, numpy.abs(right).max()))


def judge_random(seed):
    import numpy

    types = {"f32": numpy.float32, "i64": numpy.int64, "i32": numpy.int32, "u8": numpy.uint8, "bool": numpy.bool_}
    folder = pathlib.Path("build/onnx-judge")
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run(["build/onnx-random", folder, str(GRAPHS), str(seed)], check=True)
    wrong = 0
    for number in range(GRAPHS):
        told = json.loads((folder / f"{number}.json").read_text())
        arrays = {kind: {name: numpy.array(one["values"], types[one["type"]]).reshape(one["shape"]) for name, one in told[kind].items()}
                  for kind in ("inputs", "outputs")}
        model = session(folder / f"{number}.onnx")
        feed = {one.name: arrays["inputs"][one.name] for one in model.get_inputs()}
        for output, right in zip(model.get_outputs(), model.run(None, feed)):
            found = difference(right.astype(numpy.float64), arrays["outputs"][output.name].astype(numpy.float64))
            if not found < TOLERANCE:
                print(f"{folder}/{number}.onnx: output {output.name} differs by {found}")
                wrong += 1
    print(f"{GRAPHS} graphs, {wrong} outputs differ")
    return wrong == 0


def judge_models():
    import numpy

    good = True
    for name, most in MODELS.items():
        path = pathlib.Path("build/models") / name
        output = pathlib.Path("build/onnx-judge.f32")
        done = subprocess.run(["build/onnx-clean", path, "--tokens", ",".join(map(str, TOKENS)), "--output", output], check=True,
                              stdout=subprocess.PIPE, text=True)
        steps = [line.split() for line in done.stdout.splitlines() if not line.startswith("  ")]
        ids = numpy.array([TOKENS])
        feed = {"input_ids": ids, "attention_mask": numpy.ones_like(ids), "token_type_ids": numpy.zeros_like(ids)}
        right = session(path).run(None, feed)[0]
        found = difference(right, numpy.fromfile(output, numpy.float32).reshape(right.shape))
        print(f"{name}: {steps[0][1]} nodes, {steps[-1][1]} after all passes, of at most {most}; differs by {found:.2g}")
        good = good and found < TOLERANCE and int(steps[-1][1]) <= most
    return good


def main():
    in_venv()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", action="store_true", help="the models of scripts/get-model, not random graphs")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    return 0 if (judge_models() if arguments.models else judge_random(arguments.seed)) else 1


if __name__ == "__main__":
    sys.exit(main())
