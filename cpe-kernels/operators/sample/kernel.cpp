// SPDX-License-Identifier: Apache-2.0
// Chooses a column of each row. What is kept of a row, the k most probable columns (top_k), of these as many
// as have a part top_p of their probability together, are those whose probability is not below a threshold:
// it is searched in the bits of the numbers, with all CPEs counting at once. Then one CPE a row chooses a
// piece by the pieces' sums, and a column by its probability in that piece.
#include "cpe-kernels/operators/common/placed_rows.hpp"
#include "cpe-kernels/operators/sample/passes.hpp"
#include "cpe-kernels/operators/sample/philox.hpp"
#include "operator_table.hpp"

namespace swai::operators {

namespace {

using vector::Op, vector::Special, vector::value;

constexpr uint32_t kAboveAll = std::bit_cast<uint32_t>(1.0f) + 1;

class Sampler {
 public:
  explicit Sampler(const SampleArgs& args)
      : args_(args), passes_(arena_, args), positions_(load_positions(arena_, args)) {
    const uint32_t records = args.settings_stride == 0 ? 1 : args.rows;
    settings_ = arena_.take<SampleSettings>(kSampleRows * sizeof(SampleSettings));
    const dma::Ticket set = dma::load(
        settings_, args.settings, sizeof(SampleSettings),
        {static_cast<uint16_t>(records), sizeof(SampleSettings), static_cast<int32_t>(args.settings_stride)});
    passes_.begin();
    for (uint32_t** numbers : {&low_, &high_, &low_count_, &high_count_})
      *numbers = arena_.take<uint32_t>(kSampleRows * 4);
    top_p_ = arena_.take<float>(kSampleRows * 4);
    dma::wait(set);
    for (uint32_t row = 0; row < args.rows; ++row) {
      const SampleSettings& settings = settings_of(row);
      if (!can_sample(settings)) refuse(Refusal::kParameter);
      const bool greedy = is_greedy(settings);
      passes_.scale[row] = greedy ? 1.0f : settings.temperature;
      top_p_[row] = settings.top_p;
      some_are_drawn_ |= !greedy;
      some_have_top_k_ |= has_top_k(row);
      some_have_top_p_ |= has_top_p(row);
    }
  }

  void run() {
    passes_.find_most();
    if (some_are_drawn_ || args_.log_probabilities) {
      scale();
      passes_.find_totals();
    }
    for (uint32_t row = 0; row < args_.rows; ++row) {
      low_[row] = 0;
      low_count_[row] = args_.columns;
    }
    if (some_have_top_k_) {
      search(&Sampler::has_top_k, &Sampler::has_k, false);
      measure_kept();
    }
    if (some_have_top_p_) {
      vector::a(vector::rows(passes_.total));
      vector::b(vector::rows(top_p_));
      vector::result(passes_.target);
      vector::size(args_.rows);
      vector::wait(vector::run(Op::kMul));
      search(&Sampler::has_top_p, &Sampler::has_p, true);
      measure_kept();
    }
    for (uint32_t row = cpe::rank(); row < args_.rows; row += cpe::count()) choose(row);
  }

 private:
  const SampleSettings& settings_of(uint32_t row) const {
    return settings_[args_.settings_stride == 0 ? 0 : row];
  }
  bool has_top_k(uint32_t row) const {
    const SampleSettings& settings = settings_of(row);
    return !is_greedy(settings) && settings.top_k != 0 && settings.top_k < args_.columns;
  }
  bool has_top_p(uint32_t row) const {
    const SampleSettings& settings = settings_of(row);
    return !is_greedy(settings) && std::bit_cast<uint32_t>(settings.top_p) != std::bit_cast<uint32_t>(1.0f);
  }

  // Temperatures become factors.
  void scale() {
    vector::a(vector::rows(passes_.scale));
    vector::b(value(1));
    vector::result(passes_.scale);
    vector::size(args_.rows);
    vector::run(Op::kMul, {.special = Special::kReciprocal});
    vector::b(value(kLog2E));
    vector::wait(vector::run(Op::kMul));
  }

  // ---------------------------------------------------------------------------------------------------------
  // thresholds: enough is kept from `low` on, not enough from `high` on

  bool has_k(uint32_t row) const {
    return static_cast<uint32_t>(passes_.count[row]) >= settings_of(row).top_k;
  }
  bool has_p(uint32_t row) const {
    return std::bit_cast<uint32_t>(passes_.total[row]) >= std::bit_cast<uint32_t>(passes_.target[row]);
  }
  // At most one column is between the two: whatever the threshold, the same are kept.
  bool is_found(uint32_t row) const {
    return high_[row] - low_[row] <= 1 || low_count_[row] - high_count_[row] <= 1;
  }

