// SPDX-License-Identifier: Apache-2.0
// CPEs run in rounds: what one does is there for the others at the end, so the same bits come out whoever
// runs first, and however many threads of the host they have.
#include <thread>

#include "verif/sim/iss/cpe/test/bench.hpp"

namespace swai::iss::cpe {
namespace {

using enc::addi, enc::csrr, enc::lw, enc::sw;

constexpr uint32_t kLdm = kLdmBase;
constexpr uint64_t kShared = 0x1000;  // bytes for which all CPEs fight
constexpr size_t kUsed = 0x2000;      // of each local memory

TEST_CASE("rounds: a store is there at once for the CPE itself, and at the end of the round for others") {
  Bench bench(4, 8);
  // Each stores its number at the same place, loads it, meets the others, loads it again.
  bench.code(Assembler()
                 .window(Bench::pointer(Bench::kData, 64))
                 .li(kT0, kWindow)
                 .li(kA1, kLdm)({csrr(kA0, 0xf14), sw(kA0, kT0, 0), lw(kA2, kT0, 0), sw(kA2, kA1, 0)})
                 .sync(4)({lw(kA2, kT0, 0), sw(kA2, kA1, 4)})
                 .ret());
  REQUIRE(bench.launch().ok());
  for (unsigned i = 0; i < 32; ++i) {
    CHECK(bench.word(i, 0) == i);
    CHECK(bench.word(i, 4) == 31);
  }
}

TEST_CASE("rounds: loads see parts of stores that lie in several lines, by DMA, too") {
  Bench bench(1, 1);
  const auto before = bench.noise(1024);
  bench.poke(Bench::base(Bench::kData), before);
  const auto local = bench.noise(1024);
  std::ranges::copy(local, bench.group.ldm(0).begin());
  const uint64_t far = Bench::pointer(Bench::kData, 0);
  bench.code(Assembler()
                 .global(far + 100)
                 .command(unit::kDma, dma_op::kStore, kLdm, 200)
                 .global(far + 150)
                 .command(unit::kDma, dma_op::kStore, kLdm + 300, 10)
                 .global(far)
                 .command(unit::kDma, dma_op::kLoad, kLdm + 1024, 1024)
                 .ret());
  REQUIRE(bench.launch().ok());
  auto expected = before;
  std::copy_n(local.begin(), 200, expected.begin() + 100);
  std::copy_n(local.begin() + 300, 10, expected.begin() + 150);
  CHECK(bench.peek(Bench::base(Bench::kData), 1024) == expected);
  CHECK(std::ranges::equal(bench.group.ldm(0).subspan(1024, 1024), expected));
}

// Programs that fight for the same memory, send along rows and columns, meet at barriers, and sometimes fail.
std::vector<Assembler> fighters(verif::Random& random) {
  std::vector<Assembler> codes(32);
  const uint64_t failure = random.chance(25) ? random.below(12 * 32) : ~uint64_t{0};
  for (unsigned step = 0; step < 12; ++step) {
    const auto scope = 1u << random.below(3);
    const auto sender = static_cast<uint32_t>(random.below(8));
    const bool sends = random.chance(40);
    for (unsigned i = 0; i < 32; ++i) {
      Assembler& code = codes[i];
      const auto local = kLdm + static_cast<uint32_t>(32 * random.below(kUsed / 32 - 16));
      const uint64_t far = Bench::pointer(Bench::kData, 4 * random.below(kShared / 4 - 128));
      code.global(far).command(unit::kDma, random.chance(50) ? dma_op::kStore : dma_op::kLoad, local,
                               static_cast<uint32_t>(random.between(1, 400)));
      code.window(far).li(kT0, kWindow).li(kA1, local);
      for (uint64_t n = random.below(20); n != 0; --n) {
        code(
            {lw(kA0, kT0, 0), addi(kA0, kA0, static_cast<int32_t>(i + 1)), sw(kA0, kT0, 0), sw(kA0, kA1, 4)});
      }
      if (sends) {
        const bool mine = i % 8 == sender;
        code.command(unit::kRow, mine ? channel_op::kSend : channel_op::kReceive, local,
                     (mine ? 0xffu & ~(1u << sender) : sender) << 24 | 256, kA1);
        code({custom(unit::kRow, mine ? channel_op::kWaitSend : channel_op::kWaitReceive, kA0, kA1)});
      }
      if (failure == step * 32 + i) code.ebreak();
      code.sync(scope);
    }
  }
  for (Assembler& code : codes) code.ret();
  return codes;
}

struct Outcome {
  Ending ending = Ending::kDone;
  std::vector<Fault> faults;
  std::vector<uint64_t> instructions;
  uint64_t cycles = 0;
  std::vector<uint8_t> bytes;

