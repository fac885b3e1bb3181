// SPDX-License-Identifier: Apache-2.0
// A core group in RTL as what kernels are run on. The management processor is C++ with the firmware's driver.
#pragma once

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "abi/group/group.hpp"
#include "sim/card/progress.hpp"
#include "sim/group/group_sim.hpp"
#include "sim/run/kernel/device.hpp"

namespace swai::kernel_run {

// Retired instructions, one per line, of some clocks.
struct TraceWindow {
  std::string path;  // empty: none
  uint64_t from = 0;
  uint64_t to = UINT64_MAX;
};

class RtlDevice : public Device {
 public:
  // Throws common::InputError when a file cannot be written.
  RtlDevice(const cg::GroupSim::Options& options, const TraceWindow& trace, bool progress);

  unsigned rows() const override { return driver_.rows(); }
  unsigned columns() const override { return driver_.columns(); }
  void read(uint64_t address, std::span<uint8_t> bytes) override { sim_.peek(address, bytes); }
  void write(uint64_t address, std::span<const uint8_t> bytes) override { sim_.poke(address, bytes); }
  void start(uint64_t table, uint32_t entries, const Daemon& daemon, uint64_t limit) override;
  Outcome launch(const Launch& launch) override;

  uint64_t cycles() const { return sim_.cycles(); }

 private:
  static constexpr unsigned kCounters = 23;
  struct Snapshot {
    std::vector<uint32_t> cpes;  // kCounters of each
    std::vector<uint64_t> group;
    std::optional<uint64_t> working;  // cycles in which an engine works
  };

  uint64_t group_register(uint64_t offset) { return sim_.read(regs::cg::kBase + offset); }
  void wait_asleep();
  Snapshot snapshot();
  void add_counters(Outcome& outcome, const Snapshot& before, const Snapshot& after, uint32_t mask,
                    uint32_t waited);
  std::string state(const Fault& fault, const Launch& launch);

  cg::GroupSim sim_;
  group::Group<cg::GroupSim> driver_;
  card::Progress progress_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> trace_{nullptr, std::fclose};
  uint64_t table_ = 0;
  Daemon daemon_;
};

}  // namespace swai::kernel_run
