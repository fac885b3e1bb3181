// SPDX-License-Identifier: Apache-2.0
// Operators on whole rows, norms and softmax: to the bit, and near those in double precision.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>

#include "cpe-kernels/operators/common/limits.hpp"
#include "cpe-kernels/operators/common/pieces.hpp"
#include "cpe-kernels/operators/norm/reference.hpp"
#include "cpe-kernels/operators/softmax/plan.hpp"
#include "cpe-kernels/operators/softmax/reference.hpp"
#include "verif/cpe-kernels/operators/golden/golden.hpp"
#include "verif/cpe-kernels/operators/shapes.hpp"
#include "verif/kit/doctest_main.hpp"

namespace swai::operators::test {
namespace {

using Row = std::vector<Real>;

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
  const std::vector<Tensor*> tensors = {&it.from, &it.to, &gamma, &beta};
  REQUIRE(it.card.run(operation, it.args, mask, tensors).ok());
  std::vector<double> exact;
  (layer ? golden::layer_norm : golden::rms_norm)(
      it.args, memory_of(tensors), [&](uint32_t row, uint32_t i, Real y) {
        if (i == 0) exact = reference::norm(doubles(it.row(row)), layer, it.args.epsilon);
        const double g = gamma.get<float>(0, i);
        const double right = exact[i] * g + (layer ? beta.get<float>(0, i) : 0);
        // A row's largest results are about the root of its length; a row of nearly equal numbers is all
        // rounding.
        if (it.shape.columns > 8)
          CHECK(std::abs(y.value() - right) <= 4e-6 * (1 + std::abs(right) + std::abs(g)));
      });
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
  const std::vector<Tensor*> tensors = {&it.from, &it.to, &workspace};
  REQUIRE(it.card.run(operation, it.args, mask, tensors).ok());
  std::vector<double> exact;
  double magnitude = 1;  // of the exponent: what rounding scale * score costs
  (logarithm ? golden::log_softmax : golden::softmax)(
      it.args, memory_of(tensors), [&](uint32_t row, uint32_t i, Real y) {
        if (i == 0) {
          const std::vector<double> x = doubles(it.row(row));
          exact = reference::log_softmax(x, it.args.scale);
          magnitude = 1;
          for (const double v : x) magnitude = std::max(magnitude, std::abs(v * it.args.scale));
        }
        if (logarithm) {
          CHECK(std::abs(y.value() - exact[i]) <= 1e-6 * magnitude + 1e-6 * std::abs(exact[i]));
        } else {
          CHECK(std::abs(y.value() - std::exp(exact[i])) <= 1e-6 * magnitude * std::exp(exact[i]) + 1e-30);
        }
      });
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
