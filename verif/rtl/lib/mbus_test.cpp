// SPDX-License-Identifier: Apache-2.0
// The modules of the memory bus under random traffic.

#include "verif/rtl/lib/mbus.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "Vtb_mbus.h"
#include "verif/rtl/lib/bench.hpp"
#include "verif/rtl/lib/mbus_models.hpp"
#include "verif/rtl/lib/test_main.hpp"

namespace swai::verif {
namespace {

using common::MbusOp;

// The numbers in tb_mbus.sv.
enum Design : unsigned { kArbiter, kDemux, kSram, kOddSram, kToReg, kNobody, kSystem, kSplit };

constexpr uint64_t kDeviceBase = 0x1000'0000;

class MbusBench : public Bench<Vtb_mbus> {
 public:
  MbusBench(Design design, uint64_t seed) : Bench(seed) {
    top().select_i = static_cast<CData>(design);
    top().mst_req_valid_i = 0;
    top().slv_rsp_valid_i = 0;
    top().slv_req_ready_i = 0;
    top().reg_ready_i = 0;
  }

  MbusPins master_pins(unsigned i) {
    return {{Field(top().mst_req_valid_i, i, 1), Field(top().mst_req_ready_o, i, 1),
             Field(top().mst_req_i, kMbusReqBits * i, kMbusReqBits)},
            Field(top().mst_rsp_valid_o, i, 1),
            Field(top().mst_rsp_o, 0, kMbusRspBits)};
  }

