// SPDX-License-Identifier: Apache-2.0
// How fast a whole CPE is simulated while it runs a program without end: the time of one call of its model.
// By default its scalar core runs a plain loop from its cache, and its engines have nothing to do;
// build/cpe-tile-NAME.bin are programs for the arithmetic units. `core-speed` has the core alone.
//   tile-speed [PROGRAM [CPES [CYCLES]]]
#include <fmt/format.h>
#include <verilated.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "sim/seam/tile.hpp"

namespace {

constexpr uint32_t kCode = 0x4000'0000;
constexpr size_t kLine = 64;
// cpe_tile_pkg
constexpr uint64_t kNotReset = 1U << 13;
constexpr uint64_t kResponse = 1U << 6;
constexpr uint64_t kFetch = 1U << 5;
constexpr uint64_t kFault = 1U << 4;
// cpe_pkg::mem_rsp_t, 522 bits
constexpr uint32_t kCodeResponse = 2U << 8;
constexpr uint32_t kLineAddress = 0x1ff'ffff;  // without the bit that says ahead

class Cpe {
 public:
  explicit Cpe(const std::vector<uint8_t>& code) : code_(code), model_(swai_cpe_new()) {
    for (int i = 0; i < 8; ++i) step(0);
  }
  Cpe(const Cpe&) = delete;
  Cpe& operator=(const Cpe&) = delete;
  ~Cpe() { swai_cpe_delete(model_); }

  void run() {
    uint64_t in = kNotReset;
    if ((out_ & kFetch) != 0 && !answered_) {
      const size_t line = swai_cpe_fetch_line(model_) & kLineAddress;
      std::array<svBitVecVal, 17> response{};
      const size_t offset = (line * kLine) - kCode;
      for (size_t i = 0; i < kLine && offset + i < code_.size(); ++i) {
        response[i / 4] |= uint32_t{code_[offset + i]} << 8 * (i % 4);
      }
      response[16] = kCodeResponse;
      swai_cpe_response(model_, response.data());
      in |= kResponse;
    }
    answered_ = (in & kResponse) != 0;
    step(in);
  }

  bool faulted() const { return (out_ & kFault) != 0; }

 private:
  void step(uint64_t in) { out_ = swai_cpe_step(model_, in, kCode); }

  const std::vector<uint8_t>& code_;
  void* model_;
  uint64_t out_ = 0;
  bool answered_ = false;
};

}  // namespace

int main(int argc, char** argv) {
  const std::string program = argc > 1 ? argv[1] : "build/cpe-core-speed.bin";
  const size_t cpes = argc > 2 ? std::strtoull(argv[2], nullptr, 0) : 32;
  const uint64_t cycles = argc > 3 ? std::strtoull(argv[3], nullptr, 0) : 100'000;
  std::ifstream file(program, std::ios::binary);
  const std::vector<uint8_t> code{std::istreambuf_iterator<char>(file), {}};
  if (code.size() < kLine) {
    fmt::print(stderr, "{} cannot be read: run this from the top folder\n", program);
    return 2;
  }
  VerilatedContext context;
  Verilated::threadContextp(&context);
  std::vector<std::unique_ptr<Cpe>> all;
  for (size_t i = 0; i < cpes; ++i) all.push_back(std::make_unique<Cpe>(code));
  const auto run = [&](uint64_t count) {
    for (uint64_t i = 0; i < count; ++i) {
      for (const auto& cpe : all) cpe->run();
    }
  };
  run(2000);  // until everything has been fetched
  const std::clock_t start = std::clock();
  run(cycles);
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  if (std::ranges::any_of(all, [](const auto& cpe) { return cpe->faulted(); })) {
    fmt::print(stderr, "the program faulted\n");
    return 1;
  }
  fmt::print("{{\"sim.cpe_khz\": {:.0f}}}\n", static_cast<double>(cycles * cpes) / seconds / 1e3);
  return 0;
}
