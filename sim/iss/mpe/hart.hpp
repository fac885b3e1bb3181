// SPDX-License-Identifier: Apache-2.0
// Reference model of the management processor: RV64IMAC_Zba_Zbb_Zicsr_Zifencei_Zicbom_Zicboz, Svpbmt, modes
// M, S and U, Sv39. docs/simulate/simulators.md says what is modelled. Debug mode is not.
//
// Alone: set the inputs when they change, call step() or run(); the model takes enabled interrupts itself.
//
//   Hart hart(memory, {.reset_pc = elf.entry});
//   while (!done) { hart.set_lines(...); hart.run(1000); }
//
// In lockstep with RTL (Interrupts::kWhenTold), once per retirement record of the RTL:
//
//   if (dut.intr) error = hart.take_interrupt(dut.cause, supply, model); else model = hart.step(supply);
//   compare(model, dut); compare(hart.csrs(), dut's CSRs); compare(hart.privilege(), dut's privilege);
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "sim/iss/mpe/block.hpp"
#include "sim/iss/mpe/insn.hpp"
#include "sim/iss/mpe/memory.hpp"
#include "sim/iss/mpe/retirement.hpp"

namespace swai {
class Archive;
}

namespace swai::iss {

enum class Interrupts : uint8_t {
  kTaken,     // step() takes pending, enabled interrupts and NMIs
  kWhenTold,  // only take_interrupt() does; wfi does not wait
};

// Where a row writes what goes to register 0.
inline constexpr unsigned kNowhere = 32;

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

enum class CsrOp : uint8_t { kWrite, kSet, kClear };

// Operations on a line of the cache, as envcfg allows them.
enum class CacheOp : uint8_t { kClean, kInvalidate, kZero };

class Hart {
 public:
  Hart(Memory& memory, const HartConfig& config);
  Hart(const Hart&) = delete;
  Hart& operator=(const Hart&) = delete;

  void reset();

  // --- inputs
  void set_lines(const Lines& lines);
  void raise_nmi() { nmi_pending_ = true; }  // a rising edge of the NMI input
  void set_nmi_pc(uint64_t pc) { config_.nmi_pc = pc; }
  // The time CSR. It advances by one per step, as does mcycle; the owner may move it.
  uint64_t time() const { return ticks_ + time_offset_; }
  void set_time(uint64_t time) { time_offset_ = time - ticks_; }
  void advance_time(uint64_t by) { ticks_ += by; }  // while waiting: mcycle goes on, too
  // Steps and time that was advanced since the reset.
  uint64_t ticks() const { return ticks_; }

  // --- execution
  // Executes one instruction, or takes one trap or interrupt.
  Retirement step();
  Retirement step(const Supply& supply);
  // Up to `limit` steps without records; returns how many. Ends early when the hart waits for an interrupt,
  // and after stop().
  uint64_t run(uint64_t limit);
  void stop() { stop_ = true; }
  // In wfi, with nothing to wake it: time has to pass before the next step.
  bool waiting() const { return waiting_ && wake_sources() == 0 && !nmi_pending_; }
  // The machine-mode trap handler's first instruction raises the exception that it should handle, and so on
  // for ever: only an NMI would help. Ends run().
  bool stuck() const { return stuck_; }
  // Lockstep: takes the interrupt (or cause::kNmi) that the RTL took. Says what is wrong if the model would
  // not have: not pending, not enabled, or another one has priority. It is taken all the same, unless there
  // is no such interrupt.
  std::optional<std::string> take_interrupt(uint64_t cause, const Supply& supply, Retirement& record);
  // The interrupt that is pending and enabled now, as mcause would show it: lockstep checks that the RTL
  // takes it in time.
  std::optional<uint64_t> enabled_interrupt() const;

  // --- state
  uint64_t pc() const { return pc_; }
  void set_pc(uint64_t pc) { pc_ = pc; }
  uint64_t reg(unsigned n) const { return x_[n]; }
  void set_reg(unsigned n, uint64_t value) {
    x_[n] = value;
    x_[0] = 0;
  }
  const CsrState& csrs() const { return csrs_; }
  Privilege privilege() const { return privilege_; }
  uint64_t mip() const { return software_mip_ | line_mip_; }
  // Any CSR as machine mode reads it; nothing if it does not exist.
  std::optional<uint64_t> peek_csr(unsigned number) const;
  // Physical address of a virtual one at the present privilege (MPRV included), without side effects; nothing
  // if it faults.
  std::optional<uint64_t> translate(uint64_t vaddr, Access access) const;
  // Forgets translations and host pages: after memory map or page tables were changed from outside.
  void flush_translations();
  // For a debug port: executes one instruction outside the program, loads and stores with the present
  // privilege, CSRs with all rights. False: it faulted; no trap is taken.
  bool inject(uint32_t bits);
  void set_mode(Privilege privilege) { set_privilege(privilege); }
  // Between runs. What is only kept to be fast begins anew: translations and decoded code.
  void visit(Archive& archive);

