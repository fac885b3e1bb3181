// SPDX-License-Identifier: Apache-2.0
// A model program through the library, with what is expected of it.
#pragma once

#include <cstdint>
#include <vector>

#include "verif/host/runtime/tools.hpp"

namespace swai::sdaa {

class TestedProgram {
 public:
  explicit TestedProgram(const char* path) { REQUIRE_OK(sdaaProgramLoad(&handle_, path)); }
  ~TestedProgram() { CHECK_OK(sdaaProgramDestroy(handle_)); }
  TestedProgram(const TestedProgram&) = delete;
  TestedProgram& operator=(const TestedProgram&) = delete;

  operator sdaaProgram_t() const { return handle_; }
  template <typename Wish>
  void start(const Wish& wish) {
    REQUIRE_OK(sdaaProgramStart(handle_, &wish, sizeof wish));
  }
  void start(const std::vector<uint8_t>& arguments) {
    REQUIRE_OK(sdaaProgramStart(handle_, arguments.data(), arguments.size()));
  }
  uint32_t code() {
    uint32_t code = ~uint32_t{0};
    CHECK_OK(sdaaProgramWait(handle_, &code));
    return code;
  }
  void fails(sdaaError_t error) { CHECK_ERROR(sdaaProgramWait(handle_, nullptr), error); }
  template <typename T>
  T read() {
    T message;
    size_t bytes = sizeof message;
    REQUIRE_OK(sdaaProgramRead(handle_, &message, &bytes));
    CHECK(bytes == sizeof message);
    return message;
  }
  void read_end() {
    size_t bytes = 0;
    CHECK_ERROR(sdaaProgramRead(handle_, nullptr, &bytes), sdaaErrorNotFound);
  }

 private:
  sdaaProgram_t handle_ = nullptr;
};

}  // namespace swai::sdaa