  void search(bool (Sampler::*takes_part)(uint32_t) const, bool (Sampler::*has_enough)(uint32_t) const,
              bool with_total) {
    for (uint32_t row = 0; row < args_.rows; ++row) {
      high_[row] = (this->*takes_part)(row) ? kAboveAll : low_[row];
      high_count_[row] = 0;
    }
    for (;;) {
      bool done = true;
      for (uint32_t row = 0; row < args_.rows; ++row) {
        const bool found = is_found(row);
        passes_.threshold[row] = found ? low_[row] : low_[row] + (high_[row] - low_[row]) / 2;
        done &= found;
      }
      if (done) return;
      passes_.measure(with_total);
      for (uint32_t row = 0; row < args_.rows; ++row) {
        if (is_found(row)) continue;
        const bool enough = (this->*has_enough)(row);
        (enough ? low_ : high_)[row] = passes_.threshold[row];
        (enough ? low_count_ : high_count_)[row] = static_cast<uint32_t>(passes_.count[row]);
      }
    }
  }
  void measure_kept() {
    for (uint32_t row = 0; row < args_.rows; ++row) passes_.threshold[row] = low_[row];
    passes_.measure(true);
  }

  // ---------------------------------------------------------------------------------------------------------
  // the choice

  // A place, with a probability of weight / sum of weights.
  static uint32_t draw(const uint32_t* weights, uint32_t count, uint32_t random) {
    uint32_t sum = 0;
    for (uint32_t i = 0; i < count; ++i) sum += weights[i];
    uint32_t left = static_cast<uint32_t>(uint64_t{random} * sum >> 32);
    for (uint32_t i = 0; i + 1 < count; ++i) {
      if (left < weights[i]) return i;
      left -= weights[i];
    }
    return count - 1;
  }
  // The same of numbers, whose sum is known: weights have kSampleWhole together, or nearly.
  uint32_t draw(const float* numbers, uint32_t count, const float* sum, uint32_t random) {
    vector::a(vector::each_row(sum));
    vector::b(value(1));
    vector::result(number_);
    vector::size(1);
    vector::run(Op::kMul, {.special = Special::kReciprocal});
    vector::a(vector::rows(number_));
    vector::b(value(kSampleWhole));
    vector::run(Op::kMul);
    vector::a(vector::rows(numbers));
    vector::b(vector::each_row(number_));
    vector::result(weights_);
    vector::size(count);
    vector::wait(vector::run(Op::kMul));
    return draw(reinterpret_cast<const uint32_t*>(weights_), count, random);
  }
  // Sums of groups of numbers.
  vector::Ticket add_up_groups(const float* numbers, uint32_t count) {
    const uint32_t whole = count / kSampleGroup;
    const uint32_t rest = count % kSampleGroup;
    vector::a(vector::rows(numbers, kSampleGroup * 4));
    vector::b(value(1));
    vector::no_result();
    vector::reductions(groups_);
    vector::Ticket last = {};
    if (whole != 0) {
      vector::size(kSampleGroup, whole);
      last = vector::run(Op::kMul, {.reduce = vector::Reduce::kSum});
    }
    if (rest != 0) {
      vector::a(vector::rows(numbers + whole * kSampleGroup));
      vector::reductions(groups_ + whole);
      vector::size(rest);
      last = vector::run(Op::kMul, {.reduce = vector::Reduce::kSum});
    }
    return last;
  }
  static uint32_t groups_of(uint32_t count) { return (count + kSampleGroup - 1) / kSampleGroup; }
  // A group first, then one of the group's.
  uint32_t draw_by_groups(const float* numbers, uint32_t count, const float* sum, const uint32_t* random) {
    add_up_groups(numbers, count);
    const uint32_t group = draw(groups_, groups_of(count), sum, random[0]);
    const uint32_t first = group * kSampleGroup;
    return first + draw(numbers + first, std::min(kSampleGroup, count - first), groups_ + group, random[1]);
  }

