// SPDX-License-Identifier: Apache-2.0
#include "verif/rtl/noc/ring.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "verif/rtl/lib/bench.hpp"
#include "verif/rtl/lib/mbus_models.hpp"

namespace swai::verif {

using common::MbusOp;

uint8_t ring_route(const NocRequest& request, unsigned groups) {
  const uint64_t addr = request.addr;
  if (addr < 0x10'0000'0000) return 1 << 0;
  if (addr < 0x10'0100'0000) return 1 << 1;
  for (unsigned group = 0; group < groups; ++group) {
    if (addr >> 24 == 0x1100 + group) return static_cast<uint8_t>(4 << group);
    const uint64_t hbm = 0x80'0000'0000 + group * 0x4'0000'0000;
    if (addr >= hbm && addr < hbm + 0x4'0000'0000) return static_cast<uint8_t>(4 << group);
  }
  if (addr >> 32 == 0x12 && request.op == MbusOp::kWrite) {
    const uint64_t set = (addr >> 24) & 0xff;
    if (set < (1U << groups)) return static_cast<uint8_t>(set << 2);
  }
  return 0;
}

unsigned ring_hops(unsigned from, unsigned to, unsigned nodes) {
  const unsigned distance = (to + nodes - from) % nodes;
  return distance == 0 ? nodes : std::min(distance, nodes - distance);
}

bool RingModel::quiet() const {
  const auto empty = [](const auto& container) { return container.empty(); };
  return std::ranges::all_of(flights_, empty) && std::ranges::all_of(unanswered_, empty);
}

void RingModel::check_fence(const Flight& flight, unsigned node) const {
  check(last_fence_[node] >= flight.cycle,
        fmt::format("a request of node {} to {:#x} was not passed on, without a fence", flight.request.source,
                    flight.request.addr));
}

void RingModel::taken(unsigned source, NocRequest request, uint64_t cycle) {
  request.source = static_cast<uint8_t>(source);
  check(tag_is_free(source, request.tag), "the testbench uses a tag twice");
  const uint8_t dests = ring_route(request, groups_);
  for (unsigned node = 0; node < nodes_; ++node) {
    if ((dests >> node) & 1) on_the_way_[source][node].push_back(request);
  }
  Flight& flight = flights_[source][request.tag];
  flight.request = request;
  flight.cycle = cycle;
  flight.dests = dests;
}

void RingModel::arrived(unsigned node, const NocRequest& request) {
  check(request.source < nodes_, fmt::format("a request from node {}, which does not exist", request.source));
  auto& expected = on_the_way_[request.source][node];
  while (!expected.empty() && expected.front() != request) {
    Flight& skipped = flights_[request.source].at(expected.front().tag);
    check_fence(skipped, node);
    skipped.skipped |= static_cast<uint8_t>(1 << node);
    expected.pop_front();
  }
  check(!expected.empty(), fmt::format("a request from {} to {:#x} came to node {} damaged or out of order",
                                       request.source, request.addr, node));
  expected.pop_front();
  unanswered_[node].push_back(request);
}

std::optional<NocResponse> RingModel::answer(unsigned node, Random& random) {
  auto& requests = unanswered_[node];
  if (requests.empty()) return std::nullopt;
  const auto chosen = requests.begin() + static_cast<ptrdiff_t>(random.below(requests.size()));
  NocResponse response;
  response.dest = chosen->source;
  response.tag = chosen->tag;
  response.status = random.chance(80) ? kOk : static_cast<uint8_t>(random.between(kPoison, kNobody));
  scramble(response.data, random);
  flights_[chosen->source].at(chosen->tag).answers[node] = response;
  requests.erase(chosen);
  return response;
}

void RingModel::responded(unsigned source, const NocResponse& response) {
  const auto found = flights_[source].find(response.tag);
  check(found != flights_[source].end(),
        fmt::format("node {} gets an answer to tag {}, which waits for none", source, response.tag));
  Flight& flight = found->second;
  check(response.dest == source, "an answer at the wrong node");
  uint8_t worst = flight.dests == 0 ? kNobody : kOk;
  for (unsigned node = 0; node < nodes_; ++node) {
    if (((flight.dests >> node) & 1) == 0) continue;
    if (flight.answers[node]) {
      worst = std::max(worst, flight.answers[node]->status);
      if (flight.dests == 1 << node)
        check(response.data == flight.answers[node]->data, "an answer with wrong data");
      continue;
    }
    // No target answered: the fence did.
    auto& expected = on_the_way_[source][node];
    if (((flight.skipped >> node) & 1) == 0) {
      check_fence(flight, node);
      const auto here = std::ranges::find(expected, flight.request);
      check(here != expected.end(), "an answer before the target has answered");
      expected.erase(here);
    }
    worst = std::max<uint8_t>(worst, kDenied);
    ++denied_;
  }
  check(response.status == worst, fmt::format("status {} instead of {} for a request to {:#x}",
                                              response.status, worst, flight.request.addr));
  flights_[source].erase(found);
  ++answered_;
}

NocRequest random_noc_request(Random& random, unsigned groups) {
  NocRequest request;
  scramble(request.data, random);
  request.source = static_cast<uint8_t>(random.below(8));
  request.strb = random.next();
  request.size = static_cast<uint8_t>(random.below(7));
  request.op = random.chance(70) ? (random.chance(50) ? MbusOp::kRead : MbusOp::kWrite)
                                 : static_cast<MbusOp>(random.between(2, 12));
  const uint64_t group = random.chance(95) ? random.below(groups) : random.below(4);
  const uint64_t offset = random.chance(50) ? random.below(256) : random.next();
  switch (random.below(8)) {
    case 0:
      request.addr = offset & 0xf'ffff'ffff;
      break;
    case 1:
      request.addr = 0x10'0000'0000 | (offset & 0xff'ffff);
      break;
    case 2:
      request.addr = 0x11'0000'0000 | group << 24 | (offset & 0xff'ffff);
      break;
    case 3:
    case 4: {
      const uint64_t set = random.chance(95) ? random.below(uint64_t{1} << groups) : random.below(256);
      request.addr = 0x12'0000'0000 | set << 24 | (offset & 0xff'ffff);
      if (random.chance(95)) request.op = MbusOp::kWrite;
      break;
    }
    case 5:
    case 6:
      request.addr = (0x80'0000'0000 + group * 0x4'0000'0000) | (offset & 0x3'ffff'ffff);
      break;
    default:
      request.addr = random.chance(50)
                         ? random.next() & 0xff'ffff'ffff
                         : uint64_t{0x10 + random.below(3)} << 32 | (random.next() & 0xffff'ffff);
  }
  return request;
}

}  // namespace swai::verif