  MbusPins slave_pins(unsigned i) {
    return {{Field(top().slv_req_valid_o, i, 1), Field(top().slv_req_ready_i, i, 1),
             Field(top().slv_req_o, 0, kMbusReqBits)},
            Field(top().slv_rsp_valid_i, i, 1),
            Field(top().slv_rsp_i, kMbusRspBits * i, kMbusRspBits)};
  }
};

// A legal request to the line that holds `addr`.
MbusRequest random_request(Random& random, uint64_t addr) {
  MbusRequest request;
  const auto kind = random.below(10);
  request.id = static_cast<uint8_t>(random.below(common::kMbusIds));
  scramble(request.data, random);
  request.strb = random.next();
  request.size = static_cast<uint8_t>(random.below(7));
  if (kind < 3) {
    request.op = MbusOp::kRead;
  } else if (kind < 6) {
    request.op = MbusOp::kWrite;
    if (random.chance(30)) request.strb = ~uint64_t{0};
  } else {
    request.op = static_cast<MbusOp>(random.between(2, 12));
    if (random.chance(40)) request.op = random.chance(50) ? MbusOp::kLr : MbusOp::kSc;
    request.size = static_cast<uint8_t>(random.between(2, 3));
  }
  const uint64_t mask = request.op == MbusOp::kWrite ? 0 : (uint64_t{1} << request.size) - 1;
  request.addr = addr & ~mask;
  return request;
}

// What a slave in C++ answers: a number that nothing but this request leads to.
MbusResponse fingerprint(const MbusRequest& request) {
  uint64_t hash = request.addr ^ (static_cast<uint64_t>(request.op) << 56) ^ (uint64_t{request.size} << 48);
  for (const auto byte : request.data) hash = (hash ^ byte) * 0x100'0000'01b3;
  hash = (hash ^ request.strb) * 0x100'0000'01b3;
  Random random(hash);
  MbusResponse response;
  response.id = request.id;
  response.err = random.chance(10);
  scramble(response.data, random);
  return response;
}

void compare_fingerprint(const MbusRequest& request, const MbusResponse& response) {
  check(response == fingerprint(request), "a response that belongs to another request, or was changed");
}

uint64_t any_address(Random& random) { return random.next() & 0xff'ffff'ffff; }

// ----------------------------------------------------------------------------------------------------
// arbiter

void test_arbiter(uint64_t seed, uint64_t cycles) {
  MbusBench bench(kArbiter, seed);
  bool draining = false;
  std::vector<std::unique_ptr<MbusMaster>> masters;
  for (unsigned i = 0; i < 3; ++i) {
    masters.push_back(std::make_unique<MbusMaster>(
        fmt::format("master {}", i), bench.master_pins(i), bench.random(),
        [&]() -> std::optional<MbusRequest> {
          if (draining) return std::nullopt;
          return random_request(bench.random(), any_address(bench.random()));
        },
        compare_fingerprint));
    bench.add(*masters.back());
  }
  MbusSlave slave("slave", bench.slave_pins(0), bench.random(), fingerprint);
  bench.add(slave);
  bench.reset();
  bench.steps(cycles);
  draining = true;
  bench.until([&] { return std::ranges::all_of(masters, [](const auto& m) { return m->idle(); }); }, 10000,
              "draining");
  for (const auto& master : masters) check(master->requests() > cycles / 100, "a master got hardly anything");
}

// A slave that never answers: each id gets its three places. One that always answers: a request in every
// cycle.
void test_arbiter_full(uint64_t seed, uint64_t) {
  MbusBench bench(kArbiter, seed);
  bool pausing = false;
  std::array<unsigned, 3> taken{};
  std::vector<std::unique_ptr<MbusMaster>> masters;
  for (unsigned i = 0; i < 3; ++i) {
    masters.push_back(std::make_unique<MbusMaster>(
        fmt::format("master {}", i), bench.master_pins(i), bench.random(),
        [&, i]() -> std::optional<MbusRequest> {
          if (pausing) return std::nullopt;
          MbusRequest request = random_request(bench.random(), any_address(bench.random()));
          request.id = static_cast<uint8_t>(i);
          return request;
        },
        compare_fingerprint));
    masters.back()->stalls().never();
    masters.back()->on_taken = [&taken, i](const MbusRequest&) { ++taken[i]; };
    bench.add(*masters.back());
  }
  MbusSlave slave("slave", bench.slave_pins(0), bench.random(), fingerprint);
  slave.stalls().never();
  slave.mute = true;
  bench.add(slave);
  bench.reset();
  bench.steps(100);
  for (const auto count : taken) check(count == 3, fmt::format("{} requests of an id instead of 3", count));
  slave.mute = false;
  slave.answering().never();
  pausing = true;
  bench.until([&] { return std::ranges::all_of(masters, [](const auto& m) { return m->idle(); }); }, 100,
              "draining");
  pausing = false;
  const uint64_t before = slave.requests();
  bench.steps(300);
  check(slave.requests() - before == 300, "less than one request per cycle");
}

// ------------------------------------------------------------------------------------------------------
// demux

void test_demux(uint64_t seed, uint64_t cycles) {
  MbusBench bench(kDemux, seed);
  bench.top().sel_i = 0;  // at power-on anything, a fourth slave, too
  bool draining = false;
  MbusMaster master(
      "master", bench.master_pins(0), bench.random(),
      [&]() -> std::optional<MbusRequest> {
        if (draining) return std::nullopt;
        // The slave is chosen by two bits of the address; runs to one slave are common.
        uint64_t addr = any_address(bench.random()) & ~uint64_t{3 << 20};
        if (bench.random().chance(20)) bench.top().sel_i = static_cast<CData>(bench.random().below(3));
        addr |= uint64_t{bench.top().sel_i} << 20;
        return random_request(bench.random(), addr);
      },
      compare_fingerprint);
  bench.add(master);
  std::vector<std::unique_ptr<MbusSlave>> slaves;
  size_t busiest = 0;
  for (unsigned i = 0; i < 3; ++i) {
    slaves.push_back(std::make_unique<MbusSlave>(
        fmt::format("slave {}", i), bench.slave_pins(i), bench.random(), [&, i](const MbusRequest& request) {
          check(((request.addr >> 20) & 3) == i, "a request came out at the wrong slave");
          for (unsigned other = 0; other < 3; ++other) {
            check(other == i || slaves[other]->outstanding() == 0, "two slaves have requests outstanding");
          }
          busiest = std::max(busiest, slaves[i]->outstanding() + 1);
          return fingerprint(request);
        }));
    bench.add(*slaves.back());
  }
  bench.reset();
  bench.steps(cycles);
  draining = true;
  bench.until([&] { return master.idle(); }, 10000, "draining");
  check(busiest == 4, fmt::format("up to {} requests outstanding instead of 4", busiest));
  for (const auto& slave : slaves) check(slave->requests() > cycles / 100, "a slave got hardly anything");
}

// ----------------------------------------------------------------------------------------------------- split

void test_split(uint64_t seed, uint64_t cycles) {
  MbusBench bench(kSplit, seed);
  bool draining = false;
  unsigned target = 0;
  MbusMaster master(
      "master", bench.master_pins(0), bench.random(),
      [&]() -> std::optional<MbusRequest> {
        if (draining) return std::nullopt;
        if (bench.random().chance(30)) target = bench.random().below(2);
        bench.top().sel_i = static_cast<CData>(target);
        const uint64_t addr = any_address(bench.random()) & ~uint64_t{3 << 20};
        return random_request(bench.random(), addr | uint64_t{target} << 20);
      },
      compare_fingerprint);
  bench.add(master);
  std::vector<std::unique_ptr<MbusSlave>> slaves;
  uint64_t together = 0;
  for (unsigned i = 0; i < 2; ++i) {
    slaves.push_back(std::make_unique<MbusSlave>(
        i == 0 ? "prompt" : "patient", bench.slave_pins(i), bench.random(),
        [&, i](const MbusRequest& request) {
          check(((request.addr >> 20) & 3) == i, "a request came out at the wrong slave");
          if (slaves[1 - i]->outstanding() != 0) ++together;
          return fingerprint(request);
        },
        i == 0 ? std::nullopt : std::optional(Field(bench.top().patient_rsp_ready_o, 0, 1))));
    bench.add(*slaves.back());
  }
  bench.reset();
  bench.steps(cycles);
  draining = true;
  bench.until([&] { return master.idle(); }, 10000, "draining");
  check(together > cycles / 250, fmt::format("{} requests came while the other slave worked", together));
  for (const auto& slave : slaves) check(slave->requests() > cycles / 100, "a slave got hardly anything");
}

// ------------------------------------------------------------------------------------------- SRAM and
// devices

// Compares the lanes that the law gives a meaning.
void compare_lanes(const MbusRequest& request, const MbusResponse& response, const MbusResponse& expected) {
  check(response.err == expected.err,
        fmt::format("operation {} at {:#x}, size {}: error is {}", static_cast<int>(request.op), request.addr,
                    request.size, response.err));
  if (expected.err || request.op == MbusOp::kWrite) return;
  const auto offset = static_cast<std::ptrdiff_t>(request.addr % 64);
  const auto bytes = std::ptrdiff_t{1} << request.size;
  check(std::equal(response.data.begin() + offset, response.data.begin() + offset + bytes,
                   expected.data.begin() + offset),
        fmt::format("operation {} at {:#x}, size {}: wrong data", static_cast<int>(request.op), request.addr,
                    request.size));
}

// Addresses near each other, so that requests meet: few lines, and now and then anywhere in the memory or
// beside it.
uint64_t memory_address(Random& random, uint64_t base, uint64_t bytes) {
  const auto kind = random.below(20);
  if (kind == 0) return any_address(random);
  if (kind == 1) return (base + bytes + random.below(bytes)) & 0xff'ffff'ffff;
  if (kind < 5) return base + random.below(bytes);
  return base + 64 * random.below(3) + random.below(64);
}

// Writes every line once: what a memory holds after power-up is undefined.
class Fill {
 public:
  Fill(uint64_t base, uint64_t bytes) : next_(base), end_(base + bytes) {}

