// SPDX-License-Identifier: Apache-2.0
// A Whisper model as the card computes it. Graphs and weights agree on this.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "abi/listen.hpp"
#include "host/models/files/model.hpp"
#include "host/models/files/weight_format.hpp"

namespace swai::transcribe {

using models::Precision;

// Most tokens of a launch.
inline constexpr uint32_t kChunk = listen::kMostTokens;

struct CardWhisper {
  std::string path;  // for messages
  models::WhisperShape shape;
  Precision precision = Precision::kFp32;
  models::WeightFormats formats;  // Convolutions are fp32 in any case.
  // Moments of sound in a window: those of the model, or fewer for a short sound.
  uint32_t moments = 0;
  uint32_t first_timestamp = 0;  // of the tokens
  // OpenAI's projections of keys have none; files that hold them with queries and values have zeros.
  bool key_bias = false;
  // Not 0: graphs are those of eager PyTorch (eager_graph.hpp), and a window's first pass takes so many
  // tokens. In fp32.
  uint32_t eager_rows = 0;

  uint32_t frames() const { return 2 * moments; }
  // Of tokens in the decoder's memory: a launch may write keys and values of a whole chunk.
  // Of tokens in the decoder's memory: a launch may write keys and values of a whole chunk.
  uint32_t room() const { return shape.text_context + kChunk; }
  // Tokens of `waiting` that the next launch takes, behind `past` others.
  uint32_t taken(size_t waiting, uint32_t past) const;
};

// Kinds of matrices: "decoder.cross.key" for "decoder.layer.3.cross.key", and "head", which gives logits. The
// table that tokens are looked up in is fp16 when matrices have few bits.
std::span<const models::MatrixKind> whisper_matrices();
std::string kind_of(std::string_view tensor);
// `four_bits`: kinds that have four bits, or what their names begin with ("decoder.cross"); none: those that
// are not sensitive. Only with kW4A8. Throws InputError for names of nothing, with the names that there are.
models::WeightFormats whisper_formats(Precision precision, std::span<const std::string> four_bits);

// Throws models' InputError for a model that is too large for the card's operators, or has other tokens.
CardWhisper make_card_whisper(const std::string& path, const models::WhisperShape& shape, Precision precision,
                              models::WeightFormats formats, bool key_bias);

// Throws models' InputError for a model that is no Whisper, too.
CardWhisper card_whisper(const models::Model& model, Precision precision,
                         std::span<const std::string> four_bits = {});

}  // namespace swai::transcribe