  // --- for the instructions (execute.hpp); a false result means that an exception was raised
  void jump(uint64_t target) { next_pc_ = target; }
  uint64_t next_pc() const { return next_pc_; }
  void raise(uint64_t cause, uint64_t tval);
  void raise_illegal() { raise(cause::kIllegal, bits_); }
  template <typename T>
  bool load(uint64_t vaddr, T& value);
  template <typename T>
  bool store(uint64_t vaddr, T value);
  // Atomics: reads and writes of aligned 4 or 8 bytes of memory, with the faults of `access`.
  bool atomic_load(uint64_t vaddr, unsigned size, Access access, uint64_t& value);
  bool atomic_store(uint64_t vaddr, unsigned size, uint64_t value);
  // 16 aligned bytes of memory.
  bool store_pair(uint64_t vaddr, uint64_t low, uint64_t high);
  bool reserve(uint64_t vaddr, unsigned size, uint64_t& value);
  bool store_conditional(uint64_t vaddr, unsigned size, uint64_t value, bool& success);
  void operate_on_line(uint64_t vaddr, CacheUse use);
  // The line around.
  bool zero_line(uint64_t vaddr);
  void access_csr(const Operation& insn, CsrOp op, uint64_t operand);
  bool cache_op_legal(CacheOp op) const;
  bool inval_discards() const;  // else cbo.inval, where it is legal, flushes
  void return_from_machine();
  void return_from_supervisor();
  void wait_for_interrupt();
  void fence_translations();
  void forget_code() {
    ++code_version_;
    update_code_key();
  }
  void fence_instructions() {
    forget_code();
    memory_.clean_cache();
  }

  // --- for instructions in a row (execute.hpp), with what their rows hand on
  // A row writes registers of its instructions here, where 0 is kNowhere.
  void put(unsigned n, uint64_t value) { x_[n] = value; }
  // Before what others may see: the next instruction is the one with `rest` to the block's end.
  void arrive(uint64_t pc, uint64_t left, unsigned rest) {
    pc_ = pc + sources_[index(pc)].offsets[block_at(pc).steps - rest];
    ticks_ = last_tick_ - left - rest;
  }
  // After that: may the row go on? If not, what comes next is the one that raised the exception, or the one
  // behind this.
  bool may_go_on(uint64_t pc, uint64_t left, unsigned rest) {
    if (raised_) return false;
    if (!stop_) return true;
    arrive(pc, left, rest - 1);
    return false;
  }
  // The block at this address, if it is known and `left` instructions are enough for it; else null.
  const Block* known(uint64_t pc, uint64_t left) const {
    const Block& next = block_at(pc);
    return next.pc == pc && next.key == code_key_ && next.steps <= left ? &next : nullptr;
  }
  // The same, after looking at what lies there.
  const Block* seek(uint64_t pc, uint64_t left) {
    if (const Block* const found = known(pc, left)) return found;
    return renew(pc) ? known(pc, left) : nullptr;
  }
  void leave(uint64_t pc, uint64_t left) {
    pc_ = pc;
    ticks_ = last_tick_ - left;
  }
  static bool reads_clock(const Insn& insn);
  void read_clock(const Operation& insn);
  // Accesses to plain memory whose page is known; false: not done.
  template <typename T>
  bool load_plain(uint64_t vaddr, T& value) const;
  template <typename T>
  bool store_plain(uint64_t vaddr, T value) const;

