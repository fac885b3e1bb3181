// SPDX-License-Identifier: Apache-2.0
#include "sim/iss/mpe/hart.hpp"

#include <cstring>

#include "sim/iss/mpe/csr_numbers.hpp"

namespace swai::iss {

Hart::Hart(Memory& memory, const HartConfig& config)
    : memory_(memory),
      config_(config),
      decoded_(kDecoded, decode(0)),
      blocks_(kBlocks),
      sources_(std::make_unique_for_overwrite<BlockSource[]>(kBlocks)),
      steps_(std::make_unique_for_overwrite<Step[]>(kRoom)) {
  reset();
}

void Hart::reset() {
  pc_ = config_.reset_pc;
  x_.fill(0);
  csrs_ = {};
  csrs_.mstatus = mstatus::kUxl | mstatus::kSxl;
  software_mip_ = 0;
  mcountinhibit_ = 0;
  cycle_ = {};
  events_ = {};
  selectors_ = {};
  reservation_.reset();
  nmi_pending_ = false;
  waiting_ = false;
  stuck_ = false;
  ticks_ = 0;
  time_offset_ = 0;
  set_privilege(Privilege::kMachine);
  flush_translations();
}

void Hart::set_lines(const Lines& lines) {
  line_mip_ = (lines.m_software ? irq::kMsi : 0) | (lines.m_timer ? irq::kMti : 0) |
              (lines.m_external ? irq::kMei : 0) | (lines.s_external ? irq::kSei : 0);
}

// Makes the block at pc valid; false where it does not lie in a page of plain memory whose translation is
// known.
bool Hart::renew(uint64_t pc) {
  const uint64_t offset = pc % kPageBytes;
  const Translation& page = slot(pc, Access::kFetch);
  if (page.tag != (pc - offset + fetch_context_) || page.host == nullptr) return false;
  const uint8_t* const code = page.host + offset;
  Block& block = blocks_[index(pc)];
  BlockSource& source = sources_[index(pc)];
  const bool same = block.key != 0 && block.pc == pc && source.code == code &&
                    std::memcmp(source.copy.data(), code, source.bytes) == 0;
  if (!same) {
    source.code = code;
    decode_block(block, source, kPageBytes - offset);
    block.pc = pc;
  }
  block.key = code_key_;
  return true;
}

inline const Insn* Hart::fetch() {
  const uint64_t offset = pc_ % kPageBytes;
  const Translation& page = slot(pc_, Access::kFetch);
  if (page.tag != (pc_ - offset + fetch_context_) || page.host == nullptr || offset > kPageBytes - 4)
      [[unlikely]] {
    return fetch_slowly();
  }
  uint32_t bits;
  std::memcpy(&bits, page.host + offset, sizeof bits);
  if (insn_length(bits) == 2) bits &= 0xffff;
  Insn& insn = decoded_[(pc_ / 2) % kDecoded];
  if (insn.bits != bits) [[unlikely]] {
    insn = decode(bits);
  }
  return &insn;
}

// Returns whether the instruction completed; if not, the exception is raised but not taken yet.
inline bool Hart::execute(const Insn& insn) {
  next_pc_ = pc_ + insn.length;
  bits_ = insn.bits;
  instret_increment_ = instret_increment();
  insn.handler(*this, insn);
  if (raised_) [[unlikely]] {
    return false;
  }
  pc_ = next_pc_;
  csrs_.minstret += instret_increment_;
  return true;
}

inline std::optional<uint64_t> Hart::interrupt_to_take() {
  if (config_.interrupts == Interrupts::kWhenTold) return std::nullopt;
  if (nmi_pending_) return cause::kNmi;
  if (wake_sources() == 0) [[likely]] {
    return std::nullopt;
  }
  return enabled_interrupt();
}

inline void Hart::execute_one() {
  const Insn* insn = fetch();
  if (insn == nullptr || !execute(*insn)) take_trap(cause_, tval_);
  ++ticks_;
}

// This one, and those that follow, as far as they are known. Ends early where an instruction raises an
// exception, which is taken then, or calls stop().
inline void Hart::execute(const Block& block, uint64_t left) {
  const uint64_t before = ticks_;
  block.row->row(*this, block.row, pc_, left - block.steps);
  csrs_.minstret += instret_increment() * (ticks_ - before);
  if (!raised_) [[likely]] {
    return;
  }
  take_trap(cause_, tval_);
  ++ticks_;
}

uint64_t Hart::run(uint64_t limit) {
  stop_ = false;
  uint64_t steps = 0;
  while (steps < limit && !stop_ && !waiting()) {
    waiting_ = false;
    const uint64_t before = ticks_;
    last_tick_ = before + (limit - steps);
    if (const auto interrupt = interrupt_to_take()) {
      take_trap(*interrupt, 0);
      ++ticks_;
    } else if (const Block* const next = seek(pc_, limit - steps); next != nullptr && next->steps != 0) {
      execute(*next, limit - steps);
    } else {
      execute_one();
    }
    steps += ticks_ - before;
  }
  return steps;
}

bool Hart::inject(uint32_t bits) {
  constexpr uint32_t kOpcode = 0x7f;
  constexpr uint32_t kSystem = 0x73;
  const uint64_t pc = pc_;
  const Privilege privilege = privilege_;
  if ((bits & kOpcode) == kSystem) set_privilege(Privilege::kMachine);
  const bool good = execute(decode(bits));
  raised_ = false;
  waiting_ = false;
  pc_ = pc;
  set_privilege(privilege);
  return good;
}

Retirement Hart::step() {
  Retirement record;
  waiting_ = false;
  if (const auto interrupt = interrupt_to_take()) {
    record_interrupt(*interrupt, record);
    return record;
  }
  record.pc = pc_;
  record.mode = privilege_;
  record.mip = mip();
  mem_rmask_ = 0;
  mem_wmask_ = 0;
  const Insn* insn = fetch();
  if (insn != nullptr) record.insn = insn->bits;
  if (insn != nullptr && execute(*insn)) {
    record.rd = insn->info->format == Format::kPair ? uint8_t{0} : insn->rd;
    record.rd_wdata = x_[record.rd];
    if (mem_rmask_ != 0 || mem_wmask_ != 0) {
      record.mem_addr = mem_addr_;
      record.mem_rmask = mem_rmask_;
      record.mem_wmask = mem_wmask_;
      if (mem_rmask_ != 0) record.mem_rdata = mem_rdata_;
      if (mem_wmask_ != 0) record.mem_wdata = mem_wdata_;
      if (mem_wmask_ > 0xff) record.mem_wdata_high = mem_wdata_high_;
    }
  } else {
    record.trap = true;
    record.cause = cause_;
    record.tval = tval_;
    take_trap(cause_, tval_);
  }
  record.next_pc = pc_;
  ++ticks_;
  return record;
}

Retirement Hart::step(const Supply& supply) {
  apply(supply);
  supply_ = &supply;
  const Retirement record = step();
  supply_ = nullptr;
  return record;
}

}  // namespace swai::iss
