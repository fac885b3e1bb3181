// SPDX-License-Identifier: Apache-2.0
// The management core as a target for gdb, on top of the core's debug port (rtl/mpe/mpe.sv, dbg_req_i and
// dbg_rsp_o). Whoever simulates the core implements DebugPort; nothing else of the simulation is touched, so
// that the debugger works the same on the core alone and on the whole card.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "sim/common/gdb_stub.hpp"

namespace swai::common {

inline constexpr unsigned kHardwareBreakpoints = 4;

struct DebugRequest {
  bool halt = false;
  bool resume = false;
  bool step = false;
  bool ebreak_halts = false;
  bool insn_valid = false;
  uint32_t insn = 0;
  bool data_we = false;
  uint64_t data = 0;
  uint8_t bp_en = 0;
  std::array<uint64_t, kHardwareBreakpoints> bp_addr{};
};

struct DebugResponse {
  bool halted = false;
  unsigned cause = 0;
  bool busy = false;
  bool fault = false;
  uint64_t data = 0;
};

class DebugPort {
 public:
  virtual ~DebugPort() = default;
  virtual void drive(const DebugRequest& request) = 0;  // from the next clock cycle on
  virtual DebugResponse sample() const = 0;
  virtual void tick() = 0;  // one clock cycle of everything
};

class MpeGdbTarget : public GdbTarget {
 public:
  // `monitor` answers gdb's `monitor` command; without it there are no such commands.
  using Monitor = std::function<std::optional<std::string>(std::string_view)>;
  explicit MpeGdbTarget(DebugPort& port, Monitor monitor = {});

  // Memory by physical address, whatever the halted program translates to; coherent with the core's caches.
  bool read_physical(uint64_t paddr, std::span<uint8_t> to);
  bool write_physical(uint64_t paddr, std::span<const uint8_t> from);

  // Memory as a supervisor sees it, whatever the halted program's mode; how much could be read.
  size_t read_as_supervisor(uint64_t addr, std::span<uint8_t> to);

  // Lets time pass until the core stands still. False: it does not, for example because a device never
  // answers.
  bool run_until_halted();

  std::string description() const override;
  void attach(bool attached) override;
  bool halted() const override { return port_.sample().halted; }
  StopReason stop_reason() const override;
  void request_halt() override;
  void resume() override;
  void step() override;
  std::optional<uint64_t> read_register(unsigned number) override;
  bool write_register(unsigned number, uint64_t value) override;
  size_t read_memory(uint64_t addr, std::span<uint8_t> to) override;
  bool write_memory(uint64_t addr, std::span<const uint8_t> from) override;
  bool set_hardware_breakpoint(uint64_t addr) override;
  bool clear_hardware_breakpoint(uint64_t addr) override;
  void sync_code() override;
  std::optional<std::string> monitor(std::string_view command) override;

 private:
  class Borrowed;
  class Privilege;

  void pulse();
  void start(bool step);
  bool execute(uint32_t insn);
  uint64_t read_gpr(unsigned number);
  void write_gpr(unsigned number, uint64_t value);
  std::optional<uint64_t> read_csr(unsigned number);
  bool write_csr(unsigned number, uint64_t value);

  DebugPort& port_;
  Monitor monitor_;
  DebugRequest request_;
};

}  // namespace swai::common
