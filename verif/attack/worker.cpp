// SPDX-License-Identifier: Apache-2.0
#include "verif/attack/worker.hpp"

#include <algorithm>
#include <vector>

#include "host/runtime/bars.hpp"
#include "host/runtime/error.hpp"
#include "verif/host/runtime/kernels.hpp"

namespace swai::attack {
namespace {

void need(sdaaError_t result) {
  if (result != sdaaSuccess) sdaa::fail(result, sdaaGetLastErrorMessage());
}

}  // namespace

Worker::Worker(int device, std::span<const uint8_t> module, uint32_t capacity) {
  need(sdaaSetDevice(device));
  sdaaModule_t loaded = nullptr;
  need(sdaaModuleLoadBytes(&loaded, module.data(), module.size()));
  need(sdaaModuleGetFunction(&kernel_, loaded, "axpy_int"));
  need(sdaaMalloc(&x_, capacity * sizeof(int32_t)));
  need(sdaaMalloc(&y_, capacity * sizeof(int32_t)));
}

bool Worker::round(std::mt19937_64& random, uint32_t count) {
  const size_t bytes = count * sizeof(int32_t);
  std::vector<int32_t> x(count);
  std::vector<int32_t> y(count);
  for (uint32_t i = 0; i < count; ++i) {
    x[i] = static_cast<int32_t>(random() % 1000);
    y[i] = static_cast<int32_t>(random() % 1000);
  }
  need(sdaaMemcpy(x_, x.data(), bytes, sdaaMemcpyHostToDevice));
  need(sdaaMemcpy(y_, y.data(), bytes, sdaaMemcpyHostToDevice));
  const auto a = static_cast<int32_t>(random() % 100);
  const sdaa::AxpyIntArgs arguments = {sdaa::global<int32_t>(y_), sdaa::global<const int32_t>(x_), count, a};
  need(sdaaLaunch(kernel_, nullptr, &arguments, sizeof arguments, nullptr));
  std::vector<int32_t> result(count);
  need(sdaaMemcpy(result.data(), y_, bytes, sdaaMemcpyDeviceToHost));
  for (uint32_t i = 0; i < count; ++i) y[i] += a * x[i];
  return result == y;
}

std::vector<Launches> launches(link::Card& card, const protocol::Info& info) {
  std::vector<protocol::ClientUsage> told(info.clients_count);
  card.read_block(sdaa::kMemoryBar, sdaa::kSram + info.clients_offset,
                  {reinterpret_cast<uint8_t*>(told.data()), told.size() * sizeof(protocol::ClientUsage)});
  std::vector<Launches> all;
  for (const protocol::ClientUsage& one : told) all.push_back({one.launches, one.busy});
  return all;
}

size_t busiest(const std::vector<Launches>& all) {
  return static_cast<size_t>(std::ranges::max_element(all, {}, &Launches::count) - all.begin());
}

}  // namespace swai::attack
