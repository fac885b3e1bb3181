// SPDX-License-Identifier: Apache-2.0
// Buffers on the card for what kernels print, one for each module whose kernels may (abi/print.hpp).
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "host/lib/module_text.hpp"
#include "host/lib/prints.hpp"

namespace swai::sdaa {

struct Printer {
  unsigned module = 0;  // the card's handle
  std::shared_ptr<const module::ModuleText> text;
  uint64_t buffer = 0;
  std::vector<uint32_t> lost = std::vector<uint32_t>(print::kMaxCores);  // by core, as far as it was told
};

// Those of a device; after a reset there are none.
struct Printers {
  std::vector<std::shared_ptr<Printer>> all;
  bool draining = false;  // by a thread whose copies let others in

  // From now on the buffer belongs to it.
  void add(unsigned module, std::shared_ptr<const module::ModuleText> text, uint64_t buffer) {
    all.push_back(std::make_shared<Printer>(Printer{module, std::move(text), buffer}));
  }
  // The buffer of a module that is to go, given back; 0: it had none.
  uint64_t drop(unsigned module) {
    const auto found = std::ranges::find(all, module, [](const auto& one) { return one->module; });
    if (found == all.end()) return 0;
    const uint64_t buffer = (*found)->buffer;
    all.erase(found);
    return buffer;
  }
};

}  // namespace swai::sdaa
