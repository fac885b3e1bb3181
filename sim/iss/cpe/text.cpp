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
