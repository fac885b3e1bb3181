// SPDX-License-Identifier: Apache-2.0
// Launches a kernel some times, waits for each, and tells what that took (abi/timed_launches.hpp): what a
// launch costs when it comes from the card itself.
#include "abi/timed_launches.hpp"

#include "swai/program.hpp"

namespace {

using namespace swai::program;
namespace timed = swai::timed_launches;

int run(Job& job) {
  const auto& wish = job.arguments<timed::Wish>();
  if (job.argument_bytes() != sizeof wish) return timed::kRefused;
  const uint64_t begin = time();
  for (uint64_t i = 0; i < wish.times; ++i)
    if (wait(launch(wish.kernel, wish.arguments)) != Status::kOk) return timed::kFailed;
  const timed::Message message = {time() - begin};
  if (!job.stream().send(&message, sizeof message)) return timed::kFailed;
  return job.stream().flush() == Status::kOk ? timed::kAll : timed::kFailed;
}

}  // namespace

SWAI_PROGRAM(run)
