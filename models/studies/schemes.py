# SPDX-License-Identifier: Apache-2.0
"""Linear layers and attention as the card computes them, or could: integers where it has integers, fp32 where it has fp32.

Products of integers are exact here (fp64, or fp32 while sums stay below 2^24); what the drain makes of them is rounded to
fp32 as the drain does. Everything else (norms, activations, residuals) is left to the models, in fp32."""

import dataclasses

import numpy as np

F32 = np.float32
BLOCK = 128     # keys and values that a CPE takes at a time: docs/hardware/datapath.md
MASKED = F32(-1e9)


@dataclasses.dataclass(frozen=True)
class Linear:
    """How a linear layer is computed. `weights`: exact (then nothing is quantised), int8 (a scale per output channel), int4
    (whole zero points and 8-bit scales per group of `group`), q4_1 (int4 as a GGUF file has them, whose minimum is no whole
    number of steps)."""
    weights: str = "exact"
    group: int = 32
    activation_bits: int = 8        # 15: two products, one with the upper and one with the lower part
    activation_group: int = 0       # activations have a scale per row, or per row and so many k
    minimum: str = "fp32"           # q4_1: times the activations' sums in fp32; or int8 (per column); or whole (rounded to steps)
    scale_bits: int = 8             # q4_1: scales of groups, as parts of the column's largest; 0: exact
    smoothing: float = 0            # int8, int4: this power of an activation channel's magnitude goes over to the weights


@dataclasses.dataclass(frozen=True)
class Attention:
    """How attention is computed. `exact`: in floating point, with keys and values as `k` and `v` say."""
    exact: bool = False
    weight_levels: int = 127        # the largest weight of the second product; 255: 8 bits, 16256: two products of 7
    relative_to: str = "running"    # weights are relative to the maximum of: row, running, block
    normalise: str = "exact"        # divide by the sum of exact, or of quantised weights
    k: str = "token"                # scale of int8 keys: per token, head or channel; fp16 or fp32: not quantised
    v: str = "channel"


EXACT = Linear()
EXACT_ATTENTION = Attention(exact=True, k="fp32", v="fp32")


def quantise(x, axis, levels=127):
    """Whole numbers and their scales: the largest magnitude along `axis` becomes `levels`."""
    scale = (np.abs(x).max(axis=axis, keepdims=True) / levels).astype(F32)
    scale = np.where(scale == 0, F32(1), scale)
    return np.clip(np.rint(x / scale), -levels, levels).astype(F32), scale


def exact_product(a, b):
    """a @ b for whole numbers."""
    bound = np.abs(a).max(initial=0) * np.abs(b).max(initial=0) * a.shape[-1]
    kind = np.float32 if bound < 2 ** 24 else np.float64
    return a.astype(kind, copy=False) @ b.astype(kind, copy=False)


def group_scales(steps, bits):
    """Steps of groups (columns, groups) as whole parts of the column's largest, and what one part is."""
    levels = 2 ** bits - 1
    part = (steps.max(axis=1, keepdims=True) / levels).astype(F32)
    part = np.where(part == 0, F32(1), part)
    return np.maximum(np.rint(steps / part), 1), part


def int4_of(w, group):
    """Whole weights times scale (columns, k), and their column factors. Of several ranges for a group the one with least error
    is taken."""
    columns, k = w.shape
    w = np.pad(w, ((0, 0), (0, -k % group))).reshape(columns, -1, group).astype(F32)
    low, high = np.minimum(w.min(axis=2), 0), np.maximum(w.max(axis=2), 0)
    best = None
    _, part = group_scales((high - low) / 15, 8)
    for shrink in (1, 0.95, 0.9, 0.85, 0.8, 0.75, 0.7):
        scale = np.clip(np.rint((high - low) * shrink / 15 / part), 1, 255)
        step = (scale * part)[:, :, None]
        zero = np.clip(np.rint(-low[:, :, None] * shrink / step), 0, 15)
        q = np.clip(np.rint(w / step) + zero, 0, 15) - zero
        error = ((q * step - w) ** 2).sum(axis=2, keepdims=True)
        whole = q * scale[:, :, None]
        if best is None:
            best, least = whole, error
        else:
            best, least = np.where(error < least, whole, best), np.minimum(error, least)
    return best.reshape(columns, -1)[:, :k], part


