// SPDX-License-Identifier: Apache-2.0
// Cores, engines and local memories around the control units of tb_launch: what a daemon and kernels do, as
// far as the launch hardware can tell, at random times, with faults, endless loops and commands that make no
// sense.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "Vtb_launch.h"
#include "cpe_isa.hpp"
#include "sim/common/field.hpp"
#include "verif/rtl/lib/bench.hpp"
#include "wires.hpp"

namespace swai::cg {

using verif::check;
using verif::Field;
using verif::Random;

inline constexpr unsigned kColumns = 4;
inline constexpr unsigned kCpes = 8;
inline constexpr unsigned kFaultBits = wires::cpe::fault::kBits;

struct Fault {
  unsigned cause = 0;
  unsigned access = 0;
  bool dma = false;
  uint32_t pc = 0;
  uint16_t segment = 0;
  uint64_t offset = 0;

  uint64_t word0() const { return pc | uint64_t{cause} << 32 | uint64_t{access} << 40 | uint64_t{dma} << 48; }
  uint64_t word1() const { return uint64_t{segment} << 48 | offset; }
};

class Cpes : public verif::Agent {
 public:
  // How often things happen, in percent; the rest in cycles.
  struct Habits {
    unsigned daemon_fault = 0;  // in the daemon, before it waits
    unsigned kernel_fault = 0;
    unsigned hang = 0;  // a kernel that never ends
    unsigned bad_command = 0;
    unsigned nudge = 0;     // per cycle
    unsigned longest = 30;  // of everything that takes time
  };

  Cpes(Vtb_launch& top, Random& random);

  Habits habits;
  std::function<void(unsigned cpe, uint32_t pc)> on_taken = [](unsigned, uint32_t) {};
  std::function<void(unsigned cpe)> on_done = [](unsigned) {};

  void drive() override;
  void sample() override;

  bool quiet(unsigned cpe) const { return cpes_[cpe].quiet(); }
  bool faulted(unsigned cpe) const { return cpes_[cpe].core_fault || cpes_[cpe].dma_fault; }
  bool waits_for_launch(unsigned cpe) const {
    return cpes_[cpe].state == State::kIssue && cpes_[cpe].op == 0 && cpes_[cpe].waiting;
  }
  const Fault& fault(unsigned cpe) const { return cpes_[cpe].fault; }
  uint32_t pc(unsigned cpe) const { return cpes_[cpe].pc; }
  uint64_t faults() const { return faults_; }
  uint64_t edges() const { return edges_; }
  static uint64_t memory(unsigned cpe, uint64_t addr) { return (addr + 1) * 0x9e3779b97f4a7c15 + cpe; }
  std::function<void(unsigned cpe, uint64_t addr, uint64_t data, uint64_t strb)> on_access_write =
      [](unsigned, uint64_t, uint64_t, uint64_t) {};

 private:
  enum class State { kReset, kBusy, kIssue, kStopping, kHalted };

  struct Cpe {
    State state = State::kReset;
    unsigned left = 0;  // cycles of kBusy or kStopping; of nothing else
    bool in_kernel = false;
    bool hangs = false;
    unsigned op = 0;
    uint32_t rs1 = 0;
    bool waiting = false;  // has been refused
    unsigned engines = 0;  // cycles that they are busy
    unsigned drains = 0;   // cycles until quiet
    bool core_fault = false;
    bool dma_fault = false;
    bool bad = false;  // what it asks makes no sense
    unsigned syncs = 0;
    uint32_t argument = 0;
    Fault fault;
    uint32_t pc = 0;
    bool quiet() const { return state == State::kReset || (state == State::kHalted && drains == 0); }
  };

  void edge(unsigned i);
  void go_on(unsigned i);
  // `by`: whose code does.
  void ask(unsigned i, unsigned op, uint32_t rs1 = 0, uint32_t by = cpe::isa::space::kDaemon);
  void raise(unsigned i, bool dma, unsigned cause);

  Vtb_launch& top_;
  Random& random_;
  std::vector<Cpe> cpes_;
  uint64_t faults_ = 0;
  uint64_t edges_ = 0;
};

}  // namespace swai::cg