  bool operator==(const Outcome&) const = default;
};

Outcome fight(const std::vector<Assembler>& codes, uint64_t turn, unsigned threads) {
  Bench bench(4, 8, {.turn = turn, .worthwhile = {}}, threads);
  bench.codes(codes);
  const Result result = bench.launch();
  Outcome outcome{.ending = result.ending,
                  .faults = result.faults,
                  .instructions = result.instructions,
                  .cycles = result.cycles,
                  .bytes = bench.peek(Bench::base(Bench::kData), kShared)};
  for (unsigned i = 0; i < 32; ++i) {
    const auto ldm = bench.group.ldm(i).first(kUsed);
    outcome.bytes.insert(outcome.bytes.end(), ldm.begin(), ldm.end());
  }
  return outcome;
}

TEST_CASE("rounds: kernels that race leave the same bits and take the same cycles with 1, 2 and 7 threads") {
  verif::Random random(test_seed());
  unsigned done = 0;
  unsigned depend = 0;
  for (unsigned round = 0; round < 12; ++round) {
    const auto codes = fighters(random);
    const auto turn = random.between(1, 60);
    CAPTURE(turn);
    const Outcome one = fight(codes, turn, 1);
    CHECK(one == fight(codes, turn, 2));
    CHECK(one == fight(codes, turn, 7));
    if (one.ending == Ending::kDone) ++done;
    if (one.bytes != fight(codes, 10 * turn, 1).bytes) ++depend;
  }
  CHECK(done > 0);
  CHECK(depend > 6);  // they do race
}

// Memory with a device that counts how often it was read, and looks who reads it.
class WithDevice : public SparseMemory {
 public:
  static constexpr uint64_t kAt = 0x1'0000'0000;

  MemoryStatus read(uint64_t address, std::span<uint8_t> bytes) override {
    if (is_memory(address, bytes.size())) return SparseMemory::read(address, bytes);
    alone_ = alone_ && std::this_thread::get_id() == owner_;
    const uint32_t value = ++reads_;
    std::memcpy(bytes.data(), &value, std::min(bytes.size(), sizeof value));
    return MemoryStatus::kOk;
  }
  bool is_memory(uint64_t address, uint64_t bytes) const override {
    return address + bytes <= kAt || address >= kAt + kLineBytes;
  }
  bool was_alone() const { return alone_; }

 private:
  std::thread::id owner_ = std::this_thread::get_id();
  uint32_t reads_ = 0;
  bool alone_ = true;
};

TEST_CASE("rounds: devices are read by one CPE after the other, in their order, with 1, 2 and 7 threads") {
  std::vector<Assembler> codes(32);
  for (unsigned i = 0; i < 32; ++i) {
    // Those that come first have the most to do before they read.
    for (unsigned n = i; n < 32; ++n) codes[i]({addi(kA0, kA0, 1)});
    codes[i]
        .window(Bench::pointer(Bench::kNobody, 0))
        .li(kT0, kWindow)
        .li(kA1, kLdm)({lw(kA0, kT0, 0), sw(kA0, kA1, 0)});
    codes[i].global(Bench::pointer(Bench::kNobody, 0)).command(unit::kDma, dma_op::kLoad, kLdm + 4, 4).ret();
  }
  for (const unsigned threads : {1u, 2u, 7u}) {
    CAPTURE(threads);
    BenchOn<WithDevice> bench(4, 8, {.worthwhile = {}}, threads);
    bench.codes(codes);
    for (unsigned launch = 0; launch < 20; ++launch) {
      REQUIRE(bench.launch().ok());
      for (unsigned i = 0; i < 32; ++i) {
        CHECK(bench.word(i, 0) == 64 * launch + 2 * i + 1);
        CHECK(bench.word(i, 4) == 64 * launch + 2 * i + 2);
      }
    }
    CHECK(bench.memory.was_alone());
  }
}

}  // namespace
}  // namespace swai::iss::cpe
