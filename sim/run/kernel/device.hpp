// SPDX-License-Identifier: Apache-2.0
// What a tool that runs kernels needs of a core group, whether that is simulated RTL or the model: memory,
// the registers of launches, and a launch from its doorbell to its end.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/iss/cpe/group.hpp"

namespace swai::kernel_run {

using iss::cpe::Daemon;
using iss::cpe::Fault;
using iss::cpe::Finding;
using iss::cpe::Launch;

// A figure that each CPE has one of: "instructions", "DMA bytes loaded", cycles of waiting for something.
struct Counter {
  std::string name;
  std::vector<uint64_t> by_cpe;
};

// A figure of the whole group: utilisation of a unit, share of cycles.
struct Figure {
  std::string name;
  double value = 0;
  std::string unit;
};

// How a launch ended.
struct Outcome {
  bool ok = true;
  std::string ending = "done";      // one word or two: done, failed, deadlock, watchdog
  uint32_t failed = 0;              // CPEs
  std::vector<Fault> faults;        // by CPE; empty: there are none
  std::vector<std::string> states;  // by CPE, what it did when a launch failed; may be empty
  std::optional<uint64_t> cycles;   // where there is time
  std::string tier = "rtl";         // whose cycles these are: those of "fast" are coarse
  std::vector<Counter> counters;    // of this launch
  std::vector<Figure> figures;
  std::optional<std::vector<Finding>> findings;  // mistakes of the kernel, where they were looked for
};

class Device {
 public:
  virtual ~Device() = default;

  virtual unsigned rows() const = 0;
  virtual unsigned columns() const = 0;

  // The back door to the HBM of the group: physical addresses from kHbmBase on. Called between launches.
  virtual void read(uint64_t address, std::span<uint8_t> bytes) = 0;
  virtual void write(uint64_t address, std::span<const uint8_t> bytes) = 0;

  // Once, when memory holds table and daemon: sets the table, lets all CPEs run the daemon. `limit`: how long
  // a launch may take before it is stopped, in what the device counts; 0: for ever.
  virtual void start(uint64_t table, uint32_t entries, const Daemon& daemon, uint64_t limit) = 0;
  virtual Outcome launch(const Launch& launch) = 0;
};

}  // namespace swai::kernel_run
