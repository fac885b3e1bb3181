// SPDX-License-Identifier: Apache-2.0
#include "verif/rtl/cpe/vector/vector_program.hpp"

#include <algorithm>
#include <iterator>

#include "sim/iss/cpe/fp32.hpp"
#include "sim/iss/cpe/units.hpp"

namespace swai::cpe {

using iss::cpe::Command;
using iss::cpe::kLdmBase;
using iss::cpe::kLdmBytes;
using namespace isa;

namespace {

constexpr uint32_t kHere = 48 * 1024, kThere = 96 * 1024;  // then reductions, and 8 KiB for those that leave

uint32_t bytes_of(uint32_t kind) {
  return static_cast<uint32_t>(iss::cpe::bytes_of(static_cast<number::Kind>(kind)));
}

}  // namespace

uint32_t random_fp32(verif::Random& random) {
  static constexpr uint32_t kOnes[] = {0,          0x80000000, 0x3f800000, 0xbf800000, 0x7f800000,
                                       0xff800000, 0x7fc00000, 0x00000001, 0x807fffff, 0x00800000,
                                       0x7f7fffff, 0x4f000000, 0xcf000000, 0x42fe0000};
  const auto bits = static_cast<uint32_t>(random.next());
  switch (random.below(8)) {
    case 0:
      return kOnes[random.below(std::size(kOnes))];
    case 1:
      return bits;
    case 2:  // small integers
      return 0x40000000 + (bits & 0x807c0000);
    default:  // numbers between 2^-16 and 2^16
      return (bits & 0x807fffff) | static_cast<uint32_t>(random.between(111, 143)) << 23;
  }
}

void VectorProgram::push(uint8_t op, uint32_t rs1, uint32_t rs2) {
  pc_ += 4;
  queue_.push_back({.unit = iss::cpe::unit::kVector, .op = op, .rs1 = rs1, .rs2 = rs2, .pc = pc_});
}

Command VectorProgram::next() {
  while (queue_.empty()) {
    if (random_.chance(options_.bad_percent)) {
      plan_bad();
    } else {
      plan_run();
    }
  }
  const Command command = queue_.front();
  queue_.pop_front();
  return command;
}

uint32_t VectorProgram::how(uint32_t kind, const Place& place, uint32_t modifiers) {
  return (static_cast<uint32_t>(place.stride) & 0x3ffff) | place.number << 18 | kind << 20 | modifiers << 22;
}

// Somewhere in the area, with rows that follow each other upwards or downwards, or all at the same place.
VectorProgram::Place VectorProgram::place(const Area& area, bool scalar, uint32_t elements, uint32_t rows) {
  Place place{.number = static_cast<uint32_t>(random_.below(4))};
  const uint32_t unit = bytes_of(place.number) * (scalar ? 1 : 8);
  const uint32_t row = scalar ? unit : (elements + 7) / 8 * unit;
  const uint32_t room = area.end - area.begin - row;
  uint32_t stride = 0;
  if (rows > 1) {
    stride = random_.chance(60) ? row : static_cast<uint32_t>(random_.below(2 * row + 64)) / unit * unit;
    stride = std::min(stride, room / (rows - 1) / unit * unit);
  }
  const uint32_t extent = stride * (rows - 1);
  place.at = area.begin + static_cast<uint32_t>(random_.below((room - extent) / unit + 1)) * unit;
  place.stride = static_cast<int32_t>(stride);
  if (random_.chance(25)) {
    place.at += extent;
    place.stride = -place.stride;
  }
  return place;
}

// Beyond the upper end sooner or later, or below the lower end, where that is free.
VectorProgram::Place VectorProgram::overrun(bool scalar, bool below) {
  Place place{.number = static_cast<uint32_t>(random_.below(4))};
  const uint32_t unit = bytes_of(place.number) * (scalar ? 1 : 8);
  place.at = kLdmBytes - static_cast<uint32_t>(random_.between(1, 24)) * unit;
  place.stride = static_cast<int32_t>(random_.between(1, 12) * unit);
  if (below && random_.chance(50)) {
    place.at = static_cast<uint32_t>(random_.below(20)) * unit;
    place.stride = -place.stride;
  }
  return place;
}

void VectorProgram::plan_run() {
  const bool turns = random_.chance(20);
  if (turns) backwards_ = !backwards_;
  const Area source = backwards_ ? Area{kHere, kThere} : Area{0, kHere};
  const Area target = backwards_ ? Area{0, kHere} : Area{kHere, kThere};
  const bool leaves = random_.chance(options_.overrun_percent);
  const bool in_place = !leaves && random_.chance(10);
  const bool overlap = !turns && !in_place && random_.chance(80);

  auto rows = static_cast<uint32_t>(random_.chance(50) ? 1 : random_.between(1, 12));
  uint32_t groups = static_cast<uint32_t>(random_.between(1, std::max(1U, options_.groups / rows)));
  if (random_.chance(20)) groups = static_cast<uint32_t>(random_.between(1, 3));
  if (leaves) {
    rows = static_cast<uint32_t>(random_.between(24, 40));
    groups = static_cast<uint32_t>(random_.between(1, 4));
  }
  const uint32_t elements = 8 * groups - static_cast<uint32_t>(random_.chance(50) ? 0 : random_.below(8));
  push(vector_op::kSize, elements, rows);

  const auto op = static_cast<uint32_t>(random_.below(8));
  const unsigned victim = leaves ? static_cast<unsigned>(random_.below(5)) : 9;  // a, b, c, result, reduction
  std::array<Place, 3> places;
  for (uint8_t i = 0; i < 3; ++i) {
    const auto modifiers = static_cast<uint32_t>(random_.chance(60) ? 0 : random_.below(4));
    uint32_t kind = random_.chance(70) ? operand_kind::kVector : static_cast<uint32_t>(random_.below(3));
    if (victim == i && kind == operand_kind::kValue) kind = operand_kind::kVector;
    if (in_place && i == 0) kind = operand_kind::kVector;
    const bool scalar = kind == operand_kind::kScalar;
    Place& at = places[i];
    at = victim == i ? overrun(scalar, !backwards_) : place(source, scalar, elements, rows);
    if (in_place && i == 0) {
      at = place(target, false, elements, 1);
      at.stride = static_cast<int32_t>(groups * 8 * bytes_of(at.number));
      if (at.at + static_cast<uint32_t>(at.stride) * rows > target.end) at.at = target.begin;
    }
    if (kind == operand_kind::kValue) {
      push(i, random_fp32(random_), how(kind, at, modifiers));
    } else {
      push(i, kLdmBase + at.at, how(kind, at, modifiers));
    }
  }

  const auto reduce = static_cast<uint32_t>(random_.chance(50) && victim != 4 ? 0 : random_.between(1, 3));
  const bool stored = reduce == 0 || victim == 3 || random_.chance(70);
  Place result = victim == 3 ? overrun(false, backwards_) : place(target, false, elements, rows);
  if (in_place) result = places[0];
  push(vector_op::kResult, kLdmBase + result.at,
       how(stored ? operand_kind::kVector : operand_kind::kNone, result, 0));
  if (reduce != 0) {
    Place sums = {.at = kThere + 4 * static_cast<uint32_t>(random_.below(1000)),
                  .stride = 4 * static_cast<int32_t>(random_.below(20))};
    if (random_.chance(20)) sums = {.at = kThere + 8000, .stride = -sums.stride};
    if (victim == 4)
      sums = {.at = kLdmBytes - static_cast<uint32_t>(random_.between(1, 20)) * 4, .stride = 4};
    push(vector_op::kReduce, kLdmBase + sums.at, static_cast<uint32_t>(sums.stride));
  }

  const auto special = static_cast<uint32_t>(random_.chance(60) ? 0 : random_.between(1, 4));
  push(vector_op::kRun, op | special << 3 | reduce << 6 | (overlap ? 1U : 0U) << 8,
       static_cast<uint32_t>(random_.next()));
  ++runs_;
  over_ = over_ || leaves;
  if (!leaves && random_.chance(options_.wait_percent)) {
    const uint32_t ticket = runs_ - static_cast<uint32_t>(random_.chance(60) ? 0 : random_.below(runs_ + 1));
    const bool poll = random_.chance(50);
    push(poll ? vector_op::kPoll : vector_op::kWait, ticket + (poll && random_.chance(20) ? 1 : 0), 0);
  }
}

// A command that may well be refused: one or a few bits are wrong. Only settings that a run sets again, and
// runs that do not make sense.
void VectorProgram::plan_bad() {
  switch (random_.below(6)) {
    case 0:
      push(static_cast<uint8_t>(random_.chance(50) ? random_.between(6, 15) : random_.between(19, 127)),
           static_cast<uint32_t>(random_.next()), static_cast<uint32_t>(random_.next()));
      break;
    case 1:  // reserved bits, special functions that are not there
      push(vector_op::kRun,
           random_.chance(50) ? static_cast<uint32_t>(random_.between(5, 7)) << 3
                              : uint32_t{1} << random_.between(9, 31),
           0);
      break;
    case 2:
      push(vector_op::kSize, static_cast<uint32_t>(random_.chance(50) ? 0 : random_.next() | 0x10000), 1);
      push(vector_op::kSize, 1, static_cast<uint32_t>(random_.chance(50) ? 0 : random_.next() | 0x10000));
      break;
    case 3:
      push(vector_op::kReduce, kLdmBase + static_cast<uint32_t>(random_.below(kLdmBytes)),
           static_cast<uint32_t>(random_.number()));
      break;
    default: {
      uint32_t address = kLdmBase + static_cast<uint32_t>(random_.below(kLdmBytes / 32)) * 32;
      uint32_t how = static_cast<uint32_t>(random_.next()) & 0xffffe0;
      if (random_.chance(30)) address ^= uint32_t{1} << random_.below(32);
      if (random_.chance(30)) how ^= uint32_t{1} << random_.below(32);
      push(static_cast<uint8_t>(random_.below(4)), address, how);
    }
  }
}

}  // namespace swai::cpe
