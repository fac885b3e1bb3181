// SPDX-License-Identifier: Apache-2.0
// Hart's blocks: rows of instructions that are executed one after the other.
#include <algorithm>
#include <cstring>

#include "sim/iss/mpe/execute.hpp"
#include "sim/iss/mpe/hart.hpp"

namespace swai::iss {

namespace {

// Whether the immediate counts from the instruction's address.
bool is_relative(const InsnInfo& info) {
  return info.format == Format::kBranch || info.format == Format::kJ || info.row == exec::auipc::row;
}

}  // namespace

void Hart::decode_block(Block& block, BlockSource& source, uint64_t room) {
  if (steps_used_ + Block::kSteps + 1 > kRoom) {
    std::ranges::fill(blocks_, Block{});
    steps_used_ = 0;
  }
  Step* const row = &steps_[steps_used_];
  unsigned steps = 0;
  unsigned bytes = 0;
  const InsnInfo* before = nullptr;
  bool ends = false;
  while (!ends && steps < Block::kSteps && bytes + sizeof(uint32_t) <= room) {
    uint32_t bits;
    std::memcpy(&bits, source.code + bytes, sizeof bits);
    const Insn insn = decode(bits);
    if (insn.info == nullptr) break;
    const bool clock = reads_clock(insn);
    if (insn.info->place == Place::kAlone && !clock) break;
    ends = insn.info->place == Place::kLast;
    Step& step = row[steps];
    step = {clock ? exec::read_clock : insn.info->row, insn};
    if (step.operation.rd == 0 && insn.info->format != Format::kPair) step.operation.rd = kNowhere;
    if (is_relative(*insn.info)) step.operation.imm += static_cast<int32_t>(bytes);
    if (before != nullptr && before->pairs != nullptr && before->pairs[insn.info->number] != nullptr) {
      row[steps - 1].row = before->pairs[insn.info->number];
    }
    before = insn.info;
    source.offsets[steps++] = static_cast<uint8_t>(bytes);
    bytes += insn.length;
  }
  source.offsets[steps] = static_cast<uint8_t>(bytes);
  source.bytes = bytes;
  std::memcpy(source.copy.data(), source.code, bytes);
  for (unsigned i = 0; i < steps; ++i) row[i].operation.length = static_cast<uint8_t>(steps - i);
  Step& last = row[ends ? steps - 1 : steps];
  if (!ends) last = {.row = steps == 0 ? exec::end_here : exec::end_of_row, .operation = {}};
  last.operation.length = static_cast<uint8_t>(bytes);
  block.row = row;
  block.steps = steps;
  steps_used_ += steps + 1;
}

}  // namespace swai::iss
