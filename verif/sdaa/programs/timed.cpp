// Calls the kernel, launches, sends and hands data over so often that each can be timed: empty calls and data
// by itself, the others in a trace of the card (measure_programs.py).
#include "verif/sdaa/programs/timed.hpp"

#include "swai/program.hpp"

namespace {

using namespace swai::program;
using namespace swai::timed;

// The kernel knows no such function.
constexpr uint64_t kNothing = 0xff;

// Gives the cores what it writes, as any program would, and reads what one of them brings back.
uint64_t hand_over(const Wish& wish, volatile uint64_t* data, const volatile uint64_t* line, uint64_t round) {
  constexpr uint64_t kWords = kHandedOver / sizeof(uint64_t);
  const uint64_t begin = time();
  for (uint64_t i = 0; i < kWords; ++i) data[i] = round << 32 | i;
  publish(data, kHandedOver);
  const Status status = wait(launch(wish.takes, wish.shares));
  look(line, kLineBytes);
  const uint64_t last = line[kLineBytes / sizeof(uint64_t) - 1];
  const uint64_t cycles = time() - begin;
  return status == Status::kOk && last == (round << 32 | (kWords - 1)) ? cycles : 0;
}

int run(Job& job) {
  const auto& wish = job.arguments<Wish>();
  for (unsigned i = 0; i < kRounds; ++i)
    if (wait(launch(wish.kernel, wish.arguments)) != Status::kOk) return 1;
  for (uint32_t i = 0; i < kRounds; ++i)
    if (!job.stream().send(&i, sizeof i) || job.stream().flush() != Status::kOk) return 1;
  auto* const data = show<volatile uint64_t>(wish.shares[0]);
  const auto* const line = show<const volatile uint64_t>(wish.shares[1]);
  if (data == nullptr || line == nullptr) return 1;
  Report report;
  for (uint64_t& cycles : report.call) {
    const uint64_t begin = time();
    call(kNothing, 0);
    cycles = time() - begin;
  }
  for (unsigned i = 0; i < kRounds; ++i) report.handover[i] = hand_over(wish, data, line, i + 1);
  return job.stream().send(&report, sizeof report) && job.stream().flush() == Status::kOk ? 0 : 1;
}

}  // namespace

SWAI_PROGRAM(run)
