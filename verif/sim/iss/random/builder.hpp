// SPDX-License-Identifier: Apache-2.0
// Builds one random program. The items in items_*.cpp write code that always falls through to what follows
// it; what they may assume is the state below, which holds at the place where code is being written.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "verif/sim/iss/random/assembler.hpp"
#include "verif/sim/iss/random/insn_table.hpp"
#include "verif/sim/iss/random/layout.hpp"
#include "verif/sim/iss/random/page_tables.hpp"
#include "verif/sim/iss/random/random_program.hpp"
#include "verif/sim/iss/random/rng.hpp"

namespace swai::random_program {

namespace status {
inline constexpr uint64_t kSie = 1 << 1, kMie = 1 << 3, kSpie = 1 << 5, kMpie = 1 << 7, kSpp = 1 << 8;
inline constexpr uint64_t kMpp = 3 << 11, kMprv = 1 << 17, kSum = 1 << 18, kMxr = 1 << 19;
inline constexpr uint64_t kTvm = 1 << 20, kTw = 1 << 21, kTsr = 1 << 22;
}  // namespace status

namespace csr {
inline constexpr uint32_t kSstatus = 0x100, kSie = 0x104, kStvec = 0x105, kScounteren = 0x106,
                          kSenvcfg = 0x10A;
inline constexpr uint32_t kSscratch = 0x140, kSepc = 0x141, kScause = 0x142, kStval = 0x143, kSip = 0x144;
inline constexpr uint32_t kSatp = 0x180, kMstatus = 0x300, kMedeleg = 0x302, kMideleg = 0x303, kMie = 0x304;
inline constexpr uint32_t kMtvec = 0x305, kMcounteren = 0x306, kMenvcfg = 0x30A, kMcountinhibit = 0x320;
inline constexpr uint32_t kMscratch = 0x340, kMepc = 0x341, kMcause = 0x342, kMtval = 0x343, kMip = 0x344;
inline constexpr uint32_t kMcycle = 0xB00, kMinstret = 0xB02, kCycle = 0xC00, kTime = 0xC01, kInstret = 0xC02;
inline constexpr uint32_t kMhpmevent3 = 0x323, kMhpmcounter3 = 0xB03;
}  // namespace csr

namespace envcfg {
inline constexpr uint64_t kCbie = 3 << 4, kCbieFlush = 1 << 4, kReservedCbie = 2 << 4, kCbcfe = 1 << 6,
                          kCbze = 1 << 7;
inline constexpr uint64_t kPbmte = uint64_t{1} << 62;
}  // namespace envcfg

// Offsets in the memory that mscratch and sscratch point to.
namespace frame {
inline constexpr int32_t kSaved = 0;  // five registers
inline constexpr int32_t kLogCursor = 40, kLogLimit = 48, kLogStart = 56, kBudget = 64, kInterrupts = 72;
}  // namespace frame

// A trap with this value in the register `magic` is a request to go to the address in the register `target`,
// in the handler's mode.
inline constexpr uint64_t kMagic = 0x7EE7'0C0D'E5A1'15A5;
inline constexpr uint64_t kFailureCode = 1337 * 2 + 1;  // a handler was called too often

class Builder {
 public:
  Builder(uint64_t seed, const Options& options);
  Program build();

 private:
  using Reg = unsigned;

  // Where execution is.
  struct Mode {
    Privilege privilege = Privilege::kMachine;
    bool translated = false;
    uint64_t window = kBase;  // virtual address of the image's start
  };

  // A register that points into memory, whose value is known.
  struct Pointer {
    Reg reg = 0;
    uint64_t value = 0;
    uint64_t low = 0;  // accesses must stay within low..high
    uint64_t high = 0;
    Attribute attribute = Attribute::kCached;
  };

  // A register out of the free ones, for as long as this object lives.
  class Hold {
   public:
    explicit Hold(Builder& builder) : Hold(builder, builder.free_register()) {}
    Hold(Builder& builder, Reg reg) : builder_(builder), reg_(reg) { builder_.free_ &= ~(1u << reg); }
    ~Hold() { builder_.free_ |= 1u << reg_; }
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;
    operator Reg() const { return reg_; }

   private:
    Builder& builder_;
    Reg reg_;
  };

  struct Item {
    void (Builder::*make)();
    unsigned weight;
  };

  // --- runtime.cpp
  void choose_registers();
  void make_startup();
  void make_handler(Privilege level, Label fail);
  void make_demand_repair(Privilege level, Label resume, Label otherwise);
  void make_log_entry(Privilege level);
  void make_skip(Privilege level, Label resume);
  void make_interrupt_part(Privilege level, Label resume);
  void make_finish();
  void make_digest(uint64_t from, uint64_t to, Reg hash);
  void make_print(Reg value);

