// SPDX-License-Identifier: Apache-2.0
// What the slaves of the memory bus should do, in C++: a memory with a reservation, the bridge to registers,
// and a device behind it.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "sim/common/memory_model.hpp"
#include "verif/rtl/lib/bench.hpp"
#include "verif/rtl/lib/mbus.hpp"

namespace swai::verif {

inline void scramble(MbusLine& line, Random& random) {
  for (auto& byte : line) byte = static_cast<uint8_t>(random.next());
}

// The bus as one memory: what each request does, in the order in which they are taken.
class MemoryReference {
 public:
  MemoryReference(uint64_t base, uint64_t bytes)
      : base_(base), bytes_(bytes), model_({.ram_base = base, .ram_bytes = bytes}) {}

  MbusResponse access(const MbusRequest& request) {
    MbusResponse response{request.id, true, {}};
    if (!legal(request)) {
      if (request.op == common::MbusOp::kSc) cancel_reservation();
      return response;
    }
    const uint64_t line = request.addr / 64;
    const bool writes = request.op != common::MbusOp::kRead && request.op != common::MbusOp::kLr &&
                        request.op != common::MbusOp::kSc;
    if (writes && reserved_ == line) cancel_reservation();
    if (request.op == common::MbusOp::kLr) reserved_ = line;
    common::MbusResponse answer;
    model_.access(request.view(), answer);
    response.err = answer.err;
    response.data = answer.data;
    return response;
  }

  bool inside(uint64_t addr) const { return addr >= base_ && addr - base_ < bytes_; }

 private:
  bool legal(const MbusRequest& request) const {
    const bool sized = request.op == common::MbusOp::kRead || request.op == common::MbusOp::kWrite ||
                       request.size == 2 || request.size == 3;
    return inside(request.addr) && sized && request.op <= common::MbusOp::kMaxu;
  }

  // The memory model has one hart whose own stores leave its reservation alone; the SRAM does not know whose
  // stores they are. A store-conditional elsewhere ends the reservation and writes nothing.
  void cancel_reservation() {
    const uint64_t other = base_ + (reserved_ == base_ / 64 ? 64 : 0);
    common::MbusResponse answer;
    MbusRequest request;
    request.op = common::MbusOp::kSc;
    request.size = 2;
    request.addr = other;
    model_.access(request.view(), answer);
    reserved_.reset();
  }

  uint64_t base_;
  uint64_t bytes_;
  common::MemoryModel model_;
  std::optional<uint64_t> reserved_;
};

// An access on the register bus, and its answer.
struct RegAccess {
  bool write = false;
  uint64_t addr = 0;
  uint64_t wdata = 0;
  uint64_t wstrb = 0;
  bool operator==(const RegAccess&) const = default;
};

struct RegAnswer {
  bool err = false;
  uint64_t rdata = 0;
};

// The register device at the pins: answers after random times, checks that the access is still while it
// waits.
template <typename Top>
class RegisterDevice : public Agent {
 public:
  RegisterDevice(Top& top, Random& random, std::function<RegAnswer(const RegAccess&)> answer)
      : stalls_(random), top_(top), random_(random), answer_(std::move(answer)) {}

  Stalls& stalls() { return stalls_; }
  uint64_t count() const { return count_; }

  void drive() override {
    top_.reg_ready_i = 0;
    top_.reg_err_i = random_.chance(50);
    top_.reg_rdata_i = random_.next();
    if (!top_.reg_valid_o || !stalls_.go()) return;
    const RegAnswer answer = answer_(pins());
    top_.reg_ready_i = 1;
    top_.reg_err_i = answer.err;
    top_.reg_rdata_i = answer.rdata;
    ++count_;
  }

  void sample() override {
    check(top_.reg_valid_o || !waiting_, "the access was withdrawn");
    check(!waiting_ || *waiting_ == pins(), "the access changed while it waited");
    waiting_.reset();
    if (top_.reg_valid_o && !top_.reg_ready_i) waiting_ = pins();
  }

 private:
  RegAccess pins() const {
    return {top_.reg_write_o != 0, top_.reg_addr_o, top_.reg_wdata_o, top_.reg_wstrb_o};
  }

  Stalls stalls_;
  Top& top_;
  Random& random_;
  std::function<RegAnswer(const RegAccess&)> answer_;
  std::optional<RegAccess> waiting_;
  uint64_t count_ = 0;
};

// What the bridge should make of a request: nothing when it must refuse, an access without strobes when there
// is nothing to do.
inline std::optional<RegAccess> bridged(const MbusRequest& request) {
  RegAccess access;
  if (request.op == common::MbusOp::kWrite && request.strb == 0) return access;
  if (request.addr >> 32 != 0) return std::nullopt;
  access.write = request.op == common::MbusOp::kWrite;
  if (request.op == common::MbusOp::kRead) {
    if (request.size > 3) return std::nullopt;
    access.addr = request.addr;
    access.wstrb = ((uint64_t{1} << (1U << request.size)) - 1) << (request.addr % 8);
    return access;
  }
  if (!access.write) return std::nullopt;
  for (unsigned bytes = 1; bytes <= 8; bytes *= 2) {
    for (unsigned at = 0; at < 64; at += bytes) {
      if (request.strb != ((uint64_t{1} << bytes) - 1) << at) continue;
      access.addr = (request.addr & ~uint64_t{63}) + at;
      access.wstrb = (request.strb >> (at & ~7U)) & 0xff;
      for (unsigned i = 0; i < 8; ++i) access.wdata |= uint64_t{request.data[(at & ~7U) + i]} << (8 * i);
      return access;
    }
  }
  return std::nullopt;
}

// A device of 64-bit words; the upper half of its 4 KiB refuses accesses.
class DeviceReference {
 public:
  RegAnswer access(const RegAccess& access) {
    if ((access.addr & 0x800) != 0) return {true, 0};
    uint64_t& word = words_.at((access.addr & 0x7ff) / 8);
    const RegAnswer answer{false, word};
    for (unsigned i = 0; access.write && i < 8; ++i) {
      if (((access.wstrb >> i) & 1) == 0) continue;
      const uint64_t mask = uint64_t{0xff} << (8 * i);
      word = (word & ~mask) | (access.wdata & mask);
    }
    return answer;
  }

  // The response on the bus to a request that goes through the bridge.
  MbusResponse respond(const MbusRequest& request) {
    MbusResponse response{request.id, true, {}};
    const auto access = bridged(request);
    if (!access) return response;
    response.err = false;
    if (access->wstrb == 0) return response;
    const auto answer = this->access(*access);
    response.err = answer.err;
    for (unsigned i = 0; i < 64; ++i) response.data[i] = static_cast<uint8_t>(answer.rdata >> (8 * (i % 8)));
    return response;
  }

 private:
  std::array<uint64_t, 256> words_{};
};

}  // namespace swai::verif
