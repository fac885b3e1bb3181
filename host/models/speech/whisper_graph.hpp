// SPDX-License-Identifier: Apache-2.0
// Graphs of Whisper models.
#pragma once

#include <tuple>

#include "abi/speech_rules.hpp"
#include "host/models/graph/program.hpp"
#include "host/models/speech/card_whisper.hpp"

namespace swai::transcribe {

// From a spectrogram (`mel`: rows are frames, one of zeros before and one behind them) to keys and values of
// each layer of the decoder (`layer[i].cross.keys`, `layer[i].cross.values`).
graph::Graph encoder_graph(const CardWhisper& model);

// Computes some tokens behind `past` others, whose keys and values lie in states. `rows`: of a run so many;
// with more than one, up to so many (size `rows`). Gives how likely each token is to follow the last one
// (`logits`), and one that may follow (`token`, `log_probability`): none whose bit is set in a row of
// `forbidden` (size `begun` says which), none in `ranges`; a timestamp where all of them are likelier than
// any text; else as `settings` say.
graph::Graph decoder_graph(const CardWhisper& model, uint32_t rows);

// The same for texts that go on in several ways: each row is a token at `past` of another one. Keys and
// values lie in chunks (BeamChunks); `chunks` lists those of each row, `places` is `past` for each. Gives the
// logarithms of the largest probabilities (`likeliest`), one more than there are rows, and their tokens
// (`followers`).
graph::Graph beams_graph(const CardWhisper& model, uint32_t beams);

// Number of ranges of tokens that are ruled out.
inline constexpr uint32_t kRanges = std::tuple_size_v<speech::RuledOut>;

struct WhisperPrograms {
  graph::Program encoder;
  graph::Program several;  // tokens
  graph::Program one;
};
// `stands_for`: their lists have the operators of a model that is so many times as wide. Throws InputError,
// with the model's file, when it is more than graphs or the card's operators take.
WhisperPrograms whisper_programs(const CardWhisper& model, uint32_t stands_for = 1);
graph::Program beams_program(const CardWhisper& model, uint32_t beams);

}  // namespace swai::transcribe
