// SPDX-License-Identifier: Apache-2.0
// Penalties for columns that a list of tokens names. Each CPE counts those that are among its columns, and
// changes only these.
#include "cpe-kernels/operators/common/stream.hpp"
#include "cpe-kernels/operators/logits/plan.hpp"
#include "cpe-kernels/operators/walker/walk.hpp"
#include "operator_table.hpp"

namespace swai::operators {

namespace {

using vector::Op, vector::Special, vector::value;

constexpr uint32_t kColumns = 8192;  // that are counted at once
constexpr uint32_t kTokens = 2048;   // of the list, at once in local memory
constexpr uint32_t kChanged = 256;   // logits that are changed at once

class Penaliser {
 public:
  explicit Penaliser(const PenaliseArgs& args)
      : args_(args),
        settings_(arena_.take<SampleSettings>(sizeof(SampleSettings))),
        counts_(arena_.take<int32_t>(kColumns * 4)),
        tokens_(arena_.take<uint32_t>(kTokens * 4)),
        columns_(arena_.take<uint32_t>(kChanged * 4)),
        times_(arena_.take<int32_t>(kChanged * 4)),
        logits_(arena_.take<float>(kChanged * 4)),
        work_{arena_.take<float>(kChanged * 4), arena_.take<float>(kChanged * 4),
              arena_.take<float>(kChanged * 4)} {}

  // Before anything is changed.
  void check_settings() {
    for (uint32_t row = 0; row < args_.rows; ++row) {
      load_settings(row);
      if (!can_penalise(*settings_)) refuse(Refusal::kParameter);
    }
  }

  void run() {
    const Grid grid(args_.rows, args_.columns, kColumns, cpe::rank(), cpe::count());
    for (uint32_t number = grid.first(); number != grid.end(); ++number) {
      const Tile tile = grid.tile(number);
      for (uint32_t row = tile.row; row < tile.row + tile.rows; ++row) {
        load_settings(row);
        if (!is_neutral(*settings_)) penalise(row, tile.column, tile.columns);
      }
    }
  }

 private:
  void load_settings(uint32_t row) {
    const auto at = args_.settings.plus_bytes(static_cast<int64_t>(uint64_t{row} * args_.settings_stride));
    dma::wait(dma::load(settings_, at, sizeof(SampleSettings)));
  }

  // Calls with each token of the row that is one of the columns, less the first one.
  template <typename F>
  void for_tokens(uint32_t row, uint32_t column, uint32_t columns, F f) {
    const auto list = args_.tokens.plus_bytes(static_cast<int64_t>(uint64_t{row} * args_.tokens_stride));
    for (uint32_t first = 0; first < args_.count; first += kTokens) {
      const uint32_t count = std::min(kTokens, args_.count - first);
      dma::wait(dma::load(tokens_, list.plus_bytes(int64_t{first} * 4), count * 4));
      for (uint32_t i = 0; i < count; ++i) {
        const uint32_t place = tokens_[i] - column;
        if (place < columns) f(place);
      }
    }
  }

  void penalise(uint32_t row, uint32_t column, uint32_t columns) {
    vector::a(value(0));
    vector::b(value(0));
    vector::result(counts_);
    vector::size(columns);
    vector::wait(vector::run(Op::kMul));
    for_tokens(row, column, columns, [&](uint32_t place) { ++counts_[place]; });
    uint32_t changed = 0;
    for_tokens(row, column, columns, [&](uint32_t place) {
      if (counts_[place] == 0) return;  // has had its turn
      columns_[changed] = column + place;
      times_[changed] = counts_[place];
      counts_[place] = 0;
      if (++changed == kChanged) {
        change(row, changed);
        changed = 0;
      }
    });
    if (changed != 0) change(row, changed);
  }

  GlobalPtr<void> place_of(uint32_t row, uint32_t column) const {
    return args_.to.plus_bytes(static_cast<int64_t>(uint64_t{row} * args_.to_stride + uint64_t{column} * 4));
  }
  // x * repetition or x / repetition, less what times and being there cost.
  void change(uint32_t row, uint32_t count) {
    dma::Ticket moved = {};
    for (uint32_t i = 0; i < count; ++i) moved = dma::load(logits_ + i, place_of(row, columns_[i]), 4);
    dma::wait(moved);
    float* const divided = work_[0];
    float* const multiplied = work_[1];
    float* const chosen = work_[2];
    vector::a(value(settings_->repetition));
    vector::b(value(1));
    vector::result(chosen);
    vector::size(1);
    vector::run(Op::kMul, {.special = Special::kReciprocal});
    vector::a(vector::rows(logits_));
    vector::b(vector::each_row(chosen));
    vector::result(divided);
    vector::size(count);
    vector::run(Op::kMul);
    vector::b(value(settings_->repetition));
    vector::result(multiplied);
    vector::run(Op::kMul);
    vector::b(value(0));
    vector::result(chosen);
    vector::run(Op::kLess);
    vector::a(vector::rows(chosen));
    vector::b(vector::rows(multiplied));
    vector::c(vector::rows(divided));
    vector::result(divided);
    vector::run(Op::kSelect);
    vector::a(vector::rows(times_));
    vector::b(value(settings_->frequency).negated());
    vector::c(value(settings_->presence).negated());
    vector::result(chosen);
    vector::run(Op::kFma);
    vector::a(vector::rows(divided));
    vector::c(vector::rows(chosen));
    vector::result(logits_);
    vector::wait(vector::run(Op::kAdd));
    for (uint32_t i = 0; i < count; ++i) moved = dma::store(place_of(row, columns_[i]), logits_ + i, 4);
    dma::wait(moved);
  }

  const PenaliseArgs& args_;
  Arena arena_;
  SampleSettings* settings_;  // of the row
  int32_t* counts_;
  uint32_t* tokens_;
  uint32_t* columns_;  // to be changed
  int32_t* times_;     // that they are in the list
  float* logits_;
  float* work_[3];
};

}  // namespace

void operator_penalise(const PenaliseArgs& args) {
  require(check(args));
  Penaliser penaliser(args);
  penaliser.check_settings();
  penaliser.run();
}

}  // namespace swai::operators
