// Reference model of the management processor: RV64IMAC_Zba_Zbb_Zicsr_Zifencei_Zicbom, Svpbmt, modes M, S and
// U, Sv39. docs/iss.md says what is modelled. Debug mode is not.
//
// Alone: set the inputs when they change, call step() or run(); enabled interrupts are taken by the model
// itself.
//
//   Hart hart(memory, {.reset_pc = elf.entry});
//   while (!done) { hart.set_lines(...); hart.set_time(...); hart.run(1000); }
//
// In lockstep with RTL (Interrupts::kWhenTold), once per retirement record of the RTL:
//
//   if (dut.intr) error = hart.take_interrupt(dut.cause, supply, model); else model = hart.step(supply);
//   compare(model, dut); compare(hart.csrs(), dut's CSRs); compare(hart.privilege(), dut's privilege);
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "verif/iss/memory.hpp"
#include "verif/iss/retirement.hpp"

namespace swai::iss {

struct Insn;

enum class Interrupts : uint8_t {
  kTaken,     // step() takes pending, enabled interrupts and NMIs
  kWhenTold,  // only take_interrupt() does; wfi does not wait
};

struct HartConfig {
  uint64_t reset_pc = 0;
  uint64_t nmi_pc = 0;
  uint64_t hart_id = 0;
  Interrupts interrupts = Interrupts::kTaken;
};

// Level interrupt inputs.
struct Lines {
  bool m_software = false;
  bool m_timer = false;
  bool m_external = false;
  bool s_external = false;
};

// What a model cannot know and takes from the RTL's record of the same step. Each value is used only where
// the model has none of its own: rd_wdata for reads of cycle, time and event counters, mem_rdata for loads
// from IO, and of mip the bits that have input lines.
struct Supply {
  uint64_t rd_wdata = 0;
  uint64_t mem_rdata = 0;
  uint64_t mip = 0;
};

// What an address is used for; decides permissions and the cause of faults.
enum class Access : uint8_t { kFetch, kLoad, kStore };

class Hart {
 public:
  Hart(Memory& memory, const HartConfig& config);
  ~Hart();
  Hart(const Hart&) = delete;
  Hart& operator=(const Hart&) = delete;

  void reset();

  // --- inputs
  void set_lines(const Lines& lines);
  void set_time(uint64_t time) { time_ = time; }
  void raise_nmi() { nmi_pending_ = true; }  // a rising edge of the NMI input

  // --- execution
  // Executes one instruction, or takes one trap or interrupt.
  Retirement step();
  Retirement step(const Supply& supply);
  // Up to `limit` steps without records; returns how many. Ends early when the hart waits for an interrupt or
  // after stop().
  uint64_t run(uint64_t limit);
  void stop() { stop_ = true; }
  // In wfi, with nothing to wake it: time has to pass before the next step.
  bool waiting() const { return waiting_ && (mip() & csrs_.mie) == 0 && !nmi_pending_; }
  // Lockstep: takes the interrupt (or cause::kNmi) that the RTL took. Says what is wrong if the model would
  // not have: not pending, not enabled, or another one has priority. It is taken all the same, except when it
  // does not exist.
  std::optional<std::string> take_interrupt(uint64_t cause, const Supply& supply, Retirement& record);
  // The interrupt that is pending and enabled now, as mcause would show it: lockstep checks that the RTL
  // takes it in time.
  std::optional<uint64_t> enabled_interrupt() const;

  // --- state
  uint64_t pc() const { return pc_; }
  void set_pc(uint64_t pc) { pc_ = pc; }
  uint64_t reg(unsigned n) const { return x_[n]; }
  void set_reg(unsigned n, uint64_t value) {
    if (n != 0) x_[n] = value;
  }
  const CsrState& csrs() const { return csrs_; }
  Privilege privilege() const { return privilege_; }
  uint64_t mip() const;  // as software in machine mode reads it
  // Any CSR as machine mode reads it; nothing if it does not exist.
  std::optional<uint64_t> peek_csr(unsigned number) const;
  // Physical address of a virtual one at the present privilege, without side effects; nothing if it faults.
  std::optional<uint64_t> translate(uint64_t vaddr, Access access);
  // Forgets translations and host pages: after the memory map or page tables were changed from outside.
  void flush_translations();

 private:
  Memory& memory_;
  HartConfig config_;
  uint64_t pc_ = 0;
  uint64_t x_[32] = {};
  Privilege privilege_ = Privilege::kMachine;
  CsrState csrs_;
  uint64_t time_ = 0;
  bool nmi_pending_ = false;
  bool waiting_ = false;
  bool stop_ = false;
};

}  // namespace swai::iss
