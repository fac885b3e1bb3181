// SPDX-License-Identifier: Apache-2.0
#include "sim/iss/cpe/host_code.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <initializer_list>
#include <vector>

#include "sim/iss/cpe/fault.hpp"
#include "sim/iss/cpe/slot.hpp"

namespace swai::iss::cpe {

namespace {

constexpr size_t kCapacity = size_t{32} << 20;
constexpr unsigned kMost = 64;   // instructions of a block
constexpr unsigned kFewest = 3;  // fewer are faster in their rows

// Registers of the host. As a row is called: rdi is the hart, rsi the slot, edx what is left, rcx the extra
// cycles. In a block rsi is local memory, and eax what is being computed.
enum Register : uint8_t { kAx = 0, kCx = 1, kDx = 2, kSi = 6, kDi = 7, kFirstFree = 8 };
constexpr unsigned kFree = 4;  // r8 to r11

// Codes of conditions, of jumps and of `setcc`.
enum Condition : uint8_t {
  kBelow = 2,
  kNotBelow = 3,
  kEqual = 4,
  kNotEqual = 5,
  kNotAbove = 6,
  kAbove = 7,
  kLess = 12,
  kNotLess = 13
};

class Writer {
 public:
  size_t at() const { return bytes_.size(); }
  const std::vector<uint8_t>& bytes() const { return bytes_; }

  void put(std::initializer_list<uint8_t> bytes) { bytes_.insert(bytes_.end(), bytes); }
  template <typename T>
  void number(T value) {
    uint8_t raw[sizeof value];
    std::memcpy(raw, &value, sizeof value);
    bytes_.insert(bytes_.end(), raw, raw + sizeof value);
  }
  void word(uint32_t value) { number(value); }
  // An operation on a register, and one that may be in memory.
  void pair(std::initializer_list<uint8_t> operation, uint8_t reg, uint8_t other, bool wide = false) {
    prefix(wide, reg, other);
    put(operation);
    put({static_cast<uint8_t>(0xC0 | (reg & 7) << 3 | (other & 7))});
  }
  // With a word of memory at a hart's offset.
  void hart_word(uint8_t operation, uint8_t reg, uint32_t offset, bool wide = false) {
    prefix(wide, reg, kDi);
    put({operation, static_cast<uint8_t>(0x80 | (reg & 7) << 3 | kDi)});
    word(offset);
  }
  // With local memory at eax.
  void local(std::initializer_list<uint8_t> operation, uint8_t reg) {
    prefix(false, reg, kSi);
    put(operation);
    put({static_cast<uint8_t>(0x04 | (reg & 7) << 3), kSi});
  }
  void move(uint8_t to, uint8_t from) { pair({0x8B}, to, from); }
  void set(uint8_t to, uint32_t value) {
    prefix(false, 0, to);
    put({static_cast<uint8_t>(0xB8 | (to & 7))});
    word(value);
  }
  void set_pointer(uint8_t to, const void* value) {
    prefix(true, 0, to);
    put({static_cast<uint8_t>(0xB8 | (to & 7))});
    number(reinterpret_cast<uint64_t>(value));
  }
  // One of add 0, or 1, and 4, sub 5, xor 6, cmp 7.
  void immediate(uint8_t which, uint8_t to, uint32_t value, bool wide = false) {
    prefix(wide, 0, to);
    put({0x81, static_cast<uint8_t>(0xC0 | which << 3 | (to & 7))});
    word(value);
  }
  // eax = the register + a number.
  void sum(uint8_t reg, uint32_t value) {
    prefix(false, kAx, reg);
    put({0x8D, static_cast<uint8_t>(0x80 | (reg & 7))});
    word(value);
  }
  // eax = 1 or 0.
  void truth(Condition condition) {
    put({0x0F, static_cast<uint8_t>(0x90 | condition), 0xC0, 0x0F, 0xB6, 0xC0});
  }
  // Of eax: left 4, right 5, arithmetic 7.
  void shift(uint8_t which, uint32_t by, bool wide = false) {
    prefix(wide, 0, kAx);
    put({0xC1, static_cast<uint8_t>(0xC0 | which << 3), static_cast<uint8_t>(by)});
  }
  // eax = a shifted by b, modulo 32; 1: left, 2: arithmetic, 3: right (BMI2).
  void shift_by(uint8_t which, uint8_t a, uint8_t b) {
    put({0xC4, static_cast<uint8_t>(0xC2 | (a < 8 ? 0x20 : 0)), static_cast<uint8_t>((~b & 15) << 3 | which),
         0xF7, static_cast<uint8_t>(0xC0 | (a & 7))});
  }
  // A jump whose target is told later; returns where.
  size_t jump(Condition condition) {
    put({0x0F, static_cast<uint8_t>(0x80 | condition)});
    word(0);
    return at();
  }
  void lead(size_t jump, size_t target) { change(jump, static_cast<uint32_t>(target - jump)); }
  // The word that ends there.
  void change(size_t end, uint32_t value) { std::memcpy(&bytes_[end - sizeof value], &value, sizeof value); }

