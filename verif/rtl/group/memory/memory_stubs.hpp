// SPDX-License-Identifier: Apache-2.0
// CPEs that ask for random things, and a ring that answers at random times.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "Vtb_cg_memory.h"
#include "card_regs.hpp"
#include "sim/board/hbm/hbm_cells.hpp"
#include "sim/common/random.hpp"
#include "verif/rtl/group/memory/memory_model.hpp"
#include "verif/rtl/lib/bench.hpp"
#include "verif/rtl/lib/stream.hpp"

namespace swai::cg {

using verif::check;
using verif::Random;

inline constexpr unsigned kGroup = 1;  // in tb_cg_memory.sv
inline constexpr uint64_t kOwnBase = regs::kHbmRegion.base + kGroup * HbmCells::kGroupBytes;
inline constexpr uint64_t kFarBase = regs::kHbmRegion.base + 3 * HbmCells::kGroupBytes;
inline bool is_own(uint64_t addr) { return addr / HbmCells::kGroupBytes == kOwnBase / HbmCells::kGroupBytes; }

class MemoryBench : public verif::Bench<Vtb_cg_memory> {
 public:
  explicit MemoryBench(uint64_t seed) : Bench(seed), cells(2) {
    cells.make_current();
    auto& pins = top();
    pins.dslb_invalidate_i = 0;
    pins.icache_invalidate_i = 0;
    pins.mem_valid_i = 0;
    pins.fetch_valid_i = 0;
    pins.tgt_req_valid_i = 0;
    pins.tgt_rsp_ready_i = 1;
    pins.ring_req_ready_i = 0;
    pins.ring_rsp_valid_i = 0;
    set_space({});
  }

  void set_space(const Space& space) {
    Field field(top().space_i, 0, kSpaceBits);
    store(field, space);
  }
  Field request(unsigned cpe) { return {top().mem_i, cpe * kMemReqBits, kMemReqBits}; }
  Field fetch_line(unsigned cpe) { return {top().fetch_line_i, cpe * 26, 26}; }
  MemResponse response() {
    MemResponse response;
    load(Field(top().rsp_o, 0, kMemRspBits), response);
    return response;
  }

  HbmCells cells;
};

// The ring and whatever is beyond it.
class FarEnd : public verif::Agent {
 public:
  FarEnd(MemoryBench& bench, Random& random)
      : bench_(bench),
        random_(random),
        response_stalls_(random),
        sink_("ring",
              {Field(bench.top().ring_req_valid_o, 0, 1), Field(bench.top().ring_req_ready_i, 0, 1),
               Field(bench.top().ring_req_o, 0, kReqBits)},
              random, [this](const Request& request) { taken(request); }) {}

  CardMemory memory;
  unsigned delay = 100;  // at most
  uint64_t requests() const { return sink_.count(); }
  bool idle() const { return waiting_.empty(); }

  void drive() override {
    ++now_;
    sink_.drive();
    auto& top = bench_.top();
    top.ring_rsp_valid_i = 0;
    if (waiting_.empty() || !response_stalls_.go()) return;
    size_t chosen = random_.below(waiting_.size());
    for (size_t i = 0; i < waiting_.size() && waiting_[chosen].due > now_; ++i) {
      chosen = (chosen + 1) % waiting_.size();
    }
    if (waiting_[chosen].due > now_) return;
    Field field(top.ring_rsp_i, 0, kRspBits);
    store(field, waiting_[chosen].response);
    top.ring_rsp_valid_i = 1;
    waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(chosen));
  }
  void sample() override { sink_.sample(); }

 private:
  struct Waiting {
    Response response;
    uint64_t due;
  };