class Prepared:
    """Weights as the card would have them: y = x times these."""

    def __init__(self, scheme, w, packed=None, magnitude=None):
        """`packed`: (q, step, minimum) of a GGUF file's Q4_1, q (columns, groups, 32); `magnitude`: of each channel of x."""
        self.scheme, self.minimum, self.smooth = scheme, None, None
        if scheme.smoothing and magnitude is not None:
            smooth = np.maximum(magnitude, 1e-5) ** scheme.smoothing / np.maximum(np.abs(w).max(axis=0), 1e-5) ** (1 - scheme.smoothing)
            self.smooth = smooth.astype(F32)
            w = w * self.smooth
        if scheme.weights == "exact":
            self.whole = w
        elif scheme.weights == "int8" or (scheme.weights == "q4_1" and packed is None):
            self.whole, self.factor = quantise(w, 1)
        elif scheme.weights == "int4":
            self.whole, self.factor = int4_of(w, scheme.group)
        else:
            self.take_q4_1(*packed)

    def take_q4_1(self, q, step, minimum):
        scheme = self.scheme
        scale, self.factor = group_scales(step, scheme.scale_bits) if scheme.scale_bits else (step, F32(1))
        rounded = scale * self.factor
        minimum = minimum + (step - rounded) * F32(7.5)  # the error of a rounded step lies around the middle of the group
        zero = np.clip(np.rint(-minimum / rounded), 0, 15)
        self.whole = ((q - zero[:, :, None]) * scale[:, :, None]).reshape(q.shape[0], -1)
        rest = minimum + zero * rounded
        if scheme.minimum == "int8":
            whole, factor = quantise(rest, 1)
            rest = whole * factor
        self.minimum = None if scheme.minimum == "whole" else rest.astype(F32)

    def __call__(self, x, bias=None):
        if self.scheme.weights == "exact":
            y = x @ self.whole.T
        else:
            y = self.quantised(x.astype(F32))
        return y if bias is None else y + bias.astype(y.dtype)

    def quantised(self, x):
        scheme = self.scheme
        if self.smooth is not None:
            x = x / self.smooth
        k = x.shape[-1]
        size = scheme.activation_group or k
        levels = 127 if scheme.activation_bits == 8 else 127 * 128
        y = F32(0)
        sums = []
        for start in range(0, k, size):
            part, scale = quantise(x[:, start:start + size], 1, levels)
            total = exact_product(part, self.whole[:, start:start + size].T)
            y = y + total.astype(F32) * (scale * self.factor.T)
            if self.minimum is not None:
                sums.append(part.reshape(len(x), -1, 32).sum(axis=2) * scale)
        return y if self.minimum is None else y + np.concatenate(sums, axis=1) @ self.minimum.T


def scaled(x, kind):
    """Keys or values (heads, tokens, channels) and their scales, which have 1 where they are one for all."""
    if kind in ("fp16", "fp32"):
        return x.astype(np.float16).astype(F32) if kind == "fp16" else x, F32(1)
    return quantise(x, {"token": 2, "channel": 1, "head": (1, 2)}[kind])


def exact_attention(q, k, v, mask):
    s = q @ k.swapaxes(1, 2) / np.sqrt(q.shape[2]).astype(q.dtype)
    if mask is not None:
        s = np.where(mask, s, MASKED.astype(q.dtype))
    p = np.exp(s - s.max(axis=2, keepdims=True))
    return p @ v / p.sum(axis=2, keepdims=True)


def scores(scheme, q, k):
    """Logarithms to base 2 of the weights that are to come."""
    k, k_scale = scaled(k, scheme.k)
    if scheme.k == "channel":
        q, k_scale = q * k_scale, F32(1)
    q, q_scale = quantise(q, 2)
    factor = q_scale * F32(np.log2(np.e) / np.sqrt(q.shape[2]))
    return (q @ k.swapaxes(1, 2)) * (factor * np.swapaxes(k_scale, 1, 2) if np.ndim(k_scale) else factor)


def attention(scheme, q, k, v, mask=None):
    """q, k, v: (heads, rows or tokens, channels); mask: (rows, tokens), true where a row sees a token."""
    if scheme.exact:
        return exact_attention(q, np.multiply(*scaled(k, scheme.k)), np.multiply(*scaled(v, scheme.v)), mask)
    s = scores(scheme, q, k)
    v, v_scale = scaled(v, scheme.v)
    by_token = np.swapaxes(v_scale, 1, 2) if scheme.v == "token" else None
    if by_token is not None:
        s = s + np.log2(by_token)  # weights take the values' scales along
        v_scale = F32(1)
    if mask is not None:
        s = np.where(mask, s, MASKED)
    whole_row = s.max(axis=2, keepdims=True)
    reached = np.full_like(whole_row, MASKED)
    total = np.zeros(q.shape, F32)
    norm = np.zeros_like(whole_row)
    for start in range(0, s.shape[2], BLOCK):
        here = slice(start, start + BLOCK)
        own = s[:, :, here].max(axis=2, keepdims=True)
        new = np.maximum(reached, own)
        reference = {"row": whole_row, "running": new, "block": own}[scheme.relative_to]
        new = whole_row if scheme.relative_to == "row" else new
        p = np.exp2(s[:, :, here] - reference) * F32(scheme.weight_levels)
        w = np.rint(p)
        counted = w if scheme.normalise == "quantised" else p
        if by_token is not None:
            counted = counted / by_token[:, :, here]
        old_share, share = np.exp2(reached - new), np.exp2(reference - new)
        total = total * old_share + (w @ v[:, here]) * share
        norm = norm * old_share + counted.sum(axis=2, keepdims=True) * share
        reached = new
    return total * v_scale / norm
