# SPDX-License-Identifier: Apache-2.0
"""Whisper's English tokens, as far as this model has a use for them.

Training knows `COLUMNS` tokens: the ten words, some control tokens, the timestamps, and one column that stands for all
tokens that never occur. They share a row of the embedding.
"""

import numpy as np

from test_list import WORDS

VOCABULARY = 51864
WORD_IDS = [6632, 530, 734, 1115, 1440, 1936, 2237, 3598, 3624, 5193]  # " zero", " one", ... in GPT-2's vocabulary
END, START, PREVIOUS, NO_SPEECH, NO_TIMESTAMPS, FIRST_TIME = 50256, 50257, 50360, 50361, 50362, 50363
TIMES = 1501  # 0.00 to 30.00 seconds in steps of 20 ms, which is a frame of the encoder
FRAMES = 1500
STEP_SECONDS = 0.02
TEXT_CONTEXT = 448

IN_USE = np.array(WORD_IDS + [END, START, PREVIOUS, NO_SPEECH, NO_TIMESTAMPS] + list(range(FIRST_TIME, FIRST_TIME + TIMES)))
FIRST_TIME_COLUMN = len(IN_USE) - TIMES
UNUSED_COLUMN = len(IN_USE)
COLUMNS = len(IN_USE) + 1
UNUSED_TOKENS = VOCABULARY - len(IN_USE)
COLUMN_OF = np.full(VOCABULARY, UNUSED_COLUMN)
COLUMN_OF[IN_USE] = np.arange(len(IN_USE))


def time_id(seconds):
    return FIRST_TIME + round(seconds / STEP_SECONDS)


def text_of(ids):
    """The words, whatever control tokens are between them; a token that is no digit shows as such."""
    names = dict(zip(WORD_IDS, WORDS))
    return " ".join(names.get(i, f"[{i}]") for i in ids if i < END)
