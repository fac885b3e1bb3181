// SPDX-License-Identifier: Apache-2.0
// The rows of x that steps need. When they are few all of them are loaded once and stay. If they are several,
// or one that is long, a row of CPEs reads them once: 32 readers of eight rows would move a fifth of what
// weights of four bits do.
#pragma once

#include "cpe-kernels/operators/linear/steps.hpp"

namespace swai::operators {

// Some rows of a matrix: `stride` bytes apart in memory, `pitch` bytes in local memory.
inline dma::Ticket load_rows(std::byte* to, uint32_t pitch, GlobalPtr<const void> from, uint32_t stride,
                             cpe::Part rows, uint32_t row_bytes) {
  if (rows.count == 0) return {};
  const auto at = from.plus_bytes(static_cast<int64_t>(uint64_t{rows.first} * stride));
  std::byte* const place = to + rows.first * pitch;
  if (rows.count == 1) return dma::load(place, at, row_bytes);
  return dma::load(
      place, at, row_bytes,
      {static_cast<uint16_t>(rows.count), static_cast<uint16_t>(pitch), static_cast<int32_t>(stride)});
}

class Activations {
 public:
  // `bytes`: of an element.
  Activations(GlobalPtr<const void> x, uint32_t stride, uint32_t bytes, const Blocks& blocks, Arena& arena)
      : x_(x), stride_(stride), bytes_(bytes), blocks_(blocks) {
    const auto pitch_for = [&](uint32_t depth) { return (depth * bytes + 31) / 32 * 32 + 32; };
    const uint32_t rows = blocks.all().rows;
    const uint32_t depth = blocks.all().depth;
    stays_ = rows <= kFewRows && depth <= kStays && rows * pitch_for(depth) <= kStays;
    pitch_ = pitch_for(stays_ ? depth : blocks.depth());
    if (stays_ && cpe::all_cpes()) {
      const uint32_t pieces = (depth * bytes + kPiece - 1) / kPiece;
      if (rows > 1) {
        shared_ = {rows, pitch_};
      } else if (pieces >= kWorthwhile && blocks.everyone()) {
        shared_ = {pieces, kPiece};
      }
    }
    if (stays_ && (shared() || blocks.any())) all_ = arena.take<std::byte>(rows * pitch_);
  }

  // Once, behind the node's barrier, before the first step is loaded. Who shares them does, also without
  // work.
  void begin() {
    if (all_ == nullptr) return;
    if (!shared()) {
      load_rows(all_, pitch_, x_, stride_, {0, blocks_.all().rows}, blocks_.all().depth * bytes_);
      return;
    }
    const cpe::Part own = cpe::part_of(shared_.count, cpe::columns(), cpe::column_number());
    if (blocks_.all().rows > 1) {
      loaded_ = load_rows(all_, pitch_, x_, stride_, own, blocks_.all().depth * bytes_);
    } else if (own.count != 0) {
      const uint32_t first = own.first * kPiece;
      loaded_ = dma::load(all_ + first, x_.plus_bytes(first),
                          std::min(own.count * kPiece, blocks_.all().depth * bytes_ - first));
    }
  }

  // All CPEs do so once, after the first steps' transfers have begun and before the first step.
  void share() const {
    if (!shared()) return;
    dma::wait(loaded_);
    cpe::Exchange<cpe::row> parts;
    parts.begin(all_, shared_.pitch, shared_.count, cpe::columns());
    parts.wait();
  }

  bool stay() const { return stays_; }
  bool shared() const { return shared_.count != 0; }
  uint32_t pitch() const { return pitch_; }
  // Of a slot.
  uint32_t room() const { return stays_ ? 0 : (blocks_.rows() * pitch_ + 63) / 64 * 64; }

  dma::Ticket load(const Step& step, std::byte* slot) const {
    if (stays_) return {};
    const auto at =
        x_.plus_bytes(static_cast<int64_t>(uint64_t{step.row} * stride_ + uint64_t{step.k} * bytes_));
    return load_rows(slot, pitch_, at, stride_, blocks_.own_of_x(step.rows), step.depth * bytes_);
  }
  // Where the step's are.
  const std::byte* at(const Step& step, const std::byte* slot) const {
    return stays_ ? all_ + step.k * bytes_ : slot;
  }

 private:
  static constexpr uint32_t kStays = 45056;  // bytes
  // Of a long row, a line of memory each; with fewer of them an exchange takes longer than all CPEs' loads.
  static constexpr uint32_t kPiece = 64;
  static constexpr uint32_t kWorthwhile = 16;
  // Rows or pieces of which each CPE of a row reads its part.
  struct Shared {
    uint32_t count = 0;
    uint32_t pitch = 0;
  };

  GlobalPtr<const void> x_;
  uint32_t stride_;
  uint32_t bytes_;
  const Blocks& blocks_;
  uint32_t pitch_;
  bool stays_;
  Shared shared_;
  std::byte* all_ = nullptr;
  dma::Ticket loaded_ = {};
};

// After it what all CPEs that share them have loaded of a step's x and w is there. Rows of x, parts of w.
inline void exchange(const Step& step, std::byte* x, uint32_t x_pitch, std::byte* w, uint32_t w_pitch,
                     uint32_t w_count) {
  cpe::Exchange<cpe::row> xs;
  cpe::Exchange<cpe::column> ws;
  // Weights are more, and go while rows are asked for.
  ws.begin(w, w_pitch, w_count, cpe::rows());
  xs.begin(x, x_pitch, step.rows, cpe::columns());
  xs.wait();
  ws.wait();
}

}  // namespace swai::operators
