// SPDX-License-Identifier: Apache-2.0
// The generator itself. That its programs do what they should is tested by running them.

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <string>

#include "verif/kit/doctest_main.hpp"
#include "verif/sim/iss/random/insn_table.hpp"
#include "verif/sim/iss/random/random_program.hpp"
#include "verif/sim/iss/random/rng.hpp"

namespace swai::random_program {
namespace {

Options of_length(uint32_t length) {
  Options options;
  options.length = length;
  return options;
}

uint64_t read64(const std::vector<uint8_t>& bytes, size_t at) {
  uint64_t value = 0;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

TEST_CASE("the same seed gives the same program, another one another") {
  const uint64_t seed = test_seed();
  for (const bool qemu : {false, true}) {
    Options options = of_length(3000);
    options.qemu = qemu;
    const Program first = generate(seed, options);
    CHECK(generate(seed, options).image == first.image);
    CHECK(to_elf(generate(seed, options)) == to_elf(first));
    CHECK(generate(seed + 1, options).image != first.image);
  }
}

TEST_CASE("programs stay the same from one version of a compiler or library to the next") {
  // Whoever changes the generator on purpose puts the new value here: old seeds then mean other programs.
  uint64_t hash = 0;
  for (const uint8_t byte : generate(1, of_length(5000)).image) hash = (hash ^ byte) * 0x100'0000'01B3;
  CHECK(hash == 7943602797428346633u);
}

TEST_CASE("the length is what was asked for, within one item's reach") {
  for (const uint32_t length : {1u, 100u, 20'000u}) {
    const Program program = generate(test_seed(), of_length(length));
    uint64_t instructions = 0;
    for (const auto& [name, count] : program.mix) instructions += count;
    CHECK(instructions >= length);
    CHECK(instructions <= length + 4000);
    CHECK(program.expected_instructions >= length);
    CHECK(program.max_instructions > program.expected_instructions);
  }
}

TEST_CASE("every instruction occurs") {
  std::set<std::string> missing;
  for (const Insn& insn : insn_table()) missing.insert(std::string(insn.name));
  for (uint32_t half = 0; half < 0x10000; ++half) {
    if ((half & 3) != 3 && expand(static_cast<uint16_t>(half))) {
      missing.insert(std::string(compressed_name(static_cast<uint16_t>(half))));
    }
  }
  for (uint64_t i = 0; i < 4; ++i) {
    for (const auto& [name, count] : generate(test_seed() + i, of_length(100'000)).mix) missing.erase(name);
  }
  std::string list;
  for (const std::string& name : missing) list += name + " ";
  CHECK(list == "");
}

TEST_CASE("kinds leave out what they name") {
  Options options = of_length(20'000);
  options.kinds = *parse_kinds("none");
  const Program plain = generate(test_seed(), options);
  for (const char* name : {"lr.d", "amoadd.w", "cbo.flush", "sret"}) {
    // The supervisor handler is there in any case: one sret.
    CHECK(plain.mix.contains(name) == (std::string(name) == "sret"));
  }
  CHECK(parse_kinds("atomic,cache") == uint32_t{kAtomic | kCache});
  CHECK(parse_kinds("-mode") == uint32_t{kAllKinds & ~kMode});
  CHECK(parse_kinds("all,-mode,-timer") == uint32_t{kAllKinds & ~(kMode | kTimer)});
  CHECK(!parse_kinds("atomic,nonsense"));
}

TEST_CASE("compressing and expanding are inverse") {
  for (uint32_t half = 0; half < 0x10000; ++half) {
    if ((half & 3) == 3) continue;
    const auto word = expand(static_cast<uint16_t>(half));
    if (!word) continue;
    CHECK(find_insn(*word) != nullptr);
    const auto back = compress(*word);
    if (!back) continue;  // hints have no compressed form of their own
    const uint32_t again = *expand(*back);
    // Moves and additions can be written with the operands in either order.
    const bool is_add = (again & 0xFE00'707F) == 0x33;
    CHECK((again == *word || is_add));
  }
  Rng rng(test_seed());
  unsigned compressed = 0;
  for (unsigned i = 0; i < 200'000; ++i) {
    const Insn insn = rng.pick(insn_table());
    const uint32_t word = insn.match | (static_cast<uint32_t>(rng.next()) & ~insn.mask);
    const auto half = compress(word);
    if (!half) continue;
    ++compressed;
    const auto back = expand(*half);
    REQUIRE(back);
    CHECK((find_insn(*back)->group == insn.group));
  }
  CHECK(compressed > 1000);
}

TEST_CASE("what is illegal and what is not") {
  CHECK(legality(0x0000'0000) == Legality::kIllegal);
  CHECK(legality(0xFFFF'FFFF) == Legality::kIllegal);
  CHECK(legality(0x0000'0013) == Legality::kLegal);    // nop
  CHECK(legality(0x0000'9002) == Legality::kLegal);    // c.ebreak
  CHECK(legality(0x0000'2000) == Legality::kIllegal);  // c.fld
  CHECK(legality(0x0000'6081) == Legality::kIllegal);  // c.lui with 0
  CHECK(legality(0x0000'6101) == Legality::kIllegal);  // c.addi16sp with 0
  CHECK(legality(0x0040'200F) == Legality::kLegal);    // cbo.zero
  CHECK(legality(0x0030'200F) == Legality::kIllegal);
  CHECK(legality(0x0000'000F) == Legality::kUnspecified);
  CHECK(legality(0x3020'0073) == Legality::kLegal);    // mret
  CHECK(legality(0x3020'00F3) == Legality::kIllegal);  // mret with rd
  CHECK(legality(0x0000'2053) == Legality::kIllegal);  // floating point
  CHECK(legality(0x1010'202F) == Legality::kIllegal);  // lr.w with rs2
}

TEST_CASE("the ELF file") {
  const Program program = generate(test_seed(), of_length(500));
  const std::vector<uint8_t> elf = to_elf(program);
  REQUIRE(elf.size() > 4096 + program.image.size());
  CHECK(std::memcmp(elf.data(), "\177ELF\2\1\1", 7) == 0);
  CHECK(read64(elf, 24) == program.entry);
  CHECK(read64(elf, 64 + 16) == program.base);
  CHECK(std::equal(program.image.begin(), program.image.end(), elf.begin() + 4096));
  CHECK(program.symbols().at("tohost") == program.tohost);
}

}  // namespace
}  // namespace swai::random_program
