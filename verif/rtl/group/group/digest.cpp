// SPDX-License-Identifier: Apache-2.0
#include "verif/rtl/group/group/digest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace swai::cg {
namespace {

uint64_t mixed(uint64_t sum, uint64_t word) {
  sum = (sum ^ word) * 0x9e37'79b9'7f4a'7c15;
  return sum ^ sum >> 32;
}

uint64_t of(const iss::cpe::Retirement& r, unsigned id, bool trap) {
  uint64_t sum = mixed(id, trap ? 1 : 0);
  for (const uint32_t word : {r.pc, r.next_pc, r.insn, uint32_t{r.rd}, r.rd_wdata, r.mem_addr,
                              uint32_t{r.mem_rmask} | uint32_t{r.mem_wmask} << 8, r.mem_rdata, r.mem_wdata})
    sum = mixed(sum, word);
  return sum;
}

}  // namespace

Digest::Digest(GroupSim& sim, uint64_t every) : sim_(sim), every_(every) {
  sim_.set_watcher([this](GroupSim::Part part, std::span<const uint32_t> words) {
    uint64_t& sum = parts_.at(static_cast<size_t>(part));
    for (const uint32_t word : words) sum = mixed(sum, word);
  });
  // CPEs may retire in any order within a cycle: what they do is added up.
  sim_.set_observer([this](unsigned id, bool trap, const iss::cpe::Retirement& record) {
    ++retirements_;
    retired_ += std::rotl(of(record, id, trap), static_cast<int>(sim_.cycles() % 64));
  });
  sim_.on_cycle = [this] {
    if (sim_.cycles() % every_ == 0) print();
  };
}

Digest::~Digest() {
  sim_.set_watcher({});
  sim_.set_observer({});
  sim_.on_cycle = {};
}

void Digest::print() {
  fmt::print("cycle {}", sim_.cycles());
  for (const uint64_t part : parts_) fmt::print(" {:016x}", part);
  fmt::print("\nretired {} {:016x}\n", retirements_, retired_);
}

}  // namespace swai::cg