 private:
  // The translation of one page for one kind of access, in one context (privilege, SUM, MXR).
  struct Translation {
    uint64_t tag = 0;         // page and context; never 0 when valid
    uint8_t* host = nullptr;  // null: the page is not plain memory
    uint64_t page = 0;        // physical
    Pma pma = Pma::kVacant;
    bool posted = false;  // stores are not waited for: nobody there is no exception
  };
  static constexpr unsigned kTranslations = 256;
  using Translations = std::array<Translation, kTranslations>;
  // What accesses to plain memory need of a translation.
  struct PlainPage {
    uint64_t tag = 0;      // 0: there is none
    uintptr_t offset = 0;  // from virtual addresses to the host's
  };
  static constexpr unsigned kPlainPages = 1024;
  using PlainPages = std::array<PlainPage, kPlainPages>;
  template <typename T>
  static uint64_t page_if_aligned(uint64_t vaddr) {
    return vaddr & (~(kPageBytes - 1) | (sizeof(T) - 1));
  }
  static constexpr unsigned kDecoded = 8192;
  static constexpr unsigned kBlocks = 16384;
  static constexpr unsigned kRoom = 131'072;     // for steps of all blocks
  static constexpr unsigned kEventCounters = 8;  // mhpmcounter3 to 10
  static constexpr unsigned kFirstEvent = 3;

  struct Counter {
    uint64_t value = 0;
    bool exact = true;  // lockstep: the value is known although the counter once ran
  };

  struct WalkResult {
    uint64_t paddr = 0;
    uint64_t cause = 0;  // not 0: it faults
    bool uncached = false;
  };

  // trap.cpp
  void take_trap(uint64_t cause, uint64_t tval);
  void trap_into_machine(uint64_t cause, uint64_t tval, uint64_t target);
  void trap_into_supervisor(uint64_t cause, uint64_t tval);
  void record_interrupt(uint64_t cause, Retirement& record);
  uint64_t wake_sources() const { return mip() & csrs_.mie; }
  void set_privilege(Privilege privilege);
  void update_context();
  void apply(const Supply& supply);

  // hart.cpp
  const Insn* fetch();
  bool execute(const Insn& insn);
  void execute_one();
  static unsigned index(uint64_t pc) { return (pc >> 1) % kBlocks; }
  const Block& block_at(uint64_t pc) const { return blocks_[index(pc)]; }
  bool renew(uint64_t pc);
  void decode_block(Block& block, BlockSource& source, uint64_t room);
  void execute(const Block& block, uint64_t left);
  // With another key, blocks are compared with memory before they are used again.
  void update_code_key() { code_key_ = code_version_ << kPageBits | fetch_context_; }
  uint64_t instret_increment() const { return (~mcountinhibit_ >> 2) & 1; }
  std::optional<uint64_t> interrupt_to_take();

  // mmu.cpp
  WalkResult walk(uint64_t vaddr, Access access, Privilege privilege) const;
  WalkResult walk_sv39(uint64_t vaddr, Access access, Privilege privilege) const;
  bool page_allows(uint64_t pte, Access access, Privilege privilege) const;
  bool read_page_table(uint64_t paddr, uint64_t& entry) const;
  const Translation* translation(uint64_t vaddr, Access access, uint64_t& cause);
  uint64_t context(Access access) const { return access == Access::kFetch ? fetch_context_ : data_context_; }
  // Devices and the kernel's tables lie at round addresses, so all bits of an address have a say.
  Translation& slot(uint64_t vaddr, Access access) {
    constexpr uint64_t kGoldenRatio = 0x9e37'79b9'7f4a'7c15;
    const uint64_t mixed = (vaddr >> kPageBits) * kGoldenRatio;
    return translations_[static_cast<unsigned>(access)][mixed >> 32 & (kTranslations - 1)];
  }

  // access.cpp
  const Insn* fetch_slowly();
  bool fetch_half(uint64_t vaddr, uint16_t& half);
  bool load_slowly(uint64_t vaddr, unsigned size, uint64_t& value);
  bool store_slowly(uint64_t vaddr, unsigned size, uint64_t value);
  bool read_part(const Translation& page, uint64_t vaddr, unsigned size, uint64_t& value);
  bool write_part(const Translation& page, uint64_t vaddr, unsigned size, uint64_t value);
  const Translation* data_page(uint64_t vaddr, uint64_t part, unsigned size, Access access);
  const Translation* plain_memory_page(uint64_t vaddr, unsigned size, Access access);
  void record_load(uint64_t vaddr, unsigned size, uint64_t value);
  void record_store(uint64_t vaddr, unsigned size, uint64_t value);

  // csr.cpp
  bool csr_accessible(unsigned number, bool writes) const;
  bool counter_enabled(unsigned index) const;
  std::optional<uint64_t> read_csr(unsigned number) const;
  std::optional<uint64_t> read_counter(unsigned number) const;
  void write_csr(unsigned number, uint64_t value);
  void write_mstatus(uint64_t value);
  void write_satp(uint64_t value);
  void write_counter(unsigned index, uint64_t value);
  void write_countinhibit(uint64_t value);
  uint64_t cycle() const;
  bool counting(unsigned index) const;
  Counter* unknown_counter(unsigned number);

