// SPDX-License-Identifier: Apache-2.0
#include "verif/attack/api_client.hpp"

#include <algorithm>
#include <string>

#include "host/runtime/error.hpp"

namespace swai::attack {
namespace {

void need(sdaaError_t result) {
  if (result != sdaaSuccess) sdaa::fail(result, sdaaGetLastErrorMessage());
}

}  // namespace

ApiClient::ApiClient(int device, std::span<const uint8_t> module) : device_(device) {
  use();
  void* memory = nullptr;
  need(sdaaMalloc(&memory, kBytes));
  memory_ = reinterpret_cast<uintptr_t>(memory);
  need(sdaaStreamCreateWithFlags(&stream_, sdaaStreamNonBlocking));
  need(sdaaModuleLoadBytes(&module_, module.data(), module.size()));
}

// As a program ends: all that it had goes, and what it has begun.
ApiClient::~ApiClient() {
  if (sdaaSetDevice(device_) == sdaaSuccess) sdaaDeviceReset();
}

void ApiClient::use() { need(sdaaSetDevice(device_)); }

sdaaError_t ApiClient::launch(const char* name, const void* arguments, size_t bytes, uint32_t timeout) {
  sdaaFunction_t function = nullptr;
  need(sdaaModuleGetFunction(&function, module_, name));
  sdaaLaunchConfig_t config = {};
  config.structBytes = sizeof config;
  config.group = sdaaAnyGroup;
  config.timeoutCycles = timeout;
  return sdaaLaunch(function, &config, arguments, bytes, stream_);
}

sdaaError_t ApiClient::run(const char* name, const void* arguments, size_t bytes) {
  const sdaaError_t launched = launch(name, arguments, bytes, kTimeout);
  const sdaaError_t ended = finish();
  return launched != sdaaSuccess ? launched : ended;
}

void ApiClient::begin(const char* name, const void* arguments, size_t bytes) {
  need(launch(name, arguments, bytes, kTimeout));
}

void ApiClient::leave_running(const char* name, unsigned count) {
  for (unsigned i = 0; i < count; ++i) (void)launch(name, nullptr, 0, kLongest);
}

sdaaError_t ApiClient::finish() {
  const sdaaError_t result = sdaaStreamSynchronize(stream_);
  if (result != sdaaSuccess) need(sdaaStreamReset(stream_));
  return result;
}

bool ApiClient::fails_with(launch::Cause cause) {
  if (sdaaStreamSynchronize(stream_) == sdaaSuccess) return false;
  const std::string why = sdaaGetLastErrorMessage();
  need(sdaaStreamReset(stream_));
  return why.find(launch::text(cause)) != std::string::npos;
}

void ApiClient::fill(uint8_t value) { need(sdaaMemset(pointer_of(memory_), value, kBytes)); }

bool ApiClient::holds(uint8_t value) {
  std::vector<uint8_t> bytes(kBytes);
  need(sdaaMemcpy(bytes.data(), pointer_of(memory_), kBytes, sdaaMemcpyDeviceToHost));
  return std::ranges::all_of(bytes, [value](uint8_t byte) { return byte == value; });
}

}  // namespace swai::attack
