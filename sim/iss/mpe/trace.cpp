// SPDX-License-Identifier: Apache-2.0
#include "sim/iss/mpe/trace.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>

#include "sim/iss/mpe/insn.hpp"

namespace swai::iss {

namespace {

constexpr std::array<const char*, 16> kExceptions = {"instruction address misaligned",
                                                     "instruction access fault",
                                                     "illegal instruction",
                                                     "breakpoint",
                                                     "load address misaligned",
                                                     "load access fault",
                                                     "store address misaligned",
                                                     "store access fault",
                                                     "ecall from user mode",
                                                     "ecall from supervisor mode",
                                                     "",
                                                     "ecall from machine mode",
                                                     "instruction page fault",
                                                     "load page fault",
                                                     "",
                                                     "store page fault"};

constexpr std::array<const char*, 12> kInterruptNames = {
    "NMI", "supervisor software interrupt", "", "machine software interrupt",
    "",    "supervisor timer interrupt",    "", "machine timer interrupt",
    "",    "supervisor external interrupt", "", "machine external interrupt"};

}  // namespace

std::string cause_name(uint64_t cause) {
  const bool interrupt = (cause & cause::kInterrupt) != 0;
  const uint64_t code = cause & ~cause::kInterrupt;
  const char* name = "";
  if (interrupt && code < kInterruptNames.size()) name = kInterruptNames[code];
  if (!interrupt && code < kExceptions.size()) name = kExceptions[code];
  return *name != 0 ? name : fmt::format("cause {:#x}", cause);
}

std::string trace_line(const Retirement& record) {
  constexpr const char* kModes = "US?M";
  const char mode = kModes[static_cast<unsigned>(record.mode) & 3];
  if (record.intr) {
    return fmt::format("{} {:016x} {:8}  {} -> {:x}", mode, record.pc, "", cause_name(record.cause),
                       record.next_pc);
  }
  const unsigned digits = 2 * insn_length(record.insn);
  std::string line =
      fmt::format("{} {:016x} {:>8} {:32}", mode, record.pc, fmt::format("{:0{}x}", record.insn, digits),
                  disassemble(record.insn, record.pc));
  if (record.trap) {
    line += fmt::format(" {} (tval {:x}) -> {:x}", cause_name(record.cause), record.tval, record.next_pc);
    return line;
  }
  if (record.rd != 0) line += fmt::format(" {}={:016x}", register_name(record.rd), record.rd_wdata);
  const auto bytes = [](unsigned mask) { return 2 * std::popcount(mask); };
  if (record.mem_rmask != 0) {
    line += fmt::format(" [{:x}] -> {:0{}x}", record.mem_addr, record.mem_rdata, bytes(record.mem_rmask));
  }
  if (record.mem_wmask > 0xff) {
    line +=
        fmt::format(" [{:x}] <- {:016x}{:016x}", record.mem_addr, record.mem_wdata_high, record.mem_wdata);
  } else if (record.mem_wmask != 0) {
    line += fmt::format(" [{:x}] <- {:0{}x}", record.mem_addr, record.mem_wdata, bytes(record.mem_wmask));
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

}  // namespace swai::iss
