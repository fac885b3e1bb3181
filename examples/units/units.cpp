// SPDX-License-Identifier: Apache-2.0
// Layer norm on the scalar core and on the vector unit, and a product of int8 matrices on the systolic unit:
// each is compared with what the host computes. docs/program/first-kernel.md explains the kernels.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "../check.hpp"

namespace {

constexpr uint32_t kRows = 64;
constexpr uint32_t kColumns = 256;
constexpr float kEpsilon = 1e-5f;
constexpr uint32_t kTile = 8;  // columns that the systolic unit makes at a time

template <typename T>
void* on_card(const std::vector<T>& values) {
  void* memory;
  CHECK(sdaaMalloc(&memory, values.size() * sizeof(T)));
  CHECK(sdaaMemcpy(memory, values.data(), values.size() * sizeof(T), sdaaMemcpyHostToDevice));
  return memory;
}

template <typename T>
std::vector<T> from_card(const void* memory, size_t count) {
  std::vector<T> values(count);
  CHECK(sdaaMemcpy(values.data(), memory, count * sizeof(T), sdaaMemcpyDeviceToHost));
  return values;
}

sdaaFunction_t kernel(sdaaModule_t module, const char* name) {
  sdaaFunction_t function;
  CHECK(sdaaModuleGetFunction(&function, module, name));
  return function;
}

// In double precision.
std::vector<double> layer_norm(const std::vector<float>& x, const std::vector<float>& gamma,
                               const std::vector<float>& beta) {
  std::vector<double> y(x.size());
  for (uint32_t row = 0; row < kRows; ++row) {
    const float* const at = &x[row * kColumns];
    double mean = 0;
    double variance = 0;
    for (uint32_t i = 0; i < kColumns; ++i) mean += at[i] / double{kColumns};
    for (uint32_t i = 0; i < kColumns; ++i) variance += (at[i] - mean) * (at[i] - mean) / double{kColumns};
    for (uint32_t i = 0; i < kColumns; ++i) {
      y[row * kColumns + i] = (at[i] - mean) / std::sqrt(variance + double{kEpsilon}) * gamma[i] + beta[i];
    }
  }
  return y;
}

bool norms_are_right(sdaaModule_t module) {
  std::vector<float> x(kRows * kColumns);
  std::vector<float> gamma(kColumns);
  std::vector<float> beta(kColumns);
  for (uint32_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i * 37 % 101) / 25 - 1;
  for (uint32_t i = 0; i < kColumns; ++i) gamma[i] = 1 + static_cast<float>(i % 7) / 10;
  for (uint32_t i = 0; i < kColumns; ++i) beta[i] = static_cast<float>(i % 5) / 10;
  void* const card_x = on_card(x);
  void* const card_gamma = on_card(gamma);
  void* const card_beta = on_card(beta);
  const std::vector<double> expected = layer_norm(x, gamma, beta);
  bool right = true;
  for (const char* const name : {"layer_norm_scalar", "layer_norm"}) {
    void* const card_y = on_card(std::vector<float>(x.size()));
    const void* args[] = {&card_y, &card_x, &card_gamma, &card_beta, &kRows, &kColumns, &kEpsilon};
    CHECK(sdaaLaunchKernel(kernel(module, name), args, 0, nullptr));
    const std::vector<float> y = from_card<float>(card_y, x.size());
    double error = 0;
    for (size_t i = 0; i < y.size(); ++i) error = std::max(error, std::abs(y[i] - expected[i]));
    std::printf("%s: error %.1e\n", name, error);
    right = right && error < 1e-5;
    CHECK(sdaaFree(card_y));
  }
  for (void* const memory : {card_x, card_gamma, card_beta}) CHECK(sdaaFree(memory));
  return right;
}

bool products_are_right(sdaaModule_t module) {
  constexpr uint32_t kDepth = 256;
  std::vector<int8_t> x(kRows * kDepth);
  std::vector<int8_t> w(kDepth * kColumns);
  std::vector<int8_t> packed(w.size());
  for (uint32_t i = 0; i < x.size(); ++i) x[i] = static_cast<int8_t>(i * 29 % 251 - 125);
  for (uint32_t i = 0; i < w.size(); ++i) w[i] = static_cast<int8_t>(i * 53 % 239 - 119);
  for (uint32_t k = 0; k < kDepth; ++k) {
    for (uint32_t n = 0; n < kColumns; ++n) {
      packed[n / kTile * kTile * kDepth + k * kTile + n % kTile] = w[k * kColumns + n];
    }
  }
  void* const card_x = on_card(x);
  const struct {
    const char* name;
    void* weights;
  } ways[] = {{"product", on_card(w)}, {"product_packed", on_card(packed)}};
  bool right = true;
  for (const auto& way : ways) {
    void* const card_y = on_card(std::vector<int32_t>(kRows * kColumns));
    const void* args[] = {&card_y, &card_x, &way.weights, &kRows, &kDepth, &kColumns};
    CHECK(sdaaLaunchKernel(kernel(module, way.name), args, 0, nullptr));
    const std::vector<int32_t> y = from_card<int32_t>(card_y, kRows * kColumns);
    uint32_t wrong = 0;
    for (uint32_t m = 0; m < kRows; ++m) {
      for (uint32_t n = 0; n < kColumns; ++n) {
        int32_t sum = 0;
        for (uint32_t k = 0; k < kDepth; ++k) sum += x[m * kDepth + k] * w[k * kColumns + n];
        wrong += y[m * kColumns + n] != sum;
      }
    }
    std::printf("%s: %u of %u numbers are wrong\n", way.name, wrong, kRows * kColumns);
    right = right && wrong == 0;
    CHECK(sdaaFree(card_y));
    CHECK(sdaaFree(way.weights));
  }
  CHECK(sdaaFree(card_x));
  return right;
}

}  // namespace

int main() {
  sdaaModule_t module;
  CHECK(sdaaModuleLoad(&module, "kernel.elf"));
  const bool norms = norms_are_right(module);
  const bool products = products_are_right(module);
  CHECK(sdaaModuleUnload(module));
  return norms && products ? 0 : 1;
}
