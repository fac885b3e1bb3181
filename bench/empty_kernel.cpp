// SPDX-License-Identifier: Apache-2.0
#include "bench/empty_kernel.hpp"

#include "bench/measuring.hpp"
#include "host/tools/cli/error.hpp"

namespace swai::cli::bench {
namespace {

void wait(sdaaStream_t stream) { check(sdaaStreamSynchronize(stream), "launch"); }

}  // namespace

EmptyKernel::EmptyKernel(const std::string& module) {
  check(sdaaModuleLoad(&module_, module.c_str()), module);
  check(sdaaModuleGetFunction(&function_, module_, "empty"), module);
}

EmptyKernel::~EmptyKernel() { static_cast<void>(sdaaModuleUnload(module_)); }

void EmptyKernel::start(sdaaStream_t stream) const {
  uint64_t pointer = 0;
  uint32_t count = 3;
  void* arguments[] = {&pointer, &pointer, &count};
  check(sdaaLaunchKernel(function_, arguments, 0, stream), "launch");
}

double EmptyKernel::waited_for_ns(sdaaStream_t stream) const {
  start(stream);
  wait(stream);
  return ns_of([&] {
           for (unsigned i = 0; i < kTimes; ++i) {
             start(stream);
             wait(stream);
           }
         }) /
         kTimes;
}

double EmptyKernel::not_waited_for_ns(sdaaStream_t stream) const {
  return ns_of([&] {
           for (unsigned i = 0; i < kTimes; ++i) start(stream);
           wait(stream);
         }) /
         kTimes;
}

}  // namespace swai::cli::bench
