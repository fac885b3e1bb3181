// SPDX-License-Identifier: Apache-2.0
// A line for every instruction that the management processor retires, as mpe-run and iss-run write them, with
// the clock in front.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

#include "Vcard_top.h"

namespace swai::card {

class Trace {
 public:
  // Throws std::runtime_error when the file cannot be written.
  explicit Trace(const std::string& path);
  // The record that the core shows in this clock.
  void record(uint64_t cycle, const Vcard_top& top);

 private:
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
};

}  // namespace swai::card
