// SPDX-License-Identifier: Apache-2.0
// Fuzzes the card's side of the runtime: the input is the list of choices of a client that writes what it
// likes.
#include <span>

#include "verif/firmware/runtime/garbage.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::span<const uint8_t> input(data, size);
  swai::runtime::Garbage garbage([&](uint64_t n) {
    uint64_t value = 0;
    for (uint64_t reach = 1; reach < n && reach != 0; reach <<= 8) {
      value <<= 8;
      if (input.empty()) continue;
      value |= input[0];
      input = input.subspan(1);
    }
    return value % n;
  });
  while (!input.empty()) garbage.step();
  garbage.finish();
  return 0;
}
