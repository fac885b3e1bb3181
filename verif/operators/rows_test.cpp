// Operators on whole rows, norms and softmax: to the bit, and near those in double precision.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>

#include "cpe-kernels/operators/common/constants.hpp"
#include "cpe-kernels/operators/common/limits.hpp"
#include "cpe-kernels/operators/common/pieces.hpp"
#include "cpe-kernels/operators/norm/reference.hpp"
#include "cpe-kernels/operators/softmax/plan.hpp"
#include "cpe-kernels/operators/softmax/reference.hpp"
#include "verif/common/doctest_main.hpp"
#include "verif/operators/arithmetic.hpp"
#include "verif/operators/shapes.hpp"

namespace swai::operators::test {
namespace {

using Row = std::vector<Real>;

template <typename F>
Row each(const Row& row, F f) {
  Row results;
  for (const Real x : row) results.push_back(f(x));
  return results;
}

// Pieces of a row are added up one after the other.
Real sum_of_pieces(const Row& products) {
  Real all = -0.0f;
  for (size_t first = 0; first < products.size(); first += kPiece) {
    const Real piece =
        sum(std::span(products).subspan(first, std::min<size_t>(kPiece, products.size() - first)));
    all = first == 0 ? piece : all + piece;
  }
  return all;
}

Row model_norm(const Row& x, bool layer, float epsilon, const Row& gamma, const Row& beta) {
  const Real part = reciprocal(Real(static_cast<float>(x.size())));
  Row d = x;
  if (layer) {
    const Real mean = sum_of_pieces(each(x, [&](Real v) { return v * part; }));
    d = each(x, [&](Real v) { return v + -mean; });
  }
  const Real scale = root(fma(sum_of_pieces(each(d, [](Real v) { return v * v; })), part, epsilon));
  Row y;
  for (size_t i = 0; i < x.size(); ++i)
    y.push_back(layer ? fma(d[i] * scale, gamma[i], beta[i]) : (d[i] * scale) * gamma[i]);
  return y;
}

// Of long rows, sums of pieces are added up.
Real sum_of_row(const Row& e) {
  if (e.size() <= kMaxRow) return sum(e);
  Row sums;
  for (size_t first = 0; first < e.size(); first += kPiece)
    sums.push_back(sum(std::span(e).subspan(first, std::min<size_t>(kPiece, e.size() - first))));
  return sum(sums);
}

Row model_softmax(const Row& x, bool logarithm, float scale) {
  const Row scaled = each(x, [&](Real v) { return v * scale; });
  const Real most = largest(scaled) * kLog2E;
  const Row e = each(scaled, [&](Real v) { return exp2(fma(v, kLog2E, -most)); });
  if (!logarithm) {
    const Real part = reciprocal(sum_of_row(e));
    return each(e, [&](Real v) { return v * part; });
  }
  const Real log_of_sum = (log2(sum_of_row(e)) + most) * kLn2;
  return each(scaled, [&](Real v) { return v + -log_of_sum; });
}

std::vector<double> doubles(const Row& row) {
  std::vector<double> values;
  for (const Real x : row) values.push_back(x.value());
  return values;
}

// What all these operators take, with tensors of a random shape.
template <typename Args>
struct Case {
  verif::Random& random;
  Card card{random};
  Shape shape;
  Args args{};
  Tensor from, to;

