// SPDX-License-Identifier: Apache-2.0
// What is wrong with requests: answered or dropped, counted and recorded, and never a credit lost.

#include <fmt/format.h>

#include "card_regs.hpp"
#include "verif/rtl/pcie/bench.hpp"
#include "verif/rtl/pcie/tests.hpp"

namespace swai::pcie {
namespace {

using verif::check;

constexpr unsigned kMalformed = 18, kPoisoned = 12, kUnsupportedBit = 20, kAbortBit = 15, kUnexpectedBit = 16,
                   kOverflowBit = 17;
constexpr unsigned kAerCorrectable = 0x110, kHeaderLog = 0x11c;

struct ErrorTest {
  explicit ErrorTest(uint64_t seed) : bench(seed), random(bench.random) { bench.enumerate(); }

  uint64_t counter(uint64_t offset) { return bench.read_register(offset); }

  // The bit is set and the header is logged; clears them.
  void recorded(unsigned bit, const Tlp& tlp, const std::string& what) {
    expect(bench.config_read(kAerUncorrectable), 1U << bit, "AER status after " + what);
    expect(bench.config_read(0x118) & 0x1f, bit, "first error after " + what);
    const auto header = to_beats(tlp).front().header;
    for (unsigned i = 0; i < 4; ++i)
      expect(bench.config_read(kHeaderLog + 4 * i), header[i], "header log after " + what);
    clear();
  }
  void clear() {
    bench.config_write(kAerUncorrectable, 0xffff'ffff);
    bench.config_write(kAerCorrectable, 0xffff'ffff);
    bench.config_write(kDeviceControl + 2, 0, 0);
    bench.config_write(kDeviceControl, 0x000f'0000, 0xc);
    expect(bench.config_read(kAerUncorrectable), 0, "AER status after clearing");
    expect((bench.config_read(kDeviceControl) >> 16) & 0xf, 0, "Device Status after clearing");
  }
  unsigned device_status() { return (bench.config_read(kDeviceControl) >> 16) & 0xf; }

  Result ask(Tlp tlp) {
    std::optional<Result> result;
    Tlp sent;
    bench.host.on_completion = [](const Tlp&) {};
    bench.host.ask(tlp, [&](const Result& got) { result = got; });
    bench.until([&] { return result.has_value(); }, 100'000, "an answer");
    bench.quiet();
    return *result;
  }

  EndpointBench bench;
  verif::Random& random;
};

Tlp plain(unsigned fmt_type, uint64_t addr, unsigned length = 1) {
  Tlp tlp;
  tlp.fmt_type = fmt_type;
  tlp.addr = addr;
  tlp.length = length;
  tlp.last_be = length == 1 ? 0 : 0xf;
  if (tlp.has_data()) tlp.data.assign(length, 0x5a5a'a5a5);
  return tlp;
}

void unsupported_requests(ErrorTest& test) {
  auto& bench = test.bench;
  const Tlp requests[] = {plain(kIoRead, 0x1000),
                          plain(kIoWrite, 0x1000),
                          plain(kCfgRead1, uint64_t{0x0200} << 16),
                          plain(kCfgWrite1, uint64_t{0x0200} << 16),
                          plain(kMemReadLocked, kBar4),
                          plain(kFetchAdd, kBar4),
                          plain(kMemRead32, 0x1000, 8),
                          plain(kMemRead64, kBar0 + kSramWindow + kSramBytes, 8),
                          plain(kMemRead64, kBar2 + (64 << 10), 1),
                          plain(kMemRead32, kBar4 - 4, 1)};
  uint64_t count = test.counter(regs::pcie::errors_unsupported_nonposted::kOffset);
  for (const auto& request : requests) {
    expect(test.ask(request).status, kUnsupported, "status of " + request.text());
    expect(test.counter(regs::pcie::errors_unsupported_nonposted::kOffset), ++count, "requests unsupported");
    expect(test.device_status(), 0x9, "Device Status");
    expect(bench.config_read(kAerCorrectable), 0x2000, "AER correctable");
    expect(bench.config_read(kAerUncorrectable), 1U << kUnsupportedBit, "AER status");
    test.clear();
  }
}

void unsupported_writes(ErrorTest& test) {
  auto& bench = test.bench;
  Tlp message = plain(kMessage | 4, 0);
  message.length = 0;
  message.first_be = 0x2;
  message.last_be = 0x2;  // code 0x22: an interrupt of a bridge
  Tlp message_data = plain(kMessageData | 4, 0);
  message_data.last_be = 0x7;  // code 0x7f with first_be: vendor-defined type 1, quietly dropped
  const Tlp requests[] = {plain(kMemWrite32, 0x1000, 8),
                          plain(kMemWrite64, kBar0 + kSramWindow + kSramBytes, 64),
                          plain(kMemWrite32, kBar4 + 0x3'0000, 2), message};
  uint64_t count = test.counter(regs::pcie::errors_unsupported_posted::kOffset);
  for (const auto& request : requests) {
    bench.wire.send(request);
    bench.quiet();
    expect(test.counter(regs::pcie::errors_unsupported_posted::kOffset), ++count, "writes dropped");
    expect(test.device_status(), 0xa, "Device Status");
    test.recorded(kUnsupportedBit, request, "a write dropped");
  }
  bench.wire.send(message_data);
  bench.quiet();
  expect(test.counter(regs::pcie::errors_unsupported_posted::kOffset), count, "writes dropped");
  expect(bench.config_read(kAerUncorrectable), 0, "AER status");
}

void poisoned(ErrorTest& test) {
  auto& bench = test.bench;
  const uint8_t old = bench.ring.memory.get(kHbm + 0x100);
  for (const uint64_t addr : {kBar0 + 0x100, kBar0 + kSramWindow + 0x3'0000, kBar4 + 0x1000, kBar2}) {
    const uint64_t count = test.counter(regs::pcie::errors_poisoned::kOffset);
    Tlp write = plain(addr >> 32 != 0 ? kMemWrite64 : kMemWrite32, addr, 40);
    write.ep = true;
    bench.wire.send(write);
    bench.quiet();
    expect(test.counter(regs::pcie::errors_poisoned::kOffset), count + 1, "poisoned writes");
    expect(test.device_status(), 0x2, "Device Status");
    test.recorded(kPoisoned, write, "a poisoned write");
  }
  expect(bench.ring.memory.get(kHbm + 0x100), old, "memory after a poisoned write");
  expect(bench.read_register(0x1000), 0, "a shared word after a poisoned write");
  check((bench.config_read(kCommand) & 0x8000'0000) != 0, "no parity error detected in Status");
  bench.config_write(kCommand, 0x8000'0006);
  expect(bench.config_read(kCommand), 0x0010'0006, "Status after clearing");
  Tlp config = plain(kCfgWrite0, uint64_t{bench.host.id} << 16 | 0x3c);
  config.ep = true;
  expect(test.ask(config).status, kUnsupported, "a poisoned configuration write");
  expect(bench.config_read(0x3c), 0, "the word that it would have written");
  test.clear();
}

// The fate of lines in memory.
void lines(ErrorTest& test) {
  auto& bench = test.bench;
  bench.ring.poisoned = {kHbm + 0x1'0000 + 320};
  const auto count = test.counter(regs::pcie::errors_poison_sent::kOffset);
  expect(bench.read(kBar0 + 0x1'0000, 256).poisoned, false, "poison beside");
  std::vector<bool> poison;
  bench.host.on_completion = [&](const Tlp& tlp) { poison.push_back(tlp.ep); };
  bench.read(kBar0 + 0x1'0000, 1024);
  check(poison == std::vector<bool>({false, true, false, false}), "the poison is in the wrong completions");
  bench.host.on_completion = [](const Tlp&) {};
  expect(test.counter(regs::pcie::errors_poison_sent::kOffset), count + 1, "poison sent");

  // A line that is refused ends the request; what came before it comes.
  bench.ring.denied = {kHbm + 0x2'0000 + 640};
  auto result = bench.read(kBar0 + 0x2'0000, 2048);
  expect(result.status, kAbort, "status of a refused line");
  bench.quiet();
  expect(bench.config_read(kAerUncorrectable), 1U << kAbortBit, "AER status after an abort");
  check((bench.config_read(kCommand) & 0x0800'0000) != 0, "Signaled Target Abort");
  bench.config_write(kCommand, 0x0800'0006);
  test.clear();
  expect(test.counter(regs::pcie::errors_aborted::kOffset), 1, "aborted");
  expect(bench.read(kBar0 + 3 * kGroupBytes, 64).status, kUnsupported, "a group that is not there");
  expect(bench.read(kBar0 + 0x2'0000, 512).status, kSuccess, "a read after all that");
  test.clear();
  // Writes that are refused after they have been accepted.
  bench.write(kBar0 + 0x2'0000 + 640, 1);
  bench.write(kBar0 + 3 * kGroupBytes, 1);
  bench.quiet();
  expect(test.counter(regs::pcie::errors_write_failed::kOffset), 2, "writes failed");
  // A doorbell that nobody hears.
  bench.ring.denied = {kInboxWork};
  bench.write(kBar4 + regs::pcie::doorbell::kOffset, 1);
  bench.quiet();
  expect(test.counter(regs::pcie::errors_write_failed::kOffset), 3, "doorbells not heard");
}

// The DMA engine's errors end in the same registers.
void dma_errors(ErrorTest& test) {
  auto& bench = test.bench;
  const struct {
    unsigned pulse, bit;
    uint64_t counter;
  } kinds[] = {{4, 14, regs::pcie::errors_timeouts::kOffset},
               {2, kUnexpectedBit, regs::pcie::errors_unexpected::kOffset},
               {1, kPoisoned, regs::pcie::errors_poisoned_completions::kOffset}};
  for (const auto& kind : kinds) {
    bench.top.dma_errors_i = static_cast<uint8_t>(kind.pulse);
    bench.bench.step();
    bench.top.dma_errors_i = 0;
    expect(test.counter(kind.counter), 1, "errors of the DMA engine");
    expect(bench.config_read(kAerUncorrectable), 1U << kind.bit, "AER status");
    test.clear();
  }
}

// Master Data Parity Error: a poisoned completion, with parity error response switched on.
void parity(ErrorTest& test) {
  auto& bench = test.bench;
  bench.config_write(kCommand, 0x46);
  bench.top.dma_errors_i = 1;
  bench.bench.step();
  bench.top.dma_errors_i = 0;
  expect(bench.config_read(kCommand) >> 16, 0x8110, "Status after a poisoned completion");
  bench.config_write(kCommand, 0x8100'0006);
  expect(bench.config_read(kCommand) >> 16, 0x0010, "Status after clearing");
  test.clear();
}

void masks(ErrorTest& test) {
  auto& bench = test.bench;
  // Masked: recorded, but not the first error, and no header.
  bench.config_write(0x108, 1U << kUnsupportedBit);
  const Tlp one = plain(kMemWrite32, 0x2000, 8), two = plain(kMemWrite32, 0x3000, 8);
  bench.wire.send(one);
  bench.quiet();
  expect(bench.config_read(kAerUncorrectable), 1U << kUnsupportedBit, "AER status of a masked error");
  bench.config_write(0x108, 0);
  test.clear();
  // The first of two errors has its header logged.
  Tlp bad = two;
  bad.ep = true;
  bench.wire.send(one);
  bench.wire.send(bad);
  bench.quiet();
  expect(bench.config_read(0x118) & 0x1f, kUnsupportedBit, "first error");
  expect(bench.config_read(kHeaderLog + 8), 0x2000, "header log of the first error");
  bench.config_write(kAerUncorrectable, 1U << kUnsupportedBit);
  expect(bench.config_read(kAerUncorrectable), 1U << kPoisoned, "AER status of the second error");
  test.clear();
  // Made fatal.
  bench.config_write(0x10c, 1U << kUnsupportedBit);
  bench.wire.send(one);
  bench.quiet();
  expect(test.device_status(), 0xc, "Device Status of an error made fatal");
  bench.config_write(0x10c, 0x0006'0000);
  test.clear();
}

// Packets that are none.
struct Broken {
  const char* what;
  Tlp tlp;
  std::vector<Beat> beats;
  bool free = false;
};

std::vector<Broken> broken_packets(unsigned id) {
  std::vector<Broken> all;
  const auto add = [&](const char* what, const Tlp& tlp, bool free = false) {
    all.push_back({what, tlp, to_beats(tlp), free});
  };
  Tlp tlp = plain(0x1f, 0x1000);
  add("an unknown type", tlp, true);
  add("a prefix", plain(0x90, 0x1000), true);
  tlp = plain(kMemWrite64, kBar0, 16);
  tlp.td = true;
  add("a digest that is not there", tlp);
  add("a payload of 260 bytes", plain(kMemWrite64, kBar0, 65));
  add("a write over the end of a page", plain(kMemWrite64, kBar0 + 0xff0, 8));
  add("a read over the end of a page", plain(kMemRead64, kBar0 + 0xff0, 8));
  add("a read of 4096 bytes from the middle of a page", plain(kMemRead64, kBar0 + 0x10, 1024));
  tlp = plain(kMemRead64, kBar0, 1);
  tlp.last_be = 1;
  add("last byte enables for one doubleword", tlp);
  tlp = plain(kMemRead64, kBar0, 2);
  tlp.last_be = 0;
  add("no last byte enables", tlp);
  tlp = plain(kMemRead64, kBar0, 2);
  tlp.first_be = 0;
  add("no first byte enables", tlp);
  tlp = plain(kMemWrite64, kBar0, 3);
  tlp.first_be = 0x5;
  add("first byte enables with a gap", tlp);
  tlp = plain(kMemWrite64, kBar0 + 4, 2);
  tlp.last_be = 0xa;
  add("last byte enables with a gap", tlp);
  tlp = plain(kCfgRead0, uint64_t{id} << 16, 2);
  add("a configuration read of two doublewords", tlp);
  add("an atomic with a payload of 80 bytes", plain(kFetchAdd, 0x1000, 20));
  tlp = plain(kCfgRead0, uint64_t{id} << 16);
  tlp.tc = 1;
  add("a configuration read of class 1", tlp);
  // More or less payload than the length says.
  tlp = plain(kMemWrite64, kBar0, 40);
  Broken odd{"payload missing", tlp, to_beats(tlp)};
  odd.beats.pop_back();
  odd.beats.back().eop = true;
  all.push_back(odd);
  odd = {"payload too long", tlp, to_beats(tlp)};
  odd.beats.back().eop = false;
  odd.beats.push_back({});
  odd.beats.back().eop = true;
  all.push_back(odd);
  odd = {"a read with payload", plain(kMemRead64, kBar0, 2), {}};
  odd.beats = {to_beats(odd.tlp).front(), {}};
  odd.beats.front().eop = false;
  odd.beats.back().eop = true;
  all.push_back(odd);
  odd = {"a packet inside another", tlp, to_beats(tlp)};
  odd.beats[1].sop = true;
  all.push_back(odd);
  return all;
}

}  // namespace

void test_errors(uint64_t seed, uint64_t) {
  ErrorTest test(seed);
  unsupported_requests(test);
  unsupported_writes(test);
  poisoned(test);
  lines(test);
  dma_errors(test);
  test.bench.config_write(kCommand, 0xffff'0006);
  parity(test);
  masks(test);
  check_credits(test.bench);
}

void test_malformed(uint64_t seed, uint64_t) {
  ErrorTest test(seed);
  auto& bench = test.bench;
  uint64_t count = 0;
  for (unsigned round = 0; round < 2; ++round) {
    for (const auto& broken : broken_packets(bench.host.id)) {
      const uint8_t old = bench.ring.memory.get(kHbm);
      // Good packets right before and behind it.
      bench.write(kBar0 + 0x8000, round, 8);
      bench.wire.send_raw(broken.tlp, broken.beats, broken.free);
      bench.write(kBar0 + 0x8008, round, 8);
      bench.quiet();
      expect(test.counter(regs::pcie::errors_malformed::kOffset), ++count,
             std::string("malformed after ") + broken.what);
      expect(test.device_status(), 0x4, std::string("Device Status after ") + broken.what);
      test.recorded(kMalformed, broken.tlp, broken.what);
      expect(bench.ring.memory.get(kHbm), old, std::string("memory after ") + broken.what);
      check_credits(bench);
    }
  }
  // A completion of a locked read is nothing that the card could have asked for.
  Tlp locked;
  locked.fmt_type = kCompletionLocked;
  locked.length = 0;
  bench.wire.send_raw(locked, to_beats(locked), true);
  bench.quiet();
  expect(test.counter(regs::pcie::errors_unexpected::kOffset), 1, "unexpected completions");
  check(bench.dma_completions.empty(), "a completion of a locked read reached the DMA engine");
  test.clear();
  // More than was granted: the surplus is dropped, and the rest goes on.
  bench.ring.slow(true);
  const Tlp flood = plain(kMemWrite64, kBar0, 1);
  for (unsigned i = 0; i < 1000; ++i) bench.wire.send_raw(flood, to_beats(flood), true);
  bench.wire.hurry();
  bench.quiet();
  const uint64_t dropped = test.counter(regs::pcie::errors_overflow::kOffset);
  check(dropped > 0 && dropped < 1000, "nothing was dropped for lack of credit");
  expect(bench.config_read(kAerUncorrectable), 1U << kOverflowBit, "AER status after too many packets");
  check(bench.read(kBar0, 64).status == kSuccess, "a read after too many packets");
}

}  // namespace swai::pcie