  // Bytes that were not asked for are random.
  void taken(const Request& request) {
    const bool write = request.op == MbusOp::kWrite;
    check(write || request.op == MbusOp::kRead, "an operation that nobody asked for");
    const uint64_t bytes = uint64_t{1} << request.size;
    check(request.size <= 6 && request.addr % bytes == 0, "a block on the ring that is not aligned");
    check(!is_own(request.addr), "the ring was asked for the group's own memory");
    for (const auto& waiting : waiting_) check(waiting.response.tag != request.tag, "a tag is used twice");
    Response response{.dest = static_cast<uint8_t>(2 + kGroup), .tag = request.tag};
    for (auto& byte : response.data) byte = static_cast<uint8_t>(random_.next());
    response.status = status_at(request.addr);
    if (response.status == Status::kOk && write) memory.write(request.addr, request.data, request.strb);
    if (response.status == Status::kOk && !write) {
      if (memory.poisoned(request.addr)) {
        response.status = Status::kPoison;
      } else {
        const Line line = memory.read(request.addr);
        const auto first = static_cast<std::ptrdiff_t>(request.addr % 64);
        std::copy_n(line.begin() + first, bytes, response.data.begin() + first);
      }
    }
    waiting_.push_back({response, now_ + random_.below(delay)});
  }

  MemoryBench& bench_;
  Random& random_;
  verif::Stalls response_stalls_;
  verif::StreamSink<Request> sink_;
  std::vector<Waiting> waiting_;
  uint64_t now_ = 0;
};

// 32 CPEs: each has up to eight transfers of its DMA under way, one access of its core and one fetch.
class Cpes : public verif::Agent {
 public:
  using Next = std::function<MemRequest(unsigned cpe)>;
  using NextLine = std::function<uint32_t(unsigned cpe)>;

  // Which answers to a request just taken, or to a fetch that began then, are right.
  std::function<std::vector<Answer>(const MemRequest&)> on_taken;
  std::function<std::vector<Answer>(uint32_t line, uint64_t since)> on_fetched;

  Cpes(MemoryBench& bench, Random& random, Next next, NextLine next_line)
      : bench_(bench), random_(random), next_(std::move(next)), next_line_(std::move(next_line)) {
    for (unsigned i = 0; i < kCpes; ++i) stalls_.emplace_back(random);
    for (unsigned i = 0; i < kCpes; ++i) fetch_stalls_.emplace_back(random);
  }

  bool stopped = false;
  unsigned fetch_percent = 100;  // of the cycles in which a CPE could ask for code
  std::array<uint64_t, 6> events{};
  uint64_t now() const { return now_; }
  bool idle() const {
    return outstanding_.empty() && bench_.top().mem_valid_i == 0 && bench_.top().fetch_valid_i == 0;
  }
  uint64_t requests() const { return requests_; }
  uint64_t writes() const { return writes_; }
  uint64_t fetches() const { return fetches_; }
  uint64_t fetch_answers() const { return fetch_answers_; }
  uint64_t longest() const { return longest_; }
  const std::map<Cause, uint64_t>& causes() const { return causes_; }

  // Further answers that have become right for requests that are under way.
  void also(uint16_t segment, const std::function<Answer(const MemRequest&)>& answer) {
    for (auto& [key, item] : outstanding_) {
      if (item.request.segment == segment) item.answers.push_back(answer(item.request));
    }
  }

  void drive() override {
    ++now_;
    auto& top = bench_.top();
    top.mem_valid_i &= ~taken_;
    top.fetch_valid_i &= ~answered_;
    taken_ = 0;
    answered_ = 0;
    for (unsigned cpe = 0; cpe < kCpes; ++cpe) {
      const uint32_t bit = 1U << cpe;
      if (!(top.mem_valid_i & bit) && stalls_[cpe].go() && !stopped) {
        MemRequest request = next_(cpe);
        if (request.scalar) request.tag = 0;
        while (!request.scalar && request.tag < kMemTags && outstanding_.contains(key_of(cpe, request)))
          ++request.tag;
        if (request.tag < kMemTags && !outstanding_.contains(key_of(cpe, request))) {
          pending_[cpe] = request;
          since_[cpe] = now_;
          Field field = bench_.request(cpe);
          store(field, request);
          top.mem_valid_i |= bit;
        }
      }
      if (!(top.fetch_valid_i & bit) && fetch_stalls_[cpe].go() && random_.chance(fetch_percent) &&
          !stopped) {
        lines_[cpe] = next_line_(cpe);
        began_[cpe] = now_;
        bench_.fetch_line(cpe).set(lines_[cpe]);
        top.fetch_valid_i |= bit;
      }
    }
  }

