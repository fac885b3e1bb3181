// SPDX-License-Identifier: Apache-2.0
// A minimal machine around one hart, for programs that bring no card: RAM, CLINT, console, the tohost word.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "host/lib/elf.hpp"
#include "sim/common/memory_model.hpp"
#include "sim/common/tohost.hpp"
#include "sim/iss/mpe/hart.hpp"

namespace swai::iss {

enum class Ending : uint8_t {
  kExit,    // the program said so
  kLimit,   // the limit of instructions was reached
  kAsleep,  // waits for an interrupt that cannot come
  kStuck    // its trap handler traps at its first instruction
};

class Machine final : public Memory {
 public:
  static constexpr uint64_t kRamBase = 0x8000'0000;

  // Loads the program; throws common::InputError if it does not fit.
  Machine(const common::Elf& elf, uint64_t ram_bytes, common::Console& console);

  // Runs until the program ends. `observer`, if given, sees every step.
  Ending run(uint64_t max_steps, const std::function<void(const Retirement&)>& observer);

  const Hart& hart() const { return hart_; }
  uint64_t steps() const { return steps_; }
  std::optional<uint64_t> exit_code() const { return exit_code_; }
  common::ProgramMemory program_memory();

  // Memory
  HostPage page(uint64_t paddr) override;
  bool read(uint64_t paddr, unsigned size, uint64_t& value) override;
  bool write(uint64_t paddr, unsigned size, uint64_t value) override;

 private:
  bool in_clint(uint64_t paddr) const;
  bool in_console(uint64_t paddr) const;
  void write_clint(uint64_t paddr, unsigned size, uint64_t value);
  void update_lines();
  uint64_t steps_to_timer();
  bool pass_time();

  common::Ram ram_;
  common::Clint clint_;
  common::Console& console_;
  common::Tohost tohost_;
  Hart hart_;
  uint64_t steps_ = 0;
  std::optional<uint64_t> exit_code_;
};

}  // namespace swai::iss
