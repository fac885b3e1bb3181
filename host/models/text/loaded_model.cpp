// SPDX-License-Identifier: Apache-2.0
#include "host/models/text/loaded_model.hpp"

#include "host/models/files/decoder/graph.hpp"
#include "host/models/files/decoder/weights.hpp"

namespace swai::generate {

using graph::ValueKind;
namespace {

std::vector<float> table(const models::CardDecoder& card, const std::vector<double>& frequencies,
                         uint32_t positions) {
  return models::rotary_table(frequencies, card.head_width, positions);
}

}  // namespace

LoadedModel::LoadedModel(const CardModel& model, const graph::Template& pattern, uint32_t positions)
    : card_(model.card),
      weights_("weights", pattern, ValueKind::kWeight),
      rotary_("rotary table", walk::bytes_of(table(card_, card_.frequencies, positions))) {
  if (!card_.local_frequencies.empty())
    local_rotary_.emplace("rotary table", walk::bytes_of(table(card_, card_.local_frequencies, positions)));
  model.weights(
      [&](const std::string& name, std::span<const uint8_t> contents) { weights_.put(name, contents); });
  weights_.require_all();
}

bool LoadedModel::has(const graph::Template::Base& base) const {
  return base.kind == ValueKind::kWeight || base.name == models::kRotary || base.name == models::kLocalRotary;
}

cpe::GlobalPtr<void> LoadedModel::address(const graph::Template::Base& base) const {
  if (base.kind == ValueKind::kWeight) return weights_.address(base.name);
  return base.name == models::kRotary ? rotary_.address() : local_rotary_.value().address();
}

}  // namespace swai::generate
