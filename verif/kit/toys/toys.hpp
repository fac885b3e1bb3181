// SPDX-License-Identifier: Apache-2.0
// What the toy models' programs are told, and what they say.
#pragma once

#include <array>
#include <cstdint>

#include "abi/building.hpp"
#include "abi/program.hpp"

namespace swai::toys {

inline constexpr uint32_t kMostRows = 16;   // of a text that an encoder sees
inline constexpr uint32_t kMostTokens = 8;  // of a decoder's step

// A token or a label, and the bits of the logarithm of its probability.
struct Choice {
  uint32_t number;
  uint32_t likely;
};
// Device pointers, to memory that processor and cores reach: what a model reads, and what it has chosen, each
// in lines of its own.
struct Places {
  uint64_t tokens;
  uint64_t number;
  uint64_t likely;
};

// Of `encode`: as many texts follow. It sends a Choice for each, and building::Work.
struct EncodeWish {
  program::Kernel walk;
  building::Mode mode;
  building::Source list;
  Places places;
  uint64_t texts;
};
struct Text {
  uint32_t rows;
  std::array<uint32_t, kMostRows> tokens;
};

// Of `write`: tokens of the text that an encoder sees follow, then those with which the decoder begins. It
// sends a Choice for each step, and building::Work.
struct WriteWish {
  program::Kernel walk;
  building::Mode mode;
  building::Source encoder;  // of no bytes: there is none
  building::Source step;
  uint64_t text;  // device pointer: where the encoder reads
  Places places;  // the decoder's
  uint32_t rows;  // of the text
  uint32_t prompt;
  uint32_t steps;
  uint32_t reserved;
};

// The programs' codes.
enum Code : uint32_t { kAll = 0, kRefused = 1, kFailed = 2, kCancelled = 3 };

}  // namespace swai::toys
