// SPDX-License-Identifier: Apache-2.0
#include "bench/paper/launch_costs.hpp"

#include <bit>
#include <vector>

#include "host/lib/argument_text.hpp"
#include "abi/timed_launches.hpp"
#include "bench/empty_kernel.hpp"
#include "host/tools/cli/error.hpp"
#include "host/tools/cli/places.hpp"
#include "host/models/exec/job.hpp"

namespace swai::cli::bench {
namespace {

double inside_ns(const EmptyKernel& kernel) {
  const std::vector<uint8_t> image = kernel_run::read_file(places().timed_launches);
  walk::Job job(places().timed_launches, image);
  sdaaProgramKernel_t named = {};
  check(sdaaProgramGetKernel(&named, kernel.function(), nullptr), "empty kernel");
  const auto cycles_of = [&](uint64_t times) {
    const timed_launches::Wish wish = {std::bit_cast<program::Kernel>(named), {}, times};
    job.start({reinterpret_cast<const uint8_t*>(&wish), sizeof wish});
    const auto message = job.read<timed_launches::Message>();
    const uint32_t code = job.wait();
    if (code != timed_launches::kAll || !message) job.fail(code);
    return static_cast<double>(message->cycles);
  };
  // What is needed for the first time is there then.
  cycles_of(EmptyKernel::kTimes);
  return cycles_of(EmptyKernel::kTimes) / EmptyKernel::kTimes;
}

}  // namespace

LaunchCosts measure_launch_costs() {
  const EmptyKernel kernel(places().bench);
  sdaaStream_t stream = nullptr;
  check(sdaaStreamCreateWithFlags(&stream, sdaaStreamNonBlocking), "stream");
  LaunchCosts costs;
  costs.waited_for = kernel.waited_for_ns(stream);
  costs.not_waited_for = kernel.not_waited_for_ns(stream);
  costs.inside = inside_ns(kernel);
  check(sdaaStreamDestroy(stream), "stream");
  return costs;
}

}  // namespace swai::cli::bench