  Case(verif::Random& r, uint32_t columns) : Case(r, columns, some_size(r, std::max(12'000 / columns, 1u))) {}
  Case(verif::Random& r, uint32_t columns, uint32_t rows) : random(r), shape{rows, columns} {
    const auto number = [&] { return random.chance(70) ? Number::kFp32 : Number::kFp16; };
    args.rows = shape.rows;
    args.columns = shape.columns;
    args.from_type = number();
    args.to_type = number();
    from = card.tensor(shape.rows, shape.columns, bytes_of(args.from_type), some_gap(random));
    to = card.tensor(shape.rows, shape.columns, bytes_of(args.to_type), some_gap(random));
    fill(random, from, args.from_type);
    args.to = to.at();
    args.from = from.at();
    args.to_stride = to.stride;
    args.from_stride = from.stride;
  }
  Row row(uint32_t number) const {
    Row values;
    for (uint32_t i = 0; i < shape.columns; ++i)
      values.push_back(Real::of(from.read(args.from_type, number, i)));
    return values;
  }
};

// A norm against the model and double precision.
void check_norm(verif::Random& random, Case<NormArgs>& it, uint32_t mask) {
  const bool layer = random.chance(50);
  Tensor gamma = it.card.tensor(1, it.shape.columns, 4);
  Tensor beta = it.card.tensor(1, it.shape.columns, 4);
  fill(random, gamma, Number::kFp32);
  fill(random, beta, Number::kFp32);
  it.args.gamma = gamma.at();
  if (layer) it.args.beta = beta.at();
  it.args.epsilon = random.chance(50) ? 1e-5f : 1e-6f;
  const auto operation = layer ? Operator::kLayerNorm : Operator::kRmsNorm;
  INFO(fmt::format("{} x {}, mask {:#x}", it.shape.rows, it.shape.columns, mask));
  REQUIRE(it.card.run(operation, it.args, mask, {&it.from, &it.to, &gamma, &beta}).ok());
  Row g, b;
  for (uint32_t i = 0; i < it.shape.columns; ++i) {
    g.push_back(Real(gamma.get<float>(0, i)));
    b.push_back(Real(beta.get<float>(0, i)));
  }
  for (uint32_t row = 0; row < it.shape.rows; ++row) {
    const Row x = it.row(row);
    const Row y = model_norm(x, layer, it.args.epsilon, g, b);
    const auto exact = reference::norm(doubles(x), layer, it.args.epsilon);
    for (uint32_t i = 0; i < it.shape.columns; ++i) {
      it.to.write(it.args.to_type, row, i, y[i].bits);
      const double right = exact[i] * g[i].value() + (layer ? b[i].value() : 0);
      // A row's largest results are about the root of its length; a row of nearly equal numbers is all
      // rounding.
      if (it.shape.columns > 8)
        CHECK(std::abs(y[i].value() - right) <= 4e-6 * (1 + std::abs(right) + std::abs(g[i].value())));
    }
  }
  REQUIRE(it.card.difference(it.to) == "");
}

// Softmax or its logarithm against the model and double precision.
void check_softmax(verif::Random& random, Case<SoftmaxArgs>& it, uint32_t mask) {
  const bool logarithm = random.chance(50);
  const uint32_t columns = it.shape.columns;
  Tensor workspace = it.card.tensor(1, std::max(2 * it.shape.rows * pieces_of(columns), 1u), 4);
  if (columns > kMaxRow || random.chance(30)) it.args.workspace = workspace.at();
  it.args.scale = random.chance(30) ? 1.0f : some_float(random) / 4;
  const auto operation = logarithm ? Operator::kLogSoftmax : Operator::kSoftmax;
  INFO(fmt::format("{} x {}, mask {:#x}", it.shape.rows, it.shape.columns, mask));
  REQUIRE(it.card.run(operation, it.args, mask, {&it.from, &it.to, &workspace}).ok());
  for (uint32_t row = 0; row < it.shape.rows; ++row) {
    const Row x = it.row(row);
    const Row y = model_softmax(x, logarithm, it.args.scale);
    const auto exact = reference::log_softmax(doubles(x), it.args.scale);
    // Of the exponent: what rounding scale * score costs.
    double magnitude = 1;
    for (const Real v : x)
      magnitude = std::max(magnitude, std::abs(static_cast<double>(v.value()) * it.args.scale));
    for (uint32_t i = 0; i < it.shape.columns; ++i) {
      it.to.write(it.args.to_type, row, i, y[i].bits);
      if (logarithm) {
        CHECK(std::abs(y[i].value() - exact[i]) <= 1e-6 * magnitude + 1e-6 * std::abs(exact[i]));
      } else {
        CHECK(std::abs(y[i].value() - std::exp(exact[i])) <= 1e-6 * magnitude * std::exp(exact[i]) + 1e-30);
      }
    }
  }
  REQUIRE(it.card.difference(it.to) == "");
}

}  // namespace

TEST_CASE("layer norm, RMS norm") {
  verif::Random random(test_seed());
  for (int round = 0; round < rounds(60); ++round) {
    Case<NormArgs> it(random, some_size(random, kMaxRow));
    check_norm(random, it, some_mask(random, it.card.all()));
  }
}

// Where all CPEs take part, those of a row share them.
TEST_CASE("layer norm, RMS norm of few long rows") {
  verif::Random random(test_seed() + 2);
  for (int round = 0; round < rounds(30); ++round) {
    const auto columns = static_cast<uint32_t>(random.between(kPiece + 1, kMaxRow));
    Case<NormArgs> it(random, columns, static_cast<uint32_t>(random.between(1, 12)));
    check_norm(random, it, it.card.all());
  }
}

// Where CPEs have several tiles each, they load and store all together.
TEST_CASE("layer norm, RMS norm, softmax of many long rows") {
  verif::Random random(test_seed() + 3);
  for (int round = 0; round < rounds(2); ++round) {
    const auto columns = static_cast<uint32_t>(random.between(kMaxRow - 100, kMaxRow));
    const auto rows = static_cast<uint32_t>(random.between(100, 140));
    Case<NormArgs> norm(random, columns, rows);
    check_norm(random, norm, norm.card.all());
    Case<SoftmaxArgs> softmax(random, columns, rows);
    check_softmax(random, softmax, softmax.card.all());
  }
}

TEST_CASE("softmax and its logarithm") {
  verif::Random random(test_seed() + 1);
  for (int round = 0; round < rounds(60); ++round) {
    const bool is_long = random.chance(30);
    Case<SoftmaxArgs> it(random, is_long ? static_cast<uint32_t>(random.between(kMaxRow + 1, 60'000))
                                         : some_size(random, kMaxRow));
    check_softmax(random, it, some_mask(random, it.card.all()));
  }
}

TEST_CASE("rows that are too long, and numbers that are no floats, are refused") {
  verif::Random random(test_seed() + 2);
  const auto refused = [&](auto change, node::Refusal reason) {
    Case<SoftmaxArgs> it(random, some_size(random, kMaxRow));
    change(it.args);
    const Result result = it.card.walk(one(Operator::kSoftmax, it.args), it.card.all(), {&it.from, &it.to});
    CHECK(result.failed == it.card.all());
    CHECK(it.card.state(0).refusal == reason);
    CHECK(it.card.difference(it.to) == "");
  };
  refused([](SoftmaxArgs& args) { args.columns = 0; }, node::Refusal::kShape);
  refused([](SoftmaxArgs& args) { args.columns = kMaxRow + 1; }, node::Refusal::kParameter);
  refused(
      [](SoftmaxArgs& args) {
        args.columns = kSoftmaxColumns + 1;
        args.workspace = args.to;
      },
      node::Refusal::kShape);
  refused([](SoftmaxArgs& args) { args.from_type = Number::kInt8; }, node::Refusal::kType);
  refused([](SoftmaxArgs& args) { args.to_type = Number::kInt32; }, node::Refusal::kType);
  refused(
      [](SoftmaxArgs& args) {
        args.rows = 2;
        args.from_stride = 0;
      },
      node::Refusal::kStride);
}

}  // namespace swai::operators::test
