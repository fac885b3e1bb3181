// SPDX-License-Identifier: Apache-2.0
// Instructions one after the other, each of which calls the next one: how the hart runs.
#include <algorithm>
#include <cstring>

#include "sim/iss/cpe/hart.hpp"
#include "sim/iss/cpe/instructions.hpp"

namespace swai::iss::cpe {

Hart::Status Hart::issue(const Command& command, uint32_t& result) {
  command_ = command;
  const auto answer = environment_.issue(command);
  if (answer.kind == Environment::Answer::kWait) return Status::kWaiting;
  if (answer.kind == Environment::Answer::kBad) return stop(Cause::kCommand);
  result = answer.data;
  ends_run_ = answer.ends_run;
  return Status::kRetired;
}

template <Op kOp>
[[gnu::always_inline]] inline bool Hart::perform(const Slot* slot, uint32_t a, const Slot*& next,
                                                 uint32_t& result, uint64_t& extra) {
  const uint32_t b = x_[slot->rs2];
  const auto imm = static_cast<uint32_t>(slot->imm);
  if constexpr (is_branch(kOp)) {
    if (is_taken(kOp, a, b)) {
      next = slot + slot->imm;
      extra += slot->extra_of_branch();
    }
  } else if constexpr (is_load(kOp)) {
    if (!is_local(a + imm, bytes_of(kOp))) [[unlikely]]
      return false;
    uint32_t data = 0;
    std::memcpy(&data, local(a + imm), bytes_of(kOp));
    result = x_[slot->rd] = extended(kOp, data);
    extra += slot->extra();
  } else if constexpr (is_store(kOp)) {
    if (!is_local(a + imm, bytes_of(kOp))) [[unlikely]]
      return false;
    std::memcpy(local(a + imm), &b, bytes_of(kOp));
  } else if constexpr (kOp != Op::kFence) {
    result = x_[slot->rd] = compute(kOp, a, b, imm);
    if constexpr (is_division(kOp)) extra += division_cycles(kOp, a, b);
  }
  return true;
}

// One instruction, and then those that follow: each calls the next one itself, so that a processor's branch
// predictor tells them apart.
template <Op kOp, unsigned kLength>
Hart::Status Hart::row(Hart& hart, const Slot* slot, uint32_t left, uint64_t extra) {
  const Slot* next = slot + kLength / 2;
  const uint32_t a = hart.x_[slot->rs1];
  if constexpr (kOp == Op::kJal) {
    hart.x_[slot->rd] = hart.code_.address(next);
    next = slot + slot->imm;
    extra += slot->extra();
  } else if constexpr (kOp == Op::kJalr) {
    const uint32_t target = (a + static_cast<uint32_t>(slot->imm)) & ~1U;
    hart.x_[slot->rd] = hart.code_.address(next);
    next = hart.code_.slot(target);
    extra += costs::kTaken;
    if (next == nullptr) {
      hart.keep(slot, --left, extra);
      hart.pc_ = target;
      return Status::kRetired;
    }
  } else if constexpr (kOp == Op::kCustom) {
    hart.keep(slot, left, extra);
    const Status status =
        hart.issue(command_of(slot->imm, a, hart.x_[slot->rs2], hart.pc_), hart.x_[slot->rd]);
    if (status != Status::kRetired) return status;
    if (hart.ends_run_) {
      hart.keep(next, --left, extra);
      return status;
    }
  } else {
    uint32_t result = 0;
    if (!hart.perform<kOp>(slot, a, next, result, extra)) [[unlikely]] {
      [[clang::musttail]] return row_by_itself(hart, slot, left, extra);
    }
  }
  if (--left == 0) {
    hart.keep(next, left, extra);
    return Status::kRetired;
  }
  [[clang::musttail]] return kRows[Code::row(*next)](hart, next, left, extra);
}

// False: it has to be executed by itself, and nothing has happened.
bool Hart::set(Hart& hart, const Slot* slot) {
  const uint32_t a = hart.x_[slot->rs1];
  const uint32_t b = hart.x_[slot->rs2];
  if (!hart.environment_.set(unit_of(slot->imm), operation_of(slot->imm), a, b)) [[unlikely]]
    return false;
  hart.x_[slot->rd] = 0;
  return true;
}

Hart::Status Hart::row_that_sets(Hart& hart, const Slot* slot, uint32_t left, uint64_t extra) {
  if (!set(hart, slot)) [[unlikely]] {
    [[clang::musttail]] return row_by_itself(hart, slot, left, extra);
  }
  const Slot* const next = slot + 2;
  if (--left == 0) {
    hart.keep(next, left, extra);
    return Status::kRetired;
  }
  [[clang::musttail]] return kRows[Code::row(*next)](hart, next, left, extra);
}

// The second one of a chain finds what it needs where the first one has left it: what is stored in x_ takes
// the host long to load again.
template <size_t kPair, unsigned kFirstLength, unsigned kSecondLength>
Hart::Status Hart::row_of_pair(Hart& hart, const Slot* slot, uint32_t left, uint64_t extra) {
  constexpr Pair kBoth = kPairs[kPair];
  if (left == 1) [[unlikely]] {
    [[clang::musttail]] return row<kBoth.first, kFirstLength>(hart, slot, left, extra);
  }
  const Slot* const second = slot + kFirstLength / 2;
  const Slot* next = second + kSecondLength / 2;
  uint32_t result = 0;
  if (!hart.perform<kBoth.first>(slot, hart.x_[slot->rs1], next, result, extra)) [[unlikely]] {
    [[clang::musttail]] return row_by_itself(hart, slot, left, extra);
  }
  const uint32_t a = kBoth.chained ? result : hart.x_[second->rs1];
  if (!hart.perform<kBoth.second>(second, a, next, result, extra)) [[unlikely]] {
    [[clang::musttail]] return row_by_itself(hart, second, left - 1, extra);
  }
  left -= 2;
  if (left == 0) {
    hart.keep(next, left, extra);
    return Status::kRetired;
  }
  [[clang::musttail]] return kRows[Code::row(*next)](hart, next, left, extra);
}

Hart::Status Hart::undecoded_row(Hart& hart, const Slot* slot, uint32_t left, uint64_t extra) {
  hart.keep(slot, left, extra);
  if (!hart.code_.decode(hart.pc_, hart.failure_)) return hart.cannot_fetch();
  [[clang::musttail]] return kRows[Code::row(*slot)](hart, slot, left, extra);
}

Hart::Status Hart::row_that_counts(Hart& hart, const Slot* slot, uint32_t left, uint64_t extra) {
  const auto offset = [&](const auto& member) {
    return static_cast<uint32_t>(reinterpret_cast<uintptr_t>(&member) - reinterpret_cast<uintptr_t>(&hart));
  };
  const uint8_t row = hart.code_.count(slot, {.registers = offset(hart.x_),
                                              .local_memory = offset(hart.ldm_),
                                              .rows = kRows.data(),
                                              .by_itself = reinterpret_cast<const void*>(&row_by_itself),
                                              .set = reinterpret_cast<const void*>(&set)});
  [[clang::musttail]] return kRows[row](hart, slot, left, extra);
}

Hart::Status Hart::row_of_host_code(Hart& hart, const Slot* slot, uint32_t left, uint64_t extra) {
  const auto code = reinterpret_cast<uintptr_t>(hart.code_.host_code(*slot));
  [[clang::musttail]] return reinterpret_cast<Row>(code)(hart, slot, left, extra);
}

template <size_t... kOps, size_t... kNumbers>
constexpr auto Hart::rows(std::index_sequence<kOps...>, std::index_sequence<kNumbers...>) {
  std::array<Row, Slot::kRows> all{undecoded_row, row_by_itself};
  ((all[Slot::row_of(static_cast<Op>(kOps), 2)] = row<static_cast<Op>(kOps), 2>,
    all[Slot::row_of(static_cast<Op>(kOps), 4)] = row<static_cast<Op>(kOps), 4>),
   ...);
  all[Slot::kSets] = row_that_sets;
  all[Slot::kCounts] = row_that_counts;
  all[Slot::kHostCode] = row_of_host_code;
  ((all[Slot::row_of(kNumbers, 2, 2)] = row_of_pair<kNumbers, 2, 2>,
    all[Slot::row_of(kNumbers, 2, 4)] = row_of_pair<kNumbers, 2, 4>,
    all[Slot::row_of(kNumbers, 4, 2)] = row_of_pair<kNumbers, 4, 2>,
    all[Slot::row_of(kNumbers, 4, 4)] = row_of_pair<kNumbers, 4, 4>),
   ...);
  return all;
}

const std::array<Hart::Row, Slot::kRows> Hart::kRows =
    rows(std::make_index_sequence<kOpCount>(), std::make_index_sequence<kPairCount>());

Hart::Status Hart::run(uint64_t limit) {
  if (fault_.cause != Cause::kNone) return Status::kFault;
  if (limit == 0) return Status::kRetired;
  limit = std::min<uint64_t>(limit, ~uint32_t{0});
  left_ = static_cast<uint32_t>(limit);
  const Slot* const slot = code_.slot(pc_);
  if (slot != nullptr) return kRows[Code::row(*slot)](*this, slot, left_, 0);
  code_.decode(pc_, failure_);
  return cannot_fetch();
}

}  // namespace swai::iss::cpe
