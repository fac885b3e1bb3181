// SPDX-License-Identifier: Apache-2.0
// A card that is started for a measurement, whatever other cards there are, and which this program uses as
// long as it lives. One after the other.
#pragma once

#include "host/tools/cli/started_card.hpp"

namespace swai::cli::bench {

class CardOfItsOwn {
 public:
  // Throws Error.
  CardOfItsOwn(const Options& options, const char* tier);
  ~CardOfItsOwn();
  CardOfItsOwn(const CardOfItsOwn&) = delete;
  CardOfItsOwn& operator=(const CardOfItsOwn&) = delete;

 private:
  UsedCard card_;
};

}  // namespace swai::cli::bench
