// SPDX-License-Identifier: Apache-2.0
// Function-level reset and loss of the link in the middle of traffic: afterwards all is as new, and nothing
// has been lost that had to be answered.

#include <fmt/format.h>

#include "card_regs.hpp"
#include "verif/rtl/pcie/bench.hpp"
#include "verif/rtl/pcie/tests.hpp"

namespace swai::pcie {
namespace {

using verif::check;

class ResetTest {
 public:
  explicit ResetTest(uint64_t seed) : bench_(seed), random_(bench_.random) {
    bench_.host.on_request = [](const Tlp&) {};
    bench_.enumerate();
    shared_ = random_.next();
    bench_.write(kBar4 + 0x1000, shared_);
  }

  void traffic(uint64_t cycles) {
    for (uint64_t i = 0; i < cycles; ++i) {
      if (random_.chance(5)) bench_.write(kBar0 + 64 * random_.below(4096), random_.next(), 8);
      if (random_.chance(1))
        bench_.write(kBar0 + kSramWindow + 0x3'0000 + 8 * random_.below(4096), random_.next(), 8);
      if (random_.chance(2) && bench_.host.waiting() < 20) {
        const auto count = static_cast<unsigned>(random_.between(1, 600));
        bench_.host.read(kBar0 + 4096 * random_.below(64), count,
                         [this](const Result& result) { ++(result.status == kSuccess ? good_ : refused_); });
      }
      if (random_.chance(1)) bench_.write(kBar4 + regs::pcie::doorbell::kOffset, random_.below(32));
      if (random_.chance(5) && bench_.dma_posted.size() < 4) bench_.dma_posted.push_back(packet(true));
      if (random_.chance(5) && bench_.dma_nonposted.size() < 4) bench_.dma_nonposted.push_back(packet(false));
      if (random_.chance(1)) bench_.dma_irqs.push_back(static_cast<unsigned>(random_.below(32)));
      bench_.bench.step();
    }
  }

  // All works, from the beginning.
  void works() {
    check((bench_.config_read(kCommand) & 0xffff) == 0, "Command after a reset");
    check(bench_.config_read(0x14) == 0 && bench_.config_read(0x24) == 0, "BARs after a reset");
    check((bench_.config_read(kMsixControl) & 0xc000'0000) == 0, "MSI-X control after a reset");
    bench_.enumerate();
    check(bench_.read_register(0x1000) == shared_, "a shared word after a reset");
    check(bench_.read(kBar2 + 12, 4).value() == 1, "a vector is not masked after a reset");
    check(bench_.read(kBar2 + 0x8000, 4).value() == 0, "a vector is pending after a reset");
    bench_.config_write(kMsixControl, 0x8000'0000);
    for (unsigned v = 0; v < 32; ++v) {
      bench_.write(kBar2 + 16 * v, 0xfee0'0000 + 4 * v);
      bench_.write(kBar2 + 16 * v + 8, v);
    }
    const uint64_t value = random_.next();
    bench_.write(kBar0 + 0x123, value);
    check(bench_.read(kBar0 + 0x123, 8).value() == value, "memory after a reset");
    bench_.quiet();
    check_credits(bench_);
  }

  void function_reset() {
    bench_.config_write(kMsixControl, 0x8000'0000);
    unsigned resets = 0;
    for (unsigned round = 0; round < 5; ++round) {
      traffic(random_.between(100, 2000));
      const unsigned control = bench_.config_read(kDeviceControl) & 0xffff;
      const unsigned before = good_ + refused_, waiting = static_cast<unsigned>(bench_.host.waiting());
      std::optional<Result> result;
      Tlp request;
      request.fmt_type = kCfgWrite0;
      request.addr = uint64_t{bench_.host.id} << 16 | kDeviceControl;
      request.first_be = 0x3;
      request.data = {control | 0x8000};
      bench_.host.ask(request, [&](const Result& got) { result = got; });
      // The answer is there before the function is reset; what was asked before is answered before.
      bench_.until(
          [&] {
            check(result.has_value() || bench_.top.flr_o == 0, "reset before the answer");
            return result.has_value();
          },
          400'000, "the answer to the reset");
      check(result->status == kSuccess && good_ + refused_ >= before + waiting, "answers are missing");
      const unsigned bad = refused_;
      traffic(random_.below(300));
      bench_.quiet();
      resets += refused_ != bad;
      check(bench_.top.flr_o == 0, "the reset does not end");
      check((bench_.config_read(kDeviceControl) & 0xe0) == (control & 0xe0), "the payload size changed");
      check(bench_.read_without_bars(), "the function answers after its reset");
      works();
      check(bench_.read_register(regs::pcie::errors_malformed::kOffset) == 0, "malformed packets");
    }
    check(good_ > 10 && resets > 0, "too little traffic");
  }

  void link_down() {
    for (unsigned round = 0; round < 5; ++round) {
      traffic(random_.between(100, 2000));
      bench_.wire.link(false);
      bench_.host.forget();
      bench_.bench.steps(random_.between(1, 1000));
      check(bench_.top.flr_o == 1, "the function is not reset while the link is down");
      check(bench_.wire.granted() == Credits{}, "credits while the link is down");
      bench_.wire.link(true);
      bench_.host.mps = 128;
      bench_.until([&] { return bench_.wire.granted().posted_header != 0; }, 10'000, "the link to come up");
      bench_.first_write();
      check((bench_.config_read(kDeviceControl) & 0xe0) == 0, "the payload size after a hot reset");
      works();
    }
  }

 private:
  Tlp packet(bool write) {
    Tlp tlp;
    tlp.fmt_type = write ? kMemWrite64 : kMemRead64;
    tlp.length = static_cast<unsigned>(random_.between(2, 64));
    tlp.last_be = 0xf;
    tlp.addr = (uint64_t{1} << 40) + 4 * random_.below(1 << 20);
    for (unsigned i = 0; write && i < tlp.length; ++i)
      tlp.data.push_back(static_cast<uint32_t>(random_.next()));
    return tlp;
  }

  EndpointBench bench_;
  verif::Random& random_;
  uint64_t shared_ = 0;
  unsigned good_ = 0, refused_ = 0;
};

}  // namespace

void test_function_reset(uint64_t seed, uint64_t) { ResetTest(seed).function_reset(); }
void test_link(uint64_t seed, uint64_t) { ResetTest(seed).link_down(); }

}  // namespace swai::pcie
