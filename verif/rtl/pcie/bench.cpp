// SPDX-License-Identifier: Apache-2.0
#include "verif/rtl/pcie/bench.hpp"

#include <fmt/format.h>

#include <bit>

namespace swai::pcie {

using verif::check;
using verif::Field;

namespace {

constexpr uint64_t kPatience = 400'000;

verif::StreamPins pins(uint8_t& valid, uint8_t& ready, Field data) {
  return {Field(valid, 0, 1), Field(ready, 0, 1), std::move(data)};
}

RingPins ring_pins(Vpcie_endpoint& top) {
  return {Field(top.noc_req_valid_o, 0, 1), Field(top.noc_req_ready_i, 0, 1),
          Field(top.noc_req_o, 0, RingRequest::kBits), Field(top.noc_rsp_valid_i, 0, 1),
          Field(top.noc_rsp_i, 0, 525)};
}

MasterPins master_pins(Vpcie_endpoint& top) {
  return {Field(top.tgt_req_valid_i, 0, 1),
          Field(top.tgt_req_ready_o, 0, 1),
          Field(top.tgt_req_i, 0, RingRequest::kBits),
          Field(top.tgt_rsp_valid_o, 0, 1),
          Field(top.tgt_rsp_ready_i, 0, 1),
          Field(top.tgt_rsp_o, 0, 525)};
}

WirePins wire_pins(Vpcie_endpoint& top) {
  return {Field(top.link_up_i, 0, 1),           Field(top.tx_valid_o, 0, 1),  Field(top.tx_ready_i, 0, 1),
          Field(top.tx_beat_o, 0, Beat::kBits), Field(top.tx_limit_i, 0, 40), Field(top.rx_valid_i, 0, 1),
          Field(top.rx_beat_i, 0, Beat::kBits), Field(top.rx_limit_o, 0, 40)};
}

// The law of the register bus: 1, 2, 4 or 8 naturally aligned bytes, and the address of the first one.
void check_register_access(uint64_t strobes, uint64_t addr) {
  const auto count = static_cast<unsigned>(std::popcount(strobes)),
             first = static_cast<unsigned>(std::countr_zero(strobes));
  check(std::has_single_bit(count) && first % count == 0 && strobes >> first == (1U << count) - 1 &&
            addr % 8 == first,
        fmt::format("an access of the register bus to {:#x} with strobes {:#x}", addr, strobes));
}

}  // namespace

EndpointBench::EndpointBench(uint64_t seed)
    : bench(seed),
      random(bench.random()),
      top(bench.top()),
      ring(ring_pins(top), random),
      mpe(master_pins(top), random),
      host(random),
      wire(wire_pins(top), random, [this](const Tlp& tlp) { host.take(tlp); }),
      register_stalls_(random) {
  host.attach(wire);
  posted_ = std::make_unique<verif::StreamSource<Beat>>(
      pins(top.p_valid_i, top.p_ready_o, Field(top.p_beat_i, 0, Beat::kBits)), random,
      [this] { return next_beat(dma_posted, posted_beats_); });
  posted_->on_taken = [this](const Beat& beat) { posted_handed += beat.eop; };
  nonposted_ = std::make_unique<verif::StreamSource<Beat>>(
      pins(top.np_valid_i, top.np_ready_o, Field(top.np_beat_i, 0, Beat::kBits)), random,
      [this] { return next_beat(dma_nonposted, nonposted_beats_); });
  irqs_ = std::make_unique<verif::StreamSource<uint64_t>>(
      pins(top.irq_valid_i, top.irq_ready_o, Field(top.irq_vector_i, 0, 5)), random,
      [this]() -> std::optional<uint64_t> {
        if (dma_irqs.empty()) return std::nullopt;
        const unsigned vector = dma_irqs.front();
        dma_irqs.pop_front();
        return vector;
      });
  irqs_->on_taken = [this](uint64_t vector) { on_irq_handed(static_cast<unsigned>(vector)); };

  top.card_i = 0x0000'0100'1008'0402;
  top.serial_i = 0x0123'4567'89ab'cdef;
  top.boot_status_i = 0x600d'b007;
  top.reset_status_i = 0;
  top.dma_errors_i = 0;
  Field(top.dbg_rsp_i, 0, 70).scramble(random);
  for (verif::Agent* agent :
       {static_cast<verif::Agent*>(this), static_cast<verif::Agent*>(&ring), static_cast<verif::Agent*>(&mpe),
        static_cast<verif::Agent*>(posted_.get()), static_cast<verif::Agent*>(nonposted_.get()),
        static_cast<verif::Agent*>(irqs_.get()), static_cast<verif::Agent*>(&wire)}) {
    bench.add(*agent);
    agent->drive();
  }
  bench.reset();
}

std::optional<Beat> EndpointBench::next_beat(std::deque<Tlp>& packets, std::deque<Beat>& beats) {
  if (beats.empty()) {
    if (packets.empty()) return std::nullopt;
    const auto some = to_beats(packets.front());
    packets.pop_front();
    beats.assign(some.begin(), some.end());
  }
  const Beat beat = beats.front();
  beats.pop_front();
  return beat;
}

void EndpointBench::drive() {
  ++cycle_;
  const Field config(top.config_o, 0, 32);
  if (config.get(0, 1) != 0) {
    dma_posted.clear();
    dma_nonposted.clear();
    dma_irqs.clear();
  }
  top.dma_busy_i = !dma_posted.empty() || !dma_nonposted.empty() || !posted_beats_.empty() ||
                   posted_->pending() || nonposted_->pending() || irqs_->pending();
  top.work_i = static_cast<uint8_t>(work);
  work = 0;
  Field response(top.dma_reg_rsp_i, 0, 66);
  response.scramble(random);
  response.set(65, 1, answering_);
  if (answering_) {
    const Field request(top.dma_reg_req_o, 0, 106);
    const uint64_t offset = request.get(72, 32) - 0x1'0000;
    response.set(64, 1, offset >= 512);
    if (offset < 512) response.set(0, 64, dma_registers[offset / 8]);
  }
}

void EndpointBench::sample() {
  const Field request(top.dma_reg_req_o, 0, 106);
  const bool valid = request.get(105, 1) != 0;
  if (valid && answering_ && request.get(104, 1) != 0) {
    const uint64_t offset = request.get(72, 32) - 0x1'0000;
    for (unsigned i = 0; offset < 512 && i < 8; ++i) {
      if (request.get(i, 1) == 0) continue;
      auto& word = dma_registers[offset / 8];
      word = (word & ~(uint64_t{0xff} << (8 * i))) | request.get(8 + 8 * i, 8) << (8 * i);
    }
  }
  if (valid) check_register_access(request.get(0, 8), request.get(72, 32));
  answering_ = valid && !answering_ && register_stalls_.go();
  if (top.cpl_valid_o != 0) {
    Beat beat;
    load(Field(top.cpl_beat_o, 0, Beat::kBits), beat);
    completion_.push_back(beat);
    if (beat.eop) {
      dma_completions.push_back(from_beats(completion_));
      completion_.clear();
    }
  }
}

void EndpointBench::quiet() {
  unsigned still = 0;
  until(
      [&] {
        const bool idle = host.waiting() == 0 && wire.idle() && ring.idle() && mpe.idle() &&
                          dma_posted.empty() && dma_nonposted.empty() && dma_irqs.empty() &&
                          top.busy_o == 0 && top.dma_busy_i == 0 && top.tx_valid_o == 0;
        still = idle ? still + 1 : 0;
        return still > 5;
      },
      kPatience, "waiting for quiet");
}

uint32_t EndpointBench::config_read(unsigned offset) {
  Tlp request;
  request.fmt_type = kCfgRead0;
  request.addr = uint64_t{host.id} << 16 | offset;
  std::optional<Result> result;
  host.ask(request, [&](const Result& got) { result = got; });
  until([&] { return result.has_value(); }, kPatience, fmt::format("configuration read of {:#x}", offset));
  check(result->status == kSuccess, fmt::format("configuration read of {:#x} failed", offset));
  return static_cast<uint32_t>(result->value());
}

unsigned EndpointBench::config_write(unsigned offset, uint32_t value, unsigned be) {
  Tlp request;
  request.fmt_type = kCfgWrite0;
  request.addr = uint64_t{host.id} << 16 | offset;
  request.first_be = be;
  request.data = {value};
  std::optional<Result> result;
  host.ask(request, [&](const Result& got) { result = got; });
  until([&] { return result.has_value(); }, kPatience, fmt::format("configuration write of {:#x}", offset));
  return result->status;
}

Result EndpointBench::read(uint64_t addr, unsigned count) {
  std::optional<Result> result;
  host.read(addr, count, [&](const Result& got) { result = got; });
  until([&] { return result.has_value(); }, kPatience, fmt::format("read of {:#x}", addr));
  return *result;
}

void EndpointBench::write(uint64_t addr, uint64_t value, unsigned count) {
  std::vector<uint8_t> bytes;
  for (unsigned i = 0; i < count; ++i) bytes.push_back(static_cast<uint8_t>(value >> (8 * i)));
  host.write(addr, bytes);
}

RingResponse EndpointBench::mpe_access(bool write, uint64_t addr, uint64_t value, unsigned size) {
  RingRequest request;
  request.op = write ? kWrite : kRead;
  request.addr = addr;
  request.size = size;
  if (write) {
    request.strb = ((size == 3 ? 0x100ULL : 1ULL << (1U << size)) - 1) << (addr % 64);
    for (unsigned i = 0; i < 1U << size; ++i)
      request.data[addr % 64 + i] = static_cast<uint8_t>(value >> (8 * i));
  }
  std::optional<RingResponse> response;
  mpe.send(request, [&](const RingResponse& got) { response = got; });
  until([&] { return response.has_value(); }, kPatience,
        fmt::format("the processor's access to {:#x}", addr));
  return *response;
}

uint64_t EndpointBench::mpe_read(uint64_t addr) {
  const auto response = mpe_access(false, addr);
  check(response.status == kOk, fmt::format("the processor's read of {:#x} failed", addr));
  uint64_t value = 0;
  for (unsigned i = 8; i-- > 0;) value = value << 8 | response.data[addr % 64 + i];
  return value;
}

void EndpointBench::first_write() {
  Tlp request;
  request.fmt_type = kCfgWrite0;
  request.addr = uint64_t{host.id} << 16 | 0x3c;
  request.data = {0};
  bool done = false;
  host.ask(request, [&](const Result&) { done = true; });
  until([&] { return done; }, kPatience, "first configuration write");
}

bool EndpointBench::read_without_bars() { return read(kBar4, 8).status == kUnsupported; }

void EndpointBench::enumerate(unsigned mps) {
  // 256 header credits alone may have been granted since the link came up, which read as 0 again.
  until([&] { return wire.granted() != Credits{}; }, 1000, "waiting for credits");
  first_write();
  const auto set = [&](unsigned offset, uint64_t value) {
    check(config_write(offset, static_cast<uint32_t>(value)) == kSuccess, "configuration write failed");
  };
  set(0x10, kBar0);
  set(0x14, kBar0 >> 32);
  set(0x18, kBar2);
  set(0x1c, kBar2 >> 32);
  set(0x20, kBar4);
  set(0x24, kBar4 >> 32);
  set(kDeviceControl, 0x2910 | (mps == 256 ? 0x20 : 0));
  set(kCommand, 0x6);
  host.mps = mps;
}

}  // namespace swai::pcie
