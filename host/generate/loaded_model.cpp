// SPDX-License-Identifier: Apache-2.0
#include "host/generate/loaded_model.hpp"

#include "host/generate/llama_graph.hpp"
#include "host/generate/llama_weights.hpp"

namespace swai::generate {

using graph::ValueKind;

LoadedModel::LoadedModel(const CardModel& model, const graph::Template& pattern, uint32_t positions)
    : card_(model.card),
      weights_("weights", pattern, ValueKind::kWeight),
      rotary_("rotary table", walk::bytes_of(rotary_table(model.card, positions))) {
  model.weights(
      [&](const std::string& name, std::span<const uint8_t> contents) { weights_.put(name, contents); });
  weights_.require_all();
}

bool LoadedModel::has(const graph::Template::Base& base) const {
  return base.kind == ValueKind::kWeight || base.name == kRotary;
}

cpe::GlobalPtr<void> LoadedModel::address(const graph::Template::Base& base) const {
  return base.kind == ValueKind::kWeight ? weights_.address(base.name) : rotary_.address();
}

}  // namespace swai::generate
