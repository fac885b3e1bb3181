// SPDX-License-Identifier: Apache-2.0
// The model of the scalar core by itself.
#include "sim/iss/cpe/hart.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "sim/common/random.hpp"
#include "sim/iss/cpe/units.hpp"
#include "sim/iss/mpe/insn.hpp"
#include "verif/kit/doctest_main.hpp"
#include "verif/rtl/cpe/core/program.hpp"
#include "verif/sim/iss/cpe/random/assembler.hpp"
#include "verif/sim/iss/random/encode.hpp"

namespace swai::iss::cpe {
namespace {

namespace enc = random_program::enc;

constexpr uint32_t kCode = 0x4000'0000;

class World : public Environment, public CodeSource {
 public:
  WindowResult window(const WindowAccess& access) override {
    last = access;
    return result;
  }
  Answer issue(const Command& command) override {
    commands.push_back(command);
    return answer;
  }
  Cause fetch(uint32_t address, uint8_t* line) override {
    ++fetches;
    if (address < kCode || address - kCode >= words.size() * 4) return Cause::kPermission;
    std::memset(line, 0, 64);
    std::memcpy(line, &words[(address - kCode) / 4],
                std::min<size_t>(64, words.size() * 4 - (address - kCode)));
    return Cause::kNone;
  }

