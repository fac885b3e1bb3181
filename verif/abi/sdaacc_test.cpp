// SPDX-License-Identifier: Apache-2.0
// The compiler driver: what it makes of sources, and what it refuses with which words.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "abi/module_reader.hpp"
#include "abi/program.hpp"
#include "host/runtime/program_file.hpp"
#include "verif/abi/sdaacc_runs.hpp"
#include "verif/firmware/test_tools.hpp"

namespace swai {
namespace {

TEST_CASE("both markers, several kernels, constants and local memory") {
  const TempFolder folder;
  const Finished finished = sdaacc(folder, R"(
struct Args { uint32_t value; uint64_t other; };
LDM alignas(64) static volatile uint8_t buffer[1000];
static const uint32_t table[3] = {1, 2, 3};
__kernel__ void one(const Args* args) { buffer[args->value] = static_cast<uint8_t>(table[args->other % 3]); }
__global__ void two() { buffer[0] = 1; }
__global__ void three(swai::cpe::GlobalPtr<float>, uint8_t a, int16_t b, double c, bool) { buffer[a] = uint8_t(c) + b; }
)");
  CHECK(finished.error == "");
  REQUIRE(finished.code == 0);
  const Finished symbols = run_command(fmt::format("riscv64-unknown-elf-nm '{}'", folder / "out.elf"));
  CHECK(contains(symbols.out, " T one"));
  CHECK(contains(symbols.out, " T two"));
  // Static objects in local memory; the rest of it begins behind them, at a multiple of 64.
  CHECK(contains(symbols.out, "10000400 "));

  const auto file = bytes_of(folder / "out.elf");
  module::Module made;
  REQUIRE(made.open(file).ok());
  CHECK(made.name() == "out");
  CHECK(made.find("one")->argument_bytes == 16);
  CHECK(made.find("one")->parameters == 0);
  CHECK(made.find("two")->argument_bytes == 0);
  // 8 bytes at 0, 1 at 8, 2 at 10, 8 at 16, 1 at 24.
  CHECK(made.find("three")->parameters == 0x1'4214);
  CHECK(made.find("three")->argument_bytes == 32);
}

TEST_CASE("options: folders, macros, optimisation, names; the same sources make the same module") {
  const TempFolder folder;
  std::filesystem::create_directory(folder / "include");
  std::ofstream(folder / "include/more.hpp") << "#pragma once\nconstexpr int kMore = 1;\n";
  const std::string source =
      "#include \"more.hpp\"\n"
      "static_assert(kMore + EXTRA == 3);\n"
      "__global__ void f() {}\n";
  const auto options = [&](const char* more) {
    return fmt::format("-I'{}' -DEXTRA=2 {}", folder / "include", more);
  };
  REQUIRE(sdaacc(folder, source, options("-O3")).code == 0);
  const auto first = bytes_of(folder / "out.elf");
  REQUIRE(sdaacc(folder, source, options("-O3")).code == 0);
  CHECK(bytes_of(folder / "out.elf") == first);
  REQUIRE(sdaacc(folder, source, options("-O0 --name other")).code == 0);
  const auto other = bytes_of(folder / "out.elf");
  module::Module made;
  REQUIRE(made.open(other).ok());
  CHECK(made.name() == "other");
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
  CHECK(contains(
      refusal("extern \"C\" void nowhere(); float gone(int); __kernel__ void f() { nowhere(); gone(1); }"),
      "used, and defined in none of the sources: gone(int), nowhere"));
  CHECK(contains(refusal("int f() { return 1; }"), "no kernel in"));
  CHECK(contains(refusal("__kernel__ void f() { nonsense }"), "source.cpp does not compile"));
}

TEST_CASE("functions that cannot be kernels") {
  CHECK(contains(refusal("__kernel__ int f() { return 1; }"), "a kernel returns nothing"));
  CHECK(contains(refusal("__global__ void f(const float*) {}"), "memory is GlobalPtr<T>"));
  CHECK(contains(refusal("__global__ void f(float*, int) {}"), "memory is GlobalPtr<T>"));
  CHECK(contains(refusal("struct S { int a, b; }; __global__ void f(S, int) {}"),
                 "values of 1, 2, 4 or 8 bytes"));
  // Where it stands and what is wrong, and nothing of templates; of each.
  const std::string both = refusal("__global__ int f() { return 1; }\n__global__ void g(int*, int) {}\n");
  CHECK(std::ranges::count(both, '\n') == 2);
  CHECK(contains(both, "source.cpp:2: a kernel returns nothing"));
  CHECK(contains(both, "source.cpp:3: a kernel's parameter is a pointer"));
}

TEST_CASE("kernels in namespaces have their own names") {
  const TempFolder folder;
  const Finished finished = sdaacc(folder, R"(#include "swai/cuda.hpp"
namespace outer {
__global__ void one(Global<int> to) { to[threadIdx.x] = 1; }
namespace {
__global__ void two(Global<int> to) { to[threadIdx.x] = 2; }
}
}
namespace {
__global__ void three(Global<int> to) { to[threadIdx.x] = 3; }
}
)");
  CHECK(finished.error == "");
  REQUIRE(finished.code == 0);
  const auto file = bytes_of(folder / "out.elf");
  module::Module made;
  REQUIRE(made.open(file).ok());
  for (const char* name : {"one", "two", "three"}) CHECK(made.find(name));
}

TEST_CASE("the card's memory is not used through its pointer") {
  for (const char* use : {"p[3] = 1;", "*p = 1;", "float x = p[n]; (void)x;"}) {
    const std::string words = refusal(fmt::format(
        "__global__ void f(swai::cpe::GlobalPtr<float> p, [[maybe_unused]] int n) {{ {} }}", use));
    CHECK(contains(words, "source.cpp:2:"));
    CHECK(contains(words, "write Window<T> w(p); w[i], or take Global<T>"));
  }
}

TEST_CASE("files and tools: the cause, and what to do") {
  const TempFolder folder;
  REQUIRE(sdaacc(folder, "__global__ void f() {}\n").code == 0);
  const std::string good = fmt::format("cpe-kernels/sdk/compiler/sdaacc '{}'", folder / "source.cpp");
  CHECK(contains(
      failure(fmt::format("cpe-kernels/sdk/compiler/sdaacc '{0}' -o '{0}.elf'", folder / "missing.cpp")),
      "missing.cpp: No such file"));
  CHECK(contains(failure(fmt::format("{} -o '{}'", good, folder / "nowhere/out.elf")), "there is no folder"));
  CHECK(contains(failure(fmt::format("{} -o '{}'", good, folder / "")), "it is a folder"));
  CHECK(contains(failure(fmt::format("{} -o /proc/version", good)), "cannot write /proc/version"));
  CHECK(contains(failure(good), "-o"));
  CHECK(contains(failure(fmt::format("{} -o '{}' --no-such-option", good, folder / "out.elf")),
                 "--no-such-option"));

  // A machine without the compiler: the only program there is Python.
  const std::string tools = folder / "tools";
  std::filesystem::create_directory(tools);
  const std::string python =
      fmt::format("ln -s \"$(python3 -c 'import sys; print(sys.executable)')\" '{}/python3'", tools);
  REQUIRE(run_command(python).code == 0);
  const std::string message = failure(fmt::format("PATH='{}' {} -o '{}'", tools, good, folder / "out.elf"));
  CHECK(contains(message, "not installed: riscv64-unknown-elf-g++"));
  CHECK(contains(message, "apt-get install gcc-riscv64-unknown-elf"));
}

TEST_CASE("model programs: a page of code, data elsewhere; and what they must have") {
  const TempFolder folder;
  const auto program = [&](const std::string& source, const std::string& options = "") {
    std::ofstream(folder / "program.cpp") << "#include \"swai/program.hpp\"\n" << source;
    return run_command(fmt::format("cpe-kernels/sdk/compiler/sdaacc --mpe --flag=-Werror '{}' -o '{}' {}",
                                   folder / "program.cpp", folder / "program.elf", options));
  };
  const std::string run = "int run(swai::program::Job& job) { return int(job.argument_bytes()) + value; }\n";
  const Finished without = program("int value = 5;\n" + run);
  CHECK(without.code == 1);
  CHECK(contains(without.error, "no program in"));
  CHECK(contains(without.error, "SWAI_PROGRAM(name)"));
  CHECK(!std::filesystem::exists(folder / "program.elf"));
  CHECK(contains(program("nonsense").error, "program.cpp does not compile"));
  const std::string constructed =
      "volatile int seen;\nstruct Value { Value() { seen = 1; } } const object;\n";
  CHECK(contains(program(constructed + "int value = 5;\n" + run + "SWAI_PROGRAM(run)\n").error,
                 "a static object has a constructor"));
  const std::string floating = "volatile float seen = 1;\nint value = 5;\n";
  CHECK(contains(
      program(floating + "int run(swai::program::Job&) { return seen * 2 > 3; }\nSWAI_PROGRAM(run)\n").error,
      "cannot compute in floating point"));
  CHECK(contains(
      program("int absent();\nint run(swai::program::Job&) { return absent(); }\nSWAI_PROGRAM(run)\n").error,
      "defined in none of the sources: absent()"));

  REQUIRE(program("int value = 5;\n" + run + "SWAI_PROGRAM(run)\n", "--stack 4096").code == 0);
  const auto made = sdaa::read_program(bytes_of(folder / "program.elf"));
  CHECK(made.entry - program::kCode < made.code.size());
  CHECK(made.code.size() < 4096);
  // The stack comes first.
  REQUIRE(made.data.size() >= 4096 + sizeof(int));
  CHECK(made.data[4096] == 5);
}

TEST_CASE("help teaches") {
  const Finished finished = run_command("cpe-kernels/sdk/compiler/sdaacc --help");
  CHECK(finished.code == 0);
  for (const char* part :
       {"sdaacc kernel.cpp -o kernel.elf", "__global__", "exit codes:", "-I FOLDER", "--mpe"})
    CHECK(contains(finished.out, part));
}

}  // namespace
}  // namespace swai
