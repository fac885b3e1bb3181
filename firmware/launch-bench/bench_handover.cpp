// SPDX-License-Identifier: Apache-2.0
// Handing data over from the processor to the CPEs.
#include <algorithm>

#include "abi/kernel_arguments.hpp"
#include "firmware/launch-bench/bench.hpp"

namespace swai::launch_bench {
namespace {

using Words = volatile uint64_t;

constexpr unsigned kWords = csr::kLineBytes / sizeof(uint64_t);
constexpr size_t kMostSamples = 16;
// What is the processor's alone lies in no segment.
constexpr uint64_t kOwn = kMemory + 0x800'0000;
constexpr uint64_t kOwnAnswer = kMemory + 0x900'0000;

// The line that comes back, beside the processor; a segment cannot be smaller.
alignas(segment::kGranuleBytes) std::array<std::byte, segment::kGranuleBytes> beside;

// The data go in parts, each with a launch of its own: CPEs load one while the processor writes the next.
constexpr unsigned kParts = 2;
constexpr uint64_t kUnrolled = 8 * csr::kLineBytes;  // a part is a multiple of them

Words* words_at(uint64_t address) { return reinterpret_cast<Words*>(address); }

// A line holds its own address, the round and words that tell where they lie.
constexpr uint64_t word(uint64_t address, uint64_t round, unsigned j) {
  return j == 0 ? address : round << 8 | j;
}

// The words of a line, in registers: so not an array.
struct Line {
  uint64_t w0, w1, w2, w3, w4, w5, w6, w7;
  bool operator==(const Line&) const = default;
};
// What goes into registers before the clock is read.
[[gnu::always_inline]] inline void settle(Line& line) {
  asm volatile("" : "+r"(line.w0), "+r"(line.w1), "+r"(line.w2), "+r"(line.w3));
  asm volatile("" : "+r"(line.w4), "+r"(line.w5), "+r"(line.w6), "+r"(line.w7));
}
[[gnu::always_inline]] inline Line line_of(uint64_t address, uint64_t round) {
  return {word(address, round, 0), word(address, round, 1), word(address, round, 2), word(address, round, 3),
          word(address, round, 4), word(address, round, 5), word(address, round, 6), word(address, round, 7)};
}
[[gnu::always_inline]] inline Line read_line(uint64_t address) {
  const Words* const line = words_at(address);
  return {line[0], line[1], line[2], line[3], line[4], line[5], line[6], line[7]};
}

// The caches are write-back: with kClean the line goes to memory as soon as it is whole. With kZero it is not
// read before, which is worth two cycles where it would be.
template <bool kClean, bool kZero>
[[gnu::always_inline]] inline void write_line(uint64_t address, const Line& line) {
  Words* const words = words_at(address);
  if constexpr (kZero) csr::zero_line(words);
  csr::store_pair<0>(words, line.w0, line.w1);
  csr::store_pair<1>(words, line.w2, line.w3);
  csr::store_pair<2>(words, line.w4, line.w5);
  csr::store_pair<3>(words, line.w6, line.w7);
  if constexpr (kClean) csr::clean_line(words);
}

template <bool kClean, bool kZero = false>
[[gnu::always_inline]] inline void write_lines(uint64_t address, uint64_t bytes, Line line) {
  for (const uint64_t end = address + bytes; address != end; address += kUnrolled) {
#pragma GCC unroll 8
    for (line.w0 = address; line.w0 != address + kUnrolled; line.w0 += csr::kLineBytes)
      write_line<kClean, kZero>(line.w0, line);
  }
}

template <bool kClean>
[[gnu::always_inline]] inline uint64_t copy_lines(uint64_t to, uint64_t from, uint64_t bytes) {
  for (uint64_t at = 0; at < bytes; at += csr::kLineBytes)
    write_line<kClean, false>(to + at, read_line(from + at));
  return bytes;
}

struct Sample {
  uint64_t cycles;
  uint64_t copied;  // bytes
  Line answer;
};

using Group = group::Group<group::DirectMachine>;
using Doorbells = std::array<Group::Doorbell, kParts>;

// `bytes`: of a part. `kZero`: the cache does not hold them.
template <Bench::Sharing kSharing, bool kZero = false>
[[gnu::noinline, gnu::aligned(64)]] Sample hand_over(Group& group, Doorbells doorbells, uint64_t answer,
                                                     uint64_t bytes, uint64_t round) {
  constexpr bool kCopied = kSharing == Bench::Sharing::kCopied;
  Line pattern = line_of(0, round);
  uint64_t copied = 0;
  uint32_t number = 0;
  const auto hand = [&](unsigned part) __attribute__((always_inline)) {
    const uint64_t at = part * bytes;
    if constexpr (kCopied) {
      write_lines<false>(kOwn + at, bytes, pattern);
      copied += copy_lines<true>(kHandover + at, kOwn + at, bytes);
    } else {
      write_lines<true, kZero>(kHandover + at, bytes, pattern);
    }
    csr::fence();
    number = group.ring(doorbells[part]);
  };
  // What is handed over, and the doorbells, are there before the clock is read.
  settle(pattern);
  for (Group::Doorbell& doorbell : doorbells) asm volatile("" : "+r"(doorbell.address), "+r"(doorbell.word));
  const uint64_t begin = group::DirectMachine::cycles();
  hand(0);
  hand(1);
  // Nothing of the answer that is in the cache is true any more.
  csr::drop_line(words_at(answer));
  group.wait_ended(number);
  if constexpr (kCopied) {
    copied += copy_lines<false>(kOwnAnswer, answer, csr::kLineBytes);
    answer = kOwnAnswer;
  }
  Line line = read_line(answer);
  settle(line);
  const uint64_t cycles = group::DirectMachine::cycles() - begin;
  return {cycles, copied, line};
}

}  // namespace

uint64_t Bench::bytes_written() {
  csr::fence();
  return machine_.read(regs::cg::kBase + regs::cg::hbm_writes::kOffset) * csr::kLineBytes;
}

// The first and the last line of its share.
uint64_t Bench::wrong_share(unsigned cpe, unsigned part, uint64_t written, uint64_t lines, uint64_t round) {
  const uint64_t begin =
      group_.ldm_address(cpe) + modules_[kHandOver].ldm_bytes() + part * lines * csr::kLineBytes;
  uint64_t wrong = 0;
  for (const uint64_t i : {uint64_t{0}, lines - 1}) {
    for (unsigned j = 0; j < kWords; ++j) {
      const uint64_t found = machine_.read(begin + (i * kWords + j) * sizeof(uint64_t));
      wrong += found != word(written + i * csr::kLineBytes, round, j);
    }
  }
  return wrong;
}

void Bench::handover(uint32_t bytes, uint32_t samples, bool whole, Sharing sharing) {
  samples = std::clamp<uint32_t>(samples, 1, kMostSamples);
  const bool is_copied = sharing == Sharing::kCopied;
  const uint32_t part_bytes = bytes / kParts;
  const uint32_t lines = part_bytes / csr::kLineBytes / (whole ? 1 : group_.cpes());
  const uint64_t written = is_copied ? kOwn : kHandover;
  const uint64_t answer = is_copied ? kAnswer : reinterpret_cast<uint64_t>(beside.data());
  group_.set_segment(kAnswerSegment, {answer, segment::kGranuleBytes, segment::kRead | segment::kWrite});
  prepare(kHandOver);
  Doorbells doorbells;
  for (unsigned part = 0; part < kParts; ++part) {
    const bool last = part == kParts - 1;
    const uint32_t pc = pc_of(kHandOver, whole  ? last ? "hand_over_whole_last" : "hand_over_whole"
                                         : last ? "hand_over_last"
                                                : "hand_over");
    doorbells[part] =
        group_.compose(pc, cpe::HandoverWord(kHandoverSegment, part * part_bytes, lines).word());
  }
  group_.forget(Group::kSegments);
  const uint64_t last_line = written + bytes - csr::kLineBytes;
  uint64_t wrong = 0;
  const auto hand = is_copied                      ? hand_over<Sharing::kCopied>
                    : bytes > csr::kDataCacheBytes ? hand_over<Sharing::kShared, true>
                                                   : hand_over<Sharing::kShared>;
  const auto once = [&](uint64_t round) {
    const Sample sample = hand(group_, doorbells, answer, part_bytes, round);
    wrong += sample.answer != line_of(last_line, round);
    return sample;
  };
  const uint64_t first = once(0).cycles;
  std::array<uint64_t, kMostSamples> cycles = {};
  uint64_t copied = 0;
  const uint64_t before = bytes_written();
  for (uint32_t i = 0; i < samples; ++i) {
    const Sample sample = once(i + 1);
    cycles[i] = sample.cycles;
    copied += sample.copied;
  }
  const uint64_t memory_written = bytes_written() - before;
  const auto result = group_.result(group_.number());
  // What each CPE has read lies in its local memory.
  for (unsigned part = 0; part < kParts; ++part) {
    for (unsigned cpe = 0; cpe < group_.cpes(); ++cpe) {
      const uint64_t share = part * part_bytes + (whole ? 0 : cpe * lines * csr::kLineBytes);
      wrong += wrong_share(cpe, part, written + share, lines, samples);
    }
  }
  std::sort(cycles.begin(), cycles.begin() + samples);
  JsonLine(is_copied ? "handover_copied" : "handover")
      .add("bytes", bytes)
      .add("whole", static_cast<uint64_t>(whole))
      .add("cycles", cycles[samples / 2])
      .add("max", cycles[samples - 1])
      .add("first", first)
      .add("run_cycles", result.cycles)
      .add("bytes_copied", copied / samples)
      .add("bytes_written", memory_written / samples)
      .add("failed", static_cast<uint64_t>(result.failed))
      .add("wrong_words", wrong);
  report_faults();
}

}  // namespace swai::launch_bench