  // The first of some numbers that equals `wanted`; others become 0.
  uint32_t find(float* numbers, uint32_t count, float wanted) {
    vector::a(vector::rows(numbers));
    vector::b(value(wanted));
    vector::result(numbers);
    vector::size(count);
    vector::run(Op::kEqual);
    vector::wait(add_up_groups(numbers, count));
    const uint32_t first = first_but_zero(groups_, groups_of(count)) * kSampleGroup;
    return first + first_but_zero(numbers + first, std::min(kSampleGroup, count - first));
  }
  static uint32_t first_but_zero(const float* numbers, uint32_t count) {
    uint32_t i = 0;
    while (i + 1 < count && std::bit_cast<uint32_t>(numbers[i]) == 0) ++i;
    return i;
  }

  void choose(uint32_t row) {
    const uint32_t position = positions_ == nullptr ? args_.position : positions_[row];
    if (positions_ != nullptr && position == kNoText) return;
    const SampleSettings& settings = settings_of(row);
    const bool greedy = is_greedy(settings);
    std::array<uint32_t, 4> random = {};
    if (!greedy) random = philox({position, settings.stream, 0, 0}, settings.seed[0], settings.seed[1]);
    const uint32_t across = pieces_of(args_.columns);
    float* const pieces = passes_.room(0);
    float* const distances = passes_.room(1);
    float* const kept = passes_.room(2);
    weights_ = reinterpret_cast<int32_t*>(passes_.room(3));
    groups_ = passes_.room(4);
    number_ = passes_.room(5);

    const SamplePlane plane = greedy ? SamplePlane::kMost : passes_.sums();
    dma::wait(dma::load(pieces, passes_.place(plane, row * across), across * 4));
    const uint32_t piece = greedy ? find(pieces, across, passes_.most[row])
                                  : draw_by_groups(pieces, across, passes_.total + row, random.data());

    const uint32_t first = piece * kPiece;
    const uint32_t count = std::min(kPiece, args_.columns - first);
    const auto at =
        args_.from.plus_bytes(static_cast<int64_t>(uint64_t{row} * args_.from_stride + uint64_t{first} * 4));
    dma::wait(dma::load(distances, at, count * 4));
    Passes::clean(distances, count, 1, number_);
    vector::a(vector::rows(distances));
    vector::c(value(passes_.most[row]).negated());
    vector::result(distances);
    vector::run(Op::kAdd);
    vector::b(value(greedy ? 1.0f : passes_.scale[row]));
    vector::result(kept);
    uint32_t column = first;
    if (greedy) {
      vector::run(Op::kMul);
      column += find(kept, count, 0);
    } else {
      vector::run(Op::kMul, {.special = Special::kExp2});
      keep(kept, count, low_[row]);
      column += draw_by_groups(kept, count, pieces + piece, random.data() + 2);
    }
    auto* const answer = reinterpret_cast<uint32_t*>(pieces);
    *answer = column;
    dma::Ticket stored = dma::store(args_.to.plus_bytes(int64_t{row} * 4), answer, 4);
    if (args_.log_probabilities) {
      vector::a(vector::each_row(passes_.plain_total + row));
      vector::b(value(1));
      vector::result(number_);
      vector::size(1);
      vector::run(Op::kMul, {.special = Special::kLog2});
      vector::a(vector::rows(number_));
      vector::b(value(-kLn2));
      vector::c(vector::each_row(distances + (column - first)));
      vector::wait(vector::run(Op::kFma));
      stored = dma::store(args_.log_probabilities.plus_bytes(int64_t{row} * 4), number_, 4);
    }
    dma::wait(stored);
  }
  // Probabilities that are too small become 0.
  void keep(float* numbers, uint32_t count, uint32_t threshold) {
    auto* const is_kept = reinterpret_cast<float*>(weights_);
    vector::a(Passes::below(threshold));
    vector::b(vector::rows(numbers));
    vector::result(is_kept);
    vector::size(count);
    vector::run(Op::kLess);
    vector::a(vector::rows(is_kept));
    vector::result(numbers);
    vector::run(Op::kMul);
  }

  const SampleArgs& args_;
  Arena arena_;
  Passes passes_;
  const uint32_t* positions_;
  SampleSettings* settings_;
  uint32_t* low_;
  uint32_t* high_;
  uint32_t* low_count_;
  uint32_t* high_count_;
  float* top_p_;
  bool some_are_drawn_ = false;
  bool some_have_top_k_ = false;
  bool some_have_top_p_ = false;
  // While a row's column is chosen.
  float* number_ = nullptr;
  float* groups_ = nullptr;
  int32_t* weights_ = nullptr;
};

}  // namespace

void operator_sample(const SampleArgs& args) {
  require(check(args));
  Sampler(args).run();
}

}  // namespace swai::operators
