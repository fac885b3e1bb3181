// SPDX-License-Identifier: Apache-2.0
#include "verif/fast/module_code.hpp"

#include "sim/kernel-run/job.hpp"

namespace swai::fast {

ModuleCode module_code(const std::string& path, const std::string& kernel) {
  const kernel_run::Program program(path);
  return {.daemon = kernel_run::Program::plain_daemon().code(),
          .code = program.code(),
          .pc = program.kernel(kernel).pc};
}

}  // namespace swai::fast
