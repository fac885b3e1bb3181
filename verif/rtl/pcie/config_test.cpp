// SPDX-License-Identifier: Apache-2.0
// Configuration space: identity, BAR sizing, a walk through the capabilities, which bits can be written,
// power states.

#include <fmt/format.h>

#include <set>

#include "verif/rtl/pcie/bench.hpp"
#include "verif/rtl/pcie/tests.hpp"

namespace swai::pcie {
namespace {

using verif::check;

void check_bar(EndpointBench& bench, unsigned offset, uint64_t size, uint32_t kind) {
  const uint64_t old = bench.config_read(offset) | uint64_t{bench.config_read(offset + 4)} << 32;
  bench.config_write(offset, 0xffff'ffff);
  bench.config_write(offset + 4, 0xffff'ffff);
  const uint64_t mask = bench.config_read(offset) | uint64_t{bench.config_read(offset + 4)} << 32;
  expect(mask & 0xf, kind, "the kind of a BAR");
  expect(~(mask & ~uint64_t{0xf}) + 1, size, "the size of a BAR");
  bench.config_write(offset, static_cast<uint32_t>(old));
  bench.config_write(offset + 4, static_cast<uint32_t>(old >> 32));
  expect(bench.config_read(offset) | uint64_t{bench.config_read(offset + 4)} << 32, old, "a BAR put back");
}

void walk(EndpointBench& bench) {
  std::set<unsigned> found;
  for (unsigned at = bench.config_read(0x34) & 0xff; at != 0;) {
    const uint32_t head = bench.config_read(at);
    check(found.insert(head & 0xff).second && at >= 0x40 && at % 4 == 0,
          "the list of capabilities is broken");
    at = (head >> 8) & 0xff;
  }
  check(found == std::set<unsigned>{0x01, 0x10, 0x11}, "capabilities are not PM, PCIe and MSI-X");
  std::set<unsigned> extended;
  for (unsigned at = 0x100; at != 0;) {
    const uint32_t head = bench.config_read(at);
    check(extended.insert(head & 0xffff).second, "the list of extended capabilities is broken");
    at = head >> 20;
  }
  check(extended == std::set<unsigned>{0x0001, 0x0003},
        "extended capabilities are not AER and serial number");
  expect(bench.config_read(0x144), 0x89ab'cdef, "serial number");
  expect(bench.config_read(0x148), 0x0123'4567, "serial number");
}

// Which bits keep what is written, by word; words that are not here keep none.
struct Writable {
  unsigned offset;
  uint32_t mask;
};
constexpr Writable kWritable[] = {{0x04, 0x0000'0546},  {0x0c, 0x0000'00ff},  {0x14, 0xffff'ffe0},
                                  {0x18, 0xffff'0000},  {0x1c, 0xffff'ffff},  {0x20, 0xfffc'0000},
                                  {0x24, 0xffff'ffff},  {0x3c, 0x0000'00ff},  {0x50, 0xc000'0000},
                                  {0x68, 0x0000'091f},  {0x88, 0x0000'001f},  {0x90, 0x0000'000f},
                                  {0x108, 0x0017'd000}, {0x10c, 0x0017'd000}, {0x114, 0x0000'2000}};

void check_writable(EndpointBench& bench) {
  for (unsigned offset = 0; offset < 0x1000; offset += 4) {
    if (offset >= 0x200 && bench.random.chance(95)) continue;
    uint32_t mask = 0;
    for (const auto& one : kWritable) {
      if (one.offset == offset) mask = one.mask;
    }
    const uint32_t old = bench.config_read(offset);
    // Bits of Device Control that are more than storage are looked at elsewhere; a power state, too.
    const uint32_t skip = offset == 0x68 ? 0xf0e0 : offset == 0x44 ? 0x3 : 0;
    const auto value = static_cast<uint32_t>(bench.random.next()) & ~skip;
    const auto be = static_cast<unsigned>(bench.random.below(16));
    uint32_t lanes = 0;
    for (unsigned i = 0; i < 4; ++i) lanes |= ((be >> i) & 1) != 0 ? 0xffU << (8 * i) : 0;
    check(bench.config_write(offset, value, be) == kSuccess, "a configuration write failed");
    const uint32_t expected = (old & ~(mask & lanes)) | (value & mask & lanes);
    if (offset == 0x68) {
      expect(bench.config_read(offset) & 0x091f, expected & 0x091f, "Device Control");
    } else {
      expect(bench.config_read(offset), expected, fmt::format("word {:#x}", offset));
    }
    bench.config_write(offset, old);
  }
}

void check_power(EndpointBench& bench) {
  bench.write(kBar4 + 0x1000, 0x1111);
  expect(bench.read_register(0x1000), 0x1111, "a shared word");
  bench.config_write(0x44, 3);
  expect(bench.config_read(0x44), 0x000b, "power state D3hot");
  check(bench.read(kBar4 + 0x1000, 8).status == kUnsupported, "a BAR answers in D3hot");
  bench.config_write(0x44, 1);
  expect(bench.config_read(0x44), 0x000b, "power state after a write of D1");
  bench.config_write(0x44, 0);
  expect(bench.config_read(0x44), 0x0008, "power state D0");
  expect(bench.read_register(0x1000), 0x1111, "a shared word after D3hot");
  bench.config_write(kCommand, 0x4);
  check(bench.read(kBar4 + 0x1000, 8).status == kUnsupported, "a BAR answers with memory switched off");
  bench.config_write(kCommand, 0x6);
}

}  // namespace

void test_config(uint64_t seed, uint64_t) {
  EndpointBench bench(seed);
  bench.host.id = static_cast<unsigned>(bench.random.below(0x2000)) << 3;
  bench.enumerate();
  expect(bench.config_read(0x00), 0x4149'5357, "vendor and device");
  expect(bench.config_read(0x08) >> 8, 0x12'0000, "class");
  expect((bench.config_read(0x0c) >> 16) & 0xff, 0, "header type");
  expect(bench.config_read(0x04), 0x0010'0006, "command and status");
  expect((bench.config_read(0x50) >> 16) & 0x7ff, 31, "number of vectors");
  expect(bench.config_read(0x64) & 7, 1, "payload supported");
  bench.config_write(kCommand, 0);
  check_bar(bench, 0x10, uint64_t{128} << 30, 0xc);
  check_bar(bench, 0x18, 64 << 10, 0x4);
  check_bar(bench, 0x20, 256 << 10, 0x4);
  walk(bench);
  check_writable(bench);
  bench.config_write(kCommand, 0x6);
  check_power(bench);
  // A larger payload or request than the card can is the largest that it can.
  bench.config_write(kDeviceControl, 0x50e0);
  expect(bench.config_read(kDeviceControl) & 0x70e0, 0x2020, "payload and request sizes at most");
  // Another function is nobody.
  const unsigned id = bench.host.id;
  Tlp request;
  request.fmt_type = kCfgRead0;
  request.addr = uint64_t{id | 1} << 16;
  unsigned status = kSuccess;
  bench.host.ask(request, [&](const Result& result) { status = result.status; });
  bench.quiet();
  expect(status, kUnsupported, "status of another function");
  check_credits(bench);
}

}  // namespace swai::pcie
