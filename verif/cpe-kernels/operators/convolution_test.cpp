// SPDX-License-Identifier: Apache-2.0
// Convolutions over time as linear layers whose rows of x overlap: Whisper's stem, two of them, against plain
// loops in double precision.
#include <doctest/doctest.h>

#include <cmath>

#include "cpe-kernels/operators/linear/plan.hpp"
#include "cpe-kernels/operators/quantise/plan.hpp"
#include "cpe-kernels/operators/unary/reference.hpp"
#include "verif/cpe-kernels/operators/shapes.hpp"
#include "verif/kit/doctest_main.hpp"

namespace swai::operators::test {
namespace {

constexpr uint32_t kKernel = 3;

// [output][input][kernel], as models have them.
struct Convolution {
  uint32_t from_channels, to_channels, stride;
  std::vector<float> weights, biases;

  Convolution(verif::Random& random, uint32_t from, uint32_t to, uint32_t stride_)
      : from_channels(from), to_channels(to), stride(stride_) {
    const auto draw = [&](std::vector<float>& all, size_t count) {
      for (size_t i = 0; i < count; ++i)
        all.push_back(static_cast<float>(random.between(0, 2'000'000)) / 1e6f - 1);
    };
    draw(weights, size_t{to} * from * kKernel);
    draw(biases, to);
    for (float& weight : weights) weight /= std::sqrt(static_cast<float>(from * kKernel));
  }

  uint32_t depth() const { return kKernel * from_channels; }
  // As a linear layer: [output][kernel][input].
  float weight(uint32_t output, uint32_t k) const {
    return weights[(size_t{output} * from_channels + k % from_channels) * kKernel + k / from_channels];
  }

  // x, results: [time][channels], with one frame of zeros before and after x that is not in it.
  std::vector<double> exact(const std::vector<double>& x) const {
    const auto frames = static_cast<int64_t>(x.size() / from_channels);
    std::vector<double> results;
    for (int64_t time = 0; time < frames; time += stride) {
      for (uint32_t output = 0; output < to_channels; ++output) {
        double sum = biases[output];
        for (uint32_t tap = 0; tap < kKernel; ++tap) {
          const int64_t at = time + tap - 1;
          if (at < 0 || at >= frames) continue;
          for (uint32_t input = 0; input < from_channels; ++input) {
            sum += x[static_cast<size_t>(at) * from_channels + input] *
                   weights[(size_t{output} * from_channels + input) * kKernel + tap];
          }
        }
        results.push_back(reference::unary(Operator::kGeluErf, sum));
      }
    }
    return results;
  }
};

// Frames with a row of zeros before and after them.
Tensor frames_of(Card& card, uint32_t frames, uint32_t channels) {
  Tensor tensor = card.tensor(frames + 2, channels, 4);
  for (uint32_t channel = 0; channel < channels; ++channel) {
    tensor.set(0, channel, 0.0f);
    tensor.set(frames + 1, channel, 0.0f);
  }
  return tensor;
}
Tensor floats_of(Card& card, const std::vector<float>& values) {
  Tensor tensor = card.tensor(1, static_cast<uint32_t>(values.size()), 4);
  for (uint32_t i = 0; i < values.size(); ++i) tensor.set(0, i, values[i]);
  return tensor;
}

struct Stem {
  static constexpr uint32_t kFrames = 78;
  verif::Random random{test_seed()};
  Card card{random};
  Convolution first{random, 80, 384, 1};
  Convolution second{random, 384, 384, 2};
  Tensor sound = frames_of(card, kFrames, 80);
  Tensor between = frames_of(card, kFrames, 384);
  Tensor to = card.tensor(kFrames / 2, 384, 4);
  std::vector<double> exact;

  Stem() {
    std::vector<double> x;
    for (uint32_t frame = 1; frame <= kFrames; ++frame) {
      for (uint32_t channel = 0; channel < 80; ++channel) {
        sound.set(frame, channel, some_float(random));
        x.push_back(sound.get<float>(frame, channel));
      }
    }
    exact = second.exact(first.exact(x));
  }

  GlobalPtr<void> first_results() const { return between.at().plus_bytes(between.stride); }

