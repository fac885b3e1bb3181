// SPDX-License-Identifier: Apache-2.0
// Opens a language model, be it a file of its makers or one that was packed for the card.
#pragma once

#include <optional>
#include <string>

#include "host/models/text/card_model.hpp"

namespace swai::generate {

// Any file or folder. `tokens`: as models::load takes it. `precision`: that of a packed file cannot be
// another one. Throws InputError.
CardModel open_card_model(const std::string& path, const std::string& tokens,
                          std::optional<Precision> precision);

}  // namespace swai::generate
