// SPDX-License-Identifier: Apache-2.0
#include "sim/card/serve.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <cstdio>

namespace swai::card {
namespace {

// More than any boot takes; a firmware that never sleeps is served all the same.
constexpr uint64_t kBootCycles = 20'000'000;
// Between two looks at signals while the cards boot.
constexpr uint64_t kBootSlice = 100'000;

std::vector<FlashStore> open_flash(const Options& options) {
  std::vector<FlashStore> result;
  for (size_t i = 0; i < options.cards; ++i) {
    result.push_back(FlashStore::open(name_of_card(options.flash, i), options.flash_size));
  }
  return result;
}

}  // namespace

std::string name_of_card(const std::string& name, size_t card) {
  return card == 0 ? name : fmt::format("{}.{}", name, card);
}

Serve::Serve(const Options& options)
    : options_(options),
      flash_(open_flash(options)),
      events_(EventFile::open(options.events, options.events_limit)),
      lines_(options.cards),
      cards_(
          make_cards(options, flash_, events_.get(), [this](size_t card, uint8_t byte) { put(card, byte); })),
      server_(*cards_, {.limits = {.maps = socket::kProcessMaps / std::max<size_t>(2, options.cards)},
                        .log = [this](const std::string& line) {
                          if (!options_.quiet) fmt::print(stderr, "swai-card: {}\n", line);
                        }}) {
  for (size_t i = 0; i < cards_->size(); ++i) server_.add(cards_->device(i));
}

void Serve::put(size_t card, uint8_t byte) {
  std::string& line = lines_[card];
  if (byte != '\n') {
    if (byte != '\r') line.push_back(static_cast<char>(byte));
    return;
  }
  if (options_.console != Console::Kind::kNone) {
    if (cards_->size() > 1) fmt::print("card {}: ", card);
    fmt::print("{}\n", line);
    std::fflush(stdout);
  }
  line.clear();
}

int Serve::run() {
  const auto now = [this] { return cards_->device(0).cycle(); };
  for (uint64_t end = kBootSlice; !cards_->asleep() && end <= kBootCycles && stop_.pending() == 0;
       end += kBootSlice) {
    while (!cards_->asleep() && now() < end) cards_->run(end);
  }
  if (options_.events_from_ready) cards_->record_from_here();
  for (size_t i = 0; i < cards_->size() && stop_.pending() == 0; ++i) {
    const std::string path = name_of_card(options_.socket, i);
    server_.listen({i}, path);
    if (!options_.quiet) fmt::print(stderr, "swai-card: card {} is at {}\n", i, path);
  }
  std::array others = {pollfd{.fd = stop_.fd(), .events = POLLIN, .revents = 0}};
  while (stop_.pending() == 0) server_.turn(-1, others);
  cards_->finish();
  for (FlashStore& flash : flash_) flash.flush();
  if (events_) events_->finish();
  return kExitOk;
}

}  // namespace swai::card
