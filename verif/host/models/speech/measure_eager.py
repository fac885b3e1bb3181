#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Measures what eager PyTorch needs of a host for each operator that it issues: the operators of a Whisper window in base's
depth (eager_operators.py, whose list `swai bench paper` counts), on tensors so small that what they compute is nearly
nothing. Wall time of one thread. Prints a flat JSON object for `make bench`; without PyTorch (Debian's python3-torch) the
figure is not measured. Operators run on the CPU here, so the cost of CUDA's launch is not included."""

import json
import sys
import time

try:
    import torch
    import eager_operators
except ImportError:
    torch = None

LAYERS = 6
WINDOWS = 15  # the quickest of each part counts, because whatever else the machine does only adds to it


def microseconds(action):
    begin = time.perf_counter()
    action()
    return 1e6 * (time.perf_counter() - begin)


def window_of(window):
    """Microseconds of the encoder, of the decoder's first pass, and of each step."""
    encoder, first = microseconds(window.encoder), microseconds(window.first)
    return encoder, first, min(microseconds(window.step) for _ in range(window.STEPS))


def main():
    if torch is None:
        print(json.dumps({"not measured": {"eager.host_us": "python3-torch is not installed"}}))
        return
    torch.set_num_threads(1)
    operators = {name: len(names) for name, names in eager_operators.lists(LAYERS).items()}
    window = eager_operators.Window(LAYERS)
    window_of(window)  # what is needed for the first time is there then
    measured = [window_of(window) for _ in range(WINDOWS)]
    each = {name: min(times) / operators[name] for name, times in zip(operators, zip(*measured))}
    for name, us in each.items():
        print(f"{name}: {operators[name]} operators, {us:.2f} us each", file=sys.stderr)
    print(json.dumps({"eager.host_us": round(each["step"], 2)}))


main()
