// SPDX-License-Identifier: Apache-2.0
#include "sim/run/mpe/mpe_sim.hpp"

#include <algorithm>
#include <cstring>

namespace swai::mpe {

namespace {

constexpr unsigned kResetCycles = 8;

}  // namespace

MpeSim::MpeSim(const Options& options) : run_(options.power_up_seed), memory_(options.memory) {
  // Errors come back as gotFinish(), so that whoever runs the model can say how to replay them.
  run_.top().contextp()->fatalOnError(false);
  drive({});
  set_lines({});
  reset(options.boot_addr, options.nmi_addr, options.memory.seed);
}

void MpeSim::reset(uint64_t boot_addr, uint64_t nmi_addr, std::optional<uint64_t> stall_seed) {
  auto& top = run_.top();
  memory_.reset(stall_seed);
  top.boot_addr_i = boot_addr;
  top.nmi_addr_i = nmi_addr;
  top.time_i = 0;
  top.irq_m_timer_i = 0;
  top.irq_m_software_i = 0;
  top.req_ready_i = memory_.ready();
  top.rsp_valid_i = 0;
  top.rst_ni = 0;
  for (unsigned i = 0; i < kResetCycles; ++i) run_.tick();
  top.rst_ni = 1;
  bus_active_ = memory_.timed();
  cycles_ = 0;
  events_.fill(0);
  stop_ = false;
}

void MpeSim::remove_observer(Observer& observer) { std::erase(observers_, &observer); }

bool MpeSim::run(uint64_t limit) {
  auto& top = run_.top();
  for (uint64_t n = 0; n < limit; ++n) {
    tick();
    if (top.watch_hit_o || top.dbg_halted_o || stop_) return true;
  }
  return false;
}

void MpeSim::set_lines(const Lines& lines) {
  lines_ = lines;
  auto& top = run_.top();
  top.irq_m_external_i = lines.m_external;
  top.irq_s_external_i = lines.s_external;
  top.nmi_i = lines.nmi;
}

void MpeSim::drive_active_bus(Vmpe_tb& top) {
  common::MbusRequest request;
  const bool offered = top.req_valid_o;
  if (offered) {
    request.op = static_cast<common::MbusOp>(top.req_op_o);
    request.id = top.req_id_o;
    request.size = top.req_size_o;
    request.addr = top.req_addr_o;
    request.strb = top.req_strb_o;
    request.data = top.req_data_o.data();
  }
  const bool taken = offered && memory_.ready();
  const common::MbusResponse* response = memory_.clock(offered ? &request : nullptr);
  if (taken && request.op != common::MbusOp::kRead && request.op != common::MbusOp::kLr)
    notify_write(request);
  top.req_ready_i = memory_.ready();
  top.rsp_valid_i = response != nullptr;
  if (response != nullptr) {
    top.rsp_id_i = response->id;
    top.rsp_err_i = response->err;
    std::memcpy(top.rsp_data_i.data(), response->data.data(), response->data.size());
  }
  bus_active_ = response != nullptr || memory_.timed();
}

void MpeSim::notify() {
  const Record now = record();
  for (Observer* observer : observers_) observer->retired(now);
}

void MpeSim::notify_write(const common::MbusRequest& request) {
  constexpr uint64_t kLineBytes = common::kMbusLineBytes;
  const uint64_t offset = request.addr % kLineBytes;
  MemoryWrite write{.line = request.addr - offset, .strobes = request.strb};
  const common::Ram& ram = memory_.ram();
  if (!ram.contains(write.line, kLineBytes)) return;
  if (request.op != common::MbusOp::kWrite)
    write.strobes = ((uint64_t{1} << (1U << request.size)) - 1) << offset;
  std::memcpy(write.bytes.data(), ram.at(write.line), kLineBytes);
  for (Observer* observer : observers_) observer->wrote_memory(write);
}

void MpeSim::add_events() {
  for (unsigned left = run_.top().events_o; left != 0; left &= left - 1) {
    ++events_[static_cast<unsigned>(__builtin_ctz(left))];
  }
}

Record MpeSim::record() {
  const auto& top = run_.top();
  Record r;
  r.cycle = cycles_;
  r.retirement = {.pc = top.rvfi_pc,
                  .next_pc = top.rvfi_next_pc,
                  .insn = top.rvfi_insn,
                  .trap = top.rvfi_trap != 0,
                  .intr = top.rvfi_intr != 0,
                  .cause = top.rvfi_cause,
                  .tval = top.rvfi_tval,
                  .mode = static_cast<iss::Privilege>(top.rvfi_mode),
                  .rd = top.rvfi_rd,
                  .rd_wdata = top.rvfi_rd_wdata,
                  .mem_addr = top.rvfi_mem_addr,
                  .mem_rmask = top.rvfi_mem_rmask,
                  .mem_wmask = top.rvfi_mem_wmask,
                  .mem_rdata = top.rvfi_mem_rdata,
                  .mem_wdata = top.rvfi_mem_wdata,
                  .mem_wdata_high = top.rvfi_mem_wdata_high,
                  .mip = top.rvfi_mip};
  r.mem_paddr = top.rvfi_mem_paddr;
  r.privilege = static_cast<iss::Privilege>(top.rvfi_priv);
  r.csrs = {.mstatus = top.rvfi_csr_mstatus,
            .mie = top.rvfi_csr_mie,
            .mtvec = top.rvfi_csr_mtvec,
            .mscratch = top.rvfi_csr_mscratch,
            .mepc = top.rvfi_csr_mepc,
            .mcause = top.rvfi_csr_mcause,
            .mtval = top.rvfi_csr_mtval,
            .medeleg = top.rvfi_csr_medeleg,
            .mideleg = top.rvfi_csr_mideleg,
            .mcounteren = top.rvfi_csr_mcounteren,
            .menvcfg = top.rvfi_csr_menvcfg,
            .stvec = top.rvfi_csr_stvec,
            .sscratch = top.rvfi_csr_sscratch,
            .sepc = top.rvfi_csr_sepc,
            .scause = top.rvfi_csr_scause,
            .stval = top.rvfi_csr_stval,
            .satp = top.rvfi_csr_satp,
            .scounteren = top.rvfi_csr_scounteren,
            .senvcfg = top.rvfi_csr_senvcfg,
            .minstret = top.rvfi_csr_minstret};
  return r;
}

void MpeSim::drive(const common::DebugRequest& request) {
  auto& top = run_.top();
  top.dbg_update_i = 1;
  top.dbg_halt_i = request.halt;
  top.dbg_resume_i = request.resume;
  top.dbg_step_i = request.step;
  top.dbg_ebreak_halts_i = request.ebreak_halts;
  top.dbg_insn_valid_i = request.insn_valid;
  top.dbg_insn_i = request.insn;
  top.dbg_data_we_i = request.data_we;
  top.dbg_data_i = request.data;
  top.dbg_bp_en_i = request.bp_en;
  static_assert(sizeof top.dbg_bp_addr_i == sizeof request.bp_addr);
  std::memcpy(top.dbg_bp_addr_i.data(), request.bp_addr.data(), sizeof request.bp_addr);
}

common::DebugResponse MpeSim::sample() const {
  const auto& top = run_.top();
  return {.halted = top.dbg_halted_o != 0,
          .cause = top.dbg_cause_o,
          .busy = top.dbg_busy_o != 0,
          .fault = top.dbg_fault_o != 0,
          .data = top.dbg_data_o};
}

}  // namespace swai::mpe
