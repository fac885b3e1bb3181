// SPDX-License-Identifier: Apache-2.0
// A hart with 1 MiB of RAM, two IO registers and page tables that tests fill in, for unit tests of single
// steps.
#pragma once

#include <cstring>
#include <initializer_list>
#include <vector>

#include "sim/iss/mpe/csr_numbers.hpp"
#include "sim/iss/mpe/hart.hpp"
#include "verif/sim/iss/random/encode.hpp"

namespace swai::iss {

namespace enc = random_program::enc;

inline constexpr uint64_t kRam = 0x8000'0000;
inline constexpr uint64_t kRamBytes = 1 << 20;
inline constexpr uint64_t kIo = 0x1000'0000;  // one page of a device that remembers one value
inline constexpr uint64_t kEmptyIo = 0x1000'8000;
inline constexpr uint64_t kVacant = 0x4000'0000;
inline constexpr uint64_t kUnbacked = kRam + kRamBytes;  // memory by its attributes, but nobody is there

class TestMemory final : public Memory {
 public:
  HostPage page(uint64_t paddr) override {
    if (!in_ram(paddr, 1)) return {};
    uint8_t* host = &ram[(paddr - kRam) & ~(kPageBytes - 1)];
    return {host, host};
  }
  bool read(uint64_t paddr, unsigned size, uint64_t& value) override {
    value = io_value;
    if (in_ram(paddr, size)) {
      value = 0;
      std::memcpy(&value, &ram[paddr - kRam], size);
    }
    return in_ram(paddr, size) || in_io(paddr);
  }
  bool write(uint64_t paddr, unsigned size, uint64_t value) override {
    if (in_ram(paddr, size)) std::memcpy(&ram[paddr - kRam], &value, size);
    if (in_io(paddr)) io_value = value;
    return in_ram(paddr, size) || in_io(paddr);
  }

  std::vector<uint8_t> ram = std::vector<uint8_t>(kRamBytes);
  uint64_t io_value = 0;

 private:
  static bool in_ram(uint64_t paddr, unsigned size) { return paddr - kRam <= kRamBytes - size; }
  static bool in_io(uint64_t paddr) { return paddr - kIo < kPageBytes; }
};

// Page-table entry bits.
namespace pte {
inline constexpr uint64_t kV = 1, kR = 2, kW = 4, kX = 8, kU = 16, kA = 64, kD = 128;
inline constexpr uint64_t kRw = kV | kR | kW | kA | kD;
inline constexpr uint64_t kRwx = kRw | kX;
}  // namespace pte

struct Bench {
  static constexpr uint64_t kCode = kRam;
  static constexpr uint64_t kHandler = kRam + 0x1000;
  static constexpr uint64_t kSupervisorHandler = kRam + 0x2000;
  static constexpr uint64_t kNmi = kRam + 0x3000;
  static constexpr uint64_t kTables = kRam + 0x10000;  // root; 4 KiB tables follow
  static constexpr uint64_t kData = kRam + 0x20000;
  static constexpr uint64_t kVirtual =
      0x40'0000;  // where map() puts pages; the first 2 MiB slot after it is free, too

  explicit Bench(Interrupts interrupts = Interrupts::kTaken)
      : hart(memory, {.reset_pc = kCode, .nmi_pc = kNmi, .interrupts = interrupts}) {
    set_csr(csr::kMtvec, kHandler);
    set_csr(csr::kStvec, kSupervisorHandler);
    hart.set_pc(kCode);
  }

  template <typename T>
  void poke(uint64_t paddr, T value) {
    std::memcpy(&memory.ram[paddr - kRam], &value, sizeof value);
  }
  template <typename T = uint64_t>
  T peek(uint64_t paddr) const {
    T value;
    std::memcpy(&value, &memory.ram[paddr - kRam], sizeof value);
    return value;
  }

  // Executes one instruction at the present pc.
  Retirement run(uint32_t insn) {
    poke(*hart.translate(hart.pc(), Access::kFetch), insn);
    return hart.step();
  }

  // Through a machine-mode csrrw, which leaves no trace but minstret. From a lower mode it first takes an
  // NMI.
  void set_csr(unsigned number, uint64_t value) {
    to_machine_mode();
    const uint64_t pc = hart.pc();
    const uint64_t saved = hart.reg(5);
    hart.set_pc(kCode + 0xf00);
    poke(kCode + 0xf00, enc::csrw(number, 5));
    hart.set_reg(5, value);
    hart.step();
    hart.set_reg(5, saved);
    hart.set_pc(pc);
  }
  void to_machine_mode() {
    if (hart.privilege() == Privilege::kMachine) return;
    hart.raise_nmi();
    hart.step();
  }
  uint64_t get_csr(unsigned number) const { return hart.peek_csr(number).value(); }

  // Goes to a mode and an address, by mret.
  void enter(Privilege mode, uint64_t pc = kCode) {
    to_machine_mode();
    hart.set_pc(kCode);
    set_csr(csr::kMepc, pc);
    const uint64_t status = get_csr(csr::kMstatus) & ~mstatus::kMpp;
    set_csr(csr::kMstatus, status | static_cast<uint64_t>(mode) << mstatus::kMppShift);
    run(enc::kMret);
  }

  // Page tables: the code's gigabyte is mapped one to one, for supervisor and user through the alias 1 GiB
  // above.
  void enable_paging() {
    const auto gigabyte = [&](unsigned slot, uint64_t paddr, uint64_t flags) {
      poke(kTables + 8 * slot, (paddr >> 12) << 10 | flags);
    };
    gigabyte(2, kRam, pte::kRwx);
    gigabyte(3, kRam, pte::kRwx | pte::kU);
    poke(kTables, ((kTables + 0x1000) >> 12) << 10 | pte::kV);                   // 0 to 1 GiB
    poke(kTables + 0x1000 + 8 * 2, ((kTables + 0x2000) >> 12) << 10 | pte::kV);  // 4 to 6 MiB
    set_csr(csr::kSatp, satp::kSv39 << satp::kModeShift | kTables >> 12);
  }
  static constexpr uint64_t kUserCode = kCode + 0x4000'0000;

  // The n-th page at kVirtual.
  void map(unsigned n, uint64_t paddr, uint64_t flags) { map_raw(n, (paddr >> 12) << 10 | flags); }
  void map_raw(unsigned n, uint64_t entry) {
    poke(kTables + 0x2000 + 8 * n, entry);
    hart.flush_translations();
  }

  TestMemory memory;
  Hart hart;
};

}  // namespace swai::iss
