// SPDX-License-Identifier: Apache-2.0
// What a kernel is given: words of a command line become what its argument points to.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "host/lib/argument_text.hpp"
#include "host/lib/argument_types.hpp"

namespace swai::cli {

class KernelArguments {
 public:
  // Throws Error or common::InputError when something is wrong with them: no card is needed for that.
  KernelArguments(const module::KernelView& kernel, const module::ArgumentTypes& types,
                  const std::vector<std::string>& texts);

  const std::vector<kernel_run::Buffer>& buffers() const { return buffers_; }
  // With a pointer for each buffer.
  std::vector<uint8_t> packed(std::span<const uint64_t> pointers) const;

 private:
  std::vector<uint8_t> bytes_;
  std::vector<kernel_run::Buffer> buffers_;
  std::vector<uint32_t> pointers_;  // where those to the buffers lie in bytes_
};

// "GlobalPtr<float> to, uint32_t count"; without names only sizes.
std::string text_of(const std::vector<module::ArgumentType>& arguments);

}  // namespace swai::cli