  // --- builder.cpp
  bool has(uint32_t kind) const { return (options_.kinds & kind) == kind; }
  Reg free_register();
  Reg any_source();
  Reg any_dest();
  Reg short_register(bool must_be_free);
  bool is_free(Reg reg) const { return (free_ >> reg & 1) != 0; }
  uint64_t data_window(Attribute attribute);
  bool can_use(Attribute attribute) const;
  void move_pointer(Pointer& pointer);
  void move_pointers();
  Pointer& any_pointer();
  void far_branch(uint32_t word, Label back);
  // Runs a random item that may be nested in loops and functions; `depth_` counts the nesting.
  void nested_item();
  void simple_item();
  bool hot() const;
  void run_item(std::span<const Item> items);
  void fill_data();

  // --- items_basic.cpp
  void item_alu();
  void item_value();
  void item_load_store();
  void item_compressed_access(const Pointer& pointer);
  void item_indexed();
  void item_overlap();
  void item_pair();
  void emit_pair(Reg base, uint32_t pair);
  void item_conflict();
  void item_chain();
  void item_muldiv();
  void item_constant_load();
  void load_value(Reg rd, uint64_t value);
  void item_hint();
  void item_page_end();
  void item_fence();
  uint32_t random_alu_word(bool with_pc);
  void emit_access(Reg base, int32_t offset, unsigned log_size, bool store);
  void random_access(Reg base, unsigned store_percent);
  int32_t pick_offset(const Pointer& pointer, unsigned bytes, bool may_misalign);

  // --- items_atomic.cpp
  void item_amo();
  void item_lr_sc();
  void item_cbo();
  void item_handoff();
  void emit_amo(Reg address, bool wide);

  bool cbo_allowed(uint64_t which = envcfg::kCbcfe) const;

  // --- items_control.cpp
  void item_branch();
  void item_branch_or_simple();
  void item_backward_jump();
  void item_loop();
  void item_walk();
  void item_call();
  void item_recursion();
  void item_odd_return();
  void item_switch();
  uint32_t random_branch();

  // --- items_trap.cpp
  void item_trap();
  void item_illegal();
  void item_forbidden();
  void item_fault();
  void item_wild_jump();
  void item_mprv();
  void item_misaligned_atomic();
  void item_io();
  uint64_t too_high_address();
  uint64_t bad_data_address();
  uint64_t bad_fetch_address();
  void access_anything(Reg base, int32_t offset);
  uint32_t random_illegal_word();

  // --- items_csr.cpp
  void item_csr_read();
  void item_csr_write();
  void item_csr_illegal();
  void item_csr_critical();
  void item_counters();
  void write_csr(uint32_t number, Reg value);
  uint64_t random_envcfg(bool machine);
  void note_envcfg(bool machine, uint64_t written);
  uint64_t random_status(bool machine);

  // --- items_system.cpp
  void item_mode_switch();
  void item_return_to_same_mode();
  void item_modify_code();
  void item_modify_loop();
  void item_page_table();
  void item_remap();
  void item_switch_space();
  void item_interrupts();
  void item_wfi();
  void configure();
  void enter_machine();
  void enter_lower();
  void enter_supervisor_by_trap();
  void sret_to_user();
  void jump_to_alias();
  void arrive(const Mode& mode);
  uint64_t code_window(Privilege privilege);
  uint64_t satp_value(unsigned root) const;
  bool gateway_delegated(bool delegated, uint32_t& word);
  void emit_transfer_address(Reg reg, Label to, uint64_t window);
  void emit_sfence();

  Options options_;
  uint64_t seed_;
  Rng rng_;
  Assembler runtime_;
  Assembler as_;
  PageTables tables_;
  std::vector<const Insn*> alu_insns_;
  std::vector<uint64_t> pool_;

  // Registers with a role in this program.
  Reg recover_ = 0;  // where to go on after a jump to nowhere
  Reg magic_ = 0;
  Reg target_ = 0;
  Reg constants_ = 0;  // pointer to the middle of the page of constants
  std::array<Reg, 5> handler_{};
  std::array<Pointer, 3> pointers_;
  uint32_t free_ = 0;  // bit per register that items may overwrite
  Reg last_dest_ = 1;

  // State that the code relies on.
  Mode mode_;
  unsigned root_ = 0;
  bool bare_ = true;  // satp
  uint64_t medeleg_ = 0;
  uint64_t mideleg_ = 0;
  uint64_t traps_ = 0;  // TVM, TW and TSR in force
  bool pbmte_ = false;
  std::array<uint64_t, 2> envcfg_{};  // menvcfg and senvcfg: CBIE, CBCFE and CBZE
  unsigned depth_ = 0;
  // The one interrupt of a program for QEMU, which ranks them in another order.
  uint64_t strict_interrupt_ = 0;

  Label machine_vector_, supervisor_vector_, nmi_, finish_;
};

}  // namespace swai::random_program
