#include "verif/mpe/trace.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include "verif/common/elf.hpp"

namespace swai::mpe {

namespace {

uint64_t accessed(uint64_t data, uint8_t mask) {
  return mask == 0xff ? data : data & ((uint64_t{1} << (8 * __builtin_popcount(mask))) - 1);
}

}  // namespace

std::string format_record(const Record& record) {
  const auto& r = record.retirement;
  auto line = fmt::format("{:>10} {} {:016x} ", record.cycle, "US?M"[static_cast<unsigned>(r.mode)], r.pc);
  if (r.intr) return line + fmt::format("interrupt {:#x}, to {:#x}", r.cause, r.next_pc);
  line += (r.insn & 3) == 3 ? fmt::format("{:08x}", r.insn) : fmt::format("{:04x}    ", r.insn & 0xffff);
  if (r.trap) return line + fmt::format(" trap {}, tval {:#x}, to {:#x}", r.cause, r.tval, r.next_pc);
  if (r.rd != 0) line += fmt::format(" x{}={:016x}", r.rd, r.rd_wdata);
  if (r.mem_rmask != 0) {
    line += fmt::format(" [{:016x}]->{:x}", r.mem_addr, accessed(r.mem_rdata, r.mem_rmask));
  }
  if (r.mem_wmask != 0) {
    line += fmt::format(" [{:016x}]<-{:x}", r.mem_addr, accessed(r.mem_wdata, r.mem_wmask));
  }
  return line;
}

Trace::Trace(const std::string& path) : file_(std::fopen(path.c_str(), "w"), std::fclose) {
  if (!file_)
    throw common::InputError(fmt::format("{}: cannot write the trace: {}", path, std::strerror(errno)));
}

void Trace::retired(const Record& record) { fmt::print(file_.get(), "{}\n", format_record(record)); }

}  // namespace swai::mpe
