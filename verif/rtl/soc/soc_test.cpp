// SPDX-License-Identifier: Apache-2.0
// The SoC as its core sees it: random traffic to ROM, SRAM, devices and nowhere against a model of the memory
// map, resets under traffic, and when the card may sleep.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <unordered_map>

#include "Vtb_soc.h"
#include "card_regs.hpp"
#include "verif/rtl/lib/bench.hpp"
#include "verif/rtl/lib/test_main.hpp"
#include "verif/rtl/soc/played_core.hpp"
#include "verif/rtl/soc/rest_of_card.hpp"

namespace swai::soc {
namespace {

using verif::check;
namespace sys = regs::system;

class SocTest {
 public:
  explicit SocTest(uint64_t seed)
      : rom_written_((write_rom_file(), true)), bench_(seed), core_(bench_.random()), card_(bench_) {
    bench_.top().uart_rx_i = 1;
    bench_.top().flash_io_i = 0xF;
    bench_.top().dbg_halt_i = 0;
    bench_.reset();
    wait_reset_end();
  }

  void traffic(uint64_t cycles) {
    fill();
    const uint64_t end = bench_.cycle() + cycles;
    while (bench_.cycle() < end) burst();
    check(card_.asked() > cycles / 200, "hardly any request to the card");
    check(card_.visits() > cycles / 200, "hardly any visit");
  }

