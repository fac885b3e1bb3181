// SPDX-License-Identifier: Apache-2.0
// The owner of a card who writes where the library has put its commands, on the simulated card.
#include "host/runtime/bars.hpp"
#include "sim/common/random.hpp"
#include "verif/host/runtime/on_card.hpp"
#include "verif/host/runtime/tools.hpp"
#include "verif/kit/doctest_main.hpp"

using namespace swai;
using namespace swai::sdaa;

namespace {

// A word of each slot of each queue.
void spoil(link::Card& card, verif::Random& random) {
  const uint64_t slots = kSram + Runtime::get().current()->info().queue_offset;
  for (uint64_t slot = 0; slot < uint64_t{protocol::kQueues} * protocol::kSlots; ++slot)
    card.post<uint64_t>(kMemoryBar, slots + slot * protocol::kSlotBytes, random.next());
}

// What the stream says whose commands are overwritten while a kernel runs before them. The first call opens
// the card.
sdaaError_t spoilt_while_running(link::Card* const& card, uint32_t watchdog, verif::Random& random) {
  sdaaModule_t module = nullptr;
  REQUIRE_OK(sdaaModuleLoad(&module, "build/cpe-kernels/sdaa-tests.elf"));
  void* memory = allocate(4096);
  const sdaaStream_t stream = new_stream(sdaaStreamNonBlocking);
  const sdaaLaunchConfig_t config = {sizeof config, 0x3, sdaaAnyGroup, watchdog, 0};
  REQUIRE_OK(sdaaLaunch(kernel(module, "hang"), &config, nullptr, 0, stream));
  for (int i = 0; i < 4; ++i) (void)sdaaMemsetAsync(memory, i, 4096, stream);
  spoil(*card, random);
  return sdaaStreamSynchronize(stream);
}

}  // namespace

TEST_CASE(
    "on the card: commands that are overwritten while a kernel runs are reported, and a reset is enough") {
  system::SharedRig rig;
  verif::Random random(test_seed());
  for (const bool deterministic : {true, false}) {
    CAPTURE(deterministic);
    link::Card* card = nullptr;
    Runtime::get().use({[&] {
      auto fresh = rig->open(0, {.deterministic = deterministic});
      card = fresh.get();
      return fresh;
    }});
    Runtime::current_number() = 0;
    // A card whose time nobody holds may stop the kernel before the host has written; then a later watchdog.
    sdaaError_t error = sdaaSuccess;
    for (uint32_t watchdog = 20'000; watchdog < 1'000'000'000; watchdog *= 10) {
      error = spoilt_while_running(card, watchdog, random);
      if (deterministic || error != sdaaErrorLaunchTimeOut) break;
      REQUIRE_OK(sdaaDeviceReset());
    }
    CHECK_ERROR(error, sdaaErrorTransferFailure);

    REQUIRE_OK(sdaaDeviceReset());
    void* memory = allocate(64);
    REQUIRE_OK(sdaaMemset(memory, 9, 64));
    uint8_t byte = 0;
    REQUIRE_OK(sdaaMemcpy(&byte, memory, 1, sdaaMemcpyDeviceToHost));
    CHECK(byte == 9);
    Runtime::get().use({});
  }
}
