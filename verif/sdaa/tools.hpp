// What the tests of the runtime library share.
#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "host/sdaa/include/sdaa_runtime.h"

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

inline std::vector<uint8_t> random_bytes(std::mt19937_64& random, size_t count) {
  std::vector<uint8_t> bytes(count);
  for (auto& byte : bytes) byte = static_cast<uint8_t>(random());
  return bytes;
}

}  // namespace swai::sdaa