 private:
  void prefix(bool wide, uint8_t reg, uint8_t other) {
    put({static_cast<uint8_t>(0x40 | wide << 3 | (reg >> 3) << 2 | other >> 3)});
  }

  std::vector<uint8_t> bytes_;
};

class Maker {
 public:
  Maker(const Slot* first, const HostCode::Hart& hart, const HostCode::Source& source)
      : first_(first), hart_(hart), source_(source) {
    out_.immediate(7, kDx, 0);
    most_ = out_.at();
    too_few_left_ = out_.jump(kNotAbove);
    out_.hart_word(0x8B, kSi, hart.local_memory, true);
    again_ = out_.at();
  }

  // False: it is not worth it.
  bool make() {
    const Slot* slot = first_;
    for (uint8_t row = source_.row(*slot); done_ < kMost; row = source_.row(*slot)) {
      if (row < Slot::kFirstRow) break;
      const Slot* next = slot + Slot::length_of(row) / 2;
      if (!(row == Slot::kSets ? set(slot) : translate(Slot::op_of(row), slot, next))) {
        source_.mark(next);
        break;
      }
      ++done_;
      slot = next;
    }
    if (done_ < kFewest) return false;
    if (done_ == kMost || source_.row(*slot) == Slot::kUndecoded) source_.mark(slot);
    leave({.jump = 0, .slot = slot, .done = done_, .extra = extra_});
    for (const Exit& exit : exits_) {
      out_.lead(exit.jump, out_.at());
      leave(exit);
    }
    out_.change(most_, done_);
    out_.lead(too_few_left_, out_.at());
    out_.set_pointer(11, static_cast<const void* const*>(hart_.rows) + source_.row(*first_));
    out_.put({0x41, 0xFF, 0x23});  // jmp [r11]
    return true;
  }
  const std::vector<uint8_t>& bytes() const { return out_.bytes(); }

 private:
  // A way out of the block: to a slot, after so many instructions and cycles beyond one for each.
  struct Exit {
    size_t jump = 0;
    const Slot* slot = nullptr;
    unsigned done = 0;
    uint32_t extra = 0;
    bool by_itself = false;
  };

  void leave(const Exit& exit) {
    out_.immediate(5, kDx, exit.done);
    if (exit.extra != 0) out_.immediate(0, kCx, exit.extra, true);
    if (exit.slot == first_ && !exit.by_itself) {
      out_.immediate(7, kDx, done_);
      out_.lead(out_.jump(kAbove), again_);
    }
    out_.set_pointer(kSi, exit.slot);
    if (exit.by_itself) {
      out_.set_pointer(kAx, hart_.by_itself);
      out_.put({0xFF, 0xE0});  // jmp rax
      return;
    }
    // To another block without asking anybody.
    if (const void* const* const code = source_.code(exit.slot)) {
      out_.put({0x80, 0x3E, Slot::kHostCode});  // cmp byte [rsi], ...
      const size_t other = out_.jump(kNotEqual);
      out_.set_pointer(kAx, code);
      out_.put({0xFF, 0x20});  // jmp [rax]
      out_.lead(other, out_.at());
    }
    out_.put({0x0F, 0xB6, 0x06});  // movzx eax, byte [rsi]
    out_.set_pointer(11, hart_.rows);
    out_.put({0x41, 0xFF, 0x24, 0xC3});  // jmp [r11 + 8 rax]
  }

  // --- registers of the hart, of which copies are in those of the host
  uint32_t place(uint8_t number) const { return hart_.registers + 4 * number; }
  uint8_t copy(uint8_t number, uint8_t but = kAx) {
    if (kFirstFree + turn_ == but) turn_ = (turn_ + 1) % kFree;
    holds_[turn_] = number;
    const auto reg = static_cast<uint8_t>(kFirstFree + turn_);
    turn_ = (turn_ + 1) % kFree;
    return reg;
  }
  // `but`: a register of the host that is still needed.
  uint8_t read(uint8_t number, uint8_t but = kAx) {
    for (unsigned i = 0; i < kFree; ++i) {
      if (holds_[i] == number) return static_cast<uint8_t>(kFirstFree + i);
    }
    const uint8_t reg = copy(number, but);
    out_.hart_word(0x8B, reg, place(number));
    return reg;
  }
  // It becomes eax.
  void write(uint8_t number) {
    if (number == Slot::kNowhere) return;
    for (uint8_t& held : holds_) {
      if (held == number) held = Slot::kNowhere;
    }
    out_.hart_word(0x89, kAx, place(number));
    out_.move(copy(number), kAx);
  }

