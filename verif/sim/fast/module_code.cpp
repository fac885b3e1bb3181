// SPDX-License-Identifier: Apache-2.0
#include "verif/sim/fast/module_code.hpp"

#include "sim/run/kernel/job.hpp"

namespace swai::fast {

ModuleCode module_code(const std::string& path, const std::string& kernel) {
  const kernel_run::Program program(path);
  return {.daemon = kernel_run::Program::plain_daemon().code(),
          .code = program.code(),
          .pc = program.kernel(kernel).pc};
}

}  // namespace swai::fast