  void sample() override {
    auto& top = bench_.top();
    for (unsigned i = 0; i < events.size(); ++i) events[i] += (top.events_o >> i) & 1;
    if (!outstanding_.empty() || top.mem_valid_i || top.fetch_valid_i) check(top.busy_o, "busy_o is low");
    if (top.rsp_valid_o) respond(top.rsp_valid_o);
    const uint32_t ready = top.mem_ready_o;
    check((ready & ~top.mem_valid_i) == 0 && std::popcount(ready) <= 1, "ready for nobody, or for several");
    if (ready) {
      const auto cpe = static_cast<unsigned>(std::countr_zero(ready));
      const MemRequest& request = pending_[cpe];
      outstanding_[key_of(cpe, request)] = {request, on_taken(request), since_[cpe]};
      ++requests_;
      writes_ += request.write;
    }
    taken_ = ready;
  }

 private:
  struct Outstanding {
    MemRequest request;
    std::vector<Answer> answers;
    uint64_t since = 0;
  };

  static unsigned key_of(unsigned cpe, const MemRequest& request) {
    return cpe * 16 + request.scalar * 8U + request.tag;
  }

  void respond(uint32_t mask) {
    const MemResponse response = bench_.response();
    ++causes_[response.cause];
    if (response.kind == Kind::kFetch) {
      check((mask & ~bench_.top().fetch_valid_i) == 0, "code for a CPE that did not ask");
      ++fetch_answers_;
      for (unsigned cpe = 0; cpe < kCpes; ++cpe) {
        if (!((mask >> cpe) & 1)) continue;
        const auto answers = on_fetched(lines_[cpe], began_[cpe]);
        const bool good = std::ranges::any_of(answers, [&](const Answer& answer) {
          return answer.cause == response.cause && (!answer.compare || answer.data == response.data);
        });
        check(good, fmt::format("fetch of line {:#x} by CPE {}: cause {}, {}", lines_[cpe], cpe,
                                static_cast<int>(response.cause), described(answers)));
        longest_ = std::max(longest_, now_ - began_[cpe]);
        ++fetches_;
      }
      answered_ |= mask;
      return;
    }
    check(std::popcount(mask) == 1, "one response for several CPEs");
    const auto cpe = static_cast<unsigned>(std::countr_zero(mask));
    const auto found = outstanding_.find(cpe * 16 + (response.kind == Kind::kScalar) * 8U + response.tag);
    check(found != outstanding_.end(), fmt::format("a response that CPE {} does not wait for", cpe));
    const MemRequest request = found->second.request;
    const auto answers = found->second.answers;
    const uint64_t since = found->second.since;
    const bool good = std::ranges::any_of(answers, [&](const Answer& answer) {
      if (answer.cause != response.cause) return false;
      if (!answer.compare) return true;
      for (unsigned i = 0; i < request.bytes; ++i) {
        if (response.data[(request.lane + i) % 64] != answer.data[request.offset % 64 + i]) return false;
      }
      return true;
    });
    check(good, fmt::format("{} of {} bytes at {:#x} of segment {} in lane {} by CPE {}: cause {}, {}",
                            request.write ? "write" : "read", request.bytes, request.offset, request.segment,
                            request.lane, cpe, static_cast<int>(response.cause), described(answers)));
    longest_ = std::max(longest_, now_ - since);
    outstanding_.erase(found);
  }

  static std::string described(const std::vector<Answer>& answers) {
    std::string text = "expected";
    for (const auto& answer : answers) text += fmt::format(" {}", static_cast<int>(answer.cause));
    return text;
  }

  MemoryBench& bench_;
  Random& random_;
  Next next_;
  NextLine next_line_;
  std::vector<verif::Stalls> stalls_, fetch_stalls_;
  std::array<MemRequest, kCpes> pending_;
  std::array<uint64_t, kCpes> since_{}, began_{};
  std::array<uint32_t, kCpes> lines_{};
  std::unordered_map<unsigned, Outstanding> outstanding_;
  uint32_t taken_ = 0, answered_ = 0;
  uint64_t now_ = 0, requests_ = 0, writes_ = 0, fetches_ = 0, fetch_answers_ = 0, longest_ = 0;
  std::map<Cause, uint64_t> causes_;
};

}  // namespace swai::cg
