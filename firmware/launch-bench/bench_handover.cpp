// Handing data over from the processor to the CPEs.
#include <algorithm>

#include "firmware/launch-bench/bench.hpp"
#include "swai/arguments.hpp"

namespace swai::launch_bench {
namespace {

using Words = volatile uint64_t;

constexpr unsigned kWords = csr::kLineBytes / sizeof(uint64_t);
constexpr size_t kMostSamples = 16;
// The line that comes back, and what is handed over, lie in a segment of their own; what is the processor's
// alone does not.
constexpr uint64_t kAnswer = kHandover;
constexpr uint64_t kShared = kHandover + cpe::HandoverWord::kData;
constexpr uint64_t kOwn = kMemory + 0x800'0000;
constexpr uint64_t kOwnAnswer = kMemory + 0x900'0000;

Words* words_at(uint64_t address) { return reinterpret_cast<Words*>(address); }

// Line i of a round is its number, the round and words that tell where they lie. The caches are write-back:
// with kClean each line goes to memory as soon as it is whole.
constexpr uint64_t word(uint64_t round, uint64_t i, unsigned j) { return j == 0 ? i : round << 8 | j; }

template <bool kClean>
[[gnu::always_inline]] inline void write_lines(uint64_t address, uint64_t bytes, uint64_t round) {
#pragma GCC unroll 4
  for (uint64_t i = 0; i < bytes / csr::kLineBytes; ++i) {
    Words* const line = words_at(address + i * csr::kLineBytes);
#pragma GCC unroll 8
    for (unsigned j = 0; j < kWords; ++j) line[j] = word(round, i, j);
    if constexpr (kClean) csr::clean_line(line);
  }
}

template <bool kClean>
[[gnu::always_inline]] inline uint64_t copy_lines(uint64_t to, uint64_t from, uint64_t bytes) {
  for (uint64_t at = 0; at < bytes; at += csr::kLineBytes) {
    Words* const target = words_at(to + at);
    Words* const source = words_at(from + at);
#pragma GCC unroll 8
    for (unsigned j = 0; j < kWords; ++j) target[j] = source[j];
    if constexpr (kClean) csr::clean_line(target);
  }
  return bytes;
}

struct Line {
  std::array<uint64_t, kWords> words;
};
[[gnu::always_inline]] inline Line read_line(uint64_t address) {
  Line line;
#pragma GCC unroll 8
  for (unsigned j = 0; j < kWords; ++j) line.words[j] = words_at(address)[j];
  return line;
}

struct Sample {
  uint64_t cycles = 0;
  uint64_t copied = 0;  // bytes
  Line answer = {};
};

using Group = group::Group<group::DirectMachine>;

template <Bench::Sharing kSharing>
[[gnu::noinline, gnu::aligned(64)]] Sample hand_over(Group& group, const Group::Doorbell& doorbell,
                                                     uint64_t bytes, uint64_t round) {
  constexpr bool kCopied = kSharing == Bench::Sharing::kCopied;
  Sample sample;
  const uint64_t begin = group::DirectMachine::cycles();
  if constexpr (kCopied) {
    write_lines<false>(kOwn, bytes, round);
    sample.copied += copy_lines<true>(kShared, kOwn, bytes);
  } else {
    write_lines<true>(kShared, bytes, round);
  }
  csr::fence();
  const uint32_t number = group.ring(doorbell);
  // Nothing of the answer that is in the cache is true any more.
  csr::drop_line(words_at(kAnswer));
  group.wait_ended(number);
  if constexpr (kCopied) {
    sample.copied += copy_lines<false>(kOwnAnswer, kAnswer, csr::kLineBytes);
    sample.answer = read_line(kOwnAnswer);
  } else {
    sample.answer = read_line(kAnswer);
  }
  sample.cycles = group::DirectMachine::cycles() - begin;
  return sample;
}

}  // namespace

uint64_t Bench::bytes_written() {
  csr::fence();
  return machine_.read(regs::cg::kBase + regs::cg::hbm_writes::kOffset) * csr::kLineBytes;
}

// The first and the last line of its share.
uint64_t Bench::wrong_share(unsigned cpe, uint64_t lines, bool whole, uint64_t round) {
  const uint64_t begin = group_.ldm_address(cpe) + modules_[kHandOver].ldm_bytes();
  const uint64_t first = whole ? 0 : cpe * lines;
  uint64_t wrong = 0;
  for (const uint64_t i : {uint64_t{0}, lines - 1}) {
    for (unsigned j = 0; j < kWords; ++j)
      wrong += machine_.read(begin + (i * kWords + j) * sizeof(uint64_t)) != word(round, first + i, j);
  }
  return wrong;
}

void Bench::handover(uint32_t bytes, uint32_t samples, bool whole, Sharing sharing) {
  samples = std::clamp<uint32_t>(samples, 1, kMostSamples);
  const uint32_t lines = bytes / csr::kLineBytes / (whole ? 1 : group_.cpes());
  const cpe::HandoverWord word_of(kHandoverSegment, lines, whole);
  prepare(kHandOver);
  const Group::Doorbell doorbell = group_.compose(pc_of(kHandOver, "handover"), word_of.word());
  uint64_t wrong = 0;
  const auto once = [&](uint64_t round) {
    const Sample sample = sharing == Sharing::kCopied
                              ? hand_over<Sharing::kCopied>(group_, doorbell, bytes, round)
                              : hand_over<Sharing::kShared>(group_, doorbell, bytes, round);
    for (unsigned j = 0; j < kWords; ++j)
      wrong += sample.answer.words[j] != word(round, bytes / csr::kLineBytes - 1, j);
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
  const uint64_t written = bytes_written() - before;
  const auto result = group_.result(group_.number());
  // What each CPE has read lies in its local memory.
  for (unsigned cpe = 0; cpe < group_.cpes(); ++cpe) wrong += wrong_share(cpe, lines, whole, samples);
  std::sort(cycles.begin(), cycles.begin() + samples);
  JsonLine(sharing == Sharing::kCopied ? "handover_copied" : "handover")
      .add("bytes", bytes)
      .add("whole", static_cast<uint64_t>(whole))
      .add("cycles", cycles[samples / 2])
      .add("max", cycles[samples - 1])
      .add("first", first)
      .add("run_cycles", result.cycles)
      .add("bytes_copied", copied / samples)
      .add("bytes_written", written / samples)
      .add("failed", static_cast<uint64_t>(result.failed))
      .add("wrong_words", wrong);
  report_faults();
}

}  // namespace swai::launch_bench