  std::vector<uint32_t> words;
  WindowAccess last;
  WindowResult result;
  Answer answer;
  std::vector<Command> commands;
  unsigned fetches = 0;
};

struct Machine {
  explicit Machine(std::vector<uint32_t> words) {
    world.words = std::move(words);
    world.words.resize((world.words.size() + 15) / 16 * 16, 0x0010'0073);
    hart.reset(kCode);
  }
  World world;
  Code code{world};
  std::vector<uint8_t> ldm = std::vector<uint8_t>(kLdmBytes);
  Hart hart{code, world, ldm, {0x2a, 0x1234}};
};

// One instruction on x5 and x6, result in x7.
uint32_t result(uint32_t bits, uint32_t a, uint32_t b) {
  Machine m({bits});
  m.hart.set_x(5, a);
  m.hart.set_x(6, b);
  REQUIRE(m.hart.step() == Hart::Status::kRetired);
  return m.hart.x(7);
}

constexpr uint32_t muldiv(uint32_t funct3) {
  return 1 << 25 | 6 << 20 | 5 << 15 | funct3 << 12 | 7 << 7 | 0x33;
}

TEST_CASE("multiplication and division at their corners") {
  struct Row {
    uint32_t funct3, a, b, expected;
  };
  static constexpr std::array kRows{
      Row{0, 0xffff'ffff, 0xffff'ffff, 1},
      Row{1, 0xffff'ffff, 0xffff'ffff, 0},
      Row{1, 0x8000'0000, 0x8000'0000, 0x4000'0000},
      Row{1, 0x8000'0000, 0x7fff'ffff, 0xc000'0000},
      Row{2, 0xffff'ffff, 0xffff'ffff, 0xffff'ffff},
      Row{2, 0x8000'0000, 0x8000'0000, 0xc000'0000},
      Row{2, 0x7fff'ffff, 0x8000'0000, 0x3fff'ffff},
      Row{3, 0xffff'ffff, 0xffff'ffff, 0xffff'fffe},
      Row{3, 0x8000'0000, 2, 1},
      Row{4, 7, 0xffff'fffe, 0xffff'fffd},
      Row{4, 0x8000'0000, 0xffff'ffff, 0x8000'0000},
      Row{4, 5, 0, 0xffff'ffff},
      Row{4, 0xffff'fffb, 0, 0xffff'ffff},
      Row{5, 0xffff'fffe, 2, 0x7fff'ffff},
      Row{5, 5, 0, 0xffff'ffff},
      Row{6, 0xffff'fff9, 2, 0xffff'ffff},
      Row{6, 7, 0xffff'fffe, 1},
      Row{6, 0x8000'0000, 0xffff'ffff, 0},
      Row{6, 0xffff'fffb, 0, 0xffff'fffb},
      Row{7, 0xffff'ffff, 10, 5},
      Row{7, 0xffff'ffff, 0, 0xffff'ffff},
  };
  for (const Row& row : kRows) {
    INFO("funct3 ", row.funct3, " a ", row.a, " b ", row.b);
    CHECK(result(muldiv(row.funct3), row.a, row.b) == row.expected);
  }
}

TEST_CASE("compressed instructions as the management core's model expands them") {
  unsigned compared = 0;
  for (uint32_t c = 0; c < 0x10000; ++c) {
    const unsigned row = (c & 3) << 3 | c >> 13;
    if ((c & 3) == 3) continue;
    INFO("instruction ", c);
    const uint32_t got = expand(static_cast<uint16_t>(c));
    // Of RV64: doubles in place of floating point, c.addiw in place of c.jal.
    const bool wide = row == 003 || row == 007 || row == 023 || row == 027;
    if (row == 011) {
      CHECK((got & 0xfff) == 0x0ef);
      continue;
    }
    if (wide || (row == 014 && (c & 0x1c00) == 0x1c00)) {
      CHECK(got == 0);
      continue;
    }
    const bool shift = row == 020 || (row == 014 && (c & 0x0800) == 0);
    if (shift && (c & 0x1000) != 0) {
      CHECK(got == 0);
      continue;
    }
    CHECK(got == swai::iss::expand_compressed(static_cast<uint16_t>(c)));
    ++compared;
  }
  CHECK(compared > 25000);
}

// The management core's model knows the same instructions, and more. Which it has in common with RV32IM is
// told by name.
TEST_CASE("32-bit instructions as the management core's model knows them") {
  static const std::vector<std::string> kCommon{
      "lui",  "auipc", "jal",   "jalr",   "beq",   "bne",   "blt",    "bge",    "bltu",   "bgeu",  "lb",
      "lh",   "lw",    "lbu",   "lhu",    "sb",    "sh",    "sw",     "addi",   "slti",   "sltiu", "xori",
      "ori",  "andi",  "slli",  "srli",   "srai",  "add",   "sub",    "sll",    "slt",    "sltu",  "xor",
      "srl",  "sra",   "or",    "and",    "mul",   "mulh",  "mulhsu", "mulhu",  "div",    "divu",  "rem",
      "remu", "fence", "ecall", "ebreak", "csrrw", "csrrs", "csrrc",  "csrrwi", "csrrsi", "csrrci"};
  verif::Random random(swai::test_seed());
  for (unsigned i = 0; i < 400'000; ++i) {
    static constexpr std::array<uint32_t, 12> kCodes{0x03, 0x0f, 0x13, 0x17, 0x23, 0x33,
                                                     0x37, 0x63, 0x67, 0x6f, 0x73, 0x3b};
    uint32_t word = (static_cast<uint32_t>(random.next()) & ~0x7fU) | kCodes[random.below(kCodes.size())];
    if (random.chance(60)) word &= 0x43ff'ffff;
    if ((word & 0x7f) == 0x73 && random.chance(30)) word &= 0x0010'007f;
    const auto other = swai::iss::decode(word);
    bool legal =
        other.info != nullptr && std::find(kCommon.begin(), kCommon.end(), other.info->name) != kCommon.end();
    const uint32_t funct3 = word >> 12 & 7;
    if ((word & 0x7f) == 0x13 && (funct3 & 3) == 1 && (word >> 25 & 1) != 0)
      legal = false;  // shifts by 32 and more
    const auto insn = decode(word);
    INFO("instruction ", word);
    REQUIRE((insn.op != Op::kIllegal) == legal);
    if (!legal || insn.op == Op::kBreak || insn.op == Op::kFence) continue;
    CHECK(insn.rd == other.rd);
    const bool shift = (word & 0x7f) == 0x13 && (funct3 & 3) == 1;
    if ((word & 0x7f) != 0x33) CHECK(insn.imm == static_cast<int32_t>(shift ? other.imm & 31 : other.imm));
  }
}

TEST_CASE("code is kept until it is invalidated") {
  Machine m({0x0010'0513, 0xffdf'f06f});  // addi x10, x0, 1; jal x0, -4
  m.hart.run(5);
  CHECK(m.hart.x(10) == 1);
  CHECK(m.world.fetches == 1);
  m.world.words[0] = 0x0020'0513;
  m.hart.run(6);
  CHECK(m.hart.x(10) == 1);
  m.code.invalidate();
  m.hart.run(2);
  CHECK(m.hart.x(10) == 2);
  CHECK(m.world.fetches == 2);
}

TEST_CASE("a unit that is not ready is asked again") {
  Machine m({0x0062'858b | 2 << 12 | 0x21 << 25});  // custom-0, funct3 2, funct7 0x21, rd x11
  m.hart.set_x(5, 55);
  m.hart.set_x(6, 66);
  m.world.answer = {Environment::Answer::kWait};
  CHECK(m.hart.run(3) == Hart::Status::kWaiting);
  CHECK(m.hart.pc() == kCode);
  CHECK(m.hart.waits_for() == Command{2, 0x21, 55, 66, kCode});
  m.world.answer = {Environment::Answer::kDone, 77};
  CHECK(m.hart.step() == Hart::Status::kRetired);
  CHECK(m.hart.x(11) == 77);
  CHECK(m.world.commands.size() == 2);
  CHECK(m.hart.instructions() == 1);
  CHECK(m.hart.step() == Hart::Status::kFault);
  CHECK(m.hart.fault() == Fault{Cause::kBreakpoint, Access::kNone, false, kCode + 4, kNoSegment, 0});
  CHECK(m.hart.step() == Hart::Status::kFault);
  CHECK(m.hart.instructions() == 1);
  m.hart.reset(kCode);
  CHECK(m.hart.fault().cause == Cause::kNone);
}

TEST_CASE("the window gets the pointer, and its refusal is recorded") {
  // csrrw x0, window_low, x5; csrrw x0, window_high, x6; lb x7, 1(x8); sh x5, 2(x8)
  Machine m({0x7c02'9073, 0x7c13'1073, 0x0014'0383, 0x0054'1123});
  m.hart.set_x(5, 0x1234'5678);
  m.hart.set_x(6, 0x0009'0002);
  m.hart.set_x(8, 0x8000'0100);
  m.world.result.data = 0xffff'ff80;
  for (unsigned n = 0; n < 3; ++n) CHECK(m.hart.run(3) == Hart::Status::kRetired);  // a CSR ends each run
  CHECK(m.world.last.address == 0x8000'0101);
  CHECK(m.world.last.bytes == 1);
  CHECK(m.world.last.pointer == 0x0009'0002'1234'5678);
  CHECK(m.hart.x(7) == 0xffff'ff80);
  m.world.result = {Cause::kOwner, 0, 9, 0x2'1234'577a};
  CHECK(m.hart.step() == Hart::Status::kFault);
  CHECK(m.world.last.data == 0x5678);
  CHECK(m.hart.fault() == Fault{Cause::kOwner, Access::kWrite, false, kCode + 12, 9, 0x2'1234'577a});
}

// The same code twice: in rows of instructions, and one by one.
struct Both {
  explicit Both(CodeSource& source, Environment& environment, uint32_t start)
      : rows(source, environment, start), steps(source, environment, start) {}

  // Up to `limit` instructions on both.
  void run(uint64_t limit) {
    const uint64_t before = rows.hart.instructions();
    const Hart::Status status = rows.hart.run(limit);
    REQUIRE(rows.hart.instructions() - before <= limit);
    Retirement record;
    while (steps.hart.instructions() < rows.hart.instructions()) {
      REQUIRE(steps.hart.step(record) == Hart::Status::kRetired);
    }
    if (status == Hart::Status::kFault) REQUIRE(steps.hart.step(record) == Hart::Status::kFault);
    REQUIRE(rows.hart.pc() == steps.hart.pc());
    REQUIRE(rows.hart.cycles() == steps.hart.cycles());
    REQUIRE(rows.hart.fault() == steps.hart.fault());
    for (unsigned i = 0; i < 32; ++i) REQUIRE(rows.hart.x(i) == steps.hart.x(i));
    REQUIRE(rows.ldm == steps.ldm);
  }
  void set_x(unsigned number, uint32_t value) {
    rows.hart.set_x(number, value);
    steps.hart.set_x(number, value);
  }

  struct Side {
    Side(CodeSource& source, Environment& environment, uint32_t start)
        : code(source), hart(code, environment, ldm, {}) {
      hart.reset(start);
    }
    Code code;
    std::vector<uint8_t> ldm = std::vector<uint8_t>(kLdmBytes);
    Hart hart;
  } rows, steps;
};

// Answers follow from questions.
class Oracle : public Environment {
 public:
  WindowResult window(const WindowAccess& access) override {
    return {.cause = access.address % 64 == 60 ? Cause::kBus : Cause::kNone, .data = access.address * 3};
  }
  Answer issue(const Command& command) override {
    if (command.op == swai::cpe::kBadOperation) return {.kind = Answer::kBad};
    return {.data = command.rs1 ^ command.rs2, .ends_run = command.op % 2 != 0};
  }
};

TEST_CASE("instructions in a row do what each does by itself") {
  class Source : public CodeSource {
   public:
    explicit Source(const swai::cpe::Program& program) : program_(program) {}
    Cause fetch(uint32_t address, uint8_t* line) override { return program_.line(address, line); }

   private:
    const swai::cpe::Program& program_;
  };
  verif::Random random(test_seed());
  Oracle oracle;
  for (unsigned n = 0; n < 20; ++n) {
    const swai::cpe::Program program(random, 200);
    Source source(program);
    Both both(source, oracle, program.start());
    for (unsigned round = 0; round < 300 && both.rows.hart.fault().cause == Cause::kNone; ++round) {
      both.run(1 + random.below(8));
    }
  }
}

// An instruction of those that pairs are made of, with registers from x5 on; x4 is the address of local
// memory.
uint32_t encode(Op op, verif::Random& random) {
  const auto any = [&] { return static_cast<uint32_t>(random.chance(5) ? 0 : 5 + random.below(3)); };
  const uint32_t rd = any();
  const uint32_t rs1 = any();
  const uint32_t rs2 = any();
  const auto imm = static_cast<int32_t>(random.below(32));
  switch (op) {
    case Op::kLw:
      return enc::i(0x2003, rd, random.chance(3) ? rs1 : 4, 4 * imm);
    case Op::kLbu:
      return enc::i(0x4003, rd, 4, imm);
    case Op::kSw:
      return enc::s(0x2023, rs2, 4, 4 * imm);
    case Op::kAddi:
      return enc::addi(rd, rs1, imm);
    case Op::kAndi:
      return enc::andi(rd, rs1, imm);
    case Op::kSlli:
      return enc::slli(rd, rs1, imm);
    case Op::kSrli:
      return enc::srli(rd, rs1, imm);
    case Op::kAdd:
      return enc::r(0x33, rd, rs1, rs2);
    case Op::kSub:
      return enc::r(0x4000'0033, rd, rs1, rs2);
    case Op::kXor:
      return enc::r(0x4033, rd, rs1, rs2);
    case Op::kMul:
      return enc::r(0x0200'0033, rd, rs1, rs2);
    default: {
      static constexpr std::array kCodes{enc::kBeq, enc::kBne, enc::kBlt, enc::kBge, enc::kBltu, enc::kBgeu};
      const auto branch = static_cast<size_t>(op) - static_cast<size_t>(Op::kBeq);
      return kCodes.at(branch) | enc::with_rs1(rs1) | enc::with_rs2(rs2) | enc::imm_b(8);
    }
  }
}

TEST_CASE("each pair of instructions does what its two do one after the other") {
  verif::Random random(test_seed());
  Oracle oracle;
  std::set<size_t> met;
  for (unsigned n = 0; n < 400; ++n) {
    World world;
    while (world.words.size() < 80) {
      const Pair& pair = kPairs[random.below(kPairCount)];
      world.words.insert(world.words.end(), {encode(pair.first, random), encode(pair.second, random)});
    }
    world.words.resize(96, enc::kEbreak);
    Both both(world, oracle, kCode);
    both.set_x(4, kLdmBase);
    for (unsigned x = 5; x < 8; ++x) both.set_x(x, static_cast<uint32_t>(random.next()));
    // Pairs are made the first time.
    for (unsigned times = 0; times < 2; ++times) {
      both.rows.hart.reset(kCode);
      both.steps.hart.reset(kCode);
      while (both.rows.hart.fault().cause == Cause::kNone) both.run(1 + random.below(9));
    }
    for (uint32_t pc = kCode; pc < kCode + 4 * 80; pc += 4) {
      const uint8_t row = Code::row(*both.rows.code.slot(pc));
      if (row >= Slot::kFirstPair) met.insert((row - Slot::kFirstPair) / 4);
    }
  }
  CHECK(met.size() == kPairCount);
}

// Any instruction that code of the host is made of, or that ends it, or cannot be done there each time.
// Registers are x5 to x13; x4 is an address of local memory, x14 one elsewhere.
uint32_t any_instruction(verif::Random& random) {
  const auto any = [&] { return static_cast<uint32_t>(random.chance(5) ? 0 : 5 + random.below(9)); };
  const uint32_t rd = any();
  const uint32_t rs1 = any();
  const uint32_t rs2 = any();
  const auto funct3 = static_cast<uint32_t>(random.below(8)) << 12;
  const uint32_t memory = random.chance(1) ? 14 : 4;
  const auto offset = static_cast<int32_t>(4 * random.below(12));
  const auto byte = offset + static_cast<int32_t>(random.below(4));
  switch (random.below(14)) {
    case 0:
    case 1: {
      static constexpr std::array kLoads{0x0003U, 0x1003U, 0x2003U, 0x4003U, 0x5003U};
      const uint32_t load = kLoads.at(random.below(kLoads.size()));
      return enc::i(load, rd, memory, (load & 0x3000) == 0 ? byte : offset);
    }
    case 2: {
      static constexpr std::array kStores{0x0023U, 0x1023U, 0x2023U};
      const uint32_t store = kStores.at(random.below(kStores.size()));
      return enc::s(store, rs2, memory, (store & 0x3000) == 0 ? byte : offset);
    }
    case 3:
    case 4:
      return enc::r(0x33 | funct3, rd, rs1, rs2);
    case 5:
      return enc::r((random.chance(50) ? 0x4000'0033 : 0x4000'5033), rd, rs1, rs2);
    case 6:
      return enc::r((random.chance(70) ? 0x0200'0033 : 0x0200'0033 | funct3), rd, rs1, rs2);
    case 7:
      return (random.chance(50) ? enc::slli(rd, rs1, static_cast<int32_t>(random.below(32)))
                                : enc::srli(rd, rs1, static_cast<int32_t>(random.below(32)))) |
             (random.chance(20) ? 0x4000'5000 : 0);
    case 8:
      return enc::with_rd(rd) | (static_cast<uint32_t>(random.next()) & 0xffff'f000) |
             (random.chance(50) ? 0x37 : 0x17);
    case 9:
      return enc::imm_j(8) | enc::with_rd(random.chance(50) ? 0 : rd) | 0x6f;
    case 10:
      return random.chance(80) ? custom(unit::kVector, vector_op::kA, random.chance(90) ? 0 : rd, rs1, rs2)
                               : custom(unit::kVector, vector_op::kRun, rd, rs1, rs2);
    case 11:
      // Two c.addi, or fence.
      return random.chance(90)
                 ? 0x0001'0001 * (rd << 7 | static_cast<uint32_t>(random.below(31) + 1) << 2 | 1)
                 : 0x0000'000f;
    case 12: {
      static constexpr std::array kCodes{enc::kBeq, enc::kBne, enc::kBlt, enc::kBge, enc::kBltu, enc::kBgeu};
      return kCodes.at(random.below(6)) | enc::with_rs1(rs1) | enc::with_rs2(rs2) | enc::imm_b(8);
    }
    default: {
      const bool shifts = funct3 == 0x1000 || funct3 == 0x5000;
      return enc::i(0x13 | (shifts ? 0 : funct3), rd, rs1, static_cast<int32_t>(random.below(4096)) - 2048);
    }
  }
}

// Commands that set something up are done by one call or the other; each of both sides does all of them.
class Settings : public Oracle {
 public:
  Answer issue(const Command& command) override {
    if (!only_sets(command.unit, command.op)) return Oracle::issue(command);
    note(command.rs1, command.rs2);
    return {};
  }
  bool set(uint8_t /*unit*/, uint8_t /*op*/, uint32_t rs1, uint32_t rs2) override {
    if (rs1 % 8 == 7) return false;
    note(rs1, rs2);
    return true;
  }
  uint64_t difference() const { return difference_; }

 private:
  void note(uint32_t rs1, uint32_t rs2) {
    difference_ ^= (uint64_t{rs1} << 32 | rs2) * 0x9e37'79b9'7f4a'7c15;
  }

  uint64_t difference_ = 0;
};

TEST_CASE("code of the host does what the instructions do one after the other") {
  verif::Random random(test_seed());
  unsigned places = 0;
  for (unsigned n = 0; n < 300; ++n) {
    const auto length = 4 + static_cast<uint32_t>(random.below(random.chance(80) ? 40 : 150));
    World world;
    while (world.words.size() < length) world.words.push_back(any_instruction(random));
    // Where the last branch may lead to; then back, x15 times. In some the address moves when there is code
    // of the host, until something lies askew or beyond local memory's end.
    const bool faults = random.chance(20);
    world.words.push_back(enc::addi(0, 0, 0));
    if (faults) {
      world.words.push_back(enc::i(0x3013, 3, 15, 50));  // sltiu
      world.words.push_back(enc::slli(3, 3, static_cast<int32_t>(random.below(3))));
      world.words.push_back(enc::r(0x33, 4, 4, 3));
    }
    world.words.push_back(enc::addi(15, 15, -1));
    const auto back = -4 * static_cast<int32_t>(world.words.size());
    world.words.push_back(enc::kBne | enc::with_rs1(15) | enc::imm_b(back));
    world.words.resize(length + 40, enc::kEbreak);
    world.words.resize((world.words.size() + 15) / 16 * 16, enc::kEbreak);
    Settings settings;
    Both both(world, settings, kCode);
    both.set_x(4, faults && random.chance(50) ? kLdmBase + kLdmBytes - 64
                                              : kLdmBase + 64 * static_cast<uint32_t>(random.below(64)));
    for (unsigned x = 5; x < 14; ++x) both.set_x(x, static_cast<uint32_t>(random.next()));
    both.set_x(14, uint32_t{space::kWindow} << 28);
    both.set_x(15, 100);
    while (both.rows.hart.fault().cause == Cause::kNone)
      both.run(1 + random.below(random.chance(50) ? 20 : 1000));
    CHECK((faults || both.rows.hart.fault().cause == Cause::kBreakpoint));
    CHECK(settings.difference() == 0);
    for (uint32_t pc = kCode; pc < kCode + 4 * length; pc += 4)
      places += Code::row(*both.rows.code.slot(pc)) == Slot::kHostCode;
  }
  MESSAGE("places with code of the host: ", places);
  if (HostCode().available()) CHECK(places > 500);
}

}  // namespace
}  // namespace swai::iss::cpe
