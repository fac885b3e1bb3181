// SPDX-License-Identifier: Apache-2.0
// The ordering rules, with random delays on every path: a doorbell never overtakes its command, an answer
// never the data that the card sent before, an interrupt never its data; and nothing that lacks credit holds
// up what must pass it.

#include <fmt/format.h>

#include <array>

#include "card_regs.hpp"
#include "verif/rtl/pcie/bench.hpp"
#include "verif/rtl/pcie/tests.hpp"

namespace swai::pcie {
namespace {

using verif::check;

constexpr unsigned kDoorbells = 8;

// Where command n stands: some in the SRAM, some in memory.
uint64_t command_offset(unsigned n) {
  if (n % 2 == 0) return kSramWindow + 0x3'0000 + 64 * n;
  return (n % 4 == 1 ? 0 : kGroupBytes) + 0x1000 * n;
}

Tlp dma_packet(verif::Random& random, bool write, unsigned number) {
  Tlp tlp;
  const bool far = random.chance(50);
  tlp.fmt_type = write ? (far ? kMemWrite64 : kMemWrite32) : (far ? kMemRead64 : kMemRead32);
  tlp.length = static_cast<unsigned>(random.between(1, 64));
  tlp.addr = (far ? uint64_t{1} << 40 : 0) + 4 * random.below(1 << 20);
  tlp.last_be = tlp.length == 1 ? 0 : 0xf;
  tlp.tag = number & 0xff;
  for (unsigned i = 0; write && i < tlp.length; ++i) tlp.data.push_back(static_cast<uint32_t>(random.next()));
  return tlp;
}

class OrderTest {
 public:
  explicit OrderTest(uint64_t seed) : bench_(seed), random_(bench_.random) {
    bench_.enumerate();
    for (unsigned vector = 0; vector < 32; ++vector) {
      bench_.write(kBar2 + 16 * vector, kMessages + 4 * vector);
      bench_.write(kBar2 + 16 * vector + 8, vector);
    }
    bench_.config_write(kMsixControl, 0x8000'0000);
    bench_.quiet();
    bench_.ring.slow(random_.chance(50));
    bench_.ring.on_inbox = [this](uint64_t bits) { inbox(bits); };
    bench_.ring.on_request = [this](const RingRequest& request) {
      if (request.op == kRead) reading_[request.tag] = asked_++;
    };
    bench_.ring.on_answer = [this](unsigned tag) {
      if (tag >= 192 && reading_.contains(tag)) handed_at_answer_[reading_.at(tag)] = bench_.posted_handed;
    };
    bench_.host.on_completion = [this](const Tlp&) {
      const uint64_t handed = handed_at_answer_.at(answered_++);
      check(posted_seen_ >= handed,
            fmt::format("an answer came before {} packets that the card had sent earlier",
                        handed - posted_seen_));
    };
    bench_.on_irq_handed = [this](unsigned vector) { irqs_[vector].push_back(bench_.posted_handed); };
    bench_.host.on_request = [this](const Tlp& tlp) { packet(tlp); };
  }

  void run(uint64_t cycles) {
    const uint64_t end = bench_.cycle() + cycles;
    unsigned number = 0;
    while (bench_.cycle() < end) {
      if (random_.chance(3)) command();
      if (random_.chance(3) && bench_.host.waiting() < 20) {
        bench_.host.read(kBar0 + 64 * random_.below(100), 4, [](const Result&) {});
      }
      if (random_.chance(10) && bench_.dma_posted.size() < 4) {
        expected_posted_.push_back(dma_packet(random_, true, number++));
        bench_.dma_posted.push_back(expected_posted_.back());
      }
      if (random_.chance(5) && bench_.dma_nonposted.size() < 4) {
        expected_nonposted_.push_back(dma_packet(random_, false, number++));
        bench_.dma_nonposted.push_back(expected_nonposted_.back());
      }
      if (random_.chance(3) && bench_.dma_irqs.size() < 4) {
        bench_.dma_irqs.push_back(static_cast<unsigned>(random_.below(32)));
      }
      if (random_.chance(2)) answer_dma();
      dma_work();
      bench_.bench.step();
    }
    bench_.quiet();
    for (unsigned n = 0; n < kDoorbells; ++n) {
      check(seen_[n] == commands_[n], fmt::format("doorbell {}: the last command has not been heard", n));
    }
    for (const auto& waiting : irqs_) check(waiting.empty(), "an interrupt was lost");
    check(expected_posted_.empty() && expected_nonposted_.empty(), "packets of the card were lost");
    check(bench_.dma_completions == expected_completions_,
          "completions did not reach the DMA engine as they came");
    check(unheard_ == 0, "work of the DMA engine was not heard of");
    fmt::print("{} doorbells, {} messages, {} reads\n", rings_, messages_, answered_);
    check(rings_ > cycles / 200 && messages_ > cycles / 200 && answered_ > cycles / 1000,
          "too little traffic");
    check_credits(bench_);
  }

 private:
  static constexpr uint64_t kMessages = 0xfee0'1000;

  // A command is a number in memory, one higher each time, and then the doorbell.
  void command() {
    const auto n = static_cast<unsigned>(random_.below(kDoorbells));
    bench_.write(kBar0 + command_offset(n), ++commands_[n], 8);
    while (random_.chance(30)) bench_.write(kBar0 + 0x2000 + 8 * random_.below(1000), random_.next(), 8);
    bench_.write(kBar4 + regs::pcie::doorbell::kOffset, n, 8);
  }

  void inbox(uint64_t bits) {
    for (unsigned n = 0; n < kDoorbells; ++n) {
      if (((bits >> n) & 1) == 0) continue;
      ++rings_;
      ++rung_[n];
      const uint64_t offset = command_offset(n);
      const uint64_t at = offset < kSramWindow ? kHbm + offset : kSram + offset - kSramWindow;
      uint64_t value = 0;
      for (unsigned i = 8; i-- > 0;) value = value << 8 | bench_.ring.memory.get(at + i);
      check(value >= rung_[n] && value <= commands_[n],
            fmt::format("doorbell {} for the {}. time, but the command is {:#x}", n, rung_[n], value));
      seen_[n] = value;
    }
    unheard_ &= ~static_cast<unsigned>(bits >> 32);
    check((bits & ~uint64_t{0xff'0000'00ff}) == 0, "bits in the inbox that nobody set");
  }

  void packet(const Tlp& tlp) {
    if (tlp.is_posted() && tlp.addr >= kMessages && tlp.addr < kMessages + 128 && tlp.length == 1) {
      const auto vector = static_cast<unsigned>(tlp.addr - kMessages) / 4;
      check(tlp.data[0] == vector && tlp.requester == bench_.host.id && tlp.first_be == 0xf,
            "a wrong message");
      check(!irqs_[vector].empty(), "an interrupt that nobody asked for");
      check(posted_seen_ >= irqs_[vector].front(), "an interrupt came before its data");
      irqs_[vector].pop_front();
      ++messages_;
      return;
    }
    auto& expected = tlp.is_posted() ? expected_posted_ : expected_nonposted_;
    check(!expected.empty() && expected.front() == tlp, "not what the DMA engine sent: " + tlp.text());
    expected.pop_front();
    posted_seen_ += tlp.is_posted();
  }

  // A few pulses in a row; then nothing until they must have been heard.
  void dma_work() {
    ++since_work_;
    if (since_work_ < 4 && random_.chance(70)) {
      bench_.work = 1U << random_.below(8);
      unheard_ |= bench_.work;
    }
    if (since_work_ == 2500) {
      check(unheard_ == 0, "work of the DMA engine was not heard of");
      since_work_ = 0;
    }
  }

  void answer_dma() {
    Tlp tlp;
    tlp.fmt_type = random_.chance(80) ? kCompletionData : kCompletion;
    tlp.completer = static_cast<unsigned>(random_.below(0x10000));
    tlp.requester = bench_.host.id;
    tlp.tag = static_cast<unsigned>(random_.below(256));
    tlp.byte_count = static_cast<unsigned>(random_.between(1, 4096));
    tlp.lower_addr = static_cast<unsigned>(random_.below(128));
    tlp.length = tlp.has_data() ? static_cast<unsigned>(random_.between(1, 64)) : 0;
    tlp.ep = random_.chance(10);
    for (unsigned i = 0; i < tlp.length; ++i) tlp.data.push_back(static_cast<uint32_t>(random_.next()));
    bench_.wire.send(tlp);
    expected_completions_.push_back(tlp);
  }

  EndpointBench bench_;
  verif::Random& random_;
  std::array<uint64_t, kDoorbells> commands_{}, rung_{}, seen_{};
  std::map<unsigned, uint64_t> reading_;           // number of the read, by tag
  std::map<uint64_t, uint64_t> handed_at_answer_;  // by number of the read
  std::array<std::deque<uint64_t>, 32> irqs_;
  std::deque<Tlp> expected_posted_, expected_nonposted_;
  std::vector<Tlp> expected_completions_;
  uint64_t asked_ = 0, answered_ = 0, posted_seen_ = 0, rings_ = 0, messages_ = 0;
  unsigned unheard_ = 0;  // channels of the DMA engine that have had work since the inbox was last written
  unsigned since_work_ = 0;
};

}  // namespace

void test_order(uint64_t seed, uint64_t cycles) { OrderTest(seed).run(cycles); }

// What waits for credit holds up only its own kind; answers need none.
void test_blocked(uint64_t seed, uint64_t) {
  EndpointBench bench(seed);
  bench.enumerate();
  uint64_t posted = 0, nonposted = 0;
  bench.host.on_request = [&](const Tlp& tlp) { ++(tlp.is_posted() ? posted : nonposted); };
  unsigned number = 0;
  const auto feed = [&](bool write, unsigned count) {
    for (unsigned i = 0; i < count; ++i) {
      auto& queue = write ? bench.dma_posted : bench.dma_nonposted;
      queue.push_back(dma_packet(bench.random, write, number++));
    }
  };
  // Reads of ours are stuck: writes and answers go on.
  bench.wire.grant(true, false);
  feed(false, 50);
  bench.bench.steps(3000);
  check(nonposted < 50, "reads went without credit");
  feed(true, 50);
  bench.until([&] { return posted == 50; }, 20'000, "writes behind reads without credit");
  check(bench.read(kBar0, 64).status == kSuccess, "a read of the host");
  // Writes of ours are stuck: answers and reads go on.
  bench.wire.grant(false, true);
  bench.until([&] { return nonposted == 50; }, 20'000, "reads after credit has come");
  feed(true, 100);
  bench.bench.steps(3000);
  check(posted < 150, "writes went without credit");
  feed(false, 50);
  check(bench.read(kBar0, 64).status == kSuccess, "a read of the host");
  bench.until([&] { return nonposted == 100; }, 20'000, "reads beside writes without credit");
  bench.wire.grant(true, true);
  bench.until([&] { return posted == 150; }, 20'000, "writes after credit has come");
  check_credits(bench);
}

}  // namespace swai::pcie
