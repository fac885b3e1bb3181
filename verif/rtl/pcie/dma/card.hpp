// SPDX-License-Identifier: Apache-2.0
// The ring side of the engine's testbench: card memory behind a ring that answers in any order after random
// delays, or all requests after the same time. A write takes effect at the last moment, when it is answered.
#pragma once

#include <array>
#include <bit>
#include <cstring>
#include <functional>
#include <vector>

#include "Vpcie_dma.h"
#include "sim/common/field.hpp"
#include "verif/rtl/lib/bench.hpp"
#include "verif/rtl/pcie/dma/memory.hpp"
#include "wires.hpp"

namespace swai::dma_test {

class Card : public verif::Agent {
 public:
  static constexpr unsigned kOk = 0, kPoison = 1, kDenied = 2, kNobody = 3;  // noc_pkg::status_t

  Card(Vpcie_dma& top, verif::Random& random) : top_(top), random_(random), ready_(random), answer_(random) {}

  Memory memory;
  Faults<unsigned> faults;
  bool timed = false;
  uint64_t latency = 60;  // when timed
  uint64_t max_delay = 150;
  bool hold = false;  // answer nothing
  uint64_t partial_writes = 0, writes = 0, reads = 0;

  std::function<void(uint64_t address, uint64_t size)> on_write = [](uint64_t, uint64_t) {};
  std::function<void(uint64_t cycle)> on_fetch = [](uint64_t) {};  // a descriptor is asked for

  bool quiet() const { return pending_.empty(); }

  void drive() override {
    ++now_;
    top_.noc_req_ready_i = timed || ready_.go();
    top_.noc_rsp_valid_i = 0;
    if (hold || pending_.empty() || (!timed && !answer_.go())) {
      scramble();
      return;
    }
    size_t chosen = 0;
    if (!timed) chosen = random_.below(pending_.size());
    if (pending_[chosen].at > now_) {
      scramble();
      return;
    }
    answer(pending_[chosen]);
    pending_.erase(pending_.begin() + static_cast<std::ptrdiff_t>(chosen));
  }

  void sample() override {
    const uint32_t* words = top_.noc_req_o.data();
    if (waiting_) {
      verif::check(top_.noc_req_valid_o, "ring: valid was withdrawn");
      verif::check(std::equal(last_.begin(), last_.end(), words),
                   "ring: the request changed while it waited");
    }
    waiting_ = top_.noc_req_valid_o && !top_.noc_req_ready_i;
    if (waiting_) std::copy_n(words, last_.size(), last_.begin());
    if (!top_.noc_req_valid_o || !top_.noc_req_ready_i) return;
    verif::Field port(top_.noc_req_o, 0, 634);
    Request request;
    request.op = static_cast<unsigned>(port.get(wires::noc::req::kOp));
    request.tag = static_cast<unsigned>(port.get(wires::noc::req::kTag));
    request.address = port.get(wires::noc::req::kAddr);
    request.bytes = uint64_t{1} << port.get(wires::noc::req::kSize);
    request.strb = port.get(wires::noc::req::kStrb);
    std::memcpy(request.data.data(), words, 64);
    request.at = now_ + (timed ? latency : random_.below(max_delay + 1));
    verif::check(request.tag < 128, "ring: a tag that is not the engine's");
    verif::check(!tag_used_[request.tag], "ring: tag in use");
    verif::check(request.op <= 1, "ring: an atomic");
    tag_used_[request.tag] = true;
    if (request.op == 1) {
      verif::check(request.strb != 0, "ring: a write of nothing");
      ++writes;
      if (~request.strb != 0) ++partial_writes;
    } else {
      verif::check(request.address % request.bytes == 0, "ring: a read that is not aligned");
      if (request.bytes == 32) on_fetch(now_);
      ++reads;
    }
    pending_.push_back(request);
  }

 private:
  struct Request {
    uint64_t at;
    unsigned op;
    unsigned tag;
    uint64_t address;
    uint64_t bytes;
    uint64_t strb;
    std::array<uint8_t, 64> data;
  };

  void scramble() {
    if (timed) return;
    for (unsigned i = 0; i < 16; ++i) top_.noc_rsp_i[i] = static_cast<uint32_t>(random_.next());
  }

  void answer(const Request& request) {
    const uint64_t line = request.address & ~uint64_t{63};
    unsigned status = faults.at(request.address, request.op == 1 ? 1 : request.bytes, kOk);
    if (request.op == 1) {
      // The first byte that is written counts for faults.
      status = faults.at(line + static_cast<unsigned>(std::countr_zero(request.strb)), 1, kOk);
    }
    std::array<uint8_t, 64> data;
    memory.read(line, data);
    if (request.op == 1) {
      if (status == kOk) {
        uint64_t first = 64, last = 0;
        for (unsigned i = 0; i < 64; ++i) {
          if ((request.strb >> i & 1) == 0) continue;
          data[i] = request.data[i];
          first = std::min<uint64_t>(first, i);
          last = i;
        }
        memory.write(line, data);
        on_write(line + first, last + 1 - first);
      }
      for (auto& byte : data) byte = static_cast<uint8_t>(random_.next());
    } else if (status != kOk) {
      for (auto& byte : data) byte = static_cast<uint8_t>(random_.next());
    }
    std::memcpy(top_.noc_rsp_i.data(), data.data(), 64);
    verif::Field port(top_.noc_rsp_i, 0, 525);
    port.set(wires::noc::rsp::kStatus, status);
    port.set(wires::noc::rsp::kTag, request.tag);
    port.set(wires::noc::rsp::kDest, 1);
    top_.noc_rsp_valid_i = 1;
    tag_used_[request.tag] = false;
  }

  Vpcie_dma& top_;
  verif::Random& random_;
  verif::Stalls ready_, answer_;
  uint64_t now_ = 0;
  std::vector<Request> pending_;
  std::array<bool, 256> tag_used_{};
  bool waiting_ = false;
  std::array<uint32_t, 20> last_{};
};

}  // namespace swai::dma_test