  // eax = the offset in local memory; elsewhere the instruction is executed by itself.
  void find(const Slot* slot, uint32_t bytes, uint8_t but = kAx) {
    out_.sum(read(slot->rs1, but), static_cast<uint32_t>(slot->imm) - kLdmBase);
    out_.put({0xA9});  // test eax, ...
    out_.word(~(kLdmBytes - bytes));
    exits_.push_back(
        {.jump = out_.jump(kNotEqual), .slot = slot, .done = done_, .extra = extra_, .by_itself = true});
  }
  bool load(const Slot* slot, uint32_t bytes, std::initializer_list<uint8_t> operation) {
    find(slot, bytes);
    out_.local(operation, kAx);
    write(slot->rd);
    extra_ += slot->extra();
    return true;
  }
  bool store(const Slot* slot, uint32_t bytes) {
    const uint8_t value = read(slot->rs2);
    find(slot, bytes, value);
    if (bytes == 2) out_.put({0x66});
    out_.local({static_cast<uint8_t>(bytes == 1 ? 0x88 : 0x89)}, value);
    return true;
  }
  bool branch(const Slot* slot, Condition condition) {
    const uint8_t a = read(slot->rs1);
    out_.pair({0x3B}, a, read(slot->rs2, a));
    exits_.push_back({.jump = out_.jump(condition),
                      .slot = slot + slot->imm,
                      .done = done_ + 1,
                      .extra = extra_ + slot->extra_of_branch()});
    return true;
  }
  bool compute(const Slot* slot, std::initializer_list<uint8_t> operation) {
    const uint8_t a = read(slot->rs1);
    const uint8_t b = read(slot->rs2, a);
    out_.move(kAx, a);
    out_.pair(operation, kAx, b);
    write(slot->rd);
    return true;
  }
  bool compute_immediate(const Slot* slot, uint8_t which) {
    out_.move(kAx, read(slot->rs1));
    out_.immediate(which, kAx, static_cast<uint32_t>(slot->imm));
    write(slot->rd);
    return true;
  }
  bool shift(const Slot* slot, uint8_t which) {
    out_.move(kAx, read(slot->rs1));
    out_.shift(which, static_cast<uint32_t>(slot->imm));
    write(slot->rd);
    return true;
  }
  bool shift_by(const Slot* slot, uint8_t which) {
    const uint8_t a = read(slot->rs1);
    out_.shift_by(which, a, read(slot->rs2, a));
    write(slot->rd);
    return true;
  }
  bool is_less(const Slot* slot, Condition condition) {
    const uint8_t a = read(slot->rs1);
    out_.pair({0x3B}, a, read(slot->rs2, a));
    out_.truth(condition);
    write(slot->rd);
    return true;
  }
  bool is_less_than_immediate(const Slot* slot, Condition condition) {
    out_.immediate(7, read(slot->rs1), static_cast<uint32_t>(slot->imm));
    out_.truth(condition);
    write(slot->rd);
    return true;
  }

