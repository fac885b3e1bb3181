// SPDX-License-Identifier: Apache-2.0
#include "sim/iss/cpe/text.hpp"

#include <fmt/format.h>

#include <bit>

#include "abi/launch.hpp"
#include "abi/wait.hpp"

namespace swai::iss::cpe {

std::string text(const Fault& fault) {
  std::string place;
  if (fault.access != Access::kNone) {
    const char* const engine = fault.cause == Cause::kCommand ? "unit " : "DMA ";
    place = fmt::format("{}{} at {:#x}", fault.dma ? engine : "", text(fault.access), fault.offset);
    if (fault.segment != kNoSegment) place += fmt::format(" of segment {}", fault.segment);
    place += ": ";
  }
  return fmt::format("{}{}, pc {:#010x}", place, text(fault.cause), fault.pc);
}

const char* text(Finding::Kind kind) {
  switch (kind) {
    case Finding::kTooEarly:
      return "too early";
    case Finding::kOverwrites:
      return "overwrites";
    case Finding::kTwoWriters:
      return "two writers";
    case Finding::kOwnOperands:
      return "own operands";
    case Finding::kNotCleaned:
      return "not cleaned";
  }
  return "";
}

std::string text(const Finding::Party& party) {
  switch (party.unit) {
    case unit::kDma:
      return fmt::format("DMA {} {}", party.op == dma_op::kLoad ? "load" : "store", party.ticket);
    case unit::kRow:
    case unit::kColumn:
      return fmt::format("{} {} on the {} channel", party.op == channel_op::kSend ? "send" : "receive",
                         party.ticket, party.unit == unit::kRow ? "row" : "column");
    case unit::kSystolic:
      return fmt::format("run {} of the systolic unit", party.ticket);
    case unit::kVector:
      return fmt::format("run {} of the vector unit", party.ticket);
    default:
      return "the core";
  }
}

std::string text(const Finding& finding, const std::function<std::string(uint32_t pc)>& place) {
  const std::string here = fmt::format("{}, pc {:#010x}", place(finding.late.pc), finding.late.pc);
  const std::string times = finding.times == 1 ? "" : fmt::format("; {} times", finding.times);
  if (finding.kind == Finding::kNotCleaned) {
    return fmt::format(
        "CPE {}: {} reads the line at {:#x} of memory, which the management processor has written at pc "
        "{:#x} "
        "and not cleaned ({}){}",
        list(finding.cpes), text(finding.late), finding.line.address, finding.line.writer, here, times);
  }
  const bool reads = finding.kind == Finding::kTooEarly;
  const std::string what = fmt::format("CPE {}: {} {} {:#010x} to {:#010x} of local memory, which ",
                                       list(finding.cpes), text(finding.late), reads ? "reads" : "writes",
                                       kLdmBase + finding.bytes.begin, kLdmBase + finding.bytes.end - 1);
  if (finding.kind == Finding::kOwnOperands) return fmt::format("{}it reads later ({}){}", what, here, times);
  return fmt::format("{}{} still {} ({}; begun in {}, pc {:#010x}, and not waited for){}", what,
                     text(finding.early), finding.kind == Finding::kOverwrites ? "reads" : "writes", here,
                     place(finding.early.pc), finding.early.pc, times);
}

std::string list(uint32_t mask) {
  std::string text;
  launch::put_cores(mask, [&text](std::string_view piece) { text += piece; });
  return text;
}

std::string trace_line(unsigned cpe, const Retirement& record) {
  const bool compressed = (record.insn & 3) != 3;
  std::string line = fmt::format("{:2} {:08x} {:>8}", cpe, record.pc,
                                 fmt::format("{:0{}x}", record.insn, compressed ? 4 : 8));
  const auto digits = [](uint8_t mask) { return 2 * std::popcount(mask); };
  if (record.rd != 0) line += fmt::format(" x{}={:08x}", record.rd, record.rd_wdata);
  if (record.mem_rmask != 0) {
    line += fmt::format(" [{:08x}] -> {:0{}x}", record.mem_addr, record.mem_rdata, digits(record.mem_rmask));
  }
  if (record.mem_wmask != 0) {
    line += fmt::format(" [{:08x}] <- {:0{}x}", record.mem_addr, record.mem_wdata, digits(record.mem_wmask));
  }
  return line;
}

}  // namespace swai::iss::cpe
