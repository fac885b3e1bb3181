// SPDX-License-Identifier: Apache-2.0
#include "bench/paper/card_launches.hpp"

#include "host/tools/cli/error.hpp"
#include "host/runtime/client_usage.hpp"
#include "host/runtime/runtime.hpp"

namespace swai::cli::bench {

uint64_t card_launches() {
  // The firmware tells them when it has been quiet for 10,000 cycles.
  constexpr uint64_t kWhile = 1 << 16;
  const auto device = sdaa::Runtime::get().current();
  const sdaa::Device::Lock lock = device->enter();
  sdaa::Connection& connection = device->connection();
  // Interrupts, as of an end that nobody has taken yet, cut it short.
  const uint64_t end = connection.cycle() + kWhile;
  while (connection.cycle() < end && connection.let_time_pass(end - connection.cycle()).awake) {
  }
  const auto own = sdaa::own_usage(connection);
  if (!own) throw Error(kFailed, "the card counts no launches of this program");
  return own->launches;
}

}  // namespace swai::cli::bench
