// SPDX-License-Identifier: Apache-2.0
#include "verif/rtl/cpe/core/program.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "sim/iss/cpe/fault.hpp"

namespace swai::cpe {
namespace {

using iss::cpe::Op;

// Registers with a purpose; all others hold anything.
constexpr unsigned kStack = 2;  // sp: somewhere in local memory
constexpr unsigned kLoop = 3;
constexpr unsigned kOuter = 4;
constexpr unsigned kLocal = 8;   // somewhere in local memory
constexpr unsigned kGlobal = 9;  // somewhere in a window

constexpr uint32_t kCustom0 = 0x0b;
constexpr uint32_t kBranchCode = 0x63;
constexpr uint32_t kEbreak = 0x0010'0073;

constexpr uint32_t r_type(uint32_t opcode, uint32_t funct3, uint32_t funct7, uint32_t rd, uint32_t rs1,
                          uint32_t rs2) {
  return funct7 << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode;
}
constexpr uint32_t i_type(uint32_t opcode, uint32_t funct3, uint32_t rd, uint32_t rs1, uint32_t imm) {
  return (imm & 0xfff) << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode;
}
constexpr uint32_t s_type(uint32_t funct3, uint32_t rs1, uint32_t rs2, uint32_t imm) {
  return (imm >> 5 & 0x7f) << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | (imm & 0x1f) << 7 | 0x23;
}
constexpr uint32_t branch_offset(uint32_t o) {
  return (o >> 12 & 1) << 31 | (o >> 5 & 0x3f) << 25 | (o >> 1 & 0xf) << 8 | (o >> 11 & 1) << 7;
}
constexpr uint32_t jump_offset(uint32_t o) {
  return (o >> 20 & 1) << 31 | (o >> 1 & 0x3ff) << 21 | (o >> 11 & 1) << 20 | (o >> 12 & 0xff) << 12;
}
constexpr uint32_t short_branch_offset(uint32_t o) {
  return (o >> 8 & 1) << 12 | (o >> 3 & 3) << 10 | (o >> 6 & 3) << 5 | (o >> 1 & 3) << 3 | (o >> 5 & 1) << 2;
}
constexpr uint32_t short_jump_offset(uint32_t o) {
  return (o >> 11 & 1) << 12 | (o >> 4 & 1) << 11 | (o >> 8 & 3) << 9 | (o >> 10 & 1) << 8 |
         (o >> 6 & 1) << 7 | (o >> 7 & 1) << 6 | (o >> 1 & 7) << 3 | (o >> 5 & 1) << 2;
}

}  // namespace

bool Program::is_free(unsigned number) {
  return number != kStack && number != kLoop && number != kOuter && number != kLocal && number != kGlobal;
}

unsigned Program::free_register() {
  unsigned number = any_register();
  while (!is_free(number)) number = any_register();
  return number;
}

void Program::set(unsigned rd, uint32_t value) {
  add(((value + 0x800) & 0xffff'f000) | rd << 7 | 0x37);
  add(i_type(0x13, 0, rd, rd, value));
}

uint32_t Program::arithmetic() {
  static constexpr std::array<uint32_t, 4> kCodes{0x13, 0x33, 0x33, 0x37};
  for (;;) {
    // Any bits that make an instruction; often with few registers, so that results meet.
    auto bits = static_cast<uint32_t>(random_.next());
    bits = (bits & ~0x7fU) | (random_.chance(10) ? 0x17 : kCodes[random_.below(kCodes.size())]);
    if ((bits & 0x7f) == 0x33) bits &= 0x41ff'ffff | (random_.chance(30) ? 0x0200'0000U : 0);
    if (random_.chance(40)) bits &= ~(0x10U << 7 | 0x18U << 15 | 0x18U << 20);
    const auto insn = iss::cpe::decode(bits);
    if (insn.op != Op::kIllegal && is_free(insn.rd)) return bits;
  }
}

uint32_t Program::short_arithmetic() {
  for (;;) {
    const auto bits = static_cast<uint32_t>(random_.below(0x10000));
    if ((bits & 3) == 3) continue;
    const auto insn = iss::cpe::decode(bits);
    const bool plain = insn.op == Op::kLui || (insn.op >= Op::kAddi && insn.op <= Op::kAnd);
    if (plain && is_free(insn.rd)) return bits;
    // Through the pointers: c.lw, c.sw, c.lwsp, c.swsp.
    if (insn.op == Op::kLw && is_free(insn.rd) && (insn.rs1 == kLocal || insn.rs1 == kStack)) return bits;
    if (insn.op == Op::kSw && (insn.rs1 == kLocal || insn.rs1 == kStack)) return bits;
  }
}

void Program::memory() {
  static constexpr std::array<uint32_t, 5> kLoads{0, 1, 2, 4, 5};
  switch (random_.below(10)) {
    case 0:  // another place; 4 KiB from the ends, so that no offset leads out
      set(random_.chance(50) ? kLocal : kStack,
          iss::cpe::kLdmBase + 0x1000 +
              4 * static_cast<uint32_t>(random_.below((iss::cpe::kLdmBytes - 0x2000) / 4)));
      return;
    case 1: {
      static constexpr std::array<uint32_t, 4> kSpaces{iss::cpe::space::kDaemon, iss::cpe::space::kKernel,
                                                       iss::cpe::space::kWindow, iss::cpe::space::kArguments};
      set(kGlobal, kSpaces[random_.below(kSpaces.size())] << 28 |
                       (0x1000 + 4 * static_cast<uint32_t>(random_.below(0x300'0000))));
      return;
    }
    default:
      break;
  }
  const uint32_t base = random_.chance(15) ? kGlobal : random_.chance(50) ? kLocal : kStack;
  auto offset = static_cast<uint32_t>(random_.below(4096));
  if (random_.chance(60)) offset = (offset & 0x1f) - 8;  // close together: stores meet loads
  if (random_.chance(60)) {
    const uint32_t funct3 = kLoads[random_.below(kLoads.size())];
    offset &= ~((1U << (funct3 & 3)) - 1);
    add(i_type(0x03, funct3, free_register(), base, offset));
  } else {
    const auto funct3 = static_cast<uint32_t>(random_.below(3));
    offset &= ~((1U << funct3) - 1);
    add(s_type(funct3, base, any_register(), offset));
  }
}

void Program::csr() {
  static constexpr std::array<uint32_t, 19> kReadable{
      isa::csr::kMhartid,          isa::csr::kCpeConfig,
      isa::csr::kLaunchMask,       isa::csr::kMcycle,
      isa::csr::kMinstret,         isa::csr::kMcycleh,
      isa::csr::kMinstreth,        isa::csr::kCycle,
      isa::csr::kInstret,          isa::csr::kCycleh,
      isa::csr::kInstreth,         isa::csr::kMhpmcounter3,
      isa::csr::kMhpmcounter3 + 1, isa::csr::kMhpmcounter3 + 2,
      isa::csr::kMhpmcounter3 + 3, isa::csr::kMhpmcounter11,
      isa::csr::kWindowLow,        isa::csr::kWindowHigh,
      isa::csr::kArgumentSegment};
  const auto funct3 = static_cast<uint32_t>(1 + random_.below(3) + 4 * random_.below(2));
  if (random_.chance(50)) {
    add(i_type(0x73, funct3, free_register(), any_register(),
               isa::csr::kWindowLow + static_cast<uint32_t>(random_.below(2))));
  } else {
    add(i_type(0x73, (funct3 & 4) | 2 | (funct3 & 1), free_register(), 0,
               kReadable[random_.below(kReadable.size())]));
  }
}

void Program::custom(uint32_t operation) {
  const auto unit = static_cast<uint32_t>(random_.below(2)) << 5;
  add(r_type(kCustom0 | unit, static_cast<uint32_t>(random_.below(8)), operation, free_register(),
             any_register(), any_register()));
}

void Program::jump(unsigned index, std::vector<Pending>& pending) {
  const unsigned to = index + 1 + static_cast<unsigned>(random_.below(6));
  switch (random_.below(8)) {
    case 0:
      pending.push_back({items_.size(), to});
      items_.push_back({free_register() << 7 | 0x6f, 4, Fix::kJump});
      break;
    case 1:
    case 2: {
      // Through a register, with a lowest bit that does not count.
      const unsigned link = free_register();
      const unsigned pointer = 10 + static_cast<unsigned>(random_.below(6));
      add(pointer << 7 | 0x17);
      if (random_.chance(50)) {
        pending.push_back({items_.size(), to});
        items_.push_back({i_type(0x67, 0, link, pointer, 0), 4, Fix::kLow});
      } else {
        pending.push_back({items_.size(), to});
        items_.push_back({i_type(0x13, 0, pointer, pointer, 0), 4, Fix::kLow});
        add_short(0x8002 | static_cast<uint32_t>(random_.below(2)) << 12 | pointer << 7);  // c.jr, c.jalr
      }
      break;
    }
    case 3:
      pending.push_back({items_.size(), to});
      items_.push_back({random_.chance(50) ? 0xa001U : 0x2001U, 2, Fix::kShortJump});  // c.j, c.jal
      break;
    case 4:
      pending.push_back({items_.size(), to});
      items_.push_back({0xc001 | static_cast<uint32_t>(random_.below(2)) << 13 |
                            static_cast<uint32_t>(random_.below(8)) << 7,
                        2, Fix::kShortBranch});
      break;
    default: {
      static constexpr std::array<uint32_t, 6> kConditions{0, 1, 4, 5, 6, 7};
      pending.push_back({items_.size(), to});
      items_.push_back(
          {r_type(kBranchCode, kConditions[random_.below(6)], 0, 0, any_register(), any_register()), 4,
           Fix::kBranch});
      break;
    }
  }
}

void Program::element(unsigned index, std::vector<Pending>& pending, bool loops) {
  const uint64_t dice = random_.below(100);
  if (dice < 24) {
    items_.push_back({arithmetic(), 4, Fix::kNone, true});
  } else if (dice < 46) {
    items_.push_back({short_arithmetic(), 2, Fix::kNone, true});
  } else if (dice < 70) {
    memory();
  } else if (dice < 84) {
    jump(index, pending);
  } else if (dice < 89) {
    custom(static_cast<uint32_t>(random_.below(kBadOperation)));
  } else if (dice < 94) {
    csr();
  } else if (dice < 95) {
    add((static_cast<uint32_t>(random_.next()) & 0xffff'8f80) | 0x0f);  // fence, with all sorts of fields
  } else if (dice < 97 && loops) {
    set(kLoop, static_cast<uint32_t>(random_.between(1, 5)));
    const size_t start = items_.size();
    sequence(static_cast<unsigned>(random_.between(1, 20)), false);
    add(i_type(0x13, 0, kLoop, kLoop, ~0U));
    items_.push_back({r_type(kBranchCode, 1, 0, 0, kLoop, 0), 4, Fix::kBranch, false, start});
  } else {
    set(free_register(), static_cast<uint32_t>(random_.number()));
  }
}

void Program::sequence(unsigned elements, bool loops) {
  std::vector<size_t> starts;
  std::vector<Pending> pending;
  for (unsigned i = 0; i < elements; ++i) {
    starts.push_back(items_.size());
    element(i, pending, loops);
  }
  starts.push_back(items_.size());
  for (const auto& jump : pending) {
    // The next element that is near enough for all kinds of jumps.
    unsigned to = std::min(jump.element, elements);
    while (starts[to] > jump.item + 50) --to;
    items_[jump.item].target = starts[to];
  }
}

void Program::fault() {
  static constexpr std::array<uint32_t, 4> kVacant{0x1002'0000, 0x9000'0000, 0x0000'0000, 0xf000'0040};
  const unsigned pointer = free_register() | 1;
  const auto low = static_cast<uint32_t>(random_.below(64));
  const bool store = random_.chance(50);
  const auto access = [&](uint32_t base, uint32_t funct3) {
    add(store ? s_type(funct3, base, any_register(), 0) : i_type(0x03, funct3, free_register(), base, 0));
  };
  switch (random_.below(9)) {
    case 0: {
      uint32_t bits = 0;
      do {
        bits = static_cast<uint32_t>(random_.next());
      } while (iss::cpe::decode(bits).op != Op::kIllegal);
      if ((bits & 3) == 3) {
        add(bits);
      } else {
        add_short(bits & 0xffff);
      }
      break;
    }
    case 1:
      if (random_.chance(30)) {
        add_short(0x9002);
      } else {
        add(random_.chance(50) ? kEbreak : 0x0000'0073);
      }
      break;
    case 2: {
      const auto funct3 = static_cast<uint32_t>(random_.between(1, 2));
      set(pointer, (random_.chance(50) ? 0x1000'1000U : 0x8000'0000U) +
                       (funct3 == 1 ? 1U : static_cast<uint32_t>(random_.between(1, 3))));
      access(pointer, funct3);
      break;
    }
    case 3:
      set(pointer, kVacant[random_.below(kVacant.size())] + 4 * low);
      access(pointer, 2);
      break;
    case 4:
      set(pointer, 0x8000'0000U | kRefused << 24 | static_cast<uint32_t>(random_.below(8)) << 20 | 4 * low);
      access(pointer, 2);
      break;
    case 5:
      custom(kBadOperation);
      break;
    case 6:
      set(pointer, kVacant[random_.below(kVacant.size())] + low);
      add(i_type(0x67, 0, free_register(), pointer, 0));
      break;
    case 7:  // falls off the end of the code, perhaps in the middle of an instruction
      if (random_.chance(50)) items_.push_back({0x0003, 2});
      break;
    default:
      if (random_.chance(50)) {
        add(i_type(0x73, 1, free_register(), any_register(), 0xb00));
      } else {
        add(i_type(0x73, 2, free_register(), 0, 0xb0c + static_cast<uint32_t>(random_.below(0x70))));
      }
      break;
  }
}

Program::Program(verif::Random& random, unsigned elements) : random_(random) {
  base_ =
      (random_.chance(50) ? 0x4000'0000 : 0x5000'0000) + 64 * static_cast<uint32_t>(random_.below(0x1000));
  for (unsigned i = 1; i < 32; ++i) set(i, static_cast<uint32_t>(random_.number()));
  set(kStack, iss::cpe::kLdmBase + 0x8000);
  set(kLocal, iss::cpe::kLdmBase + 0x1000);
  set(kGlobal, 0xc000'1000);
  set(kOuter, static_cast<uint32_t>(random_.between(1, 3)));
  const size_t start = items_.size();
  sequence(elements, true);
  add(i_type(0x13, 0, kOuter, kOuter, ~0U));
  items_.push_back({r_type(kBranchCode, 0, 0, 0, kOuter, 0), 4, Fix::kBranch, false, items_.size() + 2});
  items_.push_back({0x6f, 4, Fix::kJump, false, start});
  add_short(1);  // c.nop: where the branch leads to, also when nothing follows
  fault();
  place();
}

void Program::place() {
  start_ = base_ + 2 * static_cast<uint32_t>(random_.below(32));
  uint32_t address = start_;
  for (Item& item : items_) {
    item.address = address;
    address += item.size;
  }
  // A program that falls off its end does so at the end of a line: the last item moves there.
  uint32_t end = (address + 63) & ~63U;
  if (items_.back().bits == 0x0003 && items_.back().size == 2) {
    items_.pop_back();
    address -= 2;
    end = (address + 2 + 63) & ~63U;
    for (; address + 2 < end; address += 2) items_.push_back({1, 2, Fix::kNone, false, 0, address});
    items_.push_back({0x0003, 2, Fix::kNone, false, 0, address});
    address += 2;
  }
  bytes_.resize(end - base_);
  for (uint8_t& byte : bytes_) byte = static_cast<uint8_t>(random_.next());
  for (; address < end; address += 2) items_.push_back({1, 2, Fix::kNone, false, 0, address});  // c.nop
  for (Item& item : items_) {
    const uint32_t from =
        item.fix == Fix::kLow ? items_[static_cast<size_t>(&item - items_.data()) - 1].address : item.address;
    const uint32_t offset = item.fix == Fix::kNone ? 0 : items_[item.target].address - from;
    switch (item.fix) {
      case Fix::kBranch:
        item.bits |= branch_offset(offset);
        break;
      case Fix::kJump:
        item.bits |= jump_offset(offset);
        break;
      case Fix::kShortBranch:
        item.bits |= short_branch_offset(offset);
        break;
      case Fix::kShortJump:
        item.bits |= short_jump_offset(offset);
        break;
      case Fix::kLow:
        item.bits |= (offset | static_cast<uint32_t>(random_.below(2))) << 20;
        break;
      default:
        break;
    }
    write(item);
  }
}

void Program::write(const Item& item) { std::memcpy(&bytes_[item.address - base_], &item.bits, item.size); }

iss::cpe::Cause Program::line(uint32_t address, uint8_t* bytes) const {
  using iss::cpe::Cause;
  static constexpr std::array kCauses{Cause::kLimit, Cause::kPermission, Cause::kOwner,
                                      Cause::kBus,   Cause::kPoison,     Cause::kNoSegment};
  if (address < base_ || address - base_ >= bytes_.size()) return kCauses[address / 64 % kCauses.size()];
  std::memcpy(bytes, &bytes_[address - base_], 64);
  return Cause::kNone;
}

void Program::patch(uint32_t pc) {
  auto item = std::upper_bound(items_.begin(), items_.end(), pc,
                               [](uint32_t value, const Item& i) { return value < i.address; });
  item += std::min<std::ptrdiff_t>(items_.end() - item, static_cast<std::ptrdiff_t>(random_.below(20)));
  while (item != items_.end() && !item->plain) ++item;
  if (item == items_.end()) return;
  item->bits = item->size == 4 ? arithmetic() : short_arithmetic();
  write(*item);
}

}  // namespace swai::cpe