  void resets(uint64_t rounds) {
    fill();
    for (uint64_t i = 0; i < rounds; ++i) {
      // The reset strikes with requests under way; those after it may or may not have been taken, so they
      // only read.
      for (int n = 0; n < 10; ++n) post(random_request());
      write_register(sys::scratch0::kAddr, i + 1);
      write_register(sys::nmi_vector::kAddr, 0x8000'1234);
      arrive();
      check(core_.nmi_address == 0x8000'1234, "NMI vector at the core");
      const bool by_host = i % 2 == 1;
      if (by_host) {
        bench_.top().host_reset_i = 1;
        bench_.step();
        bench_.top().host_reset_i = 0;
      } else {
        write_register(sys::reset_request::kAddr, sys::reset_request::kKeyGo);
      }
      for (int n = 0; n < 5; ++n) core_.post({.op = kOpRead, .address = regs::kLocalRegion.base, .size = 6});
      bench_.until([this] { return core_.in_reset; }, 1000, "reset");
      for (auto& expected : expected_) expected.clear();
      wait_reset_end();
      check(core_.nmi_address == sys::nmi_vector::kReset, "NMI vector after a reset");
      check(core_.boot_address == regs::kBootVector, "boot vector");
      for (int n = 0; n < 20; ++n) post(random_request());
      settle();
      const uint64_t count = std::min<uint64_t>(i + 1, 255);
      expect_register(sys::reset_cause::kAddr,
                      sys::reset_cause::kCause.put(by_host ? sys::reset_cause::kCauseHost
                                                           : sys::reset_cause::kCauseSoftware) |
                          sys::reset_cause::kCount.put(count));
      expect_register(sys::scratch0::kAddr, i + 1);
    }
  }

  void sleep() {
    card_.visiting(false);
    bench_.until([this] { return card_.idle(); }, 1000, "end of visits");
    core_.sleep = true;
    bench_.top().card_busy_i = 1;
    bench_.steps(100);
    check(bench_.top().sleep_o == 0, "asleep while the card is busy");
    bench_.top().card_busy_i = 0;
    await_sleep(true, "an idle card");
    // The timer wakes the core, and does not let the clock stop before.
    core_.sleep = false;
    write_register(regs::timer::mtimecmp::kAddr, core_.time + 500);
    arrive();
    core_.sleep = true;
    bench_.steps(100);
    check(bench_.top().sleep_o == 0, "asleep with the timer armed");
    bench_.until([this] { return core_.wakes == kTimer; }, 600, "timer interrupt");
    // Nothing changes any more: a core that ignores the interrupt may sleep on.
    await_sleep(true, "a timer that struck");
    core_.sleep = false;
    write_register(regs::timer::mtimecmp::kAddr, ~uint64_t{0});
    write_register(regs::timer::msip::kAddr, 1);
    arrive();
    check(core_.wakes == kSoftware, "software interrupt");
    write_register(regs::timer::msip::kAddr, 0);
    write_register(regs::uart::txdata::kAddr, 'x');
    arrive();
    core_.sleep = true;
    await_sleep(true, "a card that sent its last byte");
    bench_.top().uart_rx_i = 0;
    bench_.steps(20);
    check(bench_.top().sleep_o == 0, "asleep while a byte comes in");
    bench_.top().uart_rx_i = 1;
    bench_.steps(200);
    bench_.top().dbg_halt_i = 1;
    await_sleep(false, "a debugger that asks");
    bench_.top().dbg_halt_i = 0;
    await_sleep(true, "no debugger");

    core_.write_error = true;
    bench_.steps(1);
    core_.write_error = false;
    bench_.steps(1);
    core_.sleep = false;
    write_register(regs::irq::enable_m::kAddr, regs::irq::pending::kWriteError.mask());
    write_register(regs::irq::enable_s::kAddr, regs::irq::pending::kSoftware.mask());
    arrive();
    check(core_.wakes == kExternalM, "interrupt of a refused write");
    expect_register(regs::irq::pending::kAddr, regs::irq::pending::kWriteError.mask());
    write_register(regs::irq::pending::kAddr, regs::irq::pending::kWriteError.mask());
    write_register(regs::irq::raise::kAddr, regs::irq::pending::kSoftware.mask());
    arrive();
    check(core_.wakes == kExternalS, "software-raised interrupt");
    write_register(regs::irq::pending::kAddr, regs::irq::pending::kSoftware.mask());
    write_register(sys::watchdog_timeout::kAddr, 50);
    write_register(sys::watchdog_control::kAddr, 1);
    settle();
    bench_.until([this] { return core_.wakes == kNmi; }, 100, "NMI");
    // Asleep the watchdog stands still; awake it bites.
    core_.sleep = true;
    await_sleep(true, "a card whose watchdog barked");
    bench_.steps(200);
    check(!core_.in_reset, "the watchdog bites a sleeping card");
    core_.sleep = false;
    bench_.until([this] { return core_.in_reset; }, 100, "watchdog reset");
    wait_reset_end();
    expect_register(sys::reset_cause::kAddr, sys::reset_cause::kCause.put(sys::reset_cause::kCauseWatchdog) |
                                                 sys::reset_cause::kCount.put(1));
    write_register(sys::status::kAddr, 0x1234'5678);
    arrive();
    check(bench_.top().status_o == 0x1234'5678, "status word at the pins");
  }

 private:
  static constexpr unsigned kSoftware = 16;
  static constexpr unsigned kTimer = 8;
  static constexpr unsigned kExternalM = 4;
  static constexpr unsigned kExternalS = 2;
  static constexpr unsigned kNmi = 1;
  static constexpr uint64_t kSettleLimit = 20'000;

  struct Expected {
    Request request;
    bool err = false;
    uint64_t lanes = 0;  // bytes of the answer that count
    Line data{};
  };

  void wait_reset_end() {
    bench_.steps(2);
    bench_.until([this] { return !core_.in_reset; }, 100, "end of reset");
  }

  void await_sleep(bool on, const std::string& what) {
    bench_.until([this, on] { return (bench_.top().sleep_o != 0) == on; }, 1000, "sleep of " + what);
  }

  // The model answers when the request is posted: the SoC keeps the order of what one master asks for a line,
  // and this test never has requests of different ids for one line in flight (the lines of an id end in its
  // number).
  void post(const Request& request) {
    Expected expected{.request = request};
    const uint64_t line = request.address / kLineBytes * kLineBytes;
    const uint64_t span = uint64_t{1} << request.size;
    const uint64_t block = (span == kLineBytes ? ~uint64_t{0} : (uint64_t{1} << span) - 1)
                           << (request.address % kLineBytes);
    if (request.op != kOpWrite) expected.lanes = block;
    if (regs::kRomRegion.contains(request.address)) {
      expected.err = request.op != kOpRead;
      expected.data = rom_line((line - regs::kRomRegion.base) / kLineBytes);
    } else if (line - regs::kLocalRegion.base < regs::kSramBytes) {
      Line& bytes = sram_[line];
      expected.data = bytes;
      if (request.op == kOpWrite) {
        for (unsigned i = 0; i < kLineBytes; ++i) {
          if ((request.strobes >> i & 1) != 0) bytes[i] = request.data[i];
        }
      } else if (request.op == kOpAdd) {
        uint64_t old = 0;
        uint64_t operand = 0;
        std::memcpy(&old, &bytes[request.address % kLineBytes], 8);
        std::memcpy(&operand, &request.data[request.address % kLineBytes], 8);
        old += operand;
        std::memcpy(&bytes[request.address % kLineBytes], &old, 8);
      }
    } else if (request.address == sys::identity::kAddr) {
      expected.err = request.op == kOpAdd;
      const uint64_t identity = sys::identity::kReset;
      std::memcpy(&expected.data[request.address % kLineBytes], &identity, 8);
    } else if (regs::kHbmRegion.contains(request.address) || regs::kCardRegion.contains(request.address)) {
      expected.err = card_refuses(request.address);
      expected.data = card_line(request.address, request.op);
    } else {
      expected.err = true;
    }
    if (expected.err) expected.lanes = 0;
    expected_[request.id].push_back(expected);
    core_.post(request);
  }

  void settle() {
    bench_.until([this] { return core_.quiet(); }, kSettleLimit, "answers");
    for (unsigned id = 0; id < expected_.size(); ++id) {
      auto& answers = core_.answers(id);
      check(answers.size() == expected_[id].size(),
            fmt::format("{} answers to {} requests of id {}", answers.size(), expected_[id].size(), id));
      for (size_t i = 0; i < answers.size(); ++i) compare(expected_[id][i], answers[i]);
      answers.clear();
      expected_[id].clear();
    }
  }

  static void compare(const Expected& expected, const Response& answer) {
    const std::string what = fmt::format("op {} size {} at {:#x}", expected.request.op, expected.request.size,
                                         expected.request.address);
    check(answer.err == expected.err, fmt::format("{}: error is {}", what, answer.err));
    for (unsigned i = 0; i < kLineBytes; ++i) {
      if ((expected.lanes >> i & 1) == 0) continue;
      check(answer.data[i] == expected.data[i],
            fmt::format("{}: byte {} is {:#x} instead of {:#x}", what, i, answer.data[i], expected.data[i]));
    }
  }

  // What was written has reached the wires.
  void arrive() {
    settle();
    bench_.steps(4);
  }

  // An address of the id's own lines, in one of the places that there are.
  uint64_t random_line(unsigned id) {
    auto& random = bench_.random();
    const uint64_t offset = (random.below(60) * 3 + id) * kLineBytes;
    switch (random.below(12)) {
      case 0:
        return regs::kRomRegion.base + offset;
      case 1:
        return regs::kRomRegion.base + regs::kRomRegion.size - kLineBytes * 60 * 3 + offset;
      case 2:
        return regs::kLocalRegion.base + regs::kSramBytes + offset;  // beyond the SRAM
      case 3:
        return random.chance(50) ? offset : regs::kRomRegion.base + regs::kRomRegion.size + offset;
      case 4:
        return random.chance(50) ? regs::kHbmRegion.base + offset : regs::kCardRegion.base + offset;
      case 5:
        return regs::inbox::kBase + regs::inbox::kSize + offset;  // behind the last device
      default:
        return regs::kLocalRegion.base + (random.chance(50) ? 0 : regs::kSramBytes - kLineBytes * 60 * 3) +
               offset;
    }
  }

  Request random_request() {
    auto& random = bench_.random();
    Request request{.id = static_cast<unsigned>(random.below(3))};
    for (auto& byte : request.data) byte = static_cast<uint8_t>(random.next());
    if (random.chance(10)) {
      request.address = sys::identity::kAddr;
      request.op = random.chance(80) ? kOpRead : kOpAdd;
      return request;
    }
    request.address = random_line(request.id);
    switch (random.below(5)) {
      case 0:
      case 1:
        request.op = kOpWrite;
        request.strobes = random.chance(50) ? ~uint64_t{0} : random.number();
        break;
      case 2:
        request.op = kOpAdd;
        request.address += 8 * random.below(8);
        break;
      default:
        request.size = static_cast<unsigned>(random.below(7));
        request.address += (random.below(kLineBytes) >> request.size) << request.size;
        break;
    }
    // The bridge to the registers takes no access wider than a register, nor an empty write as an error.
    if (regs::kIoRegion.contains(request.address) && request.op == kOpWrite) request.strobes = 0xFF;
    return request;
  }

  void burst() {
    const uint64_t count = bench_.random().below(40);
    for (uint64_t i = 0; i < count; ++i) post(random_request());
    settle();
  }

  // Every line that random requests reach has known contents.
  void fill() {
    for (const uint64_t base :
         {regs::kLocalRegion.base, regs::kLocalRegion.base + regs::kSramBytes - kLineBytes * 60 * 3}) {
      for (unsigned i = 0; i < 60 * 3; ++i) {
        Request request{.op = kOpWrite, .id = 2, .address = base + i * kLineBytes, .strobes = ~uint64_t{0}};
        for (auto& byte : request.data) byte = static_cast<uint8_t>(bench_.random().next());
        post(request);
      }
      settle();
    }
  }

  void write_register(uint64_t address, uint64_t value) {
    Request request{
        .op = kOpWrite, .id = 2, .address = address, .strobes = uint64_t{0xFF} << (address % kLineBytes)};
    std::memcpy(&request.data[address % kLineBytes], &value, 8);
    expected_[2].push_back({.request = request});
    core_.post(request);
  }

  void expect_register(uint64_t address, uint64_t value) {
    const Request request{.op = kOpRead, .id = 1, .address = address};
    Expected expected{.request = request, .lanes = uint64_t{0xFF} << (address % kLineBytes)};
    std::memcpy(&expected.data[address % kLineBytes], &value, 8);
    expected_[1].push_back(expected);
    core_.post(request);
    settle();
  }

  bool rom_written_;
  verif::Bench<Vtb_soc> bench_;
  Core core_;
  RestOfCard card_;
  std::unordered_map<uint64_t, Line> sram_;
  std::array<std::deque<Expected>, 3> expected_;
};

}  // namespace
}  // namespace swai::soc

int main(int argc, char** argv) {
  using swai::soc::SocTest;
  return swai::verif::test_main(
      argc, argv,
      {{"bus", [](uint64_t seed, uint64_t cycles) { SocTest(seed).traffic(cycles); }},
       {"resets", [](uint64_t seed, uint64_t cycles) { SocTest(seed).resets(cycles / 500 + 1); }},
       {"sleep", [](uint64_t seed, uint64_t) { SocTest(seed).sleep(); }}});
}
