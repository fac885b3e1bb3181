// SPDX-License-Identifier: Apache-2.0
// The bridges between ring and memory bus under random traffic.

#include "verif/rtl/lib/mbus.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "Vtb_noc_mbus.h"
#include "verif/rtl/lib/bench.hpp"
#include "verif/rtl/lib/mbus_models.hpp"
#include "verif/rtl/lib/test_main.hpp"
#include "verif/rtl/noc/ring.hpp"

namespace swai::verif {
namespace {

using common::MbusOp;

enum Design : unsigned { kFrom, kTo, kSystem };  // the numbers in tb_noc_mbus.sv

class BridgeBench : public Bench<Vtb_noc_mbus> {
 public:
  BridgeBench(Design design, uint64_t seed) : Bench(seed) {
    top().select_i = static_cast<CData>(design);
    top().mst_req_valid_i = 0;
    top().mst_rsp_ready_i = 0;
    top().noc_req_ready_i = 0;
    top().noc_rsp_valid_i = 0;
    top().tgt_req_valid_i = 0;
    top().tgt_rsp_ready_i = 0;
    top().slv_req_ready_i = 0;
    top().slv_rsp_valid_i = 0;
  }

  MbusPins master_pins(unsigned i) {
    return {{Field(top().mst_req_valid_i, i, 1), Field(top().mst_req_ready_o, i, 1),
             Field(top().mst_req_i, kMbusReqBits * i, kMbusReqBits)},
            Field(top().mst_rsp_taken_o, i, 1),
            Field(top().mst_rsp_o, kMbusRspBits * i, kMbusRspBits)};
  }
  StreamPins response_pins(unsigned i) {
    return {Field(top().mst_rsp_valid_o, i, 1), Field(top().mst_rsp_ready_i, i, 1),
            Field(top().mst_rsp_o, kMbusRspBits * i, kMbusRspBits)};
  }
  MbusPins slave_pins() {
    return {{Field(top().slv_req_valid_o, 0, 1), Field(top().slv_req_ready_i, 0, 1),
             Field(top().slv_req_o, 0, kMbusReqBits)},
            Field(top().slv_rsp_valid_i, 0, 1),
            Field(top().slv_rsp_i, 0, kMbusRspBits)};
  }
  StreamPins ring_requests() {
    return {Field(top().noc_req_valid_o, 0, 1), Field(top().noc_req_ready_i, 0, 1),
            Field(top().noc_req_o, 0, kNocReqBits)};
  }
  StreamPins target_requests() {
    return {Field(top().tgt_req_valid_i, 0, 1), Field(top().tgt_req_ready_o, 0, 1),
            Field(top().tgt_req_i, 0, kNocReqBits)};
  }
  StreamPins target_responses() {
    return {Field(top().tgt_rsp_valid_o, 0, 1), Field(top().tgt_rsp_ready_i, 0, 1),
            Field(top().tgt_rsp_o, 0, kNocRspBits)};
  }
};

// A master whose responses may have to wait.
struct Master {
  Master(BridgeBench& bench, unsigned i, std::function<std::optional<MbusRequest>()> next,
         MbusMaster::OnResponse on_response)
      : bus(fmt::format("master {}", i), bench.master_pins(i), bench.random(), std::move(next),
            std::move(on_response)),
        responses(fmt::format("responses of master {}", i), bench.response_pins(i), bench.random(),
                  [](const MbusResponse&) {}) {
    bench.add(responses);
    bench.add(bus);
  }
  void never_stall() {
    bus.stalls().never();
    responses.stalls().never();
  }

  MbusMaster bus;
  StreamSink<MbusResponse> responses;
};

// A legal request to an aligned block of the line.
MbusRequest random_request(Random& random, uint64_t line) {
  MbusRequest request;
  scramble(request.data, random);
  request.id = static_cast<uint8_t>(random.below(common::kMbusIds));
  request.strb = random.next();
  request.size = static_cast<uint8_t>(random.below(7));
  const auto kind = random.below(10);
  request.op = kind < 4   ? MbusOp::kRead
               : kind < 7 ? MbusOp::kWrite
                          : static_cast<MbusOp>(random.between(2, 12));
  if (kind >= 7) request.size = static_cast<uint8_t>(random.between(2, 3));
  request.addr = line * 64 + (random.below(64) & ~((uint64_t{1} << request.size) - 1));
  return request;
}

// ----------------------------------------------------------------------------------------------------
// from the bus to the ring

// What the ring answers: a number that nothing but this request leads to.
template <typename Request>
NocResponse fingerprint(const Request& request) {
  uint64_t hash = request.addr ^ (static_cast<uint64_t>(request.op) << 56) ^ (uint64_t{request.size} << 48);
  for (const auto byte : request.data) hash = (hash ^ byte) * 0x100'0000'01b3;
  hash = (hash ^ request.strb) * 0x100'0000'01b3;
  Random random(hash);
  NocResponse response;
  response.status = random.chance(80) ? kOk : static_cast<uint8_t>(random.between(kPoison, kNobody));
  scramble(response.data, random);
  return response;
}

// The ring as an initiator sees it: answers in any order, at any time, without asking whether it may.
class AnyRing : public Agent {
 public:
  AnyRing(BridgeBench& bench)
      : bench_(bench),
        requests_("ring", bench.ring_requests(), bench.random(), [this](const NocRequest& r) { take(r); }),
        answering_(bench.random()),
        valid_(bench.top().noc_rsp_valid_i, 0, 1),
        data_(bench.top().noc_rsp_i, 0, kNocRspBits) {}

