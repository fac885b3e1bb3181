// SPDX-License-Identifier: Apache-2.0
// A llama model as the card computes it: what of its shape differs from the file's, because the card's
// operators want it so. Graph, weights and tables agree on this.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/generate/stores.hpp"

namespace swai::generate {

// Projections with a bias, in any layer: those without one get zeros.
struct Biases {
  bool query = false;
  bool key = false;
  bool value = false;
  bool output = false;
};

struct CardLlama {
  std::string path;  // of the file, for messages
  models::LlamaShape shape;
  bool tied = true;  // the output is the embedding, in the same memory
  Biases biases;
  uint32_t head_width = 0;  // a multiple of 16: channels of zeros fill narrower heads up
  Precision precision = Precision::kFp32;
  Stores stores;
  std::vector<double> frequencies;  // of the rotary embedding, one for each pair of the file's channels

  uint32_t query_width() const { return shape.heads * head_width; }
  uint32_t key_width() const { return shape.kv_heads * head_width; }
};

// Throws InputError for a model that is no llama, or too large for the card's operators.
CardLlama card_llama(const models::Model& model, Precision precision);
// The same of what is known about it.
CardLlama make_card_llama(const std::string& path, const models::LlamaShape& shape, Precision precision,
                          Stores stores, bool tied, const Biases& biases, std::vector<double> frequencies);

// As graph text names it: layer.3.attention.output is layer[3].attention.mix there.
std::string graph_name(std::string_view tensor);

}  // namespace swai::generate
