# SPDX-License-Identifier: Apache-2.0
"""Figures that compare what a scheme computes with the reference, and tables of them."""

import numpy as np


def log_softmax(x):
    x = x.astype(np.float64)
    x = x - x.max(axis=1, keepdims=True)
    return x - np.log(np.exp(x).sum(axis=1, keepdims=True))


def vectors(reference, x):
    """Largest error and root mean square error, as parts of the reference's root mean square; the lowest cosine of a row."""
    size = np.sqrt((reference ** 2).mean())
    error = x - reference
    cosine = (reference * x).sum(axis=1) / np.linalg.norm(reference, axis=1) / np.linalg.norm(x, axis=1)
    return {"max": np.abs(error).max() / size, "rms": np.sqrt((error ** 2).mean()) / size, "cosine": cosine.min()}


def logits(reference, x):
    """Largest error, mean divergence in nats, and the share of rows with the same best token."""
    p, q = log_softmax(reference), log_softmax(x)
    return {"logit": np.abs(x - reference).max(), "kl": (np.exp(p) * (p - q)).sum(axis=1).mean(),
            "same": (reference.argmax(axis=1) == x.argmax(axis=1)).mean()}


def row(name, figures):
    cells = (f"{f:.3g}" if isinstance(f, (float, np.floating)) else str(f) for f in figures)
    print("| " + " | ".join([name, *cells]) + " |", flush=True)


def head(columns):
    print("| " + " | ".join(columns) + " |\n" + "|---" * len(columns) + "|", flush=True)
