// SPDX-License-Identifier: Apache-2.0
// A file with kernels, as it describes itself: no card is needed for that.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "abi/module_reader.hpp"
#include "host/lib/argument_types.hpp"
#include "host/lib/grid_check.hpp"
#include "host/lib/module_text.hpp"

namespace swai::cli {

class ModuleFile {
 public:
  // Throws Error, or common::InputError.
  explicit ModuleFile(const std::string& path);

  // An empty name: the only one.
  module::KernelView kernel(const std::string& name) const;
  const module::Module& module() const { return module_; }
  std::span<const uint8_t> bytes() const { return bytes_; }
  module::ModuleText text() const { return module::ModuleText(bytes_); }
  module::ArgumentTypes argument_types() const { return module::ArgumentTypes(bytes_); }
  module::GridKernel grid_kernel(const module::KernelView& kernel, const module::ArgumentTypes& types) const;

 private:
  std::string path_;
  std::vector<uint8_t> bytes_;
  module::Module module_;
};

}  // namespace swai::cli
