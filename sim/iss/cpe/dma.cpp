// SPDX-License-Identifier: Apache-2.0
#include "sim/iss/cpe/dma.hpp"

#include <algorithm>

#include "sim/iss/cpe/units.hpp"

namespace swai::iss::cpe {

void Dma::reset() {
  end_launch();
  begun_ = 0;
  fault_ = {};
}

Environment::Answer Dma::issue(const Command& command) {
  switch (command.op) {
    case dma_op::kGlobal:
    case dma_op::kShape:
      set(command.op, command.rs1, command.rs2);
      return {};
    case dma_op::kClass:
      if (command.rs1 > dma_class::kBackground) return {.kind = Environment::Answer::kBad};
      background_ = command.rs1 == dma_class::kBackground;
      return {};
    case dma_op::kLoad:
    case dma_op::kStore:
      return transfer(command);
    case dma_op::kWait:
      return {.kind = reached(begun_, command.rs1) ? Environment::Answer::kDone : Environment::Answer::kWait};
    case dma_op::kPoll:
      return {.data = reached(begun_, command.rs1)};
    default:
      return {.kind = Environment::Answer::kBad};
  }
}

Environment::Answer Dma::transfer(const Command& command) {
  const Shape shape = shape_;
  const uint64_t bytes = command.rs2;
  const uint64_t start = uint64_t{command.rs1} - kLdmBase;  // below the LDM: far beyond its end
  if (bytes == 0 || shape.rows == 0 || command.rs1 < kLdmBase ||
      start + uint64_t{shape.rows - 1} * shape.ldm_stride + bytes > ldm_.size()) {
    return {.kind = Environment::Answer::kBad};
  }
  shape_ = {};
  ++begun_;
  const bool store = command.op == dma_op::kStore;
  for (uint32_t row = 0; row < shape.rows; ++row) {
    uint64_t offset = global_ + static_cast<uint64_t>(row * shape.global_stride);
    auto local = ldm_.subspan(start + uint64_t{row} * shape.ldm_stride, bytes);
    if (move_at_once(store, offset & segment::kOffsetMask, local)) continue;
    while (!local.empty()) {
      offset &= segment::kOffsetMask;
      const auto piece = local.first(std::min<uint64_t>(local.size(), kLineBytes - offset % kLineBytes));
      if (!move(store, offset, piece, command.pc)) return {.data = begun_};
      offset += piece.size();
      local = local.subspan(piece.size());
    }
  }
  return {.data = begun_};
}

// The offset of a segment never ends within a piece that can be moved so: its limit is lower.
bool Dma::move_at_once(bool store, uint64_t offset, std::span<uint8_t> local) {
  const uint16_t number = segment::number(global_);
  if (!(store ? memory_.write_lines(number, offset, local) : memory_.read_lines(number, offset, local))) {
    return false;
  }
  count(store, local.size());
  lines_ += lines_of(offset, local.size());
  return true;
}

bool Dma::move(bool store, uint64_t offset, std::span<uint8_t> local, uint32_t pc) {
  const uint16_t number = segment::number(global_);
  const Cause cause = store ? memory_.write(number, offset, local) : memory_.read(number, offset, local);
  if (cause != Cause::kNone) {
    fault_ = {.cause = cause,
              .access = store ? Access::kWrite : Access::kRead,
              .dma = true,
              .pc = pc,
              .segment = number,
              .offset = offset};
    return false;
  }
  count(store, local.size());
  ++lines_;
  return true;
}

// --- For checks

Footprint Dma::footprint(const Command& command) const {
  Footprint uses;
  LdmBytes& bytes = command.op == dma_op::kStore ? uses.reads : uses.writes;
  for (uint32_t row = 0; row < shape_.rows; ++row) {
    bytes.add(int64_t{command.rs1} - kLdmBase + int64_t{row} * shape_.ldm_stride, command.rs2);
  }
  return uses;
}

std::vector<std::pair<uint64_t, uint64_t>> Dma::rows_of(const Command& command) const {
  std::vector<std::pair<uint64_t, uint64_t>> rows;
  for (uint32_t row = 0; row < shape_.rows; ++row) {
    const uint64_t offset = global_ + static_cast<uint64_t>(row * shape_.global_stride);
    rows.emplace_back(offset & segment::kOffsetMask, command.rs2);
  }
  return rows;
}

}  // namespace swai::iss::cpe
