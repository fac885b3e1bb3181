// SPDX-License-Identifier: Apache-2.0
// A model's weights on the card, for all that compute with them.
#pragma once

#include "host/models/exec/named_memory.hpp"
#include "host/models/text/card_model.hpp"

namespace swai::generate {

class LoadedModel {
 public:
  // `pattern`: of any graph of the model, which knows its weights. `positions`: of tokens in a text, at most.
  // Throws walk::CardError when the card has not so much memory.
  LoadedModel(const CardModel& model, const graph::Template& pattern, uint32_t positions);

  const models::CardDecoder& card() const { return card_; }
  size_t weight_bytes() const { return weights_.bytes(); }
  // Of a weight, or of a table for rotation.
  bool has(const graph::Template::Base& base) const;
  cpe::GlobalPtr<void> address(const graph::Template::Base& base) const;

 private:
  models::CardDecoder card_;
  walk::NamedMemory weights_;
  walk::CardMemory rotary_;
  std::optional<walk::CardMemory> local_rotary_;  // of models that have one
};

}  // namespace swai::generate
