// SPDX-License-Identifier: Apache-2.0
// Fuzzes the memory manager: the input is the list of choices that clients make. The first byte says how they
// behave.
#include <cstdlib>
#include <span>

#include "verif/firmware/memory/exerciser.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using swai::memory::Exerciser;
  std::span<const uint8_t> input(data, size);
  const auto byte = [&]() -> uint64_t {
    if (input.empty()) return 0;
    const uint8_t value = input[0];
    input = input.subspan(1);
    return value;
  };
  const uint64_t first = byte();
  const Exerciser::Options options = {.groups = 1 + static_cast<unsigned>(first & 1),
                                      .group_bytes = (1 + (first >> 2 & 7)) * swai::memory::kBlockBytes,
                                      .vandal = (first & 32) != 0};
  Exerciser exerciser(
      [&](uint64_t n) {
        uint64_t value = 0;
        for (uint64_t reach = 1; reach < n && reach != 0; reach <<= 8) value = value << 8 | byte();
        return value % n;
      },
      options);
  while (!input.empty()) exerciser.step();
  exerciser.finish();
  return 0;
}
