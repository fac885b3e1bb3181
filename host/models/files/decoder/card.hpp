// SPDX-License-Identifier: Apache-2.0
// A decoder as the card computes it: its shape, and where it differs from the file's because the card's
// operators require it. Graph, weights and tables agree on this.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "host/models/files/architectures/architecture.hpp"

namespace swai::models {

struct CardDecoder {
  std::string path;  // of the file, for messages
  const Architecture* architecture = nullptr;
  DecoderShape shape;
  bool tied = true;  // the output is the embedding, in the same memory
  // Kinds of matrices that have a bias in any layer: those without one get zeros.
  std::set<std::string, std::less<>> biased;
  uint32_t head_width = 0;  // a multiple of 16: channels of zeros fill narrower heads up
  Precision precision = Precision::kFp32;
  WeightFormats formats;
  // Of the rotary embedding, one for each pair of the file's channels. The second: of layers that have a base
  // of their own; may be empty.
  std::vector<double> frequencies, local_frequencies;

  uint32_t query_width() const { return shape.heads * head_width; }
  uint32_t key_width() const { return shape.kv_heads * head_width; }
  bool rotates_locally(uint32_t layer) const {
    return shape.global_every != 0 && (layer + 1) % shape.global_every != 0;
  }
};

// Throws InputError for a model that is no decoder, or too large for the card's operators.
CardDecoder card_decoder(const Model& model, Precision precision);

// What is known of a decoder without its file.
struct DecoderFacts {
  const Architecture* architecture = nullptr;
  DecoderShape shape = {};
  Precision precision = Precision::kFp32;
  WeightFormats formats = {};
  bool tied = true;
  std::set<std::string, std::less<>> biased = {};
  std::vector<double> frequencies = {}, local_frequencies = {};
};
CardDecoder card_decoder(const std::string& path, DecoderFacts facts);

// As graphs name it: layer.3.attention.output is layer[3].attention.output there.
std::string graph_name(std::string_view tensor);
// A tensor's name without its layer.
std::string kind_of(std::string_view tensor);

}  // namespace swai::models
