// SPDX-License-Identifier: Apache-2.0
// What one step of a hart did, and the state it left: the vocabulary in which the reference model and the RTL
// are compared. The fields are those of the core's retirement port (rvfi_*).
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace swai::iss {

enum class Privilege : uint8_t { kUser = 0, kSupervisor = 1, kMachine = 3 };

struct Retirement {
  uint64_t pc = 0;
  uint64_t next_pc = 0;
  uint32_t insn = 0;   // compressed instructions: 16 bits, zero-extended
  bool trap = false;   // a synchronous exception: the instruction did not complete
  bool intr = false;   // an interrupt or NMI was taken before pc: no instruction was executed
  uint64_t cause = 0;  // of trap or intr, as mcause shows it; otherwise 0
  uint64_t tval = 0;
  Privilege mode = Privilege::kMachine;  // in which it executed
  uint8_t rd = 0;                        // 0: no register written
  uint64_t rd_wdata = 0;
  uint64_t mem_addr = 0;        // virtual
  uint8_t mem_rmask = 0;        // bytes relative to mem_addr: 0x01, 0x03, 0x0f, 0xff
  uint16_t mem_wmask = 0;       // or 0xffff
  uint64_t mem_rdata = 0;       // raw bytes, zero-extended
  uint64_t mem_wdata = 0;       // low bytes; for an atomic, the value stored
  uint64_t mem_wdata_high = 0;  // bytes 8 to 15
  uint64_t mip = 0;             // as this step saw it
};

// The CSRs that are compared after every step (the rvfi_csr_* ports).
struct CsrState {
  uint64_t mstatus = 0;
  uint64_t mie = 0;
  uint64_t mtvec = 0;
  uint64_t mscratch = 0;
  uint64_t mepc = 0;
  uint64_t mcause = 0;
  uint64_t mtval = 0;
  uint64_t medeleg = 0;
  uint64_t mideleg = 0;
  uint64_t mcounteren = 0;
  uint64_t menvcfg = 0;
  uint64_t stvec = 0;
  uint64_t sscratch = 0;
  uint64_t sepc = 0;
  uint64_t scause = 0;
  uint64_t stval = 0;
  uint64_t satp = 0;
  uint64_t scounteren = 0;
  uint64_t senvcfg = 0;
  uint64_t minstret = 0;
};

struct CsrField {
  std::string_view name;
  uint64_t CsrState::*field;
};

// For comparisons and dumps.
inline constexpr std::array kCsrFields = {
    CsrField{"mstatus", &CsrState::mstatus},   CsrField{"mie", &CsrState::mie},
    CsrField{"mtvec", &CsrState::mtvec},       CsrField{"mscratch", &CsrState::mscratch},
    CsrField{"mepc", &CsrState::mepc},         CsrField{"mcause", &CsrState::mcause},
    CsrField{"mtval", &CsrState::mtval},       CsrField{"medeleg", &CsrState::medeleg},
    CsrField{"mideleg", &CsrState::mideleg},   CsrField{"mcounteren", &CsrState::mcounteren},
    CsrField{"menvcfg", &CsrState::menvcfg},   CsrField{"stvec", &CsrState::stvec},
    CsrField{"sscratch", &CsrState::sscratch}, CsrField{"sepc", &CsrState::sepc},
    CsrField{"scause", &CsrState::scause},     CsrField{"stval", &CsrState::stval},
    CsrField{"satp", &CsrState::satp},         CsrField{"scounteren", &CsrState::scounteren},
    CsrField{"senvcfg", &CsrState::senvcfg},   CsrField{"minstret", &CsrState::minstret},
};

namespace cause {
inline constexpr uint64_t kInterrupt = uint64_t{1} << 63;
inline constexpr uint64_t kNmi = kInterrupt;
inline constexpr uint64_t kFetchAccess = 1;
inline constexpr uint64_t kIllegal = 2;
inline constexpr uint64_t kBreakpoint = 3;
inline constexpr uint64_t kLoadMisaligned = 4;
inline constexpr uint64_t kLoadAccess = 5;
inline constexpr uint64_t kStoreMisaligned = 6;
inline constexpr uint64_t kStoreAccess = 7;
inline constexpr uint64_t kEcallU = 8;  // + privilege
inline constexpr uint64_t kFetchPage = 12;
inline constexpr uint64_t kLoadPage = 13;
inline constexpr uint64_t kStorePage = 15;
}  // namespace cause

// Bits of mip and mie.
namespace irq {
inline constexpr uint64_t kSsi = 1 << 1;
inline constexpr uint64_t kMsi = 1 << 3;
inline constexpr uint64_t kSti = 1 << 5;
inline constexpr uint64_t kMti = 1 << 7;
inline constexpr uint64_t kSei = 1 << 9;
inline constexpr uint64_t kMei = 1 << 11;
}  // namespace irq

}  // namespace swai::iss
