// SPDX-License-Identifier: Apache-2.0
// How fast the scalar core is simulated, and how many instructions a cycle it executes, on a plain loop from
// its cache:
//   core-speed [CYCLES]
#include <fmt/format.h>

#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>
#include <vector>

#include "Vtb_cpe_core_speed.h"

int main(int argc, char** argv) {
  const uint64_t cycles = argc > 1 ? std::strtoull(argv[1], nullptr, 0) : 20'000'000;
  std::ifstream file("build/cpe-core-speed.bin", std::ios::binary);
  const std::vector<char> code{std::istreambuf_iterator<char>(file), {}};
  if (code.size() < 64) {
    fmt::print(stderr, "build/cpe-core-speed.bin cannot be read: run this from the top folder\n");
    return 2;
  }
  VerilatedContext context;
  Vtb_cpe_core_speed top(&context);
  const auto tick = [&] {
    top.clk_i = 1;
    top.eval();
    top.clk_i = 0;
    top.eval();
  };
  top.rst_ni = 1;
  top.eval();
  top.rst_ni = 0;
  top.eval();
  tick();
  top.rst_ni = 1;
  const auto count = [&](unsigned number) {
    top.counter_select_i = static_cast<uint8_t>(number);
    tick();
    tick();
    return top.counter_o;
  };
  // Until everything has been fetched.
  for (int i = 0; i < 2000; ++i) {
    top.refill_valid_i = 0;
    if (top.fetch_valid_o && i % 8 == 0) {
      const size_t offset = (top.fetch_line_o & 0xff) * 64;
      for (size_t b = 0; b < 64; ++b) {
        const auto byte = offset + b < code.size() ? static_cast<uint8_t>(code[offset + b]) : uint8_t{0};
        reinterpret_cast<uint8_t*>(&top.refill_data_i)[b] = byte;
      }
      top.refill_valid_i = 1;
    }
    tick();
  }
  top.refill_valid_i = 0;
  const uint32_t before = count(1);
  const std::clock_t start = std::clock();  // of this process: what else runs on the machine hardly matters
  for (uint64_t i = 0; i < cycles; ++i) tick();
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  const uint32_t instructions = count(1) - before;
  if (top.fault_valid_o) {
    fmt::print(stderr, "the program faulted\n");
    return 1;
  }
  fmt::print("{{\"sim.cpe_core_khz\": {:.0f}, \"cpe.core_ipc\": {:.3f}}}\n",
             static_cast<double>(cycles) / seconds / 1e3, instructions / static_cast<double>(cycles));
  return 0;
}
