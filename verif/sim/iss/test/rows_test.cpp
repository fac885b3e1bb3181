// SPDX-License-Identifier: Apache-2.0
// Random programs run in rows of instructions (Hart::run) and step by step: the same state at any moment.
#include <doctest/doctest.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "sim/iss/mpe/machine.hpp"
#include "verif/kit/doctest_main.hpp"
#include "verif/sim/iss/random/random_program.hpp"

namespace swai::iss {
namespace {

constexpr uint64_t kRamBytes = 64 << 20;

common::Elf random_elf(uint64_t seed) {
  random_program::Options options;
  options.length = 3000;
  const std::vector<uint8_t> bytes = to_elf(random_program::generate(seed, options));
  std::string path = (std::filesystem::temp_directory_path() / "rows_test.XXXXXX").string();
  const int fd = mkstemp(path.data());
  REQUIRE(fd >= 0);
  REQUIRE(write(fd, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
  close(fd);
  const common::Elf elf = common::load_elf(path);
  std::filesystem::remove(path);
  return elf;
}

void check_same(const Hart& rows, const Hart& steps) {
  CHECK(rows.pc() == steps.pc());
  CHECK(rows.ticks() == steps.ticks());
  CHECK(rows.privilege() == steps.privilege());
  for (unsigned number = 0; number < 32; ++number) {
    CAPTURE(number);
    CHECK(rows.reg(number) == steps.reg(number));
  }
  for (const CsrField& csr : kCsrFields) {
    CAPTURE(csr.name);
    CHECK(rows.csrs().*csr.field == steps.csrs().*csr.field);
  }
}

TEST_CASE("instructions in rows do what they do one by one") {
  for (uint64_t program = 0; program < 8; ++program) {
    const uint64_t seed = test_seed() * 1000 + program;
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    const common::Elf elf = random_elf(seed);
    common::Console console;
    Machine rows(elf, kRamBytes, console);
    Machine steps(elf, kRamBytes, console);
    const auto ignore = [](const Retirement&) {};
    uint64_t until = 0;
    do {
      until += 1 + random() % 200;
      const Ending ending = rows.run(until, nullptr);
      REQUIRE(steps.run(until, ignore) == ending);
      REQUIRE(rows.steps() == steps.steps());
      check_same(rows.hart(), steps.hart());
    } while (rows.steps() >= until && until < 200'000);
    CHECK(rows.exit_code() == steps.exit_code());
    CHECK(rows.steps() > 1000);
  }
}

}  // namespace
}  // namespace swai::iss
