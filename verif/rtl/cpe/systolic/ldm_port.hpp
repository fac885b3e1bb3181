// SPDX-License-Identifier: Apache-2.0
// A port of a unit at a CPE's local memory: takes requests when it likes, answers reads in the next cycle,
// and sees to it that a request stays as it is while it waits. Whoever drives several ports of a model has
// them share one memory.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <utility>

#include "sim/common/random.hpp"
#include "verif/rtl/lib/bench.hpp"

namespace swai::cpe {

// Where the signals lie. Ports that only read have no write, wdata and strb; those that only write no rdata.
struct LdmPins {
  const uint8_t* valid = nullptr;
  uint8_t* ready = nullptr;
  const uint16_t* addr = nullptr;  // of a word of 32 bytes
  void* rdata = nullptr;
  const uint8_t* write = nullptr;
  const void* wdata = nullptr;
  const uint32_t* strb = nullptr;
};

class LdmPort : public verif::Agent {
 public:
  LdmPort(std::string name, LdmPins pins, std::span<uint8_t> memory, verif::Random& random)
      : stalls_(random), name_(std::move(name)), pins_(pins), memory_(memory), random_(random) {}

  verif::Stalls& stalls() { return stalls_; }
  uint64_t reads() const { return reads_; }
  uint64_t writes() const { return writes_; }
  bool waiting() const { return waiting_; }
  // After a reset of the unit.
  void restart() { waiting_ = false; }
  // From now on the unit must not offer anything that it does not offer already.
  bool quiet = false;

  void drive() override {
    *pins_.ready = stalls_.go();
    if (pins_.rdata == nullptr) return;
    // What there is before the first read, nobody knows.
    if (reads_ == 0) {
      for (auto& byte : word_) byte = static_cast<uint8_t>(random_.next());
    }
    std::memcpy(pins_.rdata, word_.data(), word_.size());
  }

  void sample() override {
    if (*pins_.valid == 0) {
      verif::check(!waiting_, name_ + ": a request was withdrawn");
      return;
    }
    Request now{.addr = *pins_.addr, .write = pins_.write != nullptr && *pins_.write != 0};
    if (now.write) {
      now.strb = *pins_.strb;
      std::memcpy(now.data.data(), pins_.wdata, now.data.size());
    }
    verif::check(!waiting_ || now == request_, name_ + ": a request changed while it waited");
    verif::check(waiting_ || !quiet, name_ + ": a request of a unit that stands still");
    request_ = now;
    waiting_ = *pins_.ready == 0;
    if (waiting_) return;
    const auto word = memory_.subspan(size_t{now.addr} * kWord, kWord);
    if (now.write) {
      for (unsigned i = 0; i < kWord; ++i) {
        if ((now.strb >> i & 1) != 0) word[i] = now.data[i];
      }
      ++writes_;
    } else {
      std::memcpy(word_.data(), word.data(), kWord);
      ++reads_;
    }
  }

 private:
  static constexpr unsigned kWord = 32;
  struct Request {
    uint16_t addr = 0;
    bool write = false;
    uint32_t strb = 0;
    std::array<uint8_t, kWord> data{};

    bool operator==(const Request&) const = default;
  };

  verif::Stalls stalls_;
  std::string name_;
  LdmPins pins_;
  std::span<uint8_t> memory_;
  verif::Random& random_;
  std::array<uint8_t, kWord> word_{};
  bool waiting_ = false;
  Request request_;
  uint64_t reads_ = 0;
  uint64_t writes_ = 0;
};

}  // namespace swai::cpe
