// SPDX-License-Identifier: Apache-2.0
// What the tests of the runtime library share.
#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "host/runtime/runtime.hpp"
#include "verif/host/runtime/fake_card.hpp"

// Says what went wrong in full.
#define CHECK_OK(call)                  \
  do {                                  \
    const sdaaError_t result_ = (call); \
    INFO(::swai::sdaa::what(result_));  \
    CHECK(result_ == sdaaSuccess);      \
  } while (false)
#define REQUIRE_OK(call)                \
  do {                                  \
    const sdaaError_t result_ = (call); \
    INFO(::swai::sdaa::what(result_));  \
    REQUIRE(result_ == sdaaSuccess);    \
  } while (false)
#define CHECK_ERROR(call, error)        \
  do {                                  \
    const sdaaError_t result_ = (call); \
    INFO(::swai::sdaa::what(result_));  \
    CHECK(result_ == (error));          \
  } while (false)

namespace swai::sdaa {

inline std::string what(sdaaError_t error) {
  return std::string(sdaaGetErrorName(error)) + ": " + sdaaGetLastErrorMessage();
}

// Played cards, with limits that a test can wait for.
class Fakes {
 public:
  explicit Fakes(unsigned cards = 1, const FakeOptions& options = {}, bool checked = false) {
    std::vector<Device::Opener> openers;
    for (unsigned i = 0; i < cards; ++i)
      openers.emplace_back([options] { return std::make_unique<link::Card>(make_fake_card(options)); });
    use(std::move(openers), checked);
  }
  ~Fakes() { Runtime::get().use({}); }
  Fakes(const Fakes&) = delete;
  Fakes& operator=(const Fakes&) = delete;

  static Limits limits() {
    Limits limits;
    limits.asleep = std::chrono::milliseconds(100);
    limits.boot_cycles = 2'000'000;
    limits.request_cycles = 200'000;
    limits.wait_cycles = uint64_t{1} << 32;
    return limits;
  }
  static void use(std::vector<Device::Opener> openers, bool checked = false,
                  const Limits& limits = Fakes::limits()) {
    Runtime::get().use(std::move(openers), limits, checked);
    Runtime::current_number() = 0;
    sdaaGetLastError();
  }
};

template <typename T>
uint64_t bits(T* pointer) {
  return reinterpret_cast<uintptr_t>(pointer);
}
inline void* beyond(void* pointer, uint64_t bytes) { return reinterpret_cast<void*>(bits(pointer) + bytes); }

inline sdaaFunction_t kernel(sdaaModule_t module, const char* name) {
  sdaaFunction_t function = nullptr;
  REQUIRE_OK(sdaaModuleGetFunction(&function, module, name));
  return function;
}
// The module of all kernels that a played card knows.
inline sdaaModule_t load_fake_module() {
  const auto file = fake_module();
  sdaaModule_t module = nullptr;
  REQUIRE_OK(sdaaModuleLoadBytes(&module, file.data(), file.size()));
  return module;
}
inline void* allocate(size_t bytes) {
  void* pointer = nullptr;
  REQUIRE_OK(sdaaMalloc(&pointer, bytes));
  return pointer;
}

inline sdaaStream_t new_stream(unsigned flags = sdaaStreamDefault) {
  sdaaStream_t stream = nullptr;
  REQUIRE_OK(sdaaStreamCreateWithFlags(&stream, flags));
  return stream;
}
inline sdaaEvent_t new_event() {
  sdaaEvent_t event = nullptr;
  REQUIRE_OK(sdaaEventCreate(&event));
  return event;
}

inline std::vector<uint8_t> random_bytes(std::mt19937_64& random, size_t count) {
  std::vector<uint8_t> bytes(count);
  for (auto& byte : bytes) byte = static_cast<uint8_t>(random());
  return bytes;
}

}  // namespace swai::sdaa
