// A linear layer of one row, with what comes before it: the row is normalised and quantised by each CPE that
// has columns, all of it, because that takes less time than waiting at barriers for one that does it.
#include "cpe-kernels/operators/common/constants.hpp"
#include "cpe-kernels/operators/linear/ending.hpp"
#include "cpe-kernels/operators/linear_row/plan.hpp"
#include "cpe-kernels/operators/norm/rows.hpp"
#include "operator_table.hpp"
#include "swai/systolic.hpp"

namespace swai::operators {

namespace {

namespace systolic = cpe::systolic;

// A row that is one CPE's, for Norm.
struct WholeRow {
  uint32_t length;

  uint32_t columns() const { return length; }
  static constexpr uint32_t column() { return 0; }
  uint32_t pieces() const { return pieces_of(length); }
  static constexpr uint32_t first_piece() { return 0; }
  static constexpr uint32_t parts() { return 1; }
};

// Columns of one CPE: whole tiles of 8, and no fewer than are worth its while, as long as there are so many.
cpe::Part own_columns(const LinearRowArgs& args) {
  constexpr uint32_t kWorthwhile = 2048;  // bytes of weights
  const uint32_t count = cpe::count();
  uint32_t each = kPackedColumns;
  while (each < kBlockColumns && each * args.depth < kWorthwhile) each *= 2;
  while (each * count < args.columns) each += kPackedColumns;
  const uint32_t first = turned_rank() * each;
  return first < args.columns ? cpe::Part{first, std::min(each, args.columns - first)} : cpe::Part{};
}

class RowLayer {
 public:
  RowLayer(const LinearRowArgs& args, const cpe::Part& own)
      : args_(args),
        ending_{args.to, args.biases, args.residual, 0, 0, args.function, args.to_type, args.residual_type},
        groups_(args.group == args.depth ? 1 : (args.depth + kScaleGroup - 1) / kScaleGroup),
        most_(std::min(kBlockColumns, kRoom / padded_depth(args.depth) / kPackedColumns * kPackedColumns)),
        end_(own.first + own.count),
        x_(arena_.take<float>(args.depth * sizeof(float))),
        quantised_(arena_.take<int8_t>(padded_depth(args.depth))),
        scales_(arena_.take<float>(groups_ * kPitch)),
        inverse_(arena_.take<float>(groups_ * kPitch)),
        weights_(arena_.take<std::byte>(std::min(most_, (own.count + 7) / 8 * 8) * padded_depth(args.depth))),
        sums_(arena_.take<std::byte>(groups_ * kRowBytes)) {
    auto* next = arena_.take<std::byte>(6 * kRowBytes);
    for (std::byte** const place :
         {&w_scales_, &biases_, &residual_, &between_[0], &between_[1], &between_[2]}) {
      *place = next;
      next += kRowBytes;
    }
    enter(own.first);
  }

  void run() {
    begin_work();
    const dma::Ticket x = dma::load(x_, args_.x, args_.depth * sizeof(float));
    if (args_.gamma) {
      NormArgs of_norm = {};
      of_norm.gamma = args_.gamma;
      of_norm.beta = args_.beta;
      of_norm.columns = args_.depth;
      of_norm.epsilon = args_.epsilon;
      of_norm.from_type = Number::kFp32;
      const WholeRow row = {args_.depth};
      const Norm norm(arena_, of_norm, static_cast<bool>(args_.beta), row);
      const dma::Ticket factors = norm.loaded();
      dma::Ticket loaded = load();
      dma::wait(factors);
      const auto place = vector::rows(x_);
      norm({0, 1, 0, args_.depth}, place, place, place);
      quantise();
      compute(loaded);
    } else {
      const dma::Ticket loaded = load();
      dma::wait(x);
      quantise();
      compute(loaded);
    }
  }

 private:
  static constexpr uint32_t kRoom =
      49152;  // of weights: beside them lie a row of 4096, its norm's factors and its bytes
  static constexpr uint32_t kPitch = 64;  // of scales: the systolic unit wants multiples of 32
  static constexpr uint32_t kRowBytes = kBlockColumns * 4;  // of results

  // Columns that lie side by side in packed weights.
  void enter(uint32_t column) {
    column_ = column;
    columns_ = std::min({end_ - column, most_, kBlockColumns - column % kBlockColumns});
  }
  uint32_t tiles() const { return (columns_ + kPackedColumns - 1) / kPackedColumns; }

  // Begins to load what belongs to the columns.
  dma::Ticket load() const {
    const auto at = [&](uint32_t k) {
      return args_.w.plus_bytes(static_cast<int64_t>(packed_linear_index(args_.depth, k, column_)));
    };
    const uint32_t whole = args_.depth / kPackedDepth, rest = args_.depth % kPackedDepth;
    const uint32_t bytes = tiles() * kPackedColumns * kPackedDepth;
    if (whole != 0) {
      dma::load(weights_, at(0), bytes,
                {static_cast<uint16_t>(whole), static_cast<uint16_t>(bytes), kBlockColumns * kPackedDepth});
    }
    if (rest != 0) {
      dma::load(weights_ + whole * bytes, at(whole * kPackedDepth),
                tiles() * kPackedColumns * padded_depth(rest));
    }
    const auto of_columns = [&](void* to, GlobalPtr<const void> from, uint32_t size) {
      return dma::load(to, from.plus_bytes(static_cast<int64_t>(uint64_t{column_} * size)), columns_ * size);
    };
    if (args_.biases) of_columns(biases_, args_.biases, sizeof(float));
    if (args_.residual) of_columns(residual_, args_.residual, bytes_of(args_.residual_type));
    return of_columns(w_scales_, args_.w_scales, sizeof(float));
  }

