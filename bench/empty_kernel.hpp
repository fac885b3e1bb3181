// SPDX-License-Identifier: Apache-2.0
// Launches of a kernel that does nothing, timed.
#pragma once

#include <string>

#include "host/runtime/include/sdaa_runtime.h"

namespace swai::cli::bench {

class EmptyKernel {
 public:
  // `module`: the file that has it.
  explicit EmptyKernel(const std::string& module);
  ~EmptyKernel();
  EmptyKernel(const EmptyKernel&) = delete;
  EmptyKernel& operator=(const EmptyKernel&) = delete;

  sdaaFunction_t function() const { return function_; }
  void start(sdaaStream_t stream) const;
  // In ns, of a launch: the mean of kTimes, each waited for, or all of them at last.
  double waited_for_ns(sdaaStream_t stream) const;
  double not_waited_for_ns(sdaaStream_t stream) const;

  static constexpr unsigned kTimes = 100;

 private:
  sdaaModule_t module_ = nullptr;
  sdaaFunction_t function_ = nullptr;
};

}  // namespace swai::cli::bench
