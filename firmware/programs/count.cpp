// SPDX-License-Identifier: Apache-2.0
// The smallest program that does all that programs do: launches a kernel some times, and sends a number for
// each: which kernel is its host's choice (abi/count.hpp).
#include "abi/count.hpp"

#include "swai/program.hpp"

namespace {

using namespace swai::program;

int count(Job& job) {
  const auto& wish = job.arguments<swai::count::Wish>();
  if (job.argument_bytes() != sizeof wish) return swai::count::kRefused;
  for (uint32_t i = 0; i < wish.times; ++i) {
    if (cancelled()) return swai::count::kCancelled;
    if (wait(launch(wish.kernel, wish.arguments)) != Status::kOk) return swai::count::kFailed;
    if (!job.stream().send(&i, sizeof i)) return swai::count::kCancelled;
  }
  return job.stream().flush() == Status::kOk ? swai::count::kAll : swai::count::kFailed;
}

}  // namespace

SWAI_PROGRAM(count)
