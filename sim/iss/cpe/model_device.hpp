// SPDX-License-Identifier: Apache-2.0
// The model of a core group as what kernels are run on.
#pragma once

#include "sim/run/kernel/device.hpp"

namespace swai::iss::cpe {

class ModelDevice : public kernel_run::Device {
 public:
  ModelDevice(unsigned rows, unsigned columns, uint64_t turn, unsigned threads)
      : workers_(threads), group_(rows, columns, memory_, {.turn = turn, .workers = &workers_}) {}

  unsigned rows() const override { return group_.rows(); }
  unsigned columns() const override { return group_.columns(); }
  void read(uint64_t address, std::span<uint8_t> bytes) override { memory_.peek(address, bytes); }
  void write(uint64_t address, std::span<const uint8_t> bytes) override { memory_.poke(address, bytes); }
  void start(uint64_t table, uint32_t entries, const Daemon& daemon, uint64_t limit) override;
  kernel_run::Outcome launch(const Launch& launch) override;

  Group& group() { return group_; }

 private:
  std::vector<kernel_run::Counter> work() const;

  SparseMemory memory_;
  common::Workers workers_;
  Group group_;
};

}  // namespace swai::iss::cpe
