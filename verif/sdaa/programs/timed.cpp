// Calls the kernel, launches and sends so often that each can be timed: empty calls by itself, the others in
// a trace of the card (measure_programs.py).
#include "verif/sdaa/programs/timed.hpp"

#include "swai/program.hpp"

namespace {

using namespace swai::program;
using namespace swai::timed;

// The kernel knows no such function.
constexpr uint64_t kNothing = 0xff;

int run(Job& job) {
  const auto& wish = job.arguments<Wish>();
  for (unsigned i = 0; i < kRounds; ++i)
    if (wait(launch(wish.kernel, wish.arguments)) != Status::kOk) return 1;
  for (uint32_t i = 0; i < kRounds; ++i)
    if (!job.stream().send(&i, sizeof i) || job.stream().flush() != Status::kOk) return 1;
  Report report;
  for (uint64_t& cycles : report) {
    const uint64_t begin = time();
    call(kNothing, 0);
    cycles = time() - begin;
  }
  return job.stream().send(&report, sizeof report) && job.stream().flush() == Status::kOk ? 0 : 1;
}

}  // namespace

SWAI_PROGRAM(run)
