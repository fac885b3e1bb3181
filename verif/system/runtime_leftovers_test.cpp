// SPDX-License-Identifier: Apache-2.0
// What a client leaves in the card's memory, and how fast the cores clear it.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "firmware/memory/leftovers.hpp"
#include "sim/common/random.hpp"
#include "verif/host/runtime/kernels.hpp"
#include "verif/kit/doctest_main.hpp"
#include "verif/system/rig.hpp"
#include "verif/system/runtime_client.hpp"

namespace swai::system {
namespace {

using protocol::Operation;
using protocol::Status;
using protocol::Usage;

constexpr uint64_t kBlock = 2 << 20;

uint64_t total_of(RuntimeClient& client) {
  const auto info = client.ask(Operation::kMemoryInfo, {client.context, 0});
  REQUIRE(info.ok());
  return info.values[1];
}
RuntimeClient::Reply ask_for(RuntimeClient& client, uint64_t bytes) {
  return client.ask(Operation::kAllocate,
                    {client.context, bytes, protocol::AllocateFlags{Usage::kCpe, 0}.bits()});
}
// Blocks to be cleared in the background; a measurement wants more.
uint64_t blocks() {
  const char* text = std::getenv("LEFTOVERS_BLOCKS");
  return text == nullptr ? 4 : std::strtoull(text, nullptr, 0);
}
struct Cleared {
  uint64_t bytes;
  uint64_t cycle;  // when the card said so
};
Cleared cleared(link::Card& card, const RuntimeClient& client) {
  std::vector<protocol::Telemetry> lines(client.info.telemetry_count);
  card.read_block(kMemoryBar, kSramAt + client.info.telemetry_offset,
                  {reinterpret_cast<uint8_t*>(lines.data()), lines.size() * sizeof lines[0]});
  const auto value_of = [&](protocol::Tag tag) {
    const auto found = std::ranges::find(lines, tag, &protocol::Telemetry::tag);
    REQUIRE(found != lines.end());
    return found->value;
  };
  return {value_of(protocol::Tag::kCleared), value_of(protocol::Tag::kUptime)};
}

TEST_CASE("runtime: what a client leaves is cleared by the cores, in the background, before others get it") {
  const Rig rig;
  const auto card = rig.open();
  RuntimeClient client(*card);
  verif::Random random(test_seed());
  client.attach();
  // So much that what is left is less than a quarter, by a few blocks.
  const uint64_t missing = blocks() * kBlock;
  const uint64_t bytes = (total_of(client) / 4 * 3 + missing) / kBlock * kBlock;
  const auto got = ask_for(client, bytes);
  REQUIRE(got.ok());
  const uint64_t memory = got.values[0];
  // Clearing takes the last blocks of a row, so many at a time.
  constexpr uint64_t kAtOnce = ::swai::memory::kMostToClear * kBlock;
  const uint64_t first = bytes - kAtOnce;
  const uint64_t in_bar = got.values[1] - regs::kHbmRegion.base + first;
  constexpr uint64_t kSecret = 64 << 10;
  std::fill_n(client.host(), kSecret, uint8_t{0x5e});
  const unsigned queue = client.open_queue();
  for (const uint64_t at : {uint64_t{0}, kBlock - kSecret, missing - kSecret, missing + 4 * kBlock})
    client.finish(queue, client.copy(queue, memory + first + at, 0, kSecret, false));
  // Its own again, as it is: that takes no clearing.
  CHECK(client.release(memory) == Status::kOk);
  const auto again = ask_for(client, bytes);
  REQUIRE(again.ok());
  CHECK(again.values[1] == got.values[1]);
  CHECK(card->read<uint64_t>(kMemoryBar, in_bar) == 0x5e5e'5e5e'5e5e'5e5e);
  CHECK(cleared(*card, client).bytes == 0);

  // It goes. What is there for others at once grows to a quarter.
  client.detach();
  client.attach();
  Cleared first_seen = {};
  Cleared last_seen = {};
  for (int i = 0; i < 10'000 && last_seen.bytes < missing; ++i) {
    card->run_until(0, 10'000);
    last_seen = cleared(*card, client);
    if (first_seen.bytes == 0) first_seen = last_seen;
  }
  CHECK(last_seen.bytes >= missing);
  if (last_seen.cycle != first_seen.cycle) {
    MESSAGE("bytes cleared in a cycle: " << static_cast<double>(last_seen.bytes - first_seen.bytes) /
                                                static_cast<double>(last_seen.cycle - first_seen.cycle));
  }
  for (const uint64_t at : {uint64_t{0}, kBlock - 8, missing - 8})
    CHECK(card->read<uint64_t>(kMemoryBar, in_bar + at) == 0);
  // The rest stays as it is until somebody wants it.
  CHECK(card->read<uint64_t>(kMemoryBar, in_bar + missing + 4 * kBlock) == 0x5e5e'5e5e'5e5e'5e5e);
  const uint64_t wanted = missing + 4 * kBlock;
  const uint64_t quarter = total_of(client) / 4 / kBlock * kBlock;
  CHECK(ask_for(client, quarter - missing).ok());
  auto second = ask_for(client, wanted);
  CHECK(second.status == Status::kAgain);
  for (int i = 0; i < 1000 && second.status == Status::kAgain; ++i) {
    card->run_until(0, 10'000);
    second = ask_for(client, wanted);
  }
  CHECK(second.ok());
  for (uint64_t at = 0; at < wanted; at += kBlock / 2 - 8)
    CHECK(card->read<uint64_t>(kMemoryBar, second.values[1] - regs::kHbmRegion.base + at) == 0);
}

// The code of the cores' daemon is everybody's to read, with what follows it in its page.
TEST_CASE("runtime: nobody reads behind the daemon's code what was there before the card began") {
  const Rig rig({.arguments = {"--seed", "7"}});
  const auto card = rig.open();
  RuntimeClient client(*card);
  client.attach();
  // Memory is cleared first; then it is its own.
  auto some = ask_for(client, 16 * kBlock);
  for (int i = 0; i < 1000 && some.status == Status::kAgain; ++i) {
    card->run_until(0, 10'000);
    some = ask_for(client, 16 * kBlock);
  }
  REQUIRE(client.release(some.values[0]) == Status::kOk);
  const unsigned queue = client.open_queue();
  const auto module = client.load(queue, "sdaa-tests");
  constexpr uint16_t kDaemonSegment = 1;
  constexpr uint64_t kBytes = 4096, kCode = 256;  // at most
  const uint64_t memory = client.allocate(kBytes, Usage::kCpe);
  std::fill_n(client.host(), kBytes, uint8_t{0});
  client.copy(queue, memory, 0, kBytes, false);
  const sdaa::AxpyIntArgs arguments = {cpe::GlobalPtr<int32_t>(memory),
                                       cpe::GlobalPtr<const int32_t>(segment::pointer(kDaemonSegment, 0)),
                                       kBytes / sizeof(int32_t), 1};
  client.launch(queue, module.handle, module.kernel("axpy_int"), RuntimeClient::bytes_of(arguments));
  client.finish(queue, client.copy(queue, memory, 0, kBytes, true));
  CHECK(std::any_of(client.host(), client.host() + kCode, [](uint8_t byte) { return byte != 0; }));
  CHECK(std::all_of(client.host() + kCode, client.host() + kBytes, [](uint8_t byte) { return byte == 0; }));
}

}  // namespace
}  // namespace swai::system
