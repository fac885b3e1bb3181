// SPDX-License-Identifier: Apache-2.0
// Launches in which nobody can go on: the kernel ends them, says why, and lets all others be.
#include <doctest/doctest.h>

#include <string>

#include "abi/kernel_arguments.hpp"
#include "abi/launch.hpp"
#include "abi/wait.hpp"
#include "verif/system/rig.hpp"
#include "verif/system/runtime_client.hpp"

namespace swai::system {
namespace {

using protocol::Status;

std::string words_of(uint64_t word) {
  std::string text;
  launch::put_wait(launch::decode_wait(word), [&text](std::string_view piece) { text += piece; });
  return text;
}

}  // namespace

// The small card's CPEs: 0 1 in one row, 2 3 in the other.
TEST_CASE("runtime: a launch in which nobody can go on is ended, and told in words") {
  SharedRig rig;
  const auto card = rig->open();
  RuntimeClient client(*card);
  client.attach();
  const unsigned queue = client.open_queue();
  const auto waits = client.load(queue, "waits");
  const auto launch = [&](const char* kernel, uint32_t culprit) {
    const cpe::FaultArgs arguments = {{}, culprit, 0};
    return client.launch(queue, waits.handle, waits.kernel(kernel), RuntimeClient::bytes_of(arguments));
  };
  const auto ended = [&](const char* kernel, uint32_t culprit, launch::Cause cause) {
    CAPTURE(kernel);
    launch(kernel, culprit);
    // Far more than it takes, and far less than a launch may: nothing else ends it.
    REQUIRE(client.wait(queue, client.put(queue, command::Type::kMarker, command::Header{})));
    const auto line = client.line(queue);
    CHECK(line.status == Status::kKernelFault);
    CHECK(line.detail == static_cast<uint16_t>(cause));
    CHECK(line.detail_pc != 0);
    client.reset_queue(queue);
    return line;
  };
  const auto stuck = [&](const char* kernel, uint32_t culprit, unsigned core, const char* words) {
    const auto line = ended(kernel, culprit, launch::Cause::kStuck);
    CHECK(line.detail_cpe == core);
    CHECK(words_of(line.detail_address) == words);
  };
  stuck("without_one", 2, 0, "waits to synchronise with all CPEs; missing: 2");
  stuck("in_its_column", 1, 1, "waits to synchronise with its column; missing: 3");
  stuck("crossed", 3, 0, "waits on its row channel to receive, and nobody sends; waiting in all: 0-3");
  stuck("unsent", 2, 2, "waits to end, with a transfer on a channel that nobody answers");
  stuck("no_transfer", 0, 0, "waits for a DMA transfer that has not begun");
  // What the others wait for is the reason.
  CHECK(ended("for_the_dead", 3, launch::Cause::kBreakpoint).detail_cpe == 3);

  // Who comes late has not gone.
  for (uint32_t culprit = 0; culprit < 4; culprit += 3) client.finish(queue, launch("late", culprit));
}

}  // namespace swai::system
