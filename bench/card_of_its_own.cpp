// SPDX-License-Identifier: Apache-2.0
#include "bench/card_of_its_own.hpp"

#include "host/runtime/runtime.hpp"

namespace swai::cli::bench {
namespace {

// Of a card that is named, or of one that a daemon shares, nobody knows the tier.
Options started(const Options& options, const char* tier) {
  Options changed = options;
  changed.card.clear();
  changed.config = options.config_or_default();
  changed.tier = tier;
  return changed;
}

}  // namespace

CardOfItsOwn::CardOfItsOwn(const Options& options, const char* tier) : card_(started(options, tier)) {
  sdaa::Runtime::get().use_environment();
}

// While the card is still there to be told.
CardOfItsOwn::~CardOfItsOwn() { sdaa::Runtime::get().use({}); }

}  // namespace swai::cli::bench
