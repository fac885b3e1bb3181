// SPDX-License-Identifier: Apache-2.0
#include "host/models/text/open_model.hpp"

#include "host/models/files/load.hpp"
#include "host/models/text/packed_model.hpp"

namespace swai::generate {

CardModel open_card_model(const std::string& path, const std::string& tokens,
                          std::optional<Precision> precision) {
  if (const auto packed = models::PackedFile::open(path)) return open_packed(*packed, precision);
  return card_model(models::load(path, tokens), precision.value_or(Precision::kFp32));
}

}  // namespace swai::generate
