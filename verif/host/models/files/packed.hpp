// SPDX-License-Identifier: Apache-2.0
// What the tests of packed files do, whatever the architecture.
#pragma once

#include <doctest/doctest.h>

#include <functional>
#include <map>
#include <random>
#include <span>
#include <string>
#include <utility>

#include "host/lib/elf.hpp"
#include "host/models/files/packed_file.hpp"
#include "verif/host/models/files/mutation.hpp"

namespace swai::models {

// By name. Fails the test where a name comes twice.
inline std::map<std::string, Bytes> weights_of(const std::function<void(const Put&)>& weights) {
  std::map<std::string, Bytes> all;
  weights([&](const std::string& name, std::span<const uint8_t> contents) {
    CHECK(all.emplace(name, Bytes(contents.begin(), contents.end())).second);
  });
  return all;
}

inline PackedFile opened(Bytes bytes) {
  std::optional<PackedFile> file = PackedFile::in(FileBytes::hold("packed", std::move(bytes)));
  REQUIRE(file);
  return std::move(*file);
}

// `open` looks at all of a file, as a program does that opens it. Throws what is no InputError.
using Open = std::function<void(const PackedFile&)>;

inline bool accepted(Bytes bytes, const Open& open) {
  try {
    const std::optional<PackedFile> file = PackedFile::in(FileBytes::hold("packed", std::move(bytes)));
    if (file) open(*file);
    return file.has_value();
  } catch (const common::InputError&) {
    return false;
  }
}

inline void check_cut(const Bytes& whole, int tries, std::mt19937_64& random, const Open& open) {
  for (int i = 0; i < tries; ++i) {
    const auto size = static_cast<ptrdiff_t>(random() % whole.size());
    CAPTURE(size);
    CHECK_FALSE(accepted(Bytes(whole.begin(), whole.begin() + size), open));
  }
}

inline void check_damaged(const Bytes& whole, int tries, std::mt19937_64& random, const Open& open) {
  int refused = 0;
  for (int i = 0; i < tries; ++i) {
    Bytes damaged = whole;
    mutate(damaged, random);
    CAPTURE(i);
    CHECK_NOTHROW(refused += accepted(std::move(damaged), open) ? 0 : 1);
  }
  // Most changes hit the header; were it otherwise, nothing would be tried here.
  CHECK(refused > tries / 4);
  CHECK(refused < tries);
}

}  // namespace swai::models
