// SPDX-License-Identifier: Apache-2.0
// Which kernels the commands of a queue run, so that a failure and a long wait are told with a kernel's name.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "abi/module.hpp"
#include "abi/protocol.hpp"
#include "host/lib/argument_types.hpp"
#include "host/lib/module_text.hpp"

namespace swai::sdaa {

struct KernelInfo {
  std::string name;
  uint32_t argument_bytes = 0;
  module::Parameters parameters;
  std::optional<module::ThreadStacks> thread_stacks;
  uint64_t free_bytes = module::kLdmBytes;  // of local memory, beside the module's static objects
  std::shared_ptr<const module::ModuleText> text;

  // What the kernel itself says of why it stopped.
  std::string_view why(launch::Cause cause, uint64_t pc) const {
    return text->stops.why(cause, static_cast<uint32_t>(pc));
  }
  std::string place(uint64_t pc) const { return text->lines.place(name, static_cast<uint32_t>(pc)); }
};

// Of a launch its one; of a graph one for each node, null for what is no kernel.
using Kernels = std::vector<std::shared_ptr<const KernelInfo>>;

class Launches {
 public:
  // The command that begins in this slot.
  void note(uint32_t sequence, std::shared_ptr<const Kernels> kernels) {
    latest_[sequence % latest_.size()] = {sequence, std::move(kernels)};
  }
  // `node` as in protocol::QueueStatus. Null: no kernel.
  const KernelInfo* find(uint32_t sequence, uint32_t node) const {
    const auto& [noted, kernels] = latest_[sequence % latest_.size()];
    const size_t index = node == 0 ? 0 : node - 1;
    return kernels != nullptr && noted == sequence && index < kernels->size() ? (*kernels)[index].get()
                                                                              : nullptr;
  }

 private:
  // What is not complete lies in one of the queue's slots.
  std::array<std::pair<uint32_t, std::shared_ptr<const Kernels>>, protocol::kSlots> latest_;
};

}  // namespace swai::sdaa
