# SPDX-License-Identifier: Apache-2.0
"""Whisper's log-mel spectrogram."""

import numpy as np
import scipy.io.wavfile
import scipy.signal

RATE = 16000
SAMPLES = 30 * RATE
WINDOW, HOP = 400, 160


def read_wav(path):
    """Samples at 16 kHz, from -1 to 1."""
    rate, samples = scipy.io.wavfile.read(path)
    samples = samples / 32768
    return samples if rate == RATE else scipy.signal.resample_poly(samples, RATE, rate)


def spectrogram(samples, filters, length=SAMPLES):
    """Frames of 80, a hundred a second; `filters` is mel_80 of OpenAI's mel_filters.npz. Silence up to `length`."""
    padded = np.zeros(length)
    padded[:len(samples)] = samples[:length]
    padded = np.pad(padded, WINDOW // 2, mode="reflect")
    frames = np.lib.stride_tricks.sliding_window_view(padded, WINDOW)[::HOP][:-1]
    hann = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(WINDOW) / WINDOW)
    power = np.abs(np.fft.rfft(frames * hann)) ** 2
    log = np.log10(np.maximum(power @ filters.T.astype(np.float64), 1e-10))
    return (np.maximum(log, log.max() - 8) + 4) / 4
