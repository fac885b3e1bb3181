// SPDX-License-Identifier: Apache-2.0
// Copies of model programs beside their launches.
#include <doctest/doctest.h>

#include "verif/firmware/runtime/guest.hpp"
#include "verif/firmware/runtime/program_bed.hpp"
#include "verif/kit/doctest_main.hpp"

namespace swai::runtime {
namespace {

constexpr uint64_t kFar = Guest::kHostBytes - Guest::kBytes;

uint32_t copy_beside(Guest& guest, uint64_t host) {
  Guest::Lane& lane = guest.lanes.front();
  return guest.put(lane, command::Type::kCopy,
                   command::Copy{{}, host, lane.pointers[0], Guest::kBytes, 1, 1, 0, 0}, {},
                   command::kConcurrent);
}

void fill_with(Guest& guest, uint8_t value) {
  Guest::Lane& lane = guest.lanes.front();
  guest.finish(lane, guest.put(lane, command::Type::kFill,
                               command::Fill{{}, lane.pointers[0], Guest::kBytes, 1, value, 0}));
}

TEST_CASE("programs: a copy beside a launch is there while that runs, and complete behind it") {
  Bed bed;
  Guest& guest = *bed.guest;
  Guest::Lane& lane = guest.lanes.front();
  const auto beside = [&](uint64_t host) { return copy_beside(guest, host); };
  fill_with(guest, 0x5a);
  const uint32_t slow = guest.launch(lane, Guest::kSlow);
  const uint32_t copies[] = {beside(Guest::kAreas), beside(kFar)};
  const auto is_there = [&] {
    return *guest.area(Guest::kAreas) == 0x5a && *guest.area(kFar + Guest::kBytes - 1) == 0x5a;
  };
  for (int i = 0; i < 100 && !is_there(); ++i) bed.played.run(1);
  CHECK(is_there());
  CHECK_FALSE(guest.complete(lane, slow));
  // Another launch waits for them alone, and begins while the first one runs; a copy that may not run beside
  // waits for it.
  const auto under_way = [&] { return bed.played.runtime().groups().under_way(); };
  CHECK(under_way() == 1);
  const uint32_t next = guest.launch(lane, Guest::kSlow);
  const uint32_t last = guest.copy(lane, lane.pointers[0], Guest::kAreas, Guest::kBytes, true);
  for (int i = 0; i < 100 && under_way() == 1; ++i) bed.played.run(1);
  CHECK(under_way() == 2);
  CHECK_FALSE(guest.complete(lane, slow));
  guest.finish(lane, copies[1]);
  CHECK_FALSE(guest.complete(lane, next));
  guest.finish(lane, last);

  // One that fails does so behind the launch, which counts if it fails, too.
  auto& mapping = bed.played.processor().mappings[window_of(0)];
  for (const uint16_t kernel : {Guest::kSlow, Guest::kBreakpoint}) {
    mapping.bytes = kFar;
    const uint32_t first = guest.launch(lane, kernel);
    const uint32_t bad = beside(kFar);
    bed.played.run(20);
    const bool launch_fails = kernel == Guest::kBreakpoint;
    guest.fails(lane, launch_fails ? first : bad, launch_fails ? Status::kKernelFault : Status::kTransfer);
    mapping.bytes = Guest::kHostBytes;
  }
  guest.finish(lane, guest.launch(lane, Guest::kNothing));
}

TEST_CASE("programs: copies beside a launch that fail hold no channel, and the first of them is told of") {
  Bed bed;
  Guest& guest = *bed.guest;
  Guest::Lane& lane = guest.lanes.front();
  fill_with(guest, 0x5a);
  bed.played.processor().mappings[window_of(0)].bytes = kFar - Guest::kBytes;
  const uint32_t slow = guest.launch(lane, Guest::kSlow);
  const uint32_t first = copy_beside(guest, kFar - Guest::kBytes);
  // More than there are channels.
  for (unsigned i = 0; i < 10; ++i) copy_beside(guest, kFar);
  copy_beside(guest, Guest::kAreas);
  const auto is_there = [&] { return *guest.area(Guest::kAreas) == 0x5a; };
  for (int i = 0; i < 100 && !is_there(); ++i) bed.played.run(1);
  CHECK(is_there());
  CHECK_FALSE(guest.complete(lane, slow));
  CHECK(guest.line(lane).status == Status::kOk);
  guest.fails(lane, first, Status::kTransfer);
  CHECK(guest.line(lane).detail_address == kFar - Guest::kBytes);
}

}  // namespace
}  // namespace swai::runtime
