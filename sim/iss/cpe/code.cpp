// SPDX-License-Identifier: Apache-2.0
#include "sim/iss/cpe/code.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "sim/iss/cpe/costs.hpp"
#include "sim/iss/cpe/units.hpp"

namespace swai::iss::cpe {

namespace {

template <typename T>
T* reserve(size_t count) {
  void* const memory = ::mmap(nullptr, count * sizeof(T), PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  return static_cast<T*>(memory);
}

template <typename T>
void give_back(T* memory, size_t count) {
  ::munmap(memory, count * sizeof(T));
}

// What a hart does without looking at anything but its registers, local memory and the slot.
constexpr bool has_row(Op op) { return (op > Op::kIllegal && op < Op::kBreak) || op == Op::kCustom; }

constexpr bool is_branch(Op op) { return op >= Op::kBeq && op <= Op::kBgeu; }
constexpr bool is_load(Op op) { return op >= Op::kLb && op <= Op::kLhu; }

// Does it read the register?
constexpr bool reads(const Insn& insn, uint8_t number) {
  if (number == 0) return false;
  const bool upper = insn.op == Op::kLui || insn.op == Op::kAuipc || insn.op == Op::kJal;
  const bool both = is_branch(insn.op) || (insn.op >= Op::kSb && insn.op <= Op::kSw) ||
                    (insn.op >= Op::kAdd && insn.op <= Op::kRemu) || insn.op == Op::kCustom;
  return (!upper && insn.rs1 == number) || (both && insn.rs2 == number);
}

constexpr bool commutes(Op op) {
  return op == Op::kAdd || op == Op::kXor || op == Op::kOr || op == Op::kAnd || op == Op::kMul;
}

// What the first one computes becomes the first operand of the one behind it, if it is the second one.
void chain(const Slot& first, Slot& second) {
  if (second.row < Slot::kFirstRow || !commutes(Slot::op_of(second.row))) return;
  if (second.rs2 == first.rd) std::swap(second.rs1, second.rs2);
}

// The first one's row becomes that of both, if there is such a pair.
void pair_up(Slot& first, unsigned first_length, const Slot& second) {
  if (second.row < Slot::kFirstRow) return;
  const Op one = Slot::op_of(first.row);
  const Op other = Slot::op_of(second.row);
  const unsigned second_length = Slot::row_of(other, 2) == second.row ? 2 : 4;
  for (const bool chained : {second.rs1 == first.rd, false}) {
    for (size_t n = 0; n < kPairCount; ++n) {
      const Pair& pair = kPairs[n];
      if (pair.first != one || pair.second != other || pair.chained != chained) continue;
      return __atomic_store_n(&first.row, Slot::row_of(n, first_length, second_length), __ATOMIC_RELEASE);
    }
  }
}

}  // namespace

Code::Code(CodeSource& source)
    : source_(source),
      slots_(reserve<Slot>(kHalves + 1)),
      halves_(reserve<uint16_t>(kHalves)),
      was_read_(reserve<bool>(kHalves / kHalvesOfLine)),
      was_entered_(reserve<bool>(kHalves / kHalvesOfLine)),
      places_(reserve<Place>(kHalves + 1)),
      leads_(reserve<Lead>(kMostLeads + 1)) {}

Code::~Code() {
  give_back(slots_, kHalves + 1);
  give_back(halves_, kHalves);
  give_back(was_read_, kHalves / kHalvesOfLine);
  give_back(was_entered_, kHalves / kHalvesOfLine);
  give_back(places_, kHalves + 1);
  give_back(leads_, kMostLeads + 1);
}

void Code::invalidate() {
  for (const uint32_t line : lines_) {
    std::fill_n(slots_ + line, kHalvesOfLine, Slot{});
    was_read_[line / kHalvesOfLine] = false;
  }
  lines_.clear();
  for (const uint32_t line : entered_) was_entered_[line] = false;
  entered_.clear();
  told_ = 0;
  for (uint32_t number = 1; number <= lead_count_; ++number) places_[leads_[number].index] = {};
  lead_count_ = 0;
  host_.forget();
}

bool Code::half(uint32_t address, uint32_t& bits, Failure& failure) {
  const uint32_t index = (address - kFirst) / 2;
  failure = {Cause::kVacant, address};
  if (index >= kHalves) return false;
  if (!was_read_[index / kHalvesOfLine]) {
    uint8_t bytes[2 * kHalvesOfLine];
    failure.cause = source_.fetch(address & ~63U, bytes);
    if (failure.cause != Cause::kNone) return false;
    const uint32_t first = index & ~(kHalvesOfLine - 1);
    std::memcpy(halves_ + first, bytes, sizeof bytes);
    was_read_[index / kHalvesOfLine] = true;
    lines_.push_back(first);
  }
  bits = halves_[index];
  return true;
}

bool Code::decode(uint32_t pc, Failure& failure) {
  const std::lock_guard lock(decoding_);
  uint32_t low = 0;
  uint32_t high = 0;
  if (!half(pc, low, failure)) return false;
  if ((low & 3) == 3 && !half(pc + 2, high, failure)) return false;
  Slot& slot = slots_[(pc - kFirst) / 2];
  if (slot.row != Slot::kUndecoded) return true;  // by another thread
  const uint32_t line = (pc - kFirst) / 2 / kHalvesOfLine;
  if (!std::exchange(was_entered_[line], true)) entered_.push_back(line);
  Slot decoded = slot_of(cpe::decode(high << 16 | low), pc);
  for (const unsigned length : {2u, 4u}) {
    if (const Slot* const first = before(slot, length)) chain(*first, decoded);
  }
  slot.rd = decoded.rd;
  slot.rs1 = decoded.rs1;
  slot.rs2 = decoded.rs2;
  slot.imm = decoded.imm;
  __atomic_store_n(&slot.row, decoded.row, __ATOMIC_RELEASE);
  for (const unsigned length : {2u, 4u}) {
    if (Slot* const first = before(slot, length)) pair_up(*first, length, slot);
  }
  if (const uint32_t number = places_[&slot - slots_].lead; number != 0) begin_to_count(slot, leads_[number]);
  if (decoded.row < Slot::kFirstRow) return true;
  const Op op = Slot::op_of(decoded.row);
  if (op == Op::kJal || is_branch(op)) mark(&slot + decoded.imm);
  return true;
}

void Code::begin_to_count(Slot& slot, Lead& lead) {
  lead.row = slot.row;
  __atomic_store_n(&slot.row, Slot::kCounts, __ATOMIC_RELEASE);
}

void Code::mark(const Slot* slot) {
  const auto index = static_cast<uint32_t>(slot - slots_);
  if (!host_.available() || places_[index].lead != 0 || lead_count_ == kMostLeads) return;
  Lead& lead = leads_[++lead_count_];
  lead = {.index = index};
  places_[index].lead = lead_count_;
  // Else when it is decoded.
  if (slot->row >= Slot::kFirstRow) begin_to_count(slots_[index], lead);
}

uint8_t Code::count(const Slot* slot, const HostCode::Hart& hart) {
  Place& place = places_[slot - slots_];
  Lead& lead = leads_[place.lead];
  if (__atomic_add_fetch(&lead.times, 1, __ATOMIC_RELAXED) != kOften) return lead.row;
  const std::lock_guard lock(decoding_);
  lead.code = host_.make(slot, hart,
                         {.row = [this](const Slot& it) { return plain_row(it); },
                          .address = [this](const Slot* it) { return address(it); },
                          .mark = [this](const Slot* it) { mark(it); },
                          .code =
                              [this](const Slot* it) {
                                const uint32_t number = places_[it - slots_].lead;
                                return number == 0 ? nullptr : &leads_[number].code;
                              }});
  if (lead.code != nullptr) place.host_code = host_.offset(lead.code);
  const uint8_t row = lead.code != nullptr ? Slot::kHostCode : lead.row;
  __atomic_store_n(&slots_[lead.index].row, row, __ATOMIC_RELEASE);
  return row;
}

Slot* Code::before(const Slot& slot, unsigned length) {
  const auto index = static_cast<size_t>(&slot - slots_);
  if (index < length / 2) return nullptr;
  Slot& first = slots_[index - length / 2];
  if (first.row == Slot::kCounts || first.row == Slot::kHostCode) return nullptr;
  const bool is_one = first.row >= Slot::kFirstRow && first.row < Slot::kFirstPair;
  return is_one && Slot::row_of(Slot::op_of(first.row), length) == first.row ? &first : nullptr;
}

Insn Code::insn(uint32_t pc) const {
  const uint32_t index = (pc - kFirst) / 2;
  const uint32_t low = halves_[index];
  return cpe::decode((low & 3) == 3 ? uint32_t{halves_[index + 1]} << 16 | low : low);
}

std::span<const uint32_t> Code::take_entered() {
  const auto lines = std::span(entered_).subspan(told_);
  std::ranges::sort(lines);
  told_ = entered_.size();
  return lines;
}

Insn Code::look(uint32_t pc) {
  uint32_t bits = 0;
  for (unsigned n = 0; n < 2; ++n) {
    const uint32_t index = (pc - kFirst) / 2 + n;
    if (index >= kHalves) return {};
    uint16_t half = halves_[index];
    if (!was_read_[index / kHalvesOfLine]) {
      uint8_t line[2 * kHalvesOfLine];
      const uint32_t address = kFirst + 2 * index;
      if (source_.fetch(address & ~63U, line) != Cause::kNone) return {};
      std::memcpy(&half, line + address % 64, sizeof half);
    }
    bits |= uint32_t{half} << 16 * n;
    if ((bits & 3) != 3) break;
  }
  return cpe::decode(bits);
}

uint8_t Code::taken_cycles(uint32_t target) {
  const bool across = target % 8 == 6 && look(target).length == 4;
  return across ? costs::kTakenAcross : costs::kTaken;
}

Slot Code::slot_of(const Insn& insn, uint32_t pc) {
  Slot slot{.row = Slot::row_of(insn.op, insn.length),
            .rd = insn.rd == 0 ? Slot::kNowhere : insn.rd,
            .rs1 = insn.rs1,
            .rs2 = insn.rs2,
            .imm = insn.imm};
  const auto target = pc + static_cast<uint32_t>(insn.imm);
  if (is_load(insn.op)) slot.rs2 = reads(look(pc + insn.length), insn.rd) ? costs::kLoadUse : 0;
  if (!has_row(insn.op)) {
    slot.row = Slot::kByItself;
  } else if (insn.op == Op::kAuipc) {
    slot.row = Slot::row_of(Op::kLui, insn.length);
    slot.imm = static_cast<int32_t>(target);
  } else if (insn.op == Op::kJal || is_branch(insn.op)) {
    slot.imm = insn.imm / 2;
    if (this->slot(target) == nullptr) slot.row = Slot::kByItself;
    (insn.op == Op::kJal ? slot.rs2 : slot.rd) = taken_cycles(target);
  } else if (insn.op == Op::kCustom && only_sets(unit_of(insn.imm), operation_of(insn.imm))) {
    slot.row = Slot::kSets;
  }
  return slot;
}

}  // namespace swai::iss::cpe
