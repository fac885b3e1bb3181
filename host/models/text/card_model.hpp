// SPDX-License-Identifier: Apache-2.0
// A model that is ready for the card: from a file of its own makers, or from one that was packed for the card
// before.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "host/models/files/decoder/card.hpp"
#include "host/models/files/decoder/weights.hpp"

namespace swai::generate {

using models::Precision, models::precision_named, models::precision_names, models::to_text;

// Gives all weights of a model, one after the other.
using Weights = std::function<void(const models::Put&)>;

struct CardModel {
  models::CardDecoder card;
  std::string identity;  // of a packed file; else empty
  models::Vocabulary vocabulary;
  Weights weights;
};

// Weights are packed whenever they are asked for.
CardModel card_model(models::Model model, Precision precision);

}  // namespace swai::generate
