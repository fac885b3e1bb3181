// The compiler driver: what it makes of sources, and what it refuses with which words.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <fstream>
#include <string>

#include "verif/firmware/test_tools.hpp"

namespace swai {
namespace {

struct Made {
  Finished finished;
  std::string path;
};

Finished make_module(const TempFolder& folder, const std::string& source, const std::string& options = "") {
  std::ofstream(folder / "source.cpp") << "#include \"swai/cpe.hpp\"\n" << source;
  return run_command(fmt::format("python3 cpe-kernels/make-module.py --output '{}' {} '{}'",
                                 folder / "out.elf", options, folder / "source.cpp"));
}

std::string refusal(const std::string& source, const std::string& options = "") {
  const TempFolder folder;
  const Finished finished = make_module(folder, source, options);
  CHECK(finished.code == 1);
  return finished.error;
}

bool contains(const std::string& text, std::string_view part) {
  const bool found = text.find(part) != std::string::npos;
  if (!found) MESSAGE(text);
  return found;
}

TEST_CASE("both markers, several kernels, constants and local memory") {
  const TempFolder folder;
  const Finished finished = make_module(folder, R"(
struct Args { uint32_t value; uint64_t other; };
LDM alignas(64) static volatile uint8_t buffer[1000];
static const uint32_t table[3] = {1, 2, 3};
__kernel__ void one(const Args* args) { buffer[args->value] = static_cast<uint8_t>(table[args->other % 3]); }
__global__ void two() { buffer[0] = 1; }
)");
  CHECK(finished.error == "");
  REQUIRE(finished.code == 0);
  const Finished symbols = run_command(fmt::format("riscv64-unknown-elf-nm '{}'", folder / "out.elf"));
  CHECK(contains(symbols.out, " T one"));
  CHECK(contains(symbols.out, " T two"));
  // Static objects in local memory; the rest of it begins behind them, at a multiple of 64.
  CHECK(contains(symbols.out, "10000400 "));
}

TEST_CASE("what nobody would initialise is refused with words that help") {
  CHECK(contains(refusal("int value = 5; __kernel__ void f() { value = value + 1; }"),
                 "a variable has an initial value"));
  CHECK(contains(refusal("int value; __kernel__ void f() { value = value + 1; }"),
                 "a static variable is outside of local memory"));
  CHECK(contains(refusal("struct S { S() { x = 3; } int x; }; LDM S s; __kernel__ void f() { s.x = s.x + 1; }"
                         "int g(); "),
                 "a static object has a constructor"));
  CHECK(contains(refusal("LDM int value = 5; __kernel__ void f() { value = value + 1; }"),
                 "zero initializers"));
}

TEST_CASE("what does not fit, and what is not there") {
  CHECK(contains(refusal("LDM char big[130000]; __kernel__ void f() { big[0] = 1; }"),
                 "do not fit into local memory"));
  CHECK(contains(refusal("LDM char big[100000]; __kernel__ void f() { big[0] = 1; }", "--stack 40000"),
                 "do not fit into local memory"));
  CHECK(contains(refusal("extern \"C\" void nowhere(); __kernel__ void f() { nowhere(); }"), "nowhere"));
  CHECK(contains(refusal("__kernel__ int f() { return 1; }"), "argument_bytes"));
}

}  // namespace
}  // namespace swai
