// SPDX-License-Identifier: Apache-2.0
#include "host/tools/cli/module_file.hpp"

#include <fmt/format.h>

#include "host/lib/argument_text.hpp"
#include "host/tools/cli/error.hpp"

namespace swai::cli {
ModuleFile::ModuleFile(const std::string& path) : path_(path), bytes_(kernel_run::read_file(path)) {
  const module::Verdict verdict = module_.open(bytes_);
  if (verdict.ok()) return;
  std::string why = module::text(verdict.error);
  if (!verdict.name.empty()) why += fmt::format(": {}", verdict.name);
  throw Error(kBadInput, fmt::format("{}: {}; `swai cc` makes modules", path, why));
}

module::KernelView ModuleFile::kernel(const std::string& name) const {
  if (name.empty() && module_.kernel_count() == 1) return module_.kernel(0);
  if (const auto found = module_.find(name)) return *found;
  std::string names;
  for (uint32_t i = 0; i < module_.kernel_count(); ++i) {
    names += fmt::format("{}{}", i == 0 ? "" : ", ", module_.kernel(i).name);
  }
  throw Error(kBadInput, name.empty()
                             ? fmt::format("{}: --kernel is needed, one of: {}", path_, names)
                             : fmt::format("{}: has no kernel '{}'; it has: {}", path_, name, names));
}

module::GridKernel ModuleFile::grid_kernel(const module::KernelView& kernel,
                                           const module::ArgumentTypes& types) const {
  return {kernel.name, module::Parameters(kernel.parameters), types.stacks_of(kernel.name),
          module::kLdmBytes - module_.ldm_bytes()};
}

}  // namespace swai::cli