  Memory& memory_;
  HartConfig config_;

  uint64_t pc_ = 0;
  uint64_t next_pc_ = 0;
  std::array<uint64_t, kNowhere + 1> x_{};
  Privilege privilege_ = Privilege::kMachine;
  CsrState csrs_;
  uint64_t software_mip_ = 0;
  uint64_t line_mip_ = 0;
  uint64_t mcountinhibit_ = 0;
  Counter cycle_;  // value: what mcycle is ahead of ticks_, or itself when inhibited
  std::array<Counter, kEventCounters> events_{};      // mhpmcounter3 on; they do not count
  std::array<uint64_t, kEventCounters> selectors_{};  // mhpmevent3 on
  std::optional<uint64_t> reservation_;               // physical line
  bool nmi_pending_ = false;
  bool waiting_ = false;
  bool stuck_ = false;

  uint64_t ticks_ = 0;
  uint64_t time_offset_ = 0;

  bool stop_ = false;

  // Of the step under way.
  bool raised_ = false;
  uint64_t cause_ = 0;
  uint64_t tval_ = 0;
  uint32_t bits_ = 0;  // of an instruction that may be illegal
  uint64_t instret_increment_ = 1;
  uint64_t mem_addr_ = 0;
  uint64_t mem_rdata_ = 0;
  uint64_t mem_wdata_ = 0;
  uint64_t mem_wdata_high_ = 0;
  uint8_t mem_rmask_ = 0;
  uint16_t mem_wmask_ = 0;
  const Supply* supply_ = nullptr;

  Privilege data_privilege_ = Privilege::kMachine;
  uint64_t fetch_context_ = 0;
  uint64_t data_context_ = 0;
  std::array<Translations, 3> translations_{};  // by Access
  PlainPages loads_{};
  PlainPages stores_{};
  // By pc; an entry is valid if its bits are those in memory.
  std::vector<Insn> decoded_;
  std::vector<Block> blocks_;
  std::unique_ptr<BlockSource[]> sources_;  // of each block
  std::unique_ptr<Step[]> steps_;
  unsigned steps_used_ = 0;
  uint64_t code_version_ = 1;
  uint64_t code_key_ = 0;
  uint64_t last_tick_ = 0;  // of run()
};

inline void Hart::raise(uint64_t cause, uint64_t tval) {
  raised_ = true;
  cause_ = cause;
  tval_ = tval;
}

inline void Hart::record_load(uint64_t vaddr, unsigned size, uint64_t value) {
  mem_addr_ = vaddr;
  mem_rmask_ = static_cast<uint8_t>((1u << size) - 1);
  mem_rdata_ = value;
}

inline void Hart::record_store(uint64_t vaddr, unsigned size, uint64_t value) {
  mem_addr_ = vaddr;
  mem_wmask_ = static_cast<uint16_t>((1u << size) - 1);
  mem_wdata_ = value;
}

template <typename T>
bool Hart::load_plain(uint64_t vaddr, T& value) const {
  const PlainPage& page = loads_[(vaddr >> kPageBits) % kPlainPages];
  if (page.tag != page_if_aligned<T>(vaddr) + data_context_) [[unlikely]] {
    return false;
  }
  std::memcpy(&value, reinterpret_cast<const uint8_t*>(vaddr + page.offset), sizeof value);
  return true;
}

template <typename T>
bool Hart::store_plain(uint64_t vaddr, T value) const {
  const PlainPage& page = stores_[(vaddr >> kPageBits) % kPlainPages];
  if (page.tag != page_if_aligned<T>(vaddr) + data_context_) [[unlikely]] {
    return false;
  }
  std::memcpy(reinterpret_cast<uint8_t*>(vaddr + page.offset), &value, sizeof value);
  return true;
}

template <typename T>
bool Hart::load(uint64_t vaddr, T& value) {
  if (load_plain(vaddr, value)) {
    record_load(vaddr, sizeof(T), static_cast<std::make_unsigned_t<T>>(value));
    return true;
  }
  uint64_t wide = 0;
  if (!load_slowly(vaddr, sizeof(T), wide)) return false;
  value = static_cast<T>(wide);
  return true;
}

template <typename T>
bool Hart::store(uint64_t vaddr, T value) {
  if (!store_plain(vaddr, value)) return store_slowly(vaddr, sizeof(T), value);
  record_store(vaddr, sizeof(T), value);
  return true;
}

}  // namespace swai::iss
