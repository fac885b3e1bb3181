// SPDX-License-Identifier: Apache-2.0
// BAR4 and the ring's way to the same registers: every register against its description, words shared by both
// sides, the debug port.

#include <fmt/format.h>

#include <bit>

#include "card_regs.hpp"
#include "card_regs_table.hpp"
#include "verif/rtl/pcie/bench.hpp"
#include "verif/rtl/pcie/tests.hpp"

namespace swai::pcie {
namespace {

using verif::check;

// Reset values, what can be written by whom, and nobody where nothing is described.
void check_described(EndpointBench& bench, std::string_view device, uint64_t base) {
  auto& random = bench.random;
  for (const auto& reg : regs::kRegisters) {
    if (device != reg.device) continue;
    const uint64_t offset = reg.base - regs::pcie::kBase + reg.offset;
    const uint64_t first = bench.read_register(offset);
    expect(first & reg.reset_known & ~reg.wo, reg.reset & reg.reset_known & ~reg.wo,
           fmt::format("{} after reset", reg.name));
    expect(first & ~(reg.rw | reg.ro | reg.w1c), 0, fmt::format("unused bits of {}", reg.name));
    expect(bench.mpe_read(reg.base + reg.offset) & reg.rw, first & reg.rw,
           fmt::format("{} over the ring", reg.name));
    if (reg.rw == 0 || reg.write_effect) continue;
    const uint64_t value = random.next();
    check(bench.mpe_access(true, reg.base + reg.offset, value).status == kOk, "a write over the ring");
    expect(bench.read_register(offset) & reg.rw, value & reg.rw, reg.name);
    bench.mpe_access(true, reg.base + reg.offset, first);
  }
  for (unsigned i = 0; i < 20; ++i) {
    const uint64_t offset = 0x2000 + 8 * random.below((0x1'0000 - 0x2000) / 8);
    check(bench.read(kBar4 + base + offset, 8).status == kUnsupported, "somebody answers where nobody is");
    check(bench.mpe_access(false, regs::pcie::kBase + base + offset).status == kDenied,
          "somebody answers the ring");
  }
}

// Both sides write and read the shared words, each half of them, at all sizes; then each reads the other's.
void check_shared(EndpointBench& bench, uint64_t rounds) {
  auto& random = bench.random;
  std::vector<uint8_t> model(512);
  for (unsigned at = 0; at < 512; at += 64) {
    for (auto byte : bench.read(kBar4 + 0x1000 + at, 64).bytes)
      check(byte == 0, "a shared word is not 0 after power-on");
  }
  for (uint64_t i = 0; i < rounds; ++i) {
    // Until all is quiet again each side keeps to its half: the lower one is the host's.
    for (unsigned k = 0; k < 20; ++k) {
      const auto count = static_cast<unsigned>(random.between(1, 64));
      const auto at = static_cast<unsigned>(random.below(256 - count + 1));
      std::vector<uint8_t> bytes;
      for (unsigned j = 0; j < count; ++j)
        bytes.push_back(model[at + j] = static_cast<uint8_t>(random.next()));
      if (random.chance(50))
        bench.host.write(kBar4 + 0x1000 + at, bytes);
      else
        for (unsigned j = 0; j < count; ++j) bench.host.write(kBar4 + 0x1000 + at + j, {bytes[j]});

      RingRequest request;
      request.op = kWrite;
      const auto line = static_cast<unsigned>(random.between(4, 7));
      request.addr = regs::pcie::shared::kAddr + 64 * line;
      request.strb = random.chance(30) ? random.next() : uint64_t{0xff} << (8 * random.below(8));
      for (unsigned j = 0; j < 64; ++j) {
        request.data[j] = static_cast<uint8_t>(random.next());
        if ((request.strb >> j) & 1) model[64 * line + j] = request.data[j];
      }
      bench.mpe.send(request,
                     [](const RingResponse& got) { check(got.status == kOk, "a write over the ring"); });
    }
    bench.quiet();
    const auto count = static_cast<unsigned>(random.between(1, 512));
    const auto at = static_cast<unsigned>(random.below(512 - count + 1));
    const auto result = bench.read(kBar4 + 0x1000 + at, count);
    check(std::equal(result.bytes.begin(), result.bytes.end(), model.begin() + at),
          "the host reads something else");
    const auto word = static_cast<unsigned>(random.below(64));
    uint64_t value = 0;
    for (unsigned j = 8; j-- > 0;) value = value << 8 | model[8 * word + j];
    expect(bench.mpe_read(regs::pcie::shared::kAddr + 8 * word), value, "a shared word over the ring");
  }
}

// The host writes a word and rings; the processor reads it over the ring.
void check_handover(EndpointBench& bench) {
  unsigned heard = 0;
  uint64_t last = 0;
  bench.ring.on_inbox = [&](uint64_t bits) {
    expect(bits, 1, "inbox");
    RingRequest request;
    request.addr = regs::pcie::shared::kAddr;
    request.size = 3;
    bench.mpe.send(request, [&heard, &last](const RingResponse& got) {
      uint64_t value = 0;
      for (unsigned j = 8; j-- > 0;) value = value << 8 | got.data[j];
      check(value >= heard + 1 && value >= last, "the processor reads an older word");
      ++heard;
      last = value;
    });
  };
  for (unsigned i = 1; i <= 200; ++i) {
    bench.write(kBar4 + 0x1000, i);
    bench.write(kBar4 + regs::pcie::doorbell::kOffset, 0);
    if (bench.random.chance(30)) bench.quiet();
  }
  bench.quiet();
  check(last == 200 && heard > 20, "a doorbell was lost");
  bench.ring.on_inbox = [](uint64_t) {};
}

void check_dma_device(EndpointBench& bench) {
  auto& random = bench.random;
  for (unsigned i = 0; i < 100; ++i) {
    const auto word = static_cast<unsigned>(random.below(64));
    const uint64_t value = random.next();
    if (random.chance(50))
      bench.write(kBar4 + 0x1'0000 + 8 * word, value);
    else
      bench.mpe_access(true, regs::pcie::kBase + 0x1'0000 + 8 * word, value);
    bench.quiet();
    expect(bench.dma_registers[word], value, "a register of the DMA engine");
    expect(bench.read_register(0x1'0000 + 8 * word), value, "a register of the DMA engine, read");
  }
  // Pieces of any kind, with gaps.
  for (unsigned i = 0; i < 100; ++i) {
    Tlp tlp = bench.host.request(true, kBar4 + 0x1'0000 + 8 * random.below(60), 8);
    tlp.first_be = static_cast<unsigned>(random.between(1, 15));
    tlp.last_be = static_cast<unsigned>(random.between(1, 15));
    tlp.data = {static_cast<uint32_t>(random.next()), static_cast<uint32_t>(random.next())};
    if (random.chance(50)) {
      tlp.length = 1;
      tlp.last_be = 0;
      tlp.data.pop_back();
    }
    const uint64_t word = (tlp.addr - kBar4 - 0x1'0000) / 8;
    uint64_t expected = bench.dma_registers[word];
    for (unsigned k = 0; k < 8; ++k) {
      if ((((tlp.last_be << 4 | tlp.first_be) >> k) & 1) == 0) continue;
      expected &= ~(uint64_t{0xff} << (8 * k));
      expected |= uint64_t{(tlp.data[k / 4] >> (8 * (k % 4))) & 0xff} << (8 * k);
    }
    bench.wire.send(tlp);
    bench.quiet();
    expect(bench.dma_registers[word], expected, "a register of the DMA engine, in pieces");
  }
  check(bench.read(kBar4 + 0x1'8000, 4).status == kUnsupported, "a refusal of the DMA engine");
}

void check_refused(EndpointBench& bench) {
  RingRequest request;
  std::optional<unsigned> status;
  const auto ask = [&](unsigned op, uint64_t addr) {
    request.op = op;
    request.addr = addr;
    request.size = 3;
    status.reset();
    bench.mpe.send(request, [&](const RingResponse& got) { status = got.status; });
    bench.until([&] { return status.has_value(); }, 10'000, "the ring's answer");
    return *status;
  };
  expect(ask(kAdd, regs::pcie::shared::kAddr), kDenied, "an atomic");
  expect(ask(kRead, regs::pcie::kBase + 0x4'0000), kNobody, "behind the registers");
  expect(ask(kRead, regs::pcie::kBase + 0x3'0000), kDenied, "the empty quarter");
  expect(bench.read(kBar4 + 0x3'0000, 8).status, kUnsupported, "the empty quarter for the host");
}

// The ring may read any naturally aligned block, up to a line.
void check_sizes(EndpointBench& bench) {
  for (unsigned i = 0; i < 64; ++i) bench.write(kBar4 + 0x1000 + 8 * i, bench.random.next());
  const auto all = bench.read(kBar4 + 0x1000, 512).bytes;
  for (unsigned i = 0; i < 50; ++i) {
    const auto size = static_cast<unsigned>(bench.random.below(7));
    const auto at = static_cast<unsigned>(bench.random.below(512 >> size)) << size;
    const auto got = bench.mpe_access(false, regs::pcie::shared::kAddr + at, 0, size);
    check(got.status == kOk &&
              std::equal(all.begin() + at, all.begin() + at + (1U << size), got.data.begin() + at % 64),
          fmt::format("a read of {} bytes over the ring", 1U << size));
  }
}

void check_reset_requests(EndpointBench& bench) {
  unsigned seen = 0;
  const auto write = [&](uint64_t value, unsigned count) {
    seen = 0;
    bench.write(kBar4 + regs::pcie::reset_request::kOffset, value, count);
    for (unsigned i = 0; i < 300; ++i) {
      bench.bench.step();
      bench.bench.settle();
      seen |= bench.top.reset_req_o;
    }
    return seen;
  };
  bench.wire.hurry();
  expect(write(uint64_t{0x15} << 32 | regs::pcie::reset_request::kKeyGo, 8), 0x15, "reset requests");
  expect(write(uint64_t{0x1f} << 32 | 0x1234, 8), 0, "reset requests without the key");
  expect(write(regs::pcie::reset_request::kKeyGo, 4), 0, "reset requests by halves");
  bench.top.reset_status_i = 0x255;
  expect(bench.read_register(regs::pcie::reset_status::kOffset), 0x255, "reset status");
  expect(bench.read_register(regs::pcie::boot_status::kOffset), 0x600d'b007, "boot status");
  expect(bench.read_register(regs::pcie::card::kOffset), 0x0000'0100'1008'0402, "card");
}

}  // namespace

void test_registers(uint64_t seed, uint64_t cycles) {
  EndpointBench bench(seed);
  bench.enumerate();
  check_described(bench, "pcie", 0);
  check_shared(bench, cycles / 1000);
  check_handover(bench);
  check_sizes(bench);
  check_dma_device(bench);
  check_refused(bench);
  check_reset_requests(bench);
  const uint64_t link = bench.read_register(regs::pcie::link::kOffset);
  expect(link, 1 | 2 | 4 | 8 << 8 | 9 << 12 | uint64_t{bench.host.id} << 16, "link");
  expect(bench.read_register(regs::pcie::bar0::kOffset), kBar0, "bar0");
  check_credits(bench);
}

// The debug port's pins follow the registers; pulses last one cycle.
void test_debug(uint64_t seed, uint64_t) {
  EndpointBench bench(seed);
  bench.enumerate();
  bench.wire.hurry();
  bench.ring.fixed_latency(5);
  const verif::Field request(bench.top.dbg_req_o, 0, 362);
  verif::Field response(bench.top.dbg_rsp_i, 0, 70);
  struct Pulses {
    unsigned resume = 0, insn = 0, data = 0;
  };
  const auto write = [&](uint64_t addr, uint64_t value, unsigned count = 8) {
    Pulses pulses;
    bench.write(kBar4 + addr - regs::pcie::kBase, value, count);
    for (unsigned i = 0; i < 100; ++i) {
      bench.bench.step();
      bench.bench.settle();
      pulses.resume += static_cast<unsigned>(request.get(360, 1));
      pulses.insn += static_cast<unsigned>(request.get(357, 1));
      pulses.data += static_cast<unsigned>(request.get(324, 1));
    }
    return pulses;
  };
  check_described(bench, "debug", 0x2'0000);
  write(regs::debug::control::kAddr, 0xa3, 1);
  expect(request.get(361, 1), 1, "halt");
  expect(request.get(358, 1), 1, "ebreak halts");
  expect(request.get(256, 4), 0xa, "breakpoints");
  for (unsigned i = 0; i < 4; ++i) {
    const uint64_t value = bench.random.next();
    write(regs::debug::breakpoint0::kAddr + 8 * i, value);
    expect(request.get(64 * i, 64), value, "address of a breakpoint");
  }
  auto pulses = write(regs::debug::insn::kAddr, 0x1234'5678, 4);
  check(pulses.insn == 1 && pulses.resume == 0 && pulses.data == 0, "an instruction is not one pulse");
  expect(request.get(325, 32), 0x1234'5678, "instruction");
  pulses = write(regs::debug::data_in::kAddr, 0x0102'0304'0506'0708);
  check(pulses.data == 1 && pulses.insn == 0, "data is not one pulse");
  expect(request.get(260, 64), 0x0102'0304'0506'0708, "data");
  for (const bool step : {true, false}) {
    pulses = write(regs::debug::action::kAddr, step ? 3 : 1);
    check(pulses.resume == 1, "resume is not one pulse");
    expect(request.get(359, 1), step, "step");
  }
  for (unsigned i = 0; i < 20; ++i) {
    response.scramble(bench.random);
    const unsigned halted = static_cast<unsigned>(response.get(69, 1)),
                   cause = static_cast<unsigned>(response.get(66, 3));
    const unsigned busy = static_cast<unsigned>(response.get(65, 1)),
                   fault = static_cast<unsigned>(response.get(64, 1));
    expect(bench.read_register(regs::debug::status::kAddr - regs::pcie::kBase),
           halted | busy << 1 | fault << 2 | cause << 4, "status");
    expect(bench.read_register(regs::debug::data_out::kAddr - regs::pcie::kBase), response.get(0, 64),
           "data");
  }
  // A function-level reset lets the processor go.
  Pulses resumed;
  bench.config_write(kDeviceControl, 0x8000, 0x2);
  for (unsigned i = 0; i < 200; ++i) {
    bench.bench.step();
    bench.bench.settle();
    resumed.resume += static_cast<unsigned>(request.get(360, 1));
  }
  check(resumed.resume == 1 && request.get(361, 1) == 0 && request.get(256, 4) == 0,
        "the processor is held after a reset");
}

}  // namespace swai::pcie
