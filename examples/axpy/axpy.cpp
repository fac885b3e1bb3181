// SPDX-License-Identifier: Apache-2.0
// The first program: memory on the card, two copies there, a kernel, and a copy back.
#include <cmath>
#include <cstdint>
#include <vector>

#include "../check.hpp"

int main() {
  const uint32_t count = 100000;
  const float a = 2.0f;
  std::vector<float> x(count);
  std::vector<float> y(count);
  for (uint32_t i = 0; i < count; ++i) {
    x[i] = static_cast<float>(i) / 7;
    y[i] = static_cast<float>(count - i);
  }
  const size_t bytes = count * sizeof(float);

  sdaaModule_t module;
  sdaaFunction_t axpy;
  CHECK(sdaaModuleLoad(&module, "kernel.elf"));
  CHECK(sdaaModuleGetFunction(&axpy, module, "axpy"));

  void* on_card_x;
  void* on_card_y;
  CHECK(sdaaMalloc(&on_card_x, bytes));
  CHECK(sdaaMalloc(&on_card_y, bytes));
  CHECK(sdaaMemcpy(on_card_x, x.data(), bytes, sdaaMemcpyHostToDevice));
  CHECK(sdaaMemcpy(on_card_y, y.data(), bytes, sdaaMemcpyHostToDevice));

  const void* args[] = {&on_card_y, &on_card_x, &count, &a};
  CHECK(sdaaLaunchKernel(axpy, args, 0, nullptr));

  std::vector<float> result(count);
  CHECK(sdaaMemcpy(result.data(), on_card_y, bytes, sdaaMemcpyDeviceToHost));
  CHECK(sdaaFree(on_card_x));
  CHECK(sdaaFree(on_card_y));
  CHECK(sdaaModuleUnload(module));

  // The card rounds once, as fma does.
  uint32_t wrong = 0;
  for (uint32_t i = 0; i < count; ++i) wrong += result[i] != std::fma(a, x[i], y[i]);
  std::printf("axpy: %u of %u numbers are right\n", count - wrong, count);
  return wrong == 0 ? 0 : 1;
}
