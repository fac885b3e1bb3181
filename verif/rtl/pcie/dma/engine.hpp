// SPDX-License-Identifier: Apache-2.0
// The engine with host and ring around it, and what software does with it.
#pragma once

#include <fmt/format.h>

#include <array>
#include <functional>
#include <optional>

#include "abi/dma.hpp"
#include "card_regs.hpp"
#include "verif/rtl/pcie/dma/card.hpp"
#include "verif/rtl/pcie/dma/host.hpp"

namespace swai::dma_test {

using dma::Descriptor;
using dma::Record;
using verif::check;

inline constexpr unsigned kChannels = dma::kChannels;
namespace reg = regs::dma;

struct ErrorState {
  uint64_t cause;
  uint64_t access;
  uint64_t index;
  uint64_t address;
};

class Engine {
 public:
  explicit Engine(uint64_t seed)
      : bench_(seed), host_(bench_.top(), bench_.random()), card_(bench_.top(), bench_.random()) {
    bench_.add(host_);
    bench_.add(card_);
    bench_.add(work_);
    bench_.top().reg_req_i[0] = bench_.top().reg_req_i[1] = bench_.top().reg_req_i[2] =
        bench_.top().reg_req_i[3] = 0;
    bench_.top().noc_req_ready_i = 0;
    bench_.reset();
  }

  verif::Bench<Vpcie_dma>& bench() { return bench_; }
  verif::Random& random() { return bench_.random(); }
  Host& host() { return host_; }
  Card& card() { return card_; }
  Vpcie_dma& top() { return bench_.top(); }
  void step() { bench_.step(); }
  uint64_t cycle() const { return bench_.cycle(); }

  // Called in the cycle of a pulse on work_o.
  std::function<void(unsigned channel)>& on_work() { return work_.on_work; }
  uint64_t errors(unsigned bit) const { return work_.errors[bit]; }  // pulses on errors_o

  // Register accesses by address in the card's map. They take one cycle.
  void write(uint64_t address, uint64_t value) {
    check(!access(true, address, value, 0xff).err, fmt::format("no register at {:#x}", address));
  }
  uint64_t read(uint64_t address) {
    const auto result = access(false, address, 0, 0xff);
    check(!result.err, fmt::format("no register at {:#x}", address));
    return result.rdata;
  }
  struct Result {
    bool err;
    uint64_t rdata;
  };
  Result access(bool write, uint64_t address, uint64_t value, unsigned lanes) {
    verif::Field port(top().reg_req_i, 0, 106);
    port.set(0, 8, lanes);
    port.set(8, 64, value);
    port.set(72, 32, address - regs::kCardRegion.base);
    port.set(104, 1, write);
    port.set(105, 1, 1);
    result_ = {};
    step();
    const verif::Field answer(top().reg_rsp_o, 0, 66);
    port.set(105, 1, 0);
    return work_.answer;
  }

  struct Setup {
    uint64_t ring = 0;
    unsigned log2 = 4;
    uint64_t record = 0;
    bool record_on_card = false;
    unsigned vector = 0;
    bool error_irq = false;
    bool error_work = false;
  };
  void set_up(unsigned channel, const Setup& setup) {
    setups_[channel] = setup;
    posted_[channel] = 0;
    write(reg::ring_base::addr(channel), setup.ring);
    write(reg::ring_size::addr(channel), setup.log2);
    write(reg::writeback::addr(channel), setup.record | (setup.record_on_card ? 1 : 0));
    write(reg::vector::addr(channel), setup.vector);
    write(reg::control::addr(channel), 1 | (setup.error_irq ? 2 : 0) | (setup.error_work ? 4 : 0));
  }
  const Setup& setup(unsigned channel) const { return setups_[channel]; }
  // Puts a descriptor into the ring, as by the back door; the doorbell comes later.
  uint16_t post(unsigned channel, const Descriptor& descriptor) {
    const uint16_t index = posted_[channel]++;
    const Setup& s = setups_[channel];
    card_.memory.put(s.ring + 32 * (index & ((1U << s.log2) - 1)), descriptor);
    return index;
  }
  uint16_t posted(unsigned channel) const { return posted_[channel]; }
  void ring(unsigned channel) { write(reg::tail::addr(channel), posted_[channel]); }
  uint16_t head(unsigned channel) { return static_cast<uint16_t>(read(reg::head::addr(channel))); }
  uint64_t state(unsigned channel) { return reg::status::kState.get(read(reg::status::addr(channel))); }
  ErrorState error(unsigned channel) {
    const uint64_t word = read(reg::error::addr(channel));
    return {reg::error::kCause.get(word), reg::error::kAccess.get(word), reg::error::kIndex.get(word),
            read(reg::error_address::addr(channel))};
  }
  void abort(unsigned channel) { write(reg::control::addr(channel), reg::control::kStop.put(1)); }
  void clear(unsigned channel) { write(reg::control::addr(channel), reg::control::kClear.put(1)); }
  void wait_state(unsigned channel, uint64_t wanted, uint64_t limit = 200'000) {
    for (const uint64_t end = cycle() + limit; state(channel) != wanted;) {
      check(cycle() < end, fmt::format("channel {} is in state {}, not {}", channel, state(channel), wanted));
    }
  }
  void wait_head(unsigned channel, uint16_t wanted, uint64_t limit = 400'000) {
    for (const uint64_t end = cycle() + limit; head(channel) != wanted;) {
      check(cycle() < end, fmt::format("channel {} is at {}, not {}; state {}", channel, head(channel),
                                       wanted, state(channel)));
      step();
    }
  }
  void wait_idle(uint64_t limit = 400'000) {
    bench_.until([this] { return !top().busy_o && host_.quiet() && card_.quiet(); }, limit,
                 "the engine to be idle");
  }

 private:
  struct Watch : verif::Agent {
    explicit Watch(Engine& engine) : engine_(engine) {}
    void drive() override {}
    void sample() override {
      auto& top = engine_.top();
      verif::Field port(top.reg_rsp_o, 0, 66);
      answer = {port.get(64, 1) != 0, port.get(0, 64)};
      for (unsigned i = 0; i < kChannels; ++i) {
        if ((top.work_o >> i & 1) != 0) on_work(i);
      }
      for (unsigned i = 0; i < 3; ++i) errors[i] += top.errors_o >> i & 1;
      // Who sleeps when the engine says that it may must not miss anything.
      if (!top.busy_o) {
        check(
            !top.p_valid_o && !top.np_valid_o && !top.irq_valid_o && !top.noc_req_valid_o && top.work_o == 0,
            "the engine does something while it is not busy");
      }
    }
    std::function<void(unsigned)> on_work = [](unsigned) {};
    std::array<uint64_t, 3> errors{};
    Result answer{};
    Engine& engine_;
  };

  verif::Bench<Vpcie_dma> bench_;
  Host host_;
  Card card_;
  Watch work_{*this};
  Result result_{};
  std::array<Setup, kChannels> setups_{};
  std::array<uint16_t, kChannels> posted_{};
};

}  // namespace swai::dma_test
