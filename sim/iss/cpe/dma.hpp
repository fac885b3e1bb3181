// SPDX-License-Identifier: Apache-2.0
// The DMA engine of a CPE. A transfer takes place as a whole when it is issued: every wait finds it complete.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "sim/iss/cpe/footprint.hpp"
#include "sim/iss/cpe/hart.hpp"
#include "sim/iss/cpe/port.hpp"

namespace swai {
class Archive;
}

namespace swai::iss::cpe {

class Dma {
 public:
  Dma(Global& memory, std::span<uint8_t> ldm) : memory_(memory), ldm_(ldm) {}

  void reset();
  // Resets the settings of transfers, which end with the launch.
  void end_launch() {
    global_ = 0;
    shape_ = {};
    background_ = false;
  }
  Environment::Answer issue(const Command& command);
  // With an operation that only says what the next transfer uses.
  void set(uint8_t op, uint32_t rs1, uint32_t rs2) {
    if (op == dma_op::kGlobal) {
      global_ = uint64_t{rs2} << 32 | rs1;
    } else {
      shape_ = {.rows = rs1 >> 16, .ldm_stride = rs1 & 0xffff, .global_stride = static_cast<int32_t>(rs2)};
    }
  }

  // Of a transfer with the present shape.
  Footprint footprint(const Command& command) const;
  // Offsets and bytes in the segment, row by row, of a transfer with the present shape.
  std::vector<std::pair<uint64_t, uint64_t>> rows_of(const Command& command) const;
  // Of the transfer that failed; from then on the CPE stands still.
  const Fault& fault() const { return fault_; }
  uint32_t begun() const { return begun_; }
  // The pointer that transfers use.
  uint64_t global() const { return global_; }
  uint64_t bytes_loaded() const { return bytes_loaded_; }
  uint64_t bytes_stored() const { return bytes_stored_; }
  // Part of both: bytes of background transfers.
  uint64_t bytes_of_background() const { return bytes_of_background_; }
  // Lines of memory, or parts of one, that were moved.
  uint64_t lines() const { return lines_; }
  void visit(Archive& archive);

 private:
  struct Shape {
    uint32_t rows = 1;
    uint32_t ldm_stride = 0;
    int64_t global_stride = 0;
  };

  void count(bool store, uint64_t bytes) {
    (store ? bytes_stored_ : bytes_loaded_) += bytes;
    if (background_) bytes_of_background_ += bytes;
  }
  Environment::Answer transfer(const Command& command);
  // All of a row; false: it has to be line by line.
  bool move_at_once(bool store, uint64_t offset, std::span<uint8_t> local);
  // One line piece; false: it failed.
  bool move(bool store, uint64_t offset, std::span<uint8_t> local, uint32_t pc);

  Global& memory_;
  std::span<uint8_t> ldm_;
  uint64_t global_ = 0;
  Shape shape_;
  bool background_ = false;  // class of the transfers that follow
  uint32_t begun_ = 0;
  Fault fault_;
  uint64_t bytes_loaded_ = 0;
  uint64_t bytes_stored_ = 0;
  uint64_t bytes_of_background_ = 0;
  uint64_t lines_ = 0;
};

}  // namespace swai::iss::cpe