  // As the operator does it. Of several groups each has kScaleGroup columns, but for the last.
  void quantise() const {
    const uint32_t group = args_.group, whole = args_.depth / group;
    const auto each_group = [&](auto run) {
      vector::size(group, whole);
      run(0, 0, false);
      if (whole * group == args_.depth) return;
      vector::size(args_.depth - whole * group);
      run(whole * group, whole * kPitch / 4, true);
    };
    const auto x = [&](uint32_t at) { return vector::rows(x_ + at, kScaleGroup * 4); };
    vector::b(value(kLeastMagnitude));
    vector::no_result();
    each_group([&](uint32_t at, uint32_t scale, bool overlap) {
      vector::a(x(at).magnitude());
      vector::reductions(scales_ + scale, kPitch);
      vector::run(Op::kMax, {.reduce = Reduce::kMax, .overlap = overlap});
    });
    vector::a(vector::rows(scales_, kPitch));
    vector::b(value(kPartOf127));
    vector::size(1, groups_);
    vector::result(inverse_, kPitch);
    vector::run(Op::kMul, {.special = Special::kReciprocal});
    vector::result(scales_, kPitch);
    vector::run(Op::kMul);
    vector::Ticket last = {};
    each_group([&](uint32_t at, uint32_t scale, bool overlap) {
      vector::a(x(at));
      vector::b(vector::each_row(inverse_ + scale, kPitch));
      vector::result(quantised_ + at, kScaleGroup);
      last = vector::run(Op::kMul, {.overlap = overlap});
    });
    vector::wait(last);
  }

  // All of this CPE's columns; the first ones are on their way.
  void compute(dma::Ticket loaded) {
    for (;;) {
      dma::wait(loaded);
      const dma::Ticket stored = finish(multiply());
      if (column_ + columns_ == end_) return dma::wait(stored);
      enter(column_ + columns_);
      // Results are on their way from where the next ones will be.
      dma::wait(stored);
      loaded = load();
    }
  }

  Number drained() const { return groups_ == 1 && ending_.only_converts() ? args_.to_type : Number::kFp32; }

  // Groups have sums of their own; those without are one block, of several runs.
  systolic::Ticket multiply() const {
    const uint32_t count = tiles();
    systolic::factors(reinterpret_cast<float*>(w_scales_), reinterpret_cast<float*>(biases_));
    systolic::row_factors(scales_);
    systolic::output(sums_, kRowBytes);
    const std::byte* w = weights_;
    systolic::Ticket last = {};
    for (uint32_t k = 0, part = 0; k < args_.depth; k += kPackedDepth, ++part) {
      const uint32_t depth = padded_depth(std::min(args_.depth - k, kPackedDepth));
      systolic::activations(quantised_ + k, 8, 8);
      systolic::weights(w, 8 * kPackedColumns, kPackedColumns);
      systolic::column_strides(static_cast<int32_t>(depth * kPackedColumns),
                               static_cast<int32_t>(kPackedColumns * bytes_of(drained())));
      systolic::size({count, depth / 8, count, 1});
      w += depth * count * kPackedColumns;
      if (groups_ != 1) {
        systolic::row_factors(scales_ + part * kPitch / 4);
        systolic::output(sums_ + part * kRowBytes, kRowBytes);
      }
      last = systolic::run({.keep = groups_ == 1 && part != 0,
                            .drain = groups_ != 1 || k + kPackedDepth >= args_.depth,
                            .half = groups_ != 1 ? part & 1 : 0,
                            .result = static_cast<cpe::Number>(drained()),
                            .row_factors = true,
                            .bias = args_.biases && (groups_ == 1 || part == 0)});
    }
    return last;
  }

  // Sums of groups are added up, one after the other; then what all layers do with them.
  dma::Ticket finish(systolic::Ticket multiplied) const {
    systolic::wait(multiplied);
    const auto y = operand(sums_, Number::kFp32, 0), to = operand(sums_, args_.to_type, 0);
    vector::size(columns_);
    vector::Ticket last = {};
    if (groups_ != 1) {
      vector::c(y);
      into(y);
      for (uint32_t part = 1; part < groups_; ++part) {
        vector::a(operand(sums_ + part * kRowBytes, Number::kFp32, 0));
        last = vector::run(Op::kAdd);
      }
    }
    if (groups_ != 1 || !ending_.only_converts()) {
      const auto between = [&](uint32_t i) { return operand(between_[i], Number::kFp32, 0); };
      last = operators::finish(ending_, {y, between(0), between(1), between(2)}, to,
                               operand(residual_, args_.residual_type, 0), last);
    }
    vector::wait(last);
    const uint32_t bytes = bytes_of(args_.to_type);
    return dma::store(args_.to.plus_bytes(static_cast<int64_t>(uint64_t{column_} * bytes)), sums_,
                      columns_ * bytes);
  }

  const LinearRowArgs& args_;
  cpe::Arena arena_;
  EndingArgs ending_;
  uint32_t groups_;
  uint32_t most_;  // columns that weights have room for
  uint32_t end_;   // of this CPE's columns
  uint32_t column_ = 0;
  uint32_t columns_ = 0;
  float* x_;
  int8_t* quantised_;
  float* scales_;
  float* inverse_;
  std::byte* weights_;
  std::byte* sums_;  // of groups; the first ones become results
  std::byte* w_scales_ = nullptr;
  std::byte* biases_ = nullptr;
  std::byte* residual_ = nullptr;
  std::byte* between_[3] = {};
};

}  // namespace

void operator_linear_row(const LinearRowArgs& args) {
  require(check(args));
  const cpe::Part own = own_columns(args);
  if (own.count != 0) RowLayer(args, own).run();
}

}  // namespace swai::operators
