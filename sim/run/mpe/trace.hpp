// SPDX-License-Identifier: Apache-2.0
// One line of text for every record of the retirement port.
#pragma once

#include <cstdio>
#include <memory>
#include <string>

#include "sim/run/mpe/mpe_sim.hpp"

namespace swai::mpe {

// The cycle, and what the reference model's trace shows as well.
std::string format_record(const Record& record);

class Trace final : public Observer {
 public:
  // Throws common::InputError if the file cannot be written.
  explicit Trace(const std::string& path);
  void retired(const Record& record) override;

 private:
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
};

}  // namespace swai::mpe
