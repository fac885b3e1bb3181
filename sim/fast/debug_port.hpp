// SPDX-License-Identifier: Apache-2.0
// The debug port of the management processor (device `debug`): halts it, executes instructions on it, stops
// it at breakpoints.
#pragma once

#include <cstdint>

#include "sim/fast/register_block.hpp"
#include "sim/iss/mpe/hart.hpp"

namespace swai::fast {

class DebugPort final : public RegisterBlock {
 public:
  DebugPort(iss::Hart& hart, iss::Memory& memory) : RegisterBlock("debug"), hart_(hart), memory_(memory) {}

  bool halted() const { return halted_; }
  // Whether the processor has to be looked at before each instruction.
  bool watches() const;
  // Before an instruction of the running processor: whether it stops here.
  bool stops();
  // After one instruction.
  void stepped();
  // Asked for by the host and not yet taken.
  bool halt_asked() const;
  void halt() { stop(kByRequest); }
  // A reset of the processor, and one of the function: what stopped it is forgotten.
  void processor_reset() { halted_ = stepping_ = leaving_ = false; }
  void release();
  void visit(Archive& archive) override;

 protected:
  uint64_t load(uint64_t offset, uint64_t value) override;
  void stored(uint64_t offset, uint64_t data, uint64_t mask) override;

 private:
  static constexpr uint64_t kByRequest = 3;

  void stop(uint64_t cause);
  bool at_breakpoint() const;
  bool at_ebreak();
  bool execute(uint32_t bits);
  uint64_t read_csr(unsigned number) const;
  void write_csr(unsigned number, uint64_t value);

  iss::Hart& hart_;
  iss::Memory& memory_;
  bool halted_ = false;
  bool stepping_ = false;
  bool leaving_ = false;  // the instruction at which it stopped is executed before the next look
  bool fault_ = false;
  uint64_t cause_ = 0;
  uint64_t scratch_ = 0;
};

}  // namespace swai::fast