  // Largest error, and root mean square of errors, as parts of the results' root mean square.
  struct Errors {
    double most, rms;
  };
  Errors errors() {
    card.take(to);
    double most = 0, squares = 0, all = 0;
    for (uint32_t i = 0; i < exact.size(); ++i) {
      const double error = std::abs(to.get<float>(i / 384, i % 384) - exact[i]);
      most = std::max(most, error);
      squares += error * error;
      all += exact[i] * exact[i];
    }
    return {most / std::sqrt(all / static_cast<double>(exact.size())), std::sqrt(squares / all)};
  }
};

}  // namespace

TEST_CASE("linear_fp32: a convolution over time is a layer whose rows overlap") {
  Stem stem;
  std::vector<Tensor> weights;
  std::vector<Node> nodes;
  const auto layer = [&](const Convolution& convolution, const Tensor& from, GlobalPtr<void> to,
                         uint32_t rows) {
    std::vector<float> w;
    for (uint32_t output = 0; output < convolution.to_channels; ++output) {
      for (uint32_t k = 0; k < convolution.depth(); ++k) w.push_back(convolution.weight(output, k));
    }
    weights.push_back(floats_of(stem.card, w));
    const auto matrix = weights.back().at();
    weights.push_back(floats_of(stem.card, convolution.biases));
    const LinearFp32Args args = {.to = to,
                                 .x = from.at(),
                                 .w = matrix,
                                 .biases = weights.back().at(),
                                 .residual = {},
                                 .rows = rows,
                                 .depth = convolution.depth(),
                                 .columns = convolution.to_channels,
                                 .to_stride = convolution.to_channels * 4,
                                 .x_stride = convolution.stride * convolution.from_channels * 4,
                                 .w_stride = convolution.depth() * 4,
                                 .residual_stride = 0,
                                 .function = static_cast<uint16_t>(Operator::kGeluErf),
                                 .to_type = Number::kFp32,
                                 .x_type = Number::kFp32,
                                 .w_type = Number::kFp32,
                                 .residual_type = Number::kFp32};
    nodes.push_back(node::make(static_cast<uint16_t>(Operator::kLinearFp32), Barrier::kAll, args));
  };
  layer(stem.first, stem.sound, stem.first_results(), Stem::kFrames);
  layer(stem.second, stem.between, stem.to.at(), Stem::kFrames / 2);
  std::vector<Tensor*> tensors = {&stem.sound, &stem.between, &stem.to};
  for (Tensor& tensor : weights) tensors.push_back(&tensor);
  REQUIRE(stem.card.walk(nodes, stem.card.all(), tensors).ok());
  CHECK(stem.errors().most < 3e-6);
}

TEST_CASE("linear: a convolution over time is quantise of rows that overlap, and a layer") {
  Stem stem;
  std::vector<Tensor> others;
  std::vector<Node> nodes;
  const auto layer = [&](const Convolution& convolution, const Tensor& from, GlobalPtr<void> to,
                         uint32_t rows) {
    const uint32_t depth = convolution.depth();
    const uint32_t columns = convolution.to_channels;
    std::vector<int8_t> whole(size_t{columns} * depth), packed(packed_linear_bytes(depth, columns));
    std::vector<float> scales;
    for (uint32_t output = 0; output < columns; ++output) {
      float most = 0;
      for (uint32_t k = 0; k < depth; ++k) most = std::max(most, std::abs(convolution.weight(output, k)));
      scales.push_back(most / 127);
      for (uint32_t k = 0; k < depth; ++k)
        whole[size_t{output} * depth + k] =
            static_cast<int8_t>(std::lround(convolution.weight(output, k) / scales.back()));
    }
    pack_linear(whole, depth, columns, packed);
    Tensor w = stem.card.tensor(1, static_cast<uint32_t>(packed.size()), 1);
    for (uint32_t i = 0; i < packed.size(); ++i) w.set(0, i, packed[i]);
    const Tensor x = stem.card.tensor(rows, depth, 1);
    const Tensor x_scales = stem.card.tensor(1, rows, 4);
    const Tensor w_scales = floats_of(stem.card, scales);
    const Tensor biases = floats_of(stem.card, convolution.biases);
    const QuantiseArgs quantise = {.to = x.at(),
                                   .from = from.at(),
                                   .scales = x_scales.at(),
                                   .rows = rows,
                                   .columns = depth,
                                   .group = depth,
                                   .to_stride = depth,
                                   .from_stride = convolution.stride * convolution.from_channels * 4,
                                   .scales_stride = rows * 4,
                                   .from_type = Number::kFp32};
    LinearArgs args{};
    args.to = to;
    args.x = x.at();
    args.w = w.at();
    args.x_scales = x_scales.at();
    args.w_scales = w_scales.at();
    args.biases = biases.at();
    args.rows = rows;
    args.depth = args.group = args.x_stride = depth;
    args.columns = columns;
    args.to_stride = columns * 4;
    args.x_scales_stride = rows * 4;
    args.function = static_cast<uint16_t>(Operator::kGeluErf);
    nodes.push_back(node::make(static_cast<uint16_t>(Operator::kQuantise), Barrier::kAll, quantise));
    nodes.push_back(node::make(static_cast<uint16_t>(Operator::kLinear), Barrier::kAll, args));
    for (const Tensor& tensor : {w, x, x_scales, w_scales, biases}) others.push_back(tensor);
  };
  layer(stem.first, stem.sound, stem.first_results(), Stem::kFrames);
  layer(stem.second, stem.between, stem.to.at(), Stem::kFrames / 2);
  std::vector<Tensor*> tensors = {&stem.sound, &stem.between, &stem.to};
  for (Tensor& tensor : others) tensors.push_back(&tensor);
  REQUIRE(stem.card.walk(nodes, stem.card.all(), tensors).ok());
  // int8 of weights and of both layers' activations: a part in a hundred.
  CHECK(stem.errors().rms < 0.03);
}

}  // namespace swai::operators::test
