// SPDX-License-Identifier: Apache-2.0
// The vector unit of a CPE: results = special(op(a, b, c)) over rows of elements, with reductions of rows,
// bit for bit as hardware does it. A run takes place as a whole when it is issued, group of 8 after group:
// every wait finds it complete.
//
// What is refused, beside operations that do not exist:
// - a setting: reserved bits; addresses outside of local memory; addresses and strides of vectors that are
// not
//   multiples of 8 elements, of scalars that are not multiples of one, of reductions that are not multiples
//   of 4; signed strides beyond 18 bits; operands of kind none, results of kind scalar or value, results with
//   magnitude or negation; sizes of 0 and above 65535. Of values and results that are not stored, the rest of
//   rs2 may be anything, and so may rs1
// - a run: reserved bits; special functions above 4; results that are neither stored nor reduced; before the
//   size was set
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/iss/cpe/clock.hpp"
#include "sim/iss/cpe/footprint.hpp"
#include "sim/iss/cpe/hart.hpp"
#include "sim/iss/cpe/lanes.hpp"
#include "sim/iss/cpe/reduction.hpp"
#include "sim/iss/cpe/unit_memory.hpp"
#include "sim/iss/cpe/units.hpp"

namespace swai {
class Archive;
}

namespace swai::iss::cpe {

class Vector {
 public:
  static constexpr unsigned kLanes = lanes::kLanes;

  explicit Vector(std::span<uint8_t> ldm) : memory_(ldm) {}

  void reset();
  Environment::Answer issue(uint8_t op, uint32_t rs1, uint32_t rs2, uint32_t pc);
  // With an operation that only says what the next run uses. False: refused, and nothing is changed.
  bool set(uint8_t op, uint32_t rs1, uint32_t rs2);

  // Of the run that failed; from then on the CPE stands still. What came before it has been stored.
  const Fault& fault() const { return fault_; }
  // Operands are read ahead of each other and of results: where several of them leave local memory, hardware
  // reports one of these.
  std::vector<Fault> possible_faults() const;

  // Of a run with the present settings.
  Footprint footprint(uint32_t mode) const;
  Clock::Elements takes(uint32_t mode) const;

  uint32_t begun() const { return begun_; }
  // Groups of up to 8 elements that have been computed.
  uint64_t groups() const { return groups_; }
  void visit(Archive& archive);

 private:
  // Addresses count from the start of local memory.
  struct Operand {
    operand_kind::Kind kind = operand_kind::kVector;
    number::Kind number = number::kFp32;
    bool negate = false;
    bool magnitude = false;
    int64_t at = 0;
    int64_t stride = 0;
    uint32_t value = 0;  // fp32
  };
  struct Settings {
    std::array<Operand, 3> operands;  // a, b, c
    Operand result;
    int64_t reduce = 0;
    int64_t reduce_stride = 0;
    uint32_t elements = 0;
    uint32_t rows = 0;
  };
  struct Mode {
    explicit Mode(uint32_t word);

    vector_function::Kind op;
    special_function::Kind special;
    reduce::Kind reduce;
    uint32_t reserved;
  };
  using Group = std::array<uint32_t, kLanes>;  // fp32

  bool set_operand(uint8_t op, uint32_t rs1, uint32_t rs2);
  bool legal(const Mode& mode) const;
  void run(const Mode& mode);
  const uint8_t* rows_of(const Operand& operand) const;
  bool run_fast(const Mode& mode);
  void run_plain(const Mode& mode, uint32_t row, Reduction& reduction);
  void store_reduction(const Mode& mode, uint32_t row, const Reduction& reduction);
  bool is_inside(const Operand& operand) const;
  // The elements of a group, and of a scalar operand the first of them only: all are the same.
  Group read(const Operand& operand, uint32_t row, uint32_t first, uint32_t count) const;
  void store(uint32_t row, uint32_t first, uint32_t count, const Group& results);
  static int64_t address(const Operand& operand, uint32_t row, uint32_t element);

  UnitMemory memory_;
  Settings now_;
  uint32_t begun_ = 0;
  uint64_t groups_ = 0;
  Fault fault_;
  Settings failed_;  // of the run that failed
  uint32_t failed_mode_ = 0;
};

}  // namespace swai::iss::cpe
