// SPDX-License-Identifier: Apache-2.0
// A hostile program on the runtime library: what it has by right, on a device of its own.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "abi/launch.hpp"
#include "host/runtime/include/sdaa_runtime.h"

namespace swai::attack {

class ApiClient {
 public:
  static constexpr size_t kBytes = 4096;
  static constexpr uint32_t kTimeout = 20'000;         // cycles of its kernels
  static constexpr uint32_t kLongest = 1'000'000'000;  // and of those that it leaves behind

  // Has memory, a stream and kernels. Throws sdaa::Failure.
  ApiClient(int device, std::span<const uint8_t> module);
  ~ApiClient();
  ApiClient(const ApiClient&) = delete;
  ApiClient& operator=(const ApiClient&) = delete;

  // Makes its device the calling thread's current one.
  void use();
  uint64_t memory() const { return memory_; }
  sdaaStream_t stream() const { return stream_; }
  // What becomes of a kernel with these arguments. The stream goes on.
  sdaaError_t run(const char* name, const void* arguments, size_t bytes);
  template <typename Arguments>
  sdaaError_t run(const char* name, const Arguments& arguments) {
    return run(name, &arguments, sizeof arguments);
  }
  // Not waited for: finish() tells.
  template <typename Arguments>
  void begin(const char* name, const Arguments& arguments) {
    begin(name, &arguments, sizeof arguments);
  }
  // So many of a kernel, which are not waited for.
  void leave_running(const char* name, unsigned count);
  // Of what was given to the stream; it goes on.
  sdaaError_t finish();
  // The same: whether it failed for that reason.
  bool fails_with(launch::Cause cause);

  // All kBytes of its memory.
  void fill(uint8_t value);
  bool holds(uint8_t value);

 private:
  sdaaError_t launch(const char* name, const void* arguments, size_t bytes, uint32_t timeout);
  void begin(const char* name, const void* arguments, size_t bytes);

  int device_;
  uint64_t memory_ = 0;
  sdaaStream_t stream_ = nullptr;
  sdaaModule_t module_ = nullptr;
};

inline void* pointer_of(uint64_t bits) { return reinterpret_cast<void*>(bits); }

}  // namespace swai::attack