  std::optional<MbusRequest> next(Random& random) {
    if (next_ == end_) return std::nullopt;
    MbusRequest request;
    request.op = MbusOp::kWrite;
    request.addr = next_;
    request.strb = ~uint64_t{0};
    scramble(request.data, random);
    next_ += 64;
    return request;
  }

 private:
  uint64_t next_;
  uint64_t end_;
};

void test_sram(Design design, uint64_t base, uint64_t bytes, uint64_t seed, uint64_t cycles) {
  MbusBench bench(design, seed);
  auto& random = bench.random();
  MemoryReference reference(base, bytes);
  Fill fill(base, bytes);
  std::deque<std::pair<uint64_t, MbusResponse>> expected;  // with the cycle in which it is due
  unsigned sc_successes = 0, sc_failures = 0;
  bool only_reads = false;
  MbusMaster master(
      "master", bench.master_pins(0), random,
      [&]() -> std::optional<MbusRequest> {
        if (auto first = fill.next(random)) return first;
        MbusRequest request = random_request(random, memory_address(random, base, bytes));
        if (only_reads) {
          request.op = MbusOp::kRead;
          request.size = 6;
          request.addr &= ~uint64_t{63};
          return request;
        }
        // Atomics of a size that they do not have, and operations that do not exist
        const bool atomic = request.op != MbusOp::kRead && request.op != MbusOp::kWrite;
        if (atomic && random.chance(5)) {
          request.size = static_cast<uint8_t>(random.below(7));
          request.addr &= ~((uint64_t{1} << request.size) - 1);
        }
        if (atomic && random.chance(3)) request.op = static_cast<MbusOp>(random.between(13, 15));
        return request;
      },
      [&](const MbusRequest& request, const MbusResponse& response) {
        check(expected.front().first == bench.cycle(), "the response does not come after one cycle");
        compare_lanes(request, response, expected.front().second);
        check(request.id == response.id, "wrong id");
        expected.pop_front();
        if (request.op == MbusOp::kSc && !response.err) {
          ++((response.data[request.addr % 64] == 0) ? sc_successes : sc_failures);
        }
      });
  master.on_taken = [&](const MbusRequest& request) {
    expected.emplace_back(bench.cycle() + 1, reference.access(request));
  };
  bench.add(master);
  bench.reset();
  bench.steps(cycles);
  check(sc_successes > cycles / 1000 && sc_failures > cycles / 1000,
        "too few store-conditionals of either outcome");
  master.stalls().never();
  only_reads = true;
  bench.steps(5);
  const uint64_t before = master.responses();
  bench.steps(100);
  check(master.responses() - before == 100, "less than one read per cycle");
}

MbusRequest random_device_request(Random& random, uint64_t base, uint64_t bytes) {
  MbusRequest request = random_request(random, base + random.below(bytes));
  if (request.op != MbusOp::kWrite && random.chance(60)) request.op = MbusOp::kRead;
  const auto size = request.op == MbusOp::kWrite || random.chance(90) ? random.below(4) : random.below(7);
  request.size = static_cast<uint8_t>(size);
  request.addr &= ~((uint64_t{1} << size) - 1);
  if (request.op == MbusOp::kWrite) {
    request.strb = ((uint64_t{1} << (1U << size)) - 1) << (request.addr % 64);
    if (random.chance(5)) request.strb <<= 1;
    if (random.chance(3)) request.strb |= request.strb << random.below(64);
    if (random.chance(2)) request.strb = 0;
  }
  if (random.chance(2)) request.addr |= uint64_t{1} << random.between(32, 39);
  return request;
}

void test_to_reg(uint64_t seed, uint64_t cycles) {
  MbusBench bench(kToReg, seed);
  auto& random = bench.random();
  DeviceReference device_state, reference;
  std::deque<RegAccess> accesses;  // that the device should see
  std::deque<MbusResponse> expected;
  unsigned errors = 0;
  bool fast = false;
  MbusMaster master(
      "master", bench.master_pins(0), random,
      [&] {
        MbusRequest request = random_device_request(random, kDeviceBase, 4096);
        if (fast) {
          request = {};
          request.addr = kDeviceBase;
        }
        return request;
      },
      [&](const MbusRequest& request, const MbusResponse& response) {
        check(request.id == response.id, "wrong id");
        compare_lanes(request, response, expected.front());
        errors += response.err;
        expected.pop_front();
      });
  master.on_taken = [&](const MbusRequest& request) {
    const auto access = bridged(request);
    if (access && access->wstrb != 0) accesses.push_back(*access);
    expected.push_back(reference.respond(request));
  };
  RegisterDevice<Vtb_mbus> device(bench.top(), random, [&](const RegAccess& access) {
    check(!accesses.empty(), "an access that nobody asked for");
    auto wanted = accesses.front();
    accesses.pop_front();
    if (!access.write) wanted.wdata = access.wdata;
    check(access == wanted,
          fmt::format("the device sees another access: {} {:#x} {:#x} {:#x}", access.write ? "write" : "read",
                      access.addr, access.wdata, access.wstrb));
    return device_state.access(access);
  });
  bench.add(master);
  bench.add(device);
  bench.reset();
  bench.steps(cycles);
  check(device.count() > cycles / 20 && errors > cycles / 100, "too few accesses or errors");
  fast = true;
  master.stalls().never();
  device.stalls().never();
  bench.until([&] { return expected.size() <= 1 && accesses.size() <= 1; }, 100, "the last random accesses");
  bench.steps(10);
  const uint64_t before = master.responses();
  bench.steps(100);
  check(master.responses() - before == 50, "not one access every two cycles");
}

void test_nobody(uint64_t seed, uint64_t cycles) {
  MbusBench bench(kNobody, seed);
  auto& random = bench.random();
  MbusMaster master(
      "master", bench.master_pins(0), random, [&] { return random_request(random, any_address(random)); },
      [&](const MbusRequest& request, const MbusResponse& response) {
        check(response.err && response.id == request.id, "not an error for the one who asked");
      });
  bench.add(master);
  bench.reset();
  bench.steps(cycles);
  check(master.requests() - master.responses() <= 1, "responses are missing");
  check(master.responses() > cycles / 20, "too few responses");
}

// Three masters, SRAM, a device and nobody, all at once.
void test_system(uint64_t seed, uint64_t cycles) {
  constexpr uint64_t kBase = 0x8000'0000, kBytes = 4096;
  MbusBench bench(kSystem, seed);
  auto& random = bench.random();
  MemoryReference memory(kBase, kBytes);
  DeviceReference device_state, device_reference;
  bool draining = false, filled = false;
  Fill fill(kBase, kBytes);
  std::array<std::array<std::deque<MbusResponse>, common::kMbusIds>, 3> expected;
  std::vector<std::unique_ptr<MbusMaster>> masters;
  for (unsigned i = 0; i < 3; ++i) {
    masters.push_back(std::make_unique<MbusMaster>(
        fmt::format("master {}", i), bench.master_pins(i), random,
        [&, i]() -> std::optional<MbusRequest> {
          if (!filled) {
            if (i != 0) return std::nullopt;
            if (auto first = fill.next(random)) return first;
            filled = true;
          }
          if (draining) return std::nullopt;
          if (random.chance(20)) return random_device_request(random, kDeviceBase, 4096);
          return random_request(random, memory_address(random, kBase, kBytes));
        },
        [&, i](const MbusRequest& request, const MbusResponse& response) {
          compare_lanes(request, response, expected[i][request.id].front());
          expected[i][request.id].pop_front();
        }));
    masters.back()->on_taken = [&, i](const MbusRequest& request) {
      MbusResponse response{request.id, true, {}};
      if (memory.inside(request.addr)) response = memory.access(request);
      if (request.addr >> 12 == kDeviceBase >> 12) response = device_reference.respond(request);
      expected[i][request.id].push_back(response);
    };
    bench.add(*masters.back());
  }
  RegisterDevice<Vtb_mbus> device(bench.top(), random,
                                  [&](const RegAccess& access) { return device_state.access(access); });
  bench.add(device);
  bench.reset();
  bench.steps(cycles);
  draining = true;
  bench.until([&] { return std::ranges::all_of(masters, [](const auto& m) { return m->idle(); }); }, 10000,
              "draining");
  for (const auto& master : masters) check(master->requests() > cycles / 100, "a master got hardly anything");
}

// ------------------------------------------------------------------------------------ what assertions are
// for

// A response that nobody asked for.
void illegal_response(Design design, uint64_t seed) {
  MbusBench bench(design, seed);
  auto pins = bench.slave_pins(design == kDemux ? 1 : 0);
  store(pins.response, MbusResponse{});
  bench.reset();
  pins.rsp_valid.set(1);
  bench.tick();
}

void illegal_id(uint64_t seed, uint64_t) {
  MbusBench bench(kArbiter, seed);
  auto pins = bench.master_pins(1);
  MbusRequest request;
  request.id = 3;
  store(pins.request.data, request);
  bench.reset();
  pins.request.valid.set(1);
  bench.tick();
}

void illegal_slave(uint64_t seed, uint64_t) {
  MbusBench bench(kDemux, seed);
  auto pins = bench.master_pins(0);
  store(pins.request.data, MbusRequest{});
  bench.top().sel_i = 3;
  bench.reset();
  pins.request.valid.set(1);
  bench.tick();
}

std::vector<TestCase> tests() {
  return {
      {"arbiter", test_arbiter},
      {"arbiter-full", test_arbiter_full},
      {"demux", test_demux},
      {"split", test_split},
      {"sram", [](uint64_t seed, uint64_t cycles) { test_sram(kSram, 0x8000'0000, 4096, seed, cycles); }},
      {"sram-odd",
       [](uint64_t seed, uint64_t cycles) { test_sram(kOddSram, 0x92'3456'6000, 4160, seed, cycles); }},
      {"to-reg", test_to_reg},
      {"nobody", test_nobody},
      {"system", test_system},
      {"illegal-response-arbiter", [](uint64_t seed, uint64_t) { illegal_response(kArbiter, seed); }},
      {"illegal-response-demux", [](uint64_t seed, uint64_t) { illegal_response(kDemux, seed); }},
      {"illegal-response-split", [](uint64_t seed, uint64_t) { illegal_response(kSplit, seed); }},
      {"illegal-id", illegal_id},
      {"illegal-slave", illegal_slave},
  };
}

}  // namespace
}  // namespace swai::verif

int main(int argc, char** argv) { return swai::verif::test_main(argc, argv, swai::verif::tests()); }
