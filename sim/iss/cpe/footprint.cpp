// SPDX-License-Identifier: Apache-2.0
// Which bytes of local memory commands use: sets of them, and those of each unit's commands.
#include "sim/iss/cpe/footprint.hpp"

#include <algorithm>

#include "sim/iss/cpe/channel.hpp"
#include "sim/iss/cpe/dma.hpp"
#include "sim/iss/cpe/systolic.hpp"
#include "sim/iss/cpe/vector.hpp"

namespace swai::iss::cpe {

void LdmBytes::add(int64_t at, int64_t bytes) {
  const int64_t first = std::max<int64_t>(at, 0);
  const int64_t behind = std::min<int64_t>(at + bytes, kLdmBytes);
  if (first >= behind) return;
  const auto begin = static_cast<uint32_t>(first);
  const auto end = static_cast<uint32_t>(behind);
  if (!spans_.empty()) {
    Span& last = spans_.back();
    if (begin >= last.begin && begin <= last.end) {
      last.end = std::max(last.end, end);
      return;
    }
    sorted_ = sorted_ && begin > last.end;
  }
  spans_.push_back({begin, end});
}

const std::vector<Span>& LdmBytes::sorted() const {
  if (sorted_) return spans_;
  std::ranges::sort(spans_, {}, &Span::begin);
  size_t kept = 0;
  for (const Span& span : spans_) {
    if (kept != 0 && span.begin <= spans_[kept - 1].end) {
      spans_[kept - 1].end = std::max(spans_[kept - 1].end, span.end);
    } else {
      spans_[kept++] = span;
    }
  }
  spans_.resize(kept);
  sorted_ = true;
  return spans_;
}

std::optional<Span> LdmBytes::common(Span span) const {
  const std::vector<Span>& spans = sorted();
  const auto first = std::ranges::upper_bound(spans, span.begin, {}, &Span::end);
  if (first == spans.end() || first->begin >= span.end) return std::nullopt;
  return Span{std::max(first->begin, span.begin), std::min(first->end, span.end)};
}

std::optional<Span> LdmBytes::common(const LdmBytes& other) const {
  const std::vector<Span>& a = sorted();
  const std::vector<Span>& b = other.sorted();
  for (size_t i = 0, k = 0; i < a.size() && k < b.size();) {
    const Span both{std::max(a[i].begin, b[k].begin), std::min(a[i].end, b[k].end)};
    if (both.begin < both.end) return both;
    (a[i].end < b[k].end ? i : k) += 1;
  }
  return std::nullopt;
}

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

Footprint Channel::footprint(const Command& command) {
  Footprint uses;
  LdmBytes& bytes = command.op == channel_op::kSend ? uses.reads : uses.writes;
  bytes.add(int64_t{command.rs1} - kLdmBase, command.rs2 & 0xff'ffff);
  return uses;
}

// Of sparse weights whole words of activations are read, but what is not used does not count.
Footprint Systolic::footprint(uint32_t word) const {
  const Mode mode(word);
  Footprint uses;
  if (!legal(mode)) return uses;
  const auto tiles = [&](auto use) {
    for (uint32_t column = 0; column < now_.column_tiles; ++column) {
      for (uint32_t k = 0; k < now_.k_tiles; ++k) use(column, k);
    }
  };
  LdmBytes& reads = uses.reads;
  if (mode.weights == weights::kSparse) {
    tiles([&](uint32_t column, uint32_t k) {
      reads.add(weights_at(column, k), kSparseTileBytes);
      try {
        for (const auto& half : load_sparse(column, k).k) {
          for (const uint32_t index : half) reads.add(sparse_activations_at(index, 0), now_.rows);
        }
      } catch (const Overrun&) {  // the run will fault
      }
    });
  } else {
    if (mode.weights == weights::kInt4) {
      tiles([&](uint32_t column, uint32_t k) { reads.add(weights_at(column, k), kInt4TileBytes); });
      tiles([&](uint32_t column, uint32_t k) { reads.add(scales_at(column, k), kScalesBytes); });
    } else {
      tiles([&](uint32_t column, uint32_t k) {
        const int64_t at = weights_at(column, k);
        for (unsigned row = 0; row < kTile; ++row) reads.add(at + row * now_.weights.row_stride, kTile);
      });
    }
    // What lies side by side goes together.
    const bool by_k = now_.activations.k_stride < now_.activations.row_stride;
    for (uint32_t i = 0; i < (by_k ? now_.rows : now_.k_tiles); ++i) {
      for (uint32_t j = 0; j < (by_k ? now_.k_tiles : now_.rows); ++j) {
        reads.add(by_k ? activations_at(j, i) : activations_at(i, j), kTile);
      }
    }
  }
  if (mode.drain) {
    const bool scaled = mode.result != number::kInt32;
    for (uint32_t column = 0; column < now_.column_tiles; ++column) {
      for (uint32_t row = 0; row < now_.rows; ++row) {
        uses.writes.add(output_at(column, row), kTile * bytes_of(mode.result));
      }
      if (scaled) reads.add(now_.factors + column * kWord, kWord);
      if (scaled && mode.bias) reads.add(now_.biases + column * kWord, kWord);
    }
    if (scaled && mode.row_factors) reads.add(now_.row_factors, int64_t{4} * now_.rows);
  }
  uses.reads_late = reads;
  return uses;
}

Footprint Vector::footprint(uint32_t word) const {
  const Mode mode(word);
  Footprint uses;
  if (!legal(mode)) return uses;
  const bool reduces = mode.reduce != reduce::kNone;
  const auto is_place = [](const Operand& operand) {
    return operand.kind == operand_kind::kVector || operand.kind == operand_kind::kScalar;
  };
  // What a run does to a row of a place, from one group of elements on.
  const auto bytes_from = [&](const Operand& place, uint32_t first, uint32_t groups) {
    const uint32_t left = place.kind == operand_kind::kVector ? now_.elements - first : 1;
    return std::min(left, groups * kLanes) * bytes_of(place.number);
  };
  const auto add = [&](LdmBytes& bytes, const Operand& place) {
    if (!is_place(place)) return;
    for (uint32_t row = 0; row < now_.rows; ++row) {
      bytes.add(address(place, row, 0), bytes_from(place, 0, now_.elements));
    }
  };
  for (unsigned i = 0; i < now_.operands.size(); ++i) {
    if (lanes::uses(mode.op, i)) add(uses.reads, now_.operands[i]);
  }
  add(uses.writes, now_.result);
  const auto reduction = [&](uint32_t row) { return now_.reduce + row * now_.reduce_stride; };
  for (uint32_t row = 0; reduces && row < now_.rows; ++row) {
    uses.late_writes.add(reduction(row), sizeof(float));
  }
  if (!uses.writes.common(uses.reads) && !uses.late_writes.common(uses.reads)) return uses;

  // It may write over what it has read. Steps are groups; a group is read before its results are written.
  const uint32_t groups = (now_.elements + kLanes - 1) / kLanes;
  std::vector<uint32_t> last_read(kLdmBytes);
  const auto for_bytes = [&](int64_t at, int64_t bytes, auto f) {
    for (int64_t i = std::max<int64_t>(at, 0); i < std::min<int64_t>(at + bytes, kLdmBytes); ++i) f(i);
  };
  const auto for_groups = [&](const Operand& place, auto f) {
    if (!is_place(place)) return;
    for (uint32_t row = 0; row < now_.rows; ++row) {
      const uint32_t count = place.kind == operand_kind::kVector ? groups : 1;
      for (uint32_t group = 0; group < count; ++group) {
        for_bytes(address(place, row, group * kLanes), bytes_from(place, group * kLanes, 1),
                  [&](int64_t byte) { f(byte, row * groups + group); });
      }
    }
  };
  for (unsigned i = 0; i < now_.operands.size(); ++i) {
    if (!lanes::uses(mode.op, i)) continue;
    for_groups(now_.operands[i], [&](int64_t byte, uint32_t step) {
      uint32_t& last = last_read[static_cast<size_t>(byte)];
      last = std::max(last, step);
    });
  }
  const auto write = [&](int64_t byte, uint32_t step) {
    if (last_read[static_cast<size_t>(byte)] > step) uses.reads_late.add(byte, 1);
  };
  for_groups(now_.result, write);
  for (uint32_t row = 0; reduces && row < now_.rows; ++row) {
    for_bytes(reduction(row), sizeof(float), [&](int64_t byte) { write(byte, (row + 1) * groups - 1); });
  }
  return uses;
}

}  // namespace swai::iss::cpe
