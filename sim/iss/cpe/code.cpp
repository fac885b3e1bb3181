#include "sim/iss/cpe/code.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>

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

}  // namespace

Code::Code(CodeSource& source)
    : source_(source),
      slots_(reserve<Slot>(kHalves + 1)),
      halves_(reserve<uint16_t>(kHalves)),
      was_read_(reserve<bool>(kHalves / kHalvesOfLine)) {}

Code::~Code() {
  give_back(slots_, kHalves + 1);
  give_back(halves_, kHalves);
  give_back(was_read_, kHalves / kHalvesOfLine);
}

void Code::invalidate() {
  for (const uint32_t line : lines_) {
    std::fill_n(slots_ + line, kHalvesOfLine, Slot{});
    was_read_[line / kHalvesOfLine] = false;
  }
  lines_.clear();
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
  const Slot decoded = slot_of(cpe::decode(high << 16 | low), pc);
  slot.rd = decoded.rd;
  slot.rs1 = decoded.rs1;
  slot.rs2 = decoded.rs2;
  slot.imm = decoded.imm;
  __atomic_store_n(&slot.row, decoded.row, __ATOMIC_RELEASE);
  return true;
}

Insn Code::insn(uint32_t pc) const {
  const uint32_t index = (pc - kFirst) / 2;
  const uint32_t low = halves_[index];
  return cpe::decode((low & 3) == 3 ? uint32_t{halves_[index + 1]} << 16 | low : low);
}

Slot Code::slot_of(const Insn& insn, uint32_t pc) const {
  Slot slot{.row = Slot::row_of(insn.op, insn.length),
            .rd = insn.rd == 0 ? Slot::kNowhere : insn.rd,
            .rs1 = insn.rs1,
            .rs2 = insn.rs2,
            .imm = insn.imm};
  const auto target = pc + static_cast<uint32_t>(insn.imm);
  if (!has_row(insn.op)) {
    slot.row = Slot::kByItself;
  } else if (insn.op == Op::kAuipc) {
    slot.row = Slot::row_of(Op::kLui, insn.length);
    slot.imm = static_cast<int32_t>(target);
  } else if (insn.op == Op::kJal || (insn.op >= Op::kBeq && insn.op <= Op::kBgeu)) {
    slot.imm = insn.imm / 2;
    if (this->slot(target) == nullptr) slot.row = Slot::kByItself;
  }
  return slot;
}

}  // namespace swai::iss::cpe
