// SPDX-License-Identifier: Apache-2.0
// Activations as the systolic unit wants them for sparse weights: slabs, which have for each k a byte of each
// of 32 rows. All depth of some rows is one, or, where weights are in several pieces, each step's is.
#pragma once

#include <algorithm>

#include "cpe-kernels/operators/linear/activations.hpp"
#include "swai/systolic.hpp"

namespace swai::operators {

namespace systolic = cpe::systolic;

// The vector unit turns them. A row of its results is a k, the eight elements are rows of x. Its first run
// selects between two rows' numbers, each that follows puts those of one more beside them.
class Slabs {
 public:
  static constexpr uint32_t kRowBytes = 32;
  static constexpr uint32_t kPlaces = 2;

  struct Source {
    GlobalPtr<const void> x;
    uint32_t stride;
  };
  Slabs(const Source& source, const Blocks& blocks, Arena& arena)
      : source_(source),
        blocks_(blocks),
        bytes_(bytes_of(blocks)),
        slabs_(arena.take<std::byte>(kPlaces * bytes_)),
        lanes_(arena.take<int8_t>(vector::kLanes * vector::kLanes)),
        step_(blocks.first()),
        asked_{step_, 0, false} {
    for (Raw& raw : raw_) raw.at = arena.take<std::byte>(kChunkRoom);
    for (uint32_t lane = 0; lane < vector::kLanes; ++lane) {
      for (uint32_t i = 0; i < vector::kLanes; ++i) lanes_[lane * vector::kLanes + i] = i == lane;
    }
  }
  static uint32_t bytes_of(const Blocks& blocks) {
    return std::min(blocks.depth(), blocks.all().depth) * kRowBytes;
  }
  static constexpr uint32_t room(uint32_t depth) { return kPlaces * depth * kRowBytes + 2 * kChunkRoom + 64; }

  // Begins to load the next rows. Two such calls may be ahead of what is turned.
  void ask() {
    if (asked_.none) return;
    Raw& raw = raw_[asked_count_++ & 1];
    raw.loaded = {};
    const uint32_t rows = asked_.step.rows;
    const cpe::Part part = chunk_of(asked_.step, asked_.number);
    if (rows != 0 && part.count != 0) {
      raw.loaded = load_rows(raw.at, kPitch,
                             source_.x.plus_bytes(static_cast<int64_t>(
                                 uint64_t{asked_.step.row} * source_.stride + asked_.step.k + part.first)),
                             source_.stride, {0, rows}, part.count);
    }
    if (rows != 0 && ++asked_.number < chunks_of(asked_.step)) return;
    asked_.number = 0;
    asked_.none = !next_of(asked_.step);
  }

  // The one that is turned now; counted from 0.
  uint32_t number() const { return number_; }
  bool more() const { return more_; }
  std::byte* at(uint32_t number) const { return slabs_ + number % kPlaces * bytes_; }

  // Of eight rows and some depth, each.
  uint32_t parts_left() const { return parts() - part_; }
  template <typename Meanwhile>
  void turn(uint32_t count, const Meanwhile& meanwhile) {
    for (; count != 0; --count, ++part_) {
      const uint32_t chunk = part_ / groups();
      const uint32_t group = part_ % groups();
      const Raw& raw = raw_[taken_ & 1];
      if (group == 0) dma::wait(raw.loaded);
      const vector::Ticket last =
          turn_group(raw.at, group * vector::kLanes, chunk_of(step_, chunk), meanwhile);
      if (group + 1 != groups()) continue;
      vector::wait(last);
      ++taken_;
      ask();
    }
  }
  // All of the first one. The systolic unit has nothing to do yet, and takes all rows but the first eight.
  void turn_first() {
    if (parts() == 0) return;
    float* const ones = reinterpret_cast<float*>(at(1));
    vector::size(std::min(kChunk, bytes_ / kRowBytes));
    vector::a(vector::value(1));
    vector::b(vector::value(1));
    vector::result(ones);
    vector::wait(vector::run(vector::Op::kMul));
    for (uint32_t chunk = 0; chunk != chunks_of(step_); ++chunk) {
      const cpe::Part depth = chunk_of(step_, chunk);
      const Raw& raw = raw_[taken_++ & 1];
      dma::wait(raw.loaded);
      systolic::Ticket last = {};
      const bool whole = depth.count % systolic::kTile == 0;
      if (whole) {
        for (uint32_t group = 1; group < groups(); ++group)
          last = multiply(raw.at, group * vector::kLanes, depth, ones);
      }
      vector::Ticket turned = {};
      for (uint32_t group = 0; group < (whole ? 1 : groups()); ++group)
        turned = turn_group(raw.at, group * vector::kLanes, depth, [] {});
      vector::wait(turned);
      systolic::wait(last);
      ask();
    }
    part_ = parts();
  }
  // CPEs that share rows send each other what they have turned.
  template <typename Meanwhile>
  void send(cpe::Exchange<cpe::row>& exchange, const Meanwhile& meanwhile) const {
    if (step_.rows != 0) exchange.begin(at(number_), kRowBytes, step_.depth, cpe::columns(), meanwhile);
  }
  void next() {
    if (parts() == 0) {
      ++taken_;
      ask();
    }
    part_ = 0;
    ++number_;
    more_ = next_of(step_);
  }
  // To the next step that has another slab; false: there is none.
  bool next_of(Step& step) const {
    const uint32_t row = step.row;
    bool more = blocks_.next(step);
    while (more && stays() && step.row == row) more = blocks_.next(step);
    return more;
  }
  // Whether all column blocks of some rows use the same one.
  bool stays() const { return blocks_.all().depth <= blocks_.depth(); }

