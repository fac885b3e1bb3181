// SPDX-License-Identifier: Apache-2.0
#include "bench/llm/random_llama.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "host/models/files/architectures/registry.hpp"

namespace swai::cli::bench {
namespace {

using models::WeightFormat;

struct Named {
  const char* name;
  models::DecoderShape shape;
};
constexpr double kEpsilon = 1e-6, kTheta = 10'000;
constexpr auto kHalves = models::Rotation::kHalves;
// width, inner, layers, heads, kv_heads, head_width, vocabulary, context
constexpr std::array<Named, 3> kShapes = {
    {{"qwen-1.8b", {2048, 5504, 24, 16, 16, 128, 151'936, 8192, kEpsilon, kTheta, kHalves, {}}},
     {"smollm2-135m", {576, 1536, 30, 9, 3, 64, 49'152, 8192, kEpsilon, kTheta, kHalves, {}}},
     {"tiny", {128, 256, 2, 4, 2, 32, 512, 2048, kEpsilon, kTheta, kHalves, {}}}}};

}  // namespace

std::vector<std::string> llama_shape_names() {
  std::vector<std::string> names;
  for (const Named& one : kShapes) names.emplace_back(one.name);
  return names;
}

models::CardDecoder random_llama(const std::string& shape, uint32_t blocks) {
  const auto found = std::ranges::find(kShapes, shape, &Named::name);
  if (found == kShapes.end()) throw std::invalid_argument("no such shape");
  models::DecoderShape changed = found->shape;
  if (blocks != 0) changed.layers = blocks;
  models::WeightFormats formats;
  for (const models::MatrixKind& kind : models::matrix_kinds(models::qwen2()))
    formats[kind.name] = kind.name == "head" ? WeightFormat::kInt8 : WeightFormat::kInt4;
  // Queries, keys and values have a bias in Qwen's blocks; a product takes as long with as without.
  return models::card_decoder("random weights",
                              {.architecture = &models::qwen2(),
                               .shape = changed,
                               .precision = models::Precision::kW4A8,
                               .formats = std::move(formats),
                               .tied = false,
                               .biased = {"attention.query", "attention.key", "attention.value"}});
}

}  // namespace swai::cli::bench
