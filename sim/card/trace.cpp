// SPDX-License-Identifier: Apache-2.0
#include "sim/card/trace.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "sim/iss/mpe/trace.hpp"

namespace swai::card {

Trace::Trace(const std::string& path) : file_(std::fopen(path.c_str(), "w"), std::fclose) {
  if (!file_)
    throw std::runtime_error(fmt::format("trace {}: cannot write it: {}", path, std::strerror(errno)));
}

void Trace::record(uint64_t cycle, const Vcard_top& top) {
  const iss::Retirement retirement = {.pc = top.rvfi_pc_o,
                                      .next_pc = top.rvfi_next_pc_o,
                                      .insn = top.rvfi_insn_o,
                                      .trap = top.rvfi_trap_o != 0,
                                      .intr = top.rvfi_intr_o != 0,
                                      .cause = top.rvfi_cause_o,
                                      .tval = top.rvfi_tval_o,
                                      .mode = static_cast<iss::Privilege>(top.rvfi_mode_o),
                                      .rd = top.rvfi_rd_o,
                                      .rd_wdata = top.rvfi_rd_wdata_o,
                                      .mem_addr = top.rvfi_mem_addr_o,
                                      .mem_rmask = top.rvfi_mem_rmask_o,
                                      .mem_wmask = top.rvfi_mem_wmask_o,
                                      .mem_rdata = top.rvfi_mem_rdata_o,
                                      .mem_wdata = top.rvfi_mem_wdata_o,
                                      .mem_wdata_high = top.rvfi_mem_wdata_high_o};
  fmt::print(file_.get(), "{:>10} {}\n", cycle, iss::trace_line(retirement));
}

}  // namespace swai::card
