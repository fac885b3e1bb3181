// SPDX-License-Identifier: Apache-2.0
// MSI-X: the table at every size, masks, pending bits, and who may raise what when.

#include <fmt/format.h>

#include "card_regs.hpp"
#include "verif/rtl/pcie/bench.hpp"
#include "verif/rtl/pcie/tests.hpp"

namespace swai::pcie {
namespace {

using verif::check;

constexpr unsigned kVectors = 32;
constexpr uint64_t kPending = kBar2 + 0x8000;

class MsixTest {
 public:
  explicit MsixTest(uint64_t seed) : bench_(seed), random_(bench_.random) {
    bench_.enumerate();
    bench_.host.on_request = [this](const Tlp& tlp) { message(tlp); };
    for (unsigned v = 0; v < kVectors; ++v) {
      addr_[v] = (random_.chance(50) ? random_.next() : random_.next() & 0xffff'ffff) & ~uint64_t{3};
      data_[v] = static_cast<uint32_t>(random_.next());
    }
  }

  void run(uint64_t) {
    table();
    // Switched off: nothing comes, nothing stays.
    raise(3);
    expect(3, 0);
    check(bench_.read(kPending, 8).value() == 0, "pending with MSI-X switched off");
    // On, but masked as a whole; then masked one by one.
    bench_.config_write(kMsixControl, 0xc000'0000);
    masks(0);
    raise(5);
    raise(31);
    raise(5);
    pending(1U << 5 | 1U << 31);
    bench_.config_write(kMsixControl, 0x8000'0000);
    expect(5, 1);
    expect(31, 1);
    pending(0);
    masks(0xffff'ffff);
    for (unsigned v = 0; v < kVectors; ++v) raise(v);
    pending(0xffff'ffff);
    const unsigned some = static_cast<unsigned>(random_.next());
    masks(some);
    bench_.quiet();
    pending(some);
    for (unsigned v = 0; v < kVectors; ++v) {
      expect(v, ((some >> v) & 1) == 0);
      counts_[v] = 0;
    }
    masks(0);
    bench_.quiet();
    for (unsigned v = 0; v < kVectors; ++v) expect(v, (some >> v) & 1);
    // A function that may not write keeps its interrupts.
    bench_.config_write(kCommand, 0x2);
    raise(7);
    pending(1U << 7);
    bench_.config_write(kCommand, 0x6);
    expect(7, 1);
    // While the message waits for credit, each request of the DMA engine still gets one of its own.
    bench_.wire.grant(false, true);
    for (unsigned i = 0; i < 40; ++i) bench_.dma_irqs.push_back(9);
    bench_.bench.steps(2000);
    bench_.wire.grant(true, true);
    expect(9, 40);
    mixture();
    check_credits(bench_);
  }

 private:
  // The table is written and read in pieces of all sizes.
  void table() {
    std::vector<uint8_t> bytes;
    for (unsigned v = 0; v < kVectors; ++v) {
      for (unsigned i = 0; i < 8; ++i) bytes.push_back(static_cast<uint8_t>(addr_[v] >> (8 * i)));
      for (unsigned i = 0; i < 4; ++i) bytes.push_back(static_cast<uint8_t>(data_[v] >> (8 * i)));
      for (unsigned i = 0; i < 4; ++i) bytes.push_back(i == 0);
    }
    for (size_t at = 0; at < bytes.size();) {
      const size_t count = std::min<size_t>(random_.between(1, 100), bytes.size() - at);
      bench_.host.write(kBar2 + at, {bytes.begin() + static_cast<std::ptrdiff_t>(at),
                                     bytes.begin() + static_cast<std::ptrdiff_t>(at + count)});
      at += count;
    }
    for (size_t at = 0; at < bytes.size();) {
      const size_t count = std::min<size_t>(random_.between(1, 100), bytes.size() - at);
      const auto result = bench_.read(kBar2 + at, static_cast<unsigned>(count));
      check(std::equal(result.bytes.begin(), result.bytes.end(),
                       bytes.begin() + static_cast<std::ptrdiff_t>(at)),
            "the table is not what was written");
      at += count;
    }
  }

  void masks(unsigned bits) {
    for (unsigned v = 0; v < kVectors; ++v) bench_.write(kBar2 + 16 * v + 12, (bits >> v) & 1, 4);
    mask_ = bits;
    bench_.quiet();
  }

  // By one of those who can.
  void raise(unsigned vector) {
    constexpr uint64_t kRegister = regs::pcie::interrupt::kOffset;
    switch (random_.below(3)) {
      case 0:
        bench_.dma_irqs.push_back(vector);
        break;
      case 1:
        check(bench_.mpe_access(true, regs::pcie::kBase + kRegister, vector).status == kOk,
              "the processor's request");
        break;
      default:
        bench_.write(kBar4 + kRegister, vector, 4);
    }
    bench_.quiet();
  }

  void pending(unsigned bits) {
    const uint64_t value = bench_.read(kPending, 8).value();
    check(value == bits, fmt::format("pending is {:#x} instead of {:#x}", value, bits));
  }

  void expect(unsigned vector, unsigned count) {
    bench_.quiet();
    check(counts_[vector] == count,
          fmt::format("{} messages of vector {} instead of {}", counts_[vector], vector, count));
    counts_[vector] = 0;
  }

  // Masks go on and off while requests come; in the end no vector is forgotten.
  void mixture() {
    unsigned asked = 0;
    for (unsigned i = 0; i < 2000; ++i) {
      if (random_.chance(5) && bench_.dma_irqs.size() < 8) {
        const auto vector = static_cast<unsigned>(random_.below(kVectors));
        asked |= 1U << vector;
        bench_.dma_irqs.push_back(vector);
      }
      if (random_.chance(5)) {
        const auto vector = static_cast<unsigned>(random_.below(kVectors));
        bench_.write(kBar2 + 16 * vector + 12, random_.below(2), 4);
      }
      bench_.bench.step();
    }
    masks(0);
    bench_.quiet();
    pending(0);
    for (unsigned v = 0; v < kVectors; ++v)
      check((counts_[v] != 0) == (((asked >> v) & 1) != 0), "an interrupt was lost");
  }

  void message(const Tlp& tlp) {
    check(tlp.is_posted() && tlp.length == 1 && tlp.first_be == 0xf && tlp.last_be == 0 &&
              tlp.requester == bench_.host.id && !tlp.ep,
          "a wrong message: " + tlp.text());
    for (unsigned v = 0; v < kVectors; ++v) {
      if (addr_[v] == tlp.addr && data_[v] == tlp.data[0]) {
        ++counts_[v];
        return;
      }
    }
    check(false, "a message of no vector: " + tlp.text());
  }

  EndpointBench bench_;
  verif::Random& random_;
  uint64_t addr_[kVectors] = {};
  uint32_t data_[kVectors] = {};
  unsigned counts_[kVectors] = {};
  unsigned mask_ = 0xffff'ffff;
};

}  // namespace

void test_msix(uint64_t seed, uint64_t cycles) { MsixTest(seed).run(cycles); }

}  // namespace swai::pcie
