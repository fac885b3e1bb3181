// SPDX-License-Identifier: Apache-2.0
#include "verif/rtl/group/hbm_model.hpp"

#include <algorithm>
#include <cstring>

namespace swai::cg {

namespace {

uint64_t block_of(const Line& line, uint64_t addr, unsigned size) {
  uint64_t value = 0;
  std::memcpy(&value, line.data() + addr % 64, size_t{1} << size);
  return value;
}

// Not the arithmetic of the hardware's: by type.
template <typename Unsigned, typename Signed>
uint64_t computed(MbusOp op, uint64_t old_value, uint64_t operand) {
  const auto a = static_cast<Unsigned>(old_value);
  const auto b = static_cast<Unsigned>(operand);
  const auto sa = static_cast<Signed>(a);
  const auto sb = static_cast<Signed>(b);
  switch (op) {
    case MbusOp::kAdd:
      return static_cast<Unsigned>(a + b);
    case MbusOp::kXor:
      return a ^ b;
    case MbusOp::kAnd:
      return a & b;
    case MbusOp::kOr:
      return a | b;
    case MbusOp::kMin:
      return sa < sb ? a : b;
    case MbusOp::kMax:
      return sa < sb ? b : a;
    case MbusOp::kMinu:
      return std::min(a, b);
    case MbusOp::kMaxu:
      return std::max(a, b);
    default:
      return b;
  }
}

}  // namespace

void HbmModel::write(uint64_t line, const Line& data, uint64_t strobe) {
  if (strobe == 0) return;
  if (strobe == ~uint64_t{0}) poisoned_.erase(line);
  Line& memory = lines_[line];
  for (unsigned byte = 0; byte < 64; ++byte) {
    if ((strobe >> byte) & 1) memory[byte] = data[byte];
  }
}

Expected HbmModel::access(const Request& request) {
  const uint64_t offset = request.addr & 0x3'ffff'ffff;
  const uint64_t line = offset / 64;
  const bool sized = request.size == 2 || request.size == 3;
  const bool aligned = (offset & ((uint64_t{1} << request.size) - 1)) == 0;
  auto& reservation = reserved_.at(request.source);
  const bool success = reservation == line;
  if (request.op == MbusOp::kSc) reservation.reset();
  if (offset >= bytes_) return {Status::kNobody};
  if (request.op > MbusOp::kMaxu) return {Status::kDenied};
  if (request.op == MbusOp::kRead ? request.size == 7 : request.op != MbusOp::kWrite && !(sized && aligned)) {
    return {Status::kDenied};
  }
  const bool reads = request.op != MbusOp::kWrite && request.op != MbusOp::kSc;
  const bool writes =
      request.op == MbusOp::kSc ? success : request.op != MbusOp::kRead && request.op != MbusOp::kLr;
  if (writes) {
    for (auto& other : reserved_) {
      if (other == line) other.reset();
    }
  }
  Expected expected{Status::kOk, reads, {}};
  if (const auto found = lines_.find(line); found != lines_.end()) expected.data = found->second;
  if (reads && poisoned(line)) {
    expected = {Status::kPoison};
    ++poisoned_reads_;
  }
  const uint64_t block = ((request.size == 2 ? uint64_t{0xf} : uint64_t{0xff}) << offset % 64);
  switch (request.op) {
    case MbusOp::kRead:
      break;
    case MbusOp::kWrite:
      write(line, request.data, request.strb);
      break;
    case MbusOp::kLr:
      reservation = line;
      break;
    case MbusOp::kSc:
      ++(success ? sc_successes_ : sc_failures_);
      if (success) write(line, request.data, block);
      expected.compare = true;
      expected.data.fill(0);
      expected.data[offset % 64] = success ? 0 : 1;
      break;
    default: {
      ++atomics_;
      if (expected.status == Status::kPoison) break;
      const uint64_t old_value = block_of(expected.data, offset, request.size);
      const uint64_t operand = block_of(request.data, offset, request.size);
      const uint64_t result = request.size == 2 ? computed<uint32_t, int32_t>(request.op, old_value, operand)
                                                : computed<uint64_t, int64_t>(request.op, old_value, operand);
      Line data{};
      std::memcpy(data.data() + offset % 64, &result, size_t{1} << request.size);
      write(line, data, block);
    }
  }
  return expected;
}

}  // namespace swai::cg
