// SPDX-License-Identifier: Apache-2.0
#include "verif/rtl/mpe/invalidation.hpp"

#include <fmt/format.h>

#include <cstring>
#include <vector>

#include "sim/run/mpe/lockstep.hpp"
#include "sim/run/mpe/mpe_sim.hpp"
#include "verif/sim/iss/random/encode.hpp"

namespace swai::mpe {

namespace {

namespace enc = random_program::enc;

constexpr uint64_t kBase = 0x8000'0000;
constexpr uint64_t kRamBytes = 0x1'0000;
constexpr uint64_t kLine = kBase + 0x1000;
constexpr uint64_t kMaxCycles = 100'000;

// Stores 1, which reaches memory, and 2, which does not; invalidates the line and loads from it.
std::vector<uint32_t> program() {
  constexpr uint32_t kAddress = 10;
  constexpr uint32_t kValue = 11;
  constexpr uint32_t kJumpToItself = 0x6f;
  std::vector<uint32_t> words = {enc::auipc(kAddress, 1),
                                 enc::addi(kValue, 0, 1),
                                 enc::sd(kValue, kAddress, 0),
                                 enc::cbo(enc::kCboClean, kAddress),
                                 enc::kFence,
                                 enc::addi(kValue, 0, 2),
                                 enc::sd(kValue, kAddress, 0),
                                 enc::cbo(enc::kCboInval, kAddress)};
  words.insert(words.end(), 16, enc::kNop);  // time to damage memory
  words.push_back(enc::ld(kValue, kAddress, 0));
  words.push_back(kJumpToItself);
  return words;
}

class Run final : public Observer {
 public:
  explicit Run(uint64_t seed)
      : sim_({.boot_addr = kBase, .power_up_seed = seed, .memory = {.ram_bytes = kRamBytes, .seed = seed}}) {
    const std::vector<uint32_t> words = program();
    for (common::Ram* ram : {&sim_.memory().ram(), &reference_.ram()})
      std::memcpy(ram->at(kBase), words.data(), words.size() * sizeof words[0]);
    sim_.add_observer(lockstep_);
    sim_.add_observer(*this);
  }

  // The report of lockstep, if memory holds this value when the line is loaded again.
  std::string report(uint64_t in_memory) {
    in_memory_ = in_memory;
    while (!loaded_ && report_.empty() && sim_.cycles() < kMaxCycles) sim_.tick();
    if (report_.empty() && value_ != 1) return fmt::format("the core loads {}\n", value_);
    return report_;
  }

  void retired(const Record& record) override {
    const iss::Retirement& r = record.retirement;
    if (r.insn == enc::cbo(enc::kCboInval, 10))
      *sim_.memory().ram().at(kLine) = static_cast<uint8_t>(in_memory_);
    loaded_ = r.mem_rmask != 0;
    value_ = r.rd_wdata;
  }

 private:
  MpeSim sim_;
  ReferenceMemory reference_{kBase, kRamBytes};
  std::string report_;
  Lockstep lockstep_{
      reference_, {.boot_addr = kBase}, [this](const std::string& report) { report_ = report; }};
  uint64_t in_memory_ = 0;
  uint64_t value_ = 0;
  bool loaded_ = false;
};

}  // namespace

bool test_invalidation(uint64_t seed) {
  if (const std::string report = Run(seed).report(1); !report.empty()) {
    fmt::print("a correct program: {}", report);
    return false;
  }
  for (const uint64_t wrong : {0, 2, 3}) {
    if (Run(seed).report(wrong).find("rd value") != std::string::npos) continue;
    fmt::print("memory that holds {} is not reported\n", wrong);
    return false;
  }
  fmt::print("1 is accepted, and 0, 2 and 3 are not\n");
  return true;
}

}  // namespace swai::mpe
