// SPDX-License-Identifier: Apache-2.0
// What the host may not do to a kernel that serves: command the DMA engine, touch the kernel's memory. And
// what it may: spoil its own commands and memory.
#include <doctest/doctest.h>

#include "abi/kernel_arguments.hpp"
#include "sim/common/random.hpp"
#include "verif/kit/doctest_main.hpp"
#include "verif/system/rig.hpp"
#include "verif/system/runtime_client.hpp"

namespace swai::system {
namespace {

using protocol::Usage;

// Copies there and back.
void prove(RuntimeClient& client, unsigned queue, uint64_t memory, verif::Random& random) {
  std::vector<uint8_t> bytes(1 + random.below(4096));
  for (auto& byte : bytes) byte = static_cast<uint8_t>(random.next());
  std::ranges::copy(bytes, client.host());
  client.copy(queue, memory, 0, bytes.size(), false);
  client.finish(queue, client.copy(queue, memory, kBack, bytes.size(), true));
  CHECK(std::equal(bytes.begin(), bytes.end(), client.host() + kBack));
}

uint64_t counter(link::Card& card, uint64_t address) {
  return card.read<uint64_t>(kRegisterBar, register_at(address));
}

// Somewhere in BAR0, most often where it hurts.
uint64_t draw_target(const RuntimeClient& client, uint64_t memory, verif::Random& random) {
  const uint64_t slots = client.slot_at(0, 0);
  const uint64_t told = client.slot_at(protocol::kQueues, 0);
  switch (random.below(8)) {
    case 0:
      return memory + random.below(1 << 20);
    case 1:
      return random.below(client.info.memory_per_group);
    case 2:
      return random.below(uint64_t{128} << 30);
    case 3:
      return kSramAt + random.below(regs::kSramBytes);
    case 4:
      return told + random.below(4096);
    default:
      return slots + random.below(told - slots);
  }
}

// Launches that end and such that do not, copies, queues that wait for each other.
void give_work(RuntimeClient& client, const RuntimeClient::Loaded& waits,
               const std::array<unsigned, 2>& queues, uint64_t memory, verif::Random& random) {
  for (int i = 0; i < 4; ++i) {
    const unsigned queue = queues[random.below(2)], other = queues[0] + queues[1] - queue;
    const auto event = static_cast<uint32_t>(random.below(8));
    // Half of them on no core of the small card, so that all come in time.
    const cpe::FaultArgs arguments = {{}, static_cast<uint32_t>(random.below(8)), 0};
    client.launch(queue, waits.handle, waits.kernel("late"), RuntimeClient::bytes_of(arguments), ~0u,
                  10'000 + static_cast<uint32_t>(random.below(20'000)));
    client.copy(queue, memory, 0, 1 + random.below(100'000), random.chance(50));
    client.put(queue, command::Type::kEventRecord, command::Event{{}, event, 0, 0});
    client.put(other, command::Type::kEventWait, command::Event{{}, event, 0, 1});
  }
}

}  // namespace

TEST_CASE("runtime: random writes into BAR0 while kernels run spoil commands and memory, not the card") {
  SharedRig rig;
  const auto card = rig->open();
  verif::Random random(test_seed());
  for (unsigned round = 0; round < rounds(40); ++round) {
    RuntimeClient client(*card);
    client.attach();
    const std::array<unsigned, 2> queues = {client.open_queue(), client.open_queue()};
    const uint64_t memory = client.allocate(1 << 20);
    const auto place = client.ask(protocol::Operation::kPointerInfo, {client.context, memory});
    prove(client, queues[0], memory, random);
    give_work(client, client.load(queues[0], "waits"), queues, memory, random);
    for (int i = 0; i < 100; ++i) {
      std::array<uint8_t, 64> bytes;
      for (auto& byte : bytes) byte = static_cast<uint8_t>(random.next());
      const uint64_t at = draw_target(client, place.values[3] - regs::kHbmRegion.base, random);
      client.card().post_block(kMemoryBar, at & ~uint64_t{7},
                               std::span(bytes).first(8 * (1 + random.below(8))));
      if (random.chance(30)) client.card().run_until(0, random.below(1'000));
    }
    client.card().run_until(0, random.below(100'000));
  }
  // Who comes next finds a card that works.
  RuntimeClient client(*card);
  client.attach();
  const unsigned queue = client.open_queue();
  prove(client, queue, client.allocate(4096), random);
}

TEST_CASE(
    "runtime: the host reads the DMA engine's registers and writes none, and does not reach the kernel") {
  const Rig rig;
  const auto card = rig.open();
  RuntimeClient client(*card);
  client.attach();
  verif::Random random(test_seed());
  const unsigned queue = client.open_queue();
  const uint64_t memory = client.allocate(4096);
  prove(client, queue, memory, random);

  namespace dma = regs::dma;
  const uint64_t registers[] = {dma::control::kAddr, dma::ring_base::kAddr, dma::ring_size::kAddr,
                                dma::tail::kAddr};
  uint64_t refused = counter(*card, regs::pcie::errors_unsupported_posted::kAddr);
  for (int i = 0; i < 40; ++i) {
    const uint64_t at =
        registers[random.below(4)] + random.below(swai::dma::kChannels) * dma::control::kStride;
    const uint64_t before = card->read<uint64_t>(kRegisterBar, register_at(at));
    card->post<uint64_t>(kRegisterBar, register_at(at), random.next());
    CHECK(card->read<uint64_t>(kRegisterBar, register_at(at)) == before);
    ++refused;
  }
  card->post<uint64_t>(kRegisterBar, register_at(regs::pcie::dma_access::kAddr), 0);
  CHECK(counter(*card, regs::pcie::errors_unsupported_posted::kAddr) == refused + 1);
  prove(client, queue, memory, random);

  // The kernel's code and data, and its part of the device memory.
  const uint64_t denied = counter(*card, regs::pcie::errors_denied::kAddr);
  const uint64_t window = client.slot_at(0, 0);
  for (int i = 0; i < 20; ++i) {
    const uint64_t at = random.chance(50) ? kSramAt + random.below((window - kSramAt) / 8) * 8
                                          : random.below((16 << 20) / 8) * 8;
    card->post<uint64_t>(kMemoryBar, at, random.next());
    CHECK(card->read<uint64_t>(kMemoryBar, at) == ~uint64_t{0});
  }
  CHECK(counter(*card, regs::pcie::errors_denied::kAddr) == denied + 40);
  prove(client, queue, memory, random);

  // What the kernel tells of itself, behind the queues, is read only.
  const uint64_t told = client.slot_at(protocol::kQueues, 0);
  const uint64_t end = kSramAt + regs::kSramBytes;
  for (int i = 0; i < 20; ++i) {
    const uint64_t at = i == 0 ? told : told + random.below((end - told) / 8) * 8;
    const uint64_t before = card->read<uint64_t>(kMemoryBar, at);
    card->post<uint64_t>(kMemoryBar, at, ~before);
    CHECK(counter(*card, regs::pcie::errors_denied::kAddr) == denied + 41 + i);
    if (i == 0) CHECK(card->read<uint64_t>(kMemoryBar, at) == before);
  }
  prove(client, queue, memory, random);
}

}  // namespace swai::system