 private:
  static constexpr uint32_t kChunk = 128;  // of depth, that come in together
  static constexpr uint32_t kPitch = kChunk + 32;
  static constexpr uint32_t kChunkRoom = 32 * kPitch;

  struct Raw {
    std::byte* at;
    dma::Ticket loaded;
  };
  struct Chunk {
    Step step;
    uint32_t number;
    bool none;
  };

  uint32_t groups() const { return (step_.rows + vector::kLanes - 1) / vector::kLanes; }
  // The same for all CPEs that share, so that they send at the same time; the last ones' may be empty.
  uint32_t chunks_of(const Step& step) const {
    const uint32_t depth = step.depth;
    const uint32_t most = blocks_.sharing() ? cpe::part_of(depth, cpe::columns(), 0).count : depth;
    return (most + kChunk - 1) / kChunk;
  }
  uint32_t parts() const { return groups() * chunks_of(step_); }
  cpe::Part chunk_of(const Step& step, uint32_t number) const {
    const cpe::Part own = blocks_.own_of_x(step.depth);
    const uint32_t first = std::min(number * kChunk, own.count);
    return {own.first + first, std::min(kChunk, own.count - first)};
  }

  template <typename Meanwhile>
  vector::Ticket turn_group(const std::byte* raw, uint32_t first, const cpe::Part& depth,
                            const Meanwhile& meanwhile) const {
    if (depth.count == 0) return {};
    const uint32_t rows = std::min(step_.rows - first, vector::kLanes);
    const auto row = [&](uint32_t number) {
      return vector::each_row(reinterpret_cast<const int8_t*>(raw + (first + number) * kPitch), 1);
    };
    const auto to = operand(at(number_) + depth.first * kRowBytes + first, Number::kInt8, kRowBytes);
    vector::size(vector::kLanes, depth.count);
    into(to);
    vector::a(vector::rows(lanes_));
    vector::b(row(0));
    vector::c(row(rows == 1 ? 0 : 1));
    vector::Ticket last = vector::run(vector::Op::kSelect);
    vector::c(to);
    for (uint32_t lane = 2; lane < rows; ++lane) {
      vector::a(vector::rows(lanes_ + lane * vector::kLanes));
      vector::b(row(lane));
      last = vector::run(vector::Op::kSelect);
      meanwhile();
    }
    return last;
  }

  // The same by a product with the unit matrix. Its weights are eight rows of x, as columns.
  systolic::Ticket multiply(const std::byte* raw, uint32_t first, const cpe::Part& depth,
                            const float* ones) const {
    if (depth.count == 0) return {};
    systolic::activations(lanes_, 0, vector::kLanes);
    systolic::weights(raw + first * kPitch, 0, kPitch);
    systolic::column_strides(systolic::kTile, systolic::kTile * kRowBytes);
    systolic::output(at(number_) + depth.first * kRowBytes + first, kRowBytes);
    systolic::factors(ones);
    const uint32_t tiles = depth.count / systolic::kTile;
    systolic::size({tiles, 1, tiles, systolic::kTile});
    return systolic::run(
        {.by_column = true, .half = first / vector::kLanes & 1, .result = cpe::Number::kInt8});
  }

  Source source_;
  const Blocks& blocks_;
  uint32_t bytes_;
  std::byte* slabs_;
  int8_t* lanes_;  // vectors with 1 in one place
  Raw raw_[2] = {};

  Step step_;  // the first of the slab that is turned
  uint32_t number_ = 0;
  bool more_ = true;
  uint32_t part_ = 0;
  uint32_t taken_ = 0;  // chunks
  Chunk asked_;
  uint32_t asked_count_ = 0;
};

}  // namespace swai::operators
