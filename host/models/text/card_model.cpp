// SPDX-License-Identifier: Apache-2.0
#include "host/models/text/card_model.hpp"

namespace swai::generate {

CardModel card_model(models::Model model, Precision precision) {
  const auto shared = std::make_shared<const models::Model>(std::move(model));
  const models::CardDecoder card = models::card_decoder(*shared, precision);
  return {card, "", shared->vocabulary,
          [shared, card](const models::Put& put) { models::pack_decoder(*shared, card, put); }};
}

}  // namespace swai::generate
