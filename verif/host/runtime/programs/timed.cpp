// SPDX-License-Identifier: Apache-2.0
// Calls the kernel, launches, sends and hands data over so often that each can be timed: empty calls and data
// by itself, the others in a trace of the card (measure_programs.py).
#include "verif/host/runtime/programs/timed.hpp"

#include "swai/program.hpp"

namespace {

using namespace swai::program;
using namespace swai::timed;

// The kernel knows no such function.
constexpr uint64_t kNothing = 0xff;

// A line holds its own address, the round, and words that tell where they lie.
Line line_of(uint64_t address, uint64_t round) {
  const auto word = [round](unsigned i) { return round << 8 | i; };
  return {address, word(1), word(2), word(3), word(4), word(5), word(6), word(7)};
}
// Cycles of writing more than the cache holds, which has none of it.
template <bool kZero>
uint64_t write_much(volatile std::byte* data) {
  const auto first = reinterpret_cast<uint64_t>(data);
  Line line = line_of(first, 0);
  const uint64_t begin = time();
#pragma GCC unroll 8
  for (; line.w0 != first + kLarge; line.w0 += kLineBytes) {
    auto* const to = reinterpret_cast<volatile void*>(line.w0);
    if constexpr (kZero) zero_line(to);
    write_line(to, line);
  }
  written();
  return time() - begin;
}
// That is there, and in registers, now.
void settle(Line& line) {
  asm volatile(""
               : "+r"(line.w0), "+r"(line.w1), "+r"(line.w2), "+r"(line.w3), "+r"(line.w4), "+r"(line.w5),
                 "+r"(line.w6), "+r"(line.w7));
}
// Gives the cores what it writes and reads what one of them brings back.
Handover hand_over(Kernel takes, uint32_t shares, volatile std::byte* data, const volatile Line* answer,
                   uint64_t round) {
  const auto first = reinterpret_cast<uint64_t>(data);
  const Line last = line_of(first + kHandedOver - kLineBytes, round);
  Line line = line_of(first, round);
  asm volatile("" : "+r"(takes.words[0]), "+r"(takes.words[1]), "+r"(shares));
  settle(line);
  const uint64_t begin = time();
  // Sixteen lines are 6 of code: more of it would not stay in the cache beside the kernel's.
  for (uint64_t part = first; part != first + kHandedOver; part += 16 * kLineBytes) {
#pragma GCC unroll 16
    for (line.w0 = part; line.w0 != part + 16 * kLineBytes; line.w0 += kLineBytes)
      write_line(reinterpret_cast<volatile void*>(line.w0), line);
  }
  const uint64_t wrote = time();
  const Ticket ticket = launch_word(takes, shares);
  const uint64_t launched = time();
  const Status status = wait_for(&answer->w1, last.w1, ticket);
  Line back = {answer->w0, answer->w1, answer->w2, answer->w3,
               answer->w4, answer->w5, answer->w6, answer->w7};
  settle(back);
  const uint64_t seen = time();
  const bool good = wait(ticket) == Status::kOk && status == Status::kOk && back == last;
  return {wrote - begin, launched - wrote, seen - launched, good ? seen - begin : 0, time() - seen};
}

int run(Job& job) {
  const auto& wish = job.arguments<Wish>();
  for (unsigned i = 0; i < kRounds; ++i)
    if (wait(launch(wish.kernel, wish.arguments)) != Status::kOk) return 1;
  for (uint32_t i = 0; i < kRounds; ++i)
    if (!job.stream().send(&i, sizeof i) || job.stream().flush() != Status::kOk) return 1;
  auto* const data = show<volatile std::byte>(wish.data);
  if (data == nullptr) return 1;
  Report report;
  for (uint64_t& cycles : report.call) {
    const uint64_t begin = time();
    call(kNothing, 0);
    cycles = time() - begin;
  }
  Kernel takes = wish.takes;
  const Answers beside = answers();
  uint32_t shares = beside.here != nullptr ? wish.beside : wish.shares;
  const auto* const answer = reinterpret_cast<const volatile Line*>(
      beside.here != nullptr ? beside.here + kBeside : data + kFirst + kHandedOver);
  for (unsigned i = 0; i < kRounds; ++i) {
    asm volatile("" : "+r"(takes.words[0]), "+r"(takes.words[1]), "+r"(shares));
    report.handover[i] = hand_over(takes, shares, data + kFirst, answer, i + 1);
  }
  report.read = write_much<false>(data);
  report.zeroed = write_much<true>(data);
  return job.stream().send(&report, sizeof report) && job.stream().flush() == Status::kOk ? 0 : 1;
}

}  // namespace

SWAI_PROGRAM(run)