  size_t most() const { return most_; }

  void drive() override {
    requests_.drive();
    for (auto& request : taken_) waiting_.push_back(request);
    taken_.clear();
    const bool answer = !waiting_.empty() && answering_.go();
    valid_.set(answer ? 1 : 0);
    data_.scramble(bench_.random());
    if (!answer) return;
    const auto chosen = waiting_.begin() + static_cast<ptrdiff_t>(bench_.random().below(waiting_.size()));
    NocResponse response = fingerprint(*chosen);
    response.tag = chosen->tag;
    store(data_, response);
    waiting_.erase(chosen);
  }
  void sample() override { requests_.sample(); }

 private:
  void take(const NocRequest& request) {
    for (const auto& other : waiting_) {
      check(other.tag != request.tag, "a tag is used twice");
      check(
          other.addr / 64 != request.addr / 64 || (other.op == MbusOp::kRead && request.op == MbusOp::kRead),
          "two requests to one line are under way");
    }
    taken_.push_back(request);
    most_ = std::max(most_, waiting_.size() + 1);
  }

  BridgeBench& bench_;
  StreamSink<NocRequest> requests_;
  Stalls answering_;
  Field valid_;
  Field data_;
  std::vector<NocRequest> taken_;
  std::vector<NocRequest> waiting_;
  size_t most_ = 0;
};

void test_from(uint64_t seed, uint64_t cycles) {
  BridgeBench bench(kFrom, seed);
  bool draining = false;
  Master master(
      bench, 0,
      [&]() -> std::optional<MbusRequest> {
        if (draining) return std::nullopt;
        const bool near = bench.random().chance(50);
        return random_request(bench.random(),
                              near ? bench.random().below(4) : bench.random().next() & 0x3'ffff'ffff);
      },
      [](const MbusRequest& request, const MbusResponse& response) {
        const NocResponse expected = fingerprint(request);
        check(response.err == (expected.status != kOk), "status and error do not agree");
        check(response.data == expected.data, "a response that belongs to another request, or was changed");
      });
  AnyRing ring(bench);
  bench.add(ring);
  bench.reset();
  bench.steps(cycles);
  draining = true;
  bench.until([&] { return master.bus.idle(); }, 10000, "draining");
  bench.step();
  check(!bench.top().busy_o, "busy with nothing under way");
  check(ring.most() == 8, fmt::format("up to {} requests under way instead of 8", ring.most()));
  check(master.bus.requests() > cycles / 50, "hardly any request was taken");
}

// ----------------------------------------------------------------------------------------------------
// from the ring to the bus

void test_to(uint64_t seed, uint64_t cycles) {
  BridgeBench bench(kTo, seed);
  bool draining = false;
  Scoreboard<NocResponse> expected("responses");
  StreamSource<NocRequest> requests(bench.target_requests(), bench.random(),
                                    [&]() -> std::optional<NocRequest> {
                                      if (draining) return std::nullopt;
                                      return random_noc_request(bench.random(), 1);
                                    });
  size_t most = 0;
  requests.on_taken = [&](const NocRequest& request) {
    NocResponse response = fingerprint(request);
    response.dest = request.source;
    response.tag = request.tag;
    response.status = response.status == kOk ? kOk : kDenied;
    expected.expect(response);
    most = std::max(most, expected.pending());
  };
  StreamSink<NocResponse> responses("ring", bench.target_responses(), bench.random(),
                                    [&](const NocResponse& response) { expected.arrive(response); });
  MbusSlave slave("slave", bench.slave_pins(), bench.random(), [](const MbusRequest& request) {
    const NocResponse answer = fingerprint(request);
    return MbusResponse{request.id, answer.status != kOk, answer.data};
  });
  bench.add(requests);
  bench.add(slave);
  bench.add(responses);
  bench.reset();
  bench.steps(cycles);
  draining = true;
  bench.until([&] { return !requests.pending() && expected.empty(); }, 10000, "draining");
  bench.step();
  check(!bench.top().busy_o, "busy with nothing under way");
  check(most == 4, fmt::format("up to {} requests under way instead of 4", most));
  check(expected.count() > cycles / 50, "hardly any request was taken");
}

// ----------------------------------------------------------------------------------------------------
// both, on a ring

constexpr uint64_t kNear = 0x8000'0000;
constexpr uint64_t kFar = 0x80'0000'0000;
constexpr uint64_t kBytes = 4096;

// Two masters and two memories. Each master has every other line for itself, so that it sees its own order;
// the memories keep one reservation, so only one master uses it.
void test_system(uint64_t seed, uint64_t cycles) {
  BridgeBench bench(kSystem, seed);
  Random& random = bench.random();
  bool draining = false;
  MemoryReference near(kNear, kBytes);
  MemoryReference far(kFar, kBytes);
  std::vector<std::unique_ptr<Master>> masters;
  std::array<std::array<std::deque<MbusResponse>, common::kMbusIds>, 2> expected;
  // Memory starts with random content: master 0 writes all of it first.
  constexpr uint64_t kLines = kBytes / 64;
  uint64_t filled = 0;
  for (unsigned i = 0; i < 2; ++i) {
    masters.push_back(std::make_unique<Master>(
        bench, i,
        [&, i]() -> std::optional<MbusRequest> {
          if (filled < 2 * kLines) {
            if (i != 0) return std::nullopt;
            MbusRequest request{MbusOp::kWrite, 2, 0, 0, ~uint64_t{0}, {}};
            request.addr = (filled < kLines ? kNear : kFar - kBytes) + 64 * filled;
            scramble(request.data, random);
            ++filled;
            return request;
          }
          if (draining || masters[0]->bus.responses() < 2 * kLines) return std::nullopt;
          const uint64_t line = random.below(random.chance(50) ? 4 : kBytes / 128) * 2 + i;
          const uint64_t base = random.chance(50) ? kNear : random.chance(90) ? kFar : 0x10'0000'0000;
          MbusRequest request = random_request(random, base / 64 + line);
          if (i == 1 && (request.op == MbusOp::kLr || request.op == MbusOp::kSc)) request.op = MbusOp::kSwap;
          return request;
        },
        [&, i](const MbusRequest& request, const MbusResponse& response) {
          auto& queue = expected[i][request.id];
          check(response.err == queue.front().err,
                fmt::format("error is {} at {:#x}", response.err, request.addr));
          // What a write answers, and what lies beside the block that was asked for, is nobody's business.
          if (!response.err && request.op != MbusOp::kWrite) {
            const uint64_t at = request.addr % 64;
            check(std::equal(response.data.begin() + at, response.data.begin() + at + (1 << request.size),
                             queue.front().data.begin() + at),
                  fmt::format("wrong data at {:#x}", request.addr));
          }
          queue.pop_front();
        }));
    masters.back()->bus.on_taken = [&, i](const MbusRequest& request) {
      MbusResponse response{request.id, true, {}};
      if (near.inside(request.addr)) response = near.access(request);
      if (far.inside(request.addr)) response = far.access(request);
      expected[i][request.id].push_back(response);
    };
  }
  bench.reset();
  bench.steps(cycles);
  draining = true;
  bench.until([&] { return std::ranges::all_of(masters, [](const auto& m) { return m->bus.idle(); }); },
              10000, "draining");
  bench.steps(20);
  check(!bench.top().busy_o, "busy with nothing under way");
  for (const auto& master : masters)
    check(master->bus.requests() > cycles / 50, "a master got hardly anything");
}

// A read one hop away from a memory that answers in the next cycle takes as long as the ring takes: five
// cycles.
void test_read_latency(uint64_t seed, uint64_t) {
  BridgeBench bench(kSystem, seed);
  uint64_t taken = 0;
  bool answered = false;
  std::optional<MbusRequest> request;
  Master master(
      bench, 0, [&] { return std::exchange(request, std::nullopt); },
      [&](const MbusRequest&, const MbusResponse&) { answered = true; });
  master.never_stall();
  master.bus.on_taken = [&](const MbusRequest&) { taken = bench.cycle(); };
  bench.reset();
  for (unsigned i = 0; i < 20; ++i) {
    request = MbusRequest{MbusOp::kRead, static_cast<uint8_t>(i % 3), 6, kFar + 64 * i, 0, {}};
    answered = false;
    bench.until([&] { return answered; }, 100, "a read");
    check(bench.cycle() - 1 - taken == 5, fmt::format("a read takes {} cycles", bench.cycle() - 1 - taken));
  }
}

void illegal_answer(uint64_t seed, uint64_t) {
  BridgeBench bench(kFrom, seed);
  bench.reset();
  bench.top().noc_rsp_valid_i = 1;
  bench.steps(2);
}

}  // namespace
}  // namespace swai::verif

int main(int argc, char** argv) {
  using namespace swai::verif;
  return test_main(argc, argv,
                   {{"from", test_from},
                    {"to", test_to},
                    {"system", test_system},
                    {"read-latency", test_read_latency},
                    {"illegal-answer", illegal_answer}});
}