  // The stack is as a function finds it, so three words more are what a call wants.
  bool set(const Slot* slot) {
    out_.put({0x57, 0x52, 0x51});  // push rdi, rdx, rcx
    out_.set_pointer(kSi, slot);
    out_.set_pointer(kAx, hart_.set);
    out_.put({0xFF, 0xD0});        // call rax
    out_.put({0x59, 0x5A, 0x5F});  // pop rcx, rdx, rdi
    out_.hart_word(0x8B, kSi, hart_.local_memory, true);
    holds_.fill(Slot::kNowhere);
    out_.put({0x84, 0xC0});  // test al, al
    exits_.push_back(
        {.jump = out_.jump(kEqual), .slot = slot, .done = done_, .extra = extra_, .by_itself = true});
    return true;
  }
  // False: it cannot be done here.
  bool translate(Op op, const Slot* slot, const Slot*& next) {
    switch (op) {
      case Op::kLui:
        out_.set(kAx, static_cast<uint32_t>(slot->imm));
        write(slot->rd);
        return true;
      case Op::kJal:
        if (slot->rd != Slot::kNowhere) {
          source_.mark(next);
          out_.set(kAx, source_.address(next));
          write(slot->rd);
        }
        next = slot + slot->imm;
        extra_ += slot->extra();
        return true;
      case Op::kBeq:
        return branch(slot, kEqual);
      case Op::kBne:
        return branch(slot, kNotEqual);
      case Op::kBlt:
        return branch(slot, kLess);
      case Op::kBge:
        return branch(slot, kNotLess);
      case Op::kBltu:
        return branch(slot, kBelow);
      case Op::kBgeu:
        return branch(slot, kNotBelow);
      case Op::kLb:
        return load(slot, 1, {0x0F, 0xBE});
      case Op::kLbu:
        return load(slot, 1, {0x0F, 0xB6});
      case Op::kLh:
        return load(slot, 2, {0x0F, 0xBF});
      case Op::kLhu:
        return load(slot, 2, {0x0F, 0xB7});
      case Op::kLw:
        return load(slot, 4, {0x8B});
      case Op::kSb:
        return store(slot, 1);
      case Op::kSh:
        return store(slot, 2);
      case Op::kSw:
        return store(slot, 4);
      case Op::kAddi:
        out_.sum(read(slot->rs1), static_cast<uint32_t>(slot->imm));
        write(slot->rd);
        return true;
      case Op::kSlti:
        return is_less_than_immediate(slot, kLess);
      case Op::kSltiu:
        return is_less_than_immediate(slot, kBelow);
      case Op::kXori:
        return compute_immediate(slot, 6);
      case Op::kOri:
        return compute_immediate(slot, 1);
      case Op::kAndi:
        return compute_immediate(slot, 4);
      case Op::kSlli:
        return shift(slot, 4);
      case Op::kSrli:
        return shift(slot, 5);
      case Op::kSrai:
        return shift(slot, 7);
      case Op::kAdd:
        return compute(slot, {0x03});
      case Op::kSub:
        return compute(slot, {0x2B});
      case Op::kSll:
        return shift_by(slot, 1);
      case Op::kSra:
        return shift_by(slot, 2);
      case Op::kSrl:
        return shift_by(slot, 3);
      case Op::kSlt:
        return is_less(slot, kLess);
      case Op::kSltu:
        return is_less(slot, kBelow);
      case Op::kXor:
        return compute(slot, {0x33});
      case Op::kOr:
        return compute(slot, {0x0B});
      case Op::kAnd:
        return compute(slot, {0x23});
      case Op::kMul:
        return compute(slot, {0x0F, 0xAF});
      case Op::kFence:
        return true;
      default:
        return false;
    }
  }

  const Slot* const first_;
  const HostCode::Hart& hart_;
  const HostCode::Source& source_;
  Writer out_;
  size_t most_ = 0;  // where the number of its instructions stands, which `left` has to exceed
  size_t too_few_left_ = 0;
  size_t again_ = 0;  // where it begins once more
  std::array<uint8_t, kFree> holds_{Slot::kNowhere, Slot::kNowhere, Slot::kNowhere, Slot::kNowhere};
  unsigned turn_ = 0;
  std::vector<Exit> exits_;
  unsigned done_ = 0;
  uint32_t extra_ = 0;
};

bool host_can() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("bmi2");
#else
  return false;
#endif
}

}  // namespace

HostCode::HostCode() {
  if (!host_can()) return;
  const int memory = ::memfd_create("swai-host-code", MFD_CLOEXEC);
  if (memory < 0) return;
  if (::ftruncate(memory, kCapacity) == 0) {
    const auto map = [memory](int access) {
      void* const mapped = ::mmap(nullptr, kCapacity, access, MAP_SHARED, memory, 0);
      return mapped == MAP_FAILED ? nullptr : static_cast<uint8_t*>(mapped);
    };
    writable_ = map(PROT_READ | PROT_WRITE);
    executable_ = writable_ == nullptr ? nullptr : map(PROT_READ | PROT_EXEC);
  }
  ::close(memory);
}

HostCode::~HostCode() {
  if (writable_ != nullptr) ::munmap(writable_, kCapacity);
  if (executable_ != nullptr) ::munmap(executable_, kCapacity);
}

const void* HostCode::make(const Slot* first, const Hart& hart, const Source& source) {
  Maker maker(first, hart, source);
  if (!maker.make() || maker.bytes().size() > kCapacity - used_) return nullptr;
  const std::vector<uint8_t>& bytes = maker.bytes();
  const void* const code = executable_ + used_;
  std::memcpy(writable_ + used_, bytes.data(), bytes.size());
  used_ += (bytes.size() + 63) & ~size_t{63};
  return code;
}

}  // namespace swai::iss::cpe
