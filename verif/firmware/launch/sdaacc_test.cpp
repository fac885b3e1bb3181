// The compiler driver: what it makes of sources, and what it refuses with which words.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "abi/argument_types.hpp"
#include "abi/module_reader.hpp"
#include "abi/prints.hpp"
#include "abi/program.hpp"
#include "abi/source_lines.hpp"
#include "abi/stops.hpp"
#include "abi/variables.hpp"
#include "host/sdaa/program_file.hpp"
#include "verif/common/doctest_main.hpp"
#include "verif/firmware/test_tools.hpp"

namespace swai {
namespace {

Finished sdaacc(const TempFolder& folder, const std::string& source, const std::string& options = "") {
  std::ofstream(folder / "source.cpp") << "#include \"swai/cpe.hpp\"\n" << source;
  return run_command(fmt::format("cpe-kernels/sdaacc --flag=-Werror '{}' -o '{}' {}", folder / "source.cpp",
                                 folder / "out.elf", options));
}

std::vector<uint8_t> bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Says what is wrong, and leaves nothing behind.
std::string refusal(const std::string& source, const std::string& options = "") {
  const TempFolder folder;
  const Finished finished = sdaacc(folder, source, options);
  CHECK(finished.code == 1);
  CHECK(!std::filesystem::exists(folder / "out.elf"));
  return finished.error;
}

// Of a command with another file or tool than there is.
std::string failure(const std::string& command) {
  const Finished finished = run_command(command);
  CHECK(finished.code == 2);
  return finished.error;
}

bool contains(const std::string& text, std::string_view part) {
  const bool found = text.find(part) != std::string::npos;
  if (!found) MESSAGE(text);
  return found;
}

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

module::Variables variables_of(std::span<const uint8_t> file, module::VariableKind kind) {
  module::Module made;
  REQUIRE(made.open(file).ok());
  return {kind, file, made};
}

TEST_CASE("variables that hosts know: tables of them, what they hold first, and what is refused") {
  using enum module::VariableKind;
  const TempFolder folder;
  const std::string kernel =
      "__global__ void f(Global<int> out) { out[0] = c[1] + n::byte + d[0] + more + *pointer; "
      "atomicAdd(&d[0], 1); }\n";
  const std::string header = "#include \"swai/cuda.hpp\"\n";
  const Finished finished = sdaacc(folder, header +
                                               "static __constant__ int c[4] = {1, 2};\n"
                                               "namespace n { __constant__ char byte; }\n"
                                               "__device__ __constant__ double unused[2];\n"
                                               "__device__ int d[3] = {5, 6};\n"
                                               "static __device__ short more;\n"
                                               "__device__ int* pointer = &d[1];\n" +
                                               kernel);
  CHECK(finished.error == "");
  REQUIRE(finished.code == 0);
  auto file = bytes_of(folder / "out.elf");
  const auto constants = variables_of(file, kConstant);
  CHECK(constants.values().size() == 64);
  CHECK(constants.place_in_file() != 0);
  const auto c = constants.find("c").value();
  CHECK(c.bytes == 16);
  CHECK(c.offset % 4 == 0);
  CHECK(constants.values()[c.offset] == 1);
  CHECK(constants.values()[c.offset + 4] == 2);
  CHECK(constants.values()[c.offset + 8] == 0);
  CHECK(constants.find("n::byte")->bytes == 1);
  CHECK(constants.find("unused")->bytes == 16);
  CHECK(!constants.find("d"));
  CHECK(!constants.find("f"));
  const auto device = variables_of(file, kDevice);
  const auto d = device.find("d").value();
  CHECK(d.bytes == 12);
  CHECK(device.values()[d.offset + 4] == 6);
  // The host may write what no kernel does.
  CHECK(device.find("more")->bytes == 2);
  // Pointers to them are the core's, in the data window.
  const auto pointer = device.find("pointer").value();
  CHECK(device.values()[pointer.offset] == d.offset + 4);
  CHECK(device.values()[pointer.offset + 3] == 0x80);
  CHECK(!device.find("c"));
  CHECK(device.place() != constants.place());
  module::Module made;
  REQUIRE(made.open(file).ok());
  CHECK(made.ldm_bytes() < 256);  // the constants' room, and nothing of the others'

  // One without a table, and a damaged one.
  CHECK(run_command(fmt::format("riscv64-unknown-elf-strip '{}'", folder / "out.elf")).code == 0);
  CHECK(variables_of(bytes_of(folder / "out.elf"), kConstant).values().empty());
  const std::string_view magic = "SWAI-VAR\n";
  const auto table = std::search(file.begin(), file.end(), magic.begin(), magic.end());
  REQUIRE(table != file.end());
  std::fill_n(table + static_cast<std::ptrdiff_t>(magic.size()), 4, 'x');
  CHECK(variables_of(file, kConstant).values().empty());
  CHECK(!variables_of(file, kDevice).values().empty());

  // Of zeros the file has none.
  REQUIRE(sdaacc(folder, header + "__device__ int big[100000];\n"
                                  "__global__ void f(Global<int> out) { out[0] = big[out[1]]; }\n")
              .code == 0);
  file = bytes_of(folder / "out.elf");
  CHECK(file.size() < 300'000);
  CHECK(variables_of(file, kDevice).values() == std::vector<uint8_t>(400'000));

  std::ofstream(folder / "second.cpp") << header << "static __constant__ int c[4]; int* g() { return c; }\n";
  const Finished twice =
      sdaacc(folder,
             header + "static __constant__ int c[4]; __global__ void f(Global<int> out) { out[0] = c[1]; }\n",
             fmt::format("'{}'", folder / "second.cpp"));
  CHECK(twice.code == 1);
  CHECK(contains(twice.error, "two __constant__ variables are called c"));
}

// Whether one core alone runs it, which is in bit 0 of what its start tells run_blocks.
bool alone(const std::string& source) {
  const TempFolder folder;
  REQUIRE(sdaacc(folder, "#include \"swai/cuda.hpp\"\n" + source).code == 0);
  const Finished symbols = run_command(fmt::format("riscv64-unknown-elf-nm '{}'", folder / "out.elf"));
  const size_t at = symbols.out.find(" A swai_thread_stack_f\n");
  REQUIRE(at != std::string::npos);
  return (std::stoul(symbols.out.substr(at - 8, 8), nullptr, 16) & 1) != 0;
}

TEST_CASE("atomics: one core alone where they may be in memory that all cores see") {
  const std::string shared = "__global__ void f() { __shared__ int x; atomicAdd(&x, 1); ";
  CHECK(!alone(shared + "}"));
  CHECK(alone("__device__ int d; " + shared + "d = 3; }"));
  CHECK(alone("__global__ void f(Global<int> x) { atomicAdd(&x[0], 1); }"));
  CHECK(!alone("__device__ int d; __global__ void f() { d = 3; }"));
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
  const std::string good = fmt::format("cpe-kernels/sdaacc '{}'", folder / "source.cpp");
  CHECK(contains(failure(fmt::format("cpe-kernels/sdaacc '{0}' -o '{0}.elf'", folder / "missing.cpp")),
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

TEST_CASE(
    "source lines: of the function that the programmer wrote, not of the header that has the instruction") {
  const TempFolder folder;
  REQUIRE(sdaacc(folder, R"(using namespace swai::cpe;
LDM alignas(64) static uint32_t buffer[64];
[[gnu::noinline]] static void helper(GlobalPtr<uint32_t> from) {
  dma::wait(dma::load(buffer, from, 256));
}
__global__ void scale(GlobalPtr<uint32_t> from) {
  helper(from);
  dma::wait(dma::load(buffer, from + 64, 256));
}
)")
              .code == 0);
  const auto file = bytes_of(folder / "out.elf");
  module::Module made;
  REQUIRE(made.open(file).ok());
  const module::SourceLines lines(file);
  const std::string source = folder / "source.cpp";
  std::set<std::string> places;
  for (uint32_t at = 0; at < made.code_bytes(); at += 2)
    places.insert(lines.place(module::base(module::Space::kKernel) + at));
  // Line 1 is the #include.
  for (const int line : {5, 6}) CHECK(places.contains(fmt::format("helper, {}:{}", source, line)));
  for (const int line : {8, 9, 10}) CHECK(places.contains(fmt::format("scale, {}:{}", source, line)));
  for (const std::string& place : places) CHECK_MESSAGE(place.find("isa.hpp") == place.npos, place);
  // The code that loads a kernel's arguments is called as the kernel is.
  CHECK(lines.place(made.find("scale")->pc).starts_with("scale, "));
  CHECK(lines.place("mine", 0x4000'0000) == "mine");
  CHECK(lines.at(module::base(module::Space::kKernel) + made.code_bytes()) == "");

  // It is the debugger's, so what carries modules around can leave it out.
  REQUIRE(run_command(fmt::format("riscv64-unknown-elf-strip '{}'", folder / "out.elf")).code == 0);
  const module::SourceLines none(bytes_of(folder / "out.elf"));
  CHECK(none.at(made.find("scale")->pc) == "");
}

TEST_CASE("source lines: a damaged file tells none, or others; nothing beyond it is touched") {
  const TempFolder folder;
  REQUIRE(sdaacc(folder, "__global__ void f() {}\n").code == 0);
  const auto file = bytes_of(folder / "out.elf");
  const uint32_t pc = module::base(module::Space::kKernel);
  REQUIRE(module::SourceLines(file).at(pc) != "");
  for (size_t length = 0; length < file.size(); length += 7)
    CHECK(module::SourceLines(std::span(file).first(length)).at(pc) == "");
  const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
  const size_t table = text.find("SWAI-LIN");
  REQUIRE(table != text.npos);
  // Magic number, rows, bytes of names; offsets of names.
  for (const size_t at : {0, 8, 11, 12, 15, 16 + 7, 16 + 11}) {
    auto damaged = file;
    damaged[table + at] ^= 0x55;
    CHECK(module::SourceLines(damaged).at(pc) == "");
  }
}

// By place, why a core may stop there; of instructions that stop it.
std::multimap<std::string, std::string> stops_of(std::span<const uint8_t> file) {
  const module::SourceLines lines(file);
  const module::Stops stops(file);
  std::multimap<std::string, std::string> all;
  for (uint32_t offset = 0; offset < 1024; offset += 2) {
    const uint32_t pc = module::base(module::Space::kKernel) + offset;
    const std::string_view why = stops.why(launch::Cause::kBreakpoint, pc);
    if (!why.empty()) all.emplace(lines.place(pc), why);
    if (!stops.why(launch::Cause::kIllegal, pc).empty()) all.emplace("another cause", why);
  }
  return all;
}

TEST_CASE("assert: each has its line and its words, which lie in no memory of the card") {
  const TempFolder folder;
  const std::string source = R"(#include <cassert>
template <typename T> static void check(T value) { assert(value > T{1}); }
__global__ void f(uint32_t i, uint32_t n, int16_t m) {
  if (i == 1) { check(m); assert(i < n); }
  if (i == 2) { check(n); assert(i < n); }
  assert(std::is_same_v<uint32_t, decltype(i)> && i != '"' && "a\\b");
  constexpr bool inside = [] { assert(true); return true; }();
  static_assert(inside);
}
)";
  REQUIRE(sdaacc(folder, source).error == "");
  const auto file = bytes_of(folder / "out.elf");
  const auto stops = stops_of(file);
  const auto place = [&](int line) { return fmt::format("f, {}:{}", folder / "source.cpp", line); };
  using Words = std::multimap<std::string, std::string>;
  const auto has = [&](int line, const std::string& words) {
    const auto [first, last] = stops.equal_range(place(line));
    return std::any_of(first, last, [&](const Words::value_type& one) { return one.second == words; });
  };
  // Line 1 is the #include.
  CHECK(has(5, "assertion failed: i < n"));
  CHECK(has(6, "assertion failed: i < n"));
  CHECK(has(3, "assertion failed: value > T{1}"));
  CHECK(has(7, R"(assertion failed: std::is_same_v<uint32_t, decltype(i)> && i != '"' && "a\\b")"));
  // Where nothing fails nothing but a branch is left; what is not wanted leaves nothing.
  const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
  module::Module made;
  REQUIRE(made.open(file).ok());
  CHECK(made.ldm_bytes() == 0);
  for (const module::Piece& piece : made.pieces()) {
    const std::string_view loaded(reinterpret_cast<const char*>(piece.data.data()), piece.data.size());
    CHECK(loaded.find("assertion") == loaded.npos);
  }
  REQUIRE(sdaacc(folder, source, "-DNDEBUG --flag=-Wno-unused").code == 0);
  CHECK(stops_of(bytes_of(folder / "out.elf")).empty());
}

TEST_CASE("stops: a damaged table tells what is whole; nothing beyond the file is touched") {
  const TempFolder folder;
  REQUIRE(sdaacc(folder, "#include <cassert>\n__global__ void f(int a) { assert(a == 1); assert(a != 1); }\n")
              .code == 0);
  const auto file = bytes_of(folder / "out.elf");
  REQUIRE(stops_of(file).size() == 2);
  for (size_t length = 0; length < file.size(); length += 7)
    CHECK(stops_of(std::span(file).first(length)).size() <= 2);
  const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
  const size_t first = text.find("assertion failed");
  const size_t last = text.rfind("assertion failed");
  const auto changed = [&](size_t at, uint8_t by) {
    auto bytes = file;
    bytes[at] = by;
    return stops_of(bytes);
  };
  // Words without an end; words that would move the cursor of a terminal.
  CHECK(changed(text.find('\0', last), 'x').size() == 1);
  const auto moved = changed(first, 0x1b);
  REQUIRE(moved.size() == 2);
  for (const auto& [place, words] : moved) CHECK(words.find('\x1b') == words.npos);
  CHECK(changed(first - 1, 0x60).size() == 1);
}

TEST_CASE("printf: values must be what the format says") {
  const auto compiles = [](const std::string& call) {
    const TempFolder folder;
    const Finished finished =
        sdaacc(folder,
               fmt::format(
                   "#include <cstdio>\nusing namespace swai::cpe;\n__global__ void f([[maybe_unused]] int a, "
                   "[[maybe_unused]] int64_t b, [[maybe_unused]] float c, [[maybe_unused]] "
                   "GlobalPtr<float> d) {{ {}; }}\n",
                   call));
    if (finished.code != 0) CHECK(contains(finished.error, "format and values do not go together"));
    return finished.code == 0;
  };
  CHECK(compiles(R"(printf("%d %u %lld %f %p %c %s %% %-8.3x\n", a, a, b, c, d, 'x', "text", a))"));
  CHECK(compiles(R"(printf("nothing"))"));
  for (const char* wrong :
       {R"(printf("%d", b))", R"(printf("%lld", a))", R"(printf("%d", c))", R"(printf("%f", a))",
        R"(printf("%s", a))", R"(printf("%p", a))", R"(printf("%d"))", R"(printf("%d", a, a))",
        R"(printf("%n", a))", R"(printf("%*d", a, a))", R"(printf("%"))"}) {
    CAPTURE(wrong);
    CHECK_FALSE(compiles(wrong));
  }
}

TEST_CASE("printf: whatever a kernel leaves in its buffer is text, or nothing") {
  const TempFolder folder;
  REQUIRE(sdaacc(folder, R"(#include <cstdio>
__global__ void f(int a, float b) { printf("%5d of %s, %.999f", a, "constant", b); printf("%d", a); }
)")
              .code == 0);
  const auto file = bytes_of(folder / "out.elf");
  const module::Prints prints(file);
  REQUIRE(prints.any());
  CHECK(file.size() - prints.place_in_file() > sizeof(uint64_t));
  std::mt19937 random(static_cast<uint32_t>(test_seed()));
  module::Module made;
  REQUIRE(made.open(file).ok());
  // Formats there are, and anything.
  const auto address = [&] {
    return module::base(module::Space::kKernel) + random() % (made.code_bytes() + 64);
  };
  for (int round = 0; round < 300; ++round) {
    std::vector<uint32_t> ring(print::kRingWords);
    for (uint32_t& word : ring) word = random() % 2 == 0 ? address() : random();
    print::Head head = {.written = static_cast<uint32_t>(random()), .read = 0, .lost = 0, .reserved = 0};
    head.read = head.written - static_cast<uint32_t>(random() % 1100);
    for (const std::string& line : prints.lines(head, ring)) {
      for (const unsigned char one : line) REQUIRE((one >= ' ' || one == '\n' || one == '\t'));
    }
  }
  for (size_t length = 0; length < file.size(); length += 97)
    CHECK_FALSE(module::Prints(std::span(file).first(length)).any());
}

TEST_CASE("argument types: a damaged table tells none, or others; nothing beyond the file is touched") {
  const TempFolder folder;
  REQUIRE(sdaacc(folder,
                 "using namespace swai::cpe;\n__global__ void f([[maybe_unused]] GlobalPtr<float> to, "
                 "[[maybe_unused]] int16_t a) {}\n")
              .code == 0);
  const auto file = bytes_of(folder / "out.elf");
  module::Module made;
  REQUIRE(made.open(file).ok());
  const module::KernelView kernel = made.kernel(0);
  const auto names = [&](std::span<const uint8_t> bytes) {
    std::string all;
    const module::ArgumentTypes types(bytes);
    const auto arguments = types.of(kernel).value();
    for (const module::ArgumentType& one : arguments) all += one.name + " ";
    return all;
  };
  REQUIRE(names(file) == "to a ");
  for (size_t length = 0; length < file.size(); length += 7)
    CHECK(names(std::span(file).first(length)) == "  ");
  const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
  const auto damaged = [&](std::string_view what, std::string_view by) {
    auto bytes = file;
    const size_t at = text.find(what);
    REQUIRE(at != text.npos);
    std::ranges::copy(by, bytes.begin() + static_cast<ptrdiff_t>(at));
    return names(bytes);
  };
  CHECK(damaged("SWAI-ARG", "SWAI-ARX") == "  ");
  CHECK(damaged("kernel\tf", "kernel\tg") == "  ");
  CHECK(damaged("kernel\tf", "Kernel\tf") == "  ");
  CHECK(damaged("0\t8\tpointer", "0\t4\tpointer") == "  ");
  CHECK(damaged("0\t8\tpointer", "0\t9\tpointer") == "  ");
  CHECK(damaged("0\t8\tpointer", "0\t8\tpointes") == "  ");
  CHECK(damaged("0\t8\tpointer", "x\t8\tpointer") == "  ");
  // They would lie one upon the other, or beyond what the kernel takes.
  CHECK(damaged("8\t2\tsigned", "7\t2\tsigned") == "  ");
  CHECK(damaged("8\t2\tsigned", "9\t8\tsigned") == "  ");
}

TEST_CASE("stack: what does not fit is refused, with function, line and the way there") {
  // Line 1 is the #include; what a function of another source needs counts, too.
  const std::string source = R"(using namespace swai::cpe;
int deep(volatile int* at);
[[gnu::noinline]] static int middle(volatile int* at) { volatile int here[25]; here[at[1]] = at[0]; return deep(at) + here[0]; }
__global__ void scale(uint32_t count) { volatile int numbers[3] = {1, 2, static_cast<int>(count)}; middle(numbers); }
__global__ void small() {}
)";
  const TempFolder folder;
  const std::string other = folder / "deep.cpp";
  std::ofstream(other)
      << "int deep(volatile int* at);\n\n"
         "int deep(volatile int* at) { volatile char big[8000]; big[at[0]] = 1; return big[at[1]]; }\n";
  const auto made = [&](const std::string& options) {
    return sdaacc(folder, source, "'" + other + "' " + options);
  };
  const Finished refused = made("");
  CHECK(refused.code == 1);
  CHECK(!std::filesystem::exists(folder / "out.elf"));
  CHECK(contains(refused.error, other + ":3: deep takes 80"));
  CHECK(contains(refused.error, "kernel scale needs 8"));
  CHECK(contains(refused.error, ", middle 1"));
  CHECK(contains(refused.error, ", and has 4096"));
  CHECK(refused.error.find("kernel small") == std::string::npos);
  // The number is exact: so much is enough, and no byte less.
  const size_t at = refused.error.find("give --stack ");
  REQUIRE(at != std::string::npos);
  const int need = std::stoi(refused.error.substr(at + 13));
  CHECK(made(fmt::format("--stack {}", need - 1)).code == 1);
  const Finished good = made(fmt::format("--stack {}", need));
  CHECK(good.code == 0);
  CHECK(good.error == "");
}

TEST_CASE("stack: recursion and arrays of unknown size are told apart") {
  const TempFolder folder;
  const Finished recursion = sdaacc(folder, R"(using namespace swai::cpe;
[[gnu::noinline]] static int sum(int n) { volatile int x = n; return n < 2 ? 1 : x * sum(n - 1) + sum(n - 2); }
[[gnu::noinline]] static int odd(int n);
[[gnu::noinline]] static int even(int n) { volatile int x = n; return x == 0 ? 1 : 1 + odd(x - 1); }
static int odd(int n) { volatile int x = n; return x == 0 ? 0 : 1 + even(x - 1); }
__global__ void f(uint32_t n) { volatile int result = sum(n) + even(n); (void)result; }
)");
  CHECK(recursion.code == 0);
  const std::string source = folder / "source.cpp";
  CHECK(contains(recursion.error, fmt::format("warning: kernel f: sum ({}:3) calls itself", source)));
  CHECK(contains(recursion.error, "calls itself: nobody knows whether 4096 bytes of stack are enough"));
  CHECK(contains(recursion.error, "kernel f: even ("));
  // They look for themselves as they run, and no others.
  const auto stops = stops_of(bytes_of(folder / "out.elf"));
  std::multiset<std::string> guards;
  for (const auto& [place, why] : stops) guards.insert(why);
  CHECK(guards == std::multiset<std::string>{"stack overflow in even", "stack overflow in odd",
                                             "stack overflow in sum"});
  CHECK(stops.contains(fmt::format("sum, {}:3", source)));
  const Finished array = sdaacc(folder, R"(using namespace swai::cpe;
__global__ void f(uint32_t n) { auto* a = static_cast<volatile char*>(__builtin_alloca(n)); a[0] = 1; }
)");
  CHECK(array.code == 0);
  CHECK(contains(array.error, "has an array whose size is not known before it runs"));
  CHECK(stops_of(bytes_of(folder / "out.elf")).size() == 1);
  // What is known needs no guard.
  REQUIRE(sdaacc(folder, R"(
[[gnu::noinline]] static int small(volatile int* at) { volatile int here[25]; here[at[1]] = at[0]; return here[0]; }
__global__ void f(int n) { volatile int numbers[3] = {1, 2, n}; small(numbers); }
)")
              .code == 0);
  CHECK(stops_of(bytes_of(folder / "out.elf")).empty());
  // What is known does not fit, whatever the rest takes.
  CHECK(contains(refusal(R"(using namespace swai::cpe;
[[gnu::noinline]] static int sum(int n) { volatile int x[2000]; x[n] = n; return n < 2 ? 1 : x[n] * sum(n - 1) + sum(n - 2); }
__global__ void f(uint32_t n) { volatile int result = sum(n); (void)result; }
)"),
                 "sum takes 80"));
}

// A module of kernels with threads.
std::vector<uint8_t> with_threads(const std::string& source) {
  const TempFolder folder;
  const Finished finished = sdaacc(folder, "#include \"swai/cuda.hpp\"\n" + source);
  CHECK(finished.error == "");
  REQUIRE(finished.code == 0);
  return bytes_of(folder / "out.elf");
}

std::string refused_with_threads(const std::string& source) {
  return refusal("#include \"swai/cuda.hpp\"\n" + source);
}

TEST_CASE(
    "threads: a grid behind the values, shared memory, and a stack for each thread that waits for others") {
  const auto file = with_threads(R"(
__global__ void alone(Global<const float> in, Global<float> out, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) out[i] = in[i];
}
__device__ void meet(int* at) { __syncthreads(); ++*at; }
__global__ void together(Global<int> out) {
  __shared__ int some[100];
  extern __shared__ int more[];
  more[threadIdx.x] = some[threadIdx.y] = 1;
  meet(some);
  out[0] = more[1];
}
__kernel__ void plain() {}
)");
  module::Module made;
  REQUIRE(made.open(file).ok());
  const module::KernelView alone = *made.find("alone");
  CHECK(alone.parameters == 0x6'344);
  CHECK(alone.argument_bytes == 56);
  CHECK(made.find("plain")->parameters == 0);
  const module::ArgumentTypes types(file);
  const auto taken = types.of(alone).value();
  REQUIRE(taken.size() == 3);
  CHECK(taken[0].kind == module::Kind::kPointer);
  CHECK(taken[0].type == "GlobalPtr<const float>");
  CHECK(!types.stacks_of("alone"));
  CHECK(!types.stacks_of("plain"));
  const module::ThreadStacks stacks = types.stacks_of("together").value();
  CHECK(stacks.bytes % 16 == 0);
  CHECK(stacks.bytes >= 80);
  // All but the core's own stack, `some` and what threads.cpp has.
  CHECK(stacks.room < 131072 - 4096 - 400);
  CHECK(stacks.room > 131072 - 4096 - 400 - 256);
  CHECK(made.ldm_bytes() == 131072 - 4096 - stacks.room);
}

TEST_CASE("elements: what would mean something else than in CUDA is refused") {
  const auto refused = [](const std::string& use) {
    return refused_with_threads(
        "__global__ void f(Global<float> a, [[maybe_unused]] Global<int> b, int n) {\n" + use + "\n}\n");
  };
  // It would be an int.
  CHECK(contains(refused("a[0] = n > 0 ? a[1] : 0;"), "source.cpp:4:"));
  CHECK(contains(refused("b[0] = n > 0 ? b[1] : 'c';"), "source.cpp:4:"));
  // Both would have the second one's number.
  CHECK(contains(refused("auto kept = a[0]; a[0] = a[n]; a[1] = kept;"), "source.cpp:4:"));
  CHECK(contains(refused("auto kept = a[0]; float x = kept; a[n] = x;"), "source.cpp:4:"));
  with_threads(R"(
__global__ void f(Global<float> a, Global<const float> c, Global<int> b, int n) {
  a[0] = n > 0 ? c[1] : 0.0f;
  b[0] = n > 0 ? b[1] : 0;
  const double wide = c[1];
  a[1] = a[2] = c[3] + wide;
  b[2] = a[3];
  a[4] = a[4] * c[4] + b[3];
  if (!b[4] && b[5] == 3) b[6] = -b[7];
  static_assert(std::is_same_v<decltype(min(b[0], n)), int> && std::is_same_v<decltype(max(n, b[0])), int>);
  static_assert(std::is_same_v<decltype(min(c[0], 1.0f)), float>);
  b[8] = min(b[9], 16777217) + max(b[10], b[11]);
  atomicInc(&b[12], n);
  a[5] = __ldg(&c[5]);
}
)");
}

TEST_CASE("threads: what cannot be run right is refused, with its line") {
  // Lines 1 and 2 are #includes.
  const std::string recursion = refused_with_threads(
      R"(int f(int n) { if (n == 0) return 0; __syncthreads(); return f(n - 1) + n + f(n - 2); }
__global__ void k(Global<int> out) { out[0] = f(out[1]); }
)");
  CHECK(contains(recursion, "kernel k: f ("));
  CHECK(contains(recursion, "source.cpp:3) calls itself"));
  CHECK(contains(recursion, "nobody knows how large"));
  const std::string pointer = refused_with_threads(R"(using F = int (*)(int);
LDM F called;
__global__ void k(Global<int> out) { __syncthreads(); out[0] = called(1); }
)");
  CHECK(contains(pointer, "kernel k: k ("));
  CHECK(contains(pointer, "source.cpp:5) calls through a pointer"));
  CHECK(contains(
      refused_with_threads("__global__ void k(Global<int> to) { __shared__ int x = 5; to[0] = ++x; }"),
      "a __shared__ variable has an initial value"));
  const std::string plain = refused_with_threads("\n__global__ void k(float* to) { to[0] = 1; }");
  CHECK(contains(plain, "Global<T> in kernels for CUDA"));
  CHECK(contains(plain, "source.cpp:4:"));
  CHECK(contains(refused_with_threads("__global__ int k() { return 1; }"), "a kernel returns nothing"));
  const std::string warps = refused_with_threads("\n__global__ void k() { __syncwarp(); }");
  CHECK(contains(warps, "source.cpp:4:"));
  CHECK(contains(warps, "there are no warps here"));
  std::string many = "__global__ void k(int";
  for (int i = 1; i < 16; ++i) many += ", int";
  CHECK(contains(refused_with_threads(many + ") {}"), "a kernel with threads takes at most 15 values"));
}

TEST_CASE("model programs: a page of code, data elsewhere; and what they must have") {
  const TempFolder folder;
  const auto program = [&](const std::string& source, const std::string& options = "") {
    std::ofstream(folder / "program.cpp") << "#include \"swai/program.hpp\"\n" << source;
    return run_command(fmt::format("cpe-kernels/sdaacc --mpe --flag=-Werror '{}' -o '{}' {}",
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

  REQUIRE(program("int value = 5;\n" + run + "SWAI_PROGRAM(run)\n", "--stack 4096").code == 0);
  const auto made = sdaa::read_program(bytes_of(folder / "program.elf"));
  CHECK(made.entry - program::kCode < made.code.size());
  CHECK(made.code.size() < 4096);
  // The stack comes first.
  REQUIRE(made.data.size() >= 4096 + sizeof(int));
  CHECK(made.data[4096] == 5);
}

TEST_CASE("help teaches") {
  const Finished finished = run_command("cpe-kernels/sdaacc --help");
  CHECK(finished.code == 0);
  for (const char* part :
       {"sdaacc kernel.cpp -o kernel.elf", "__global__", "exit codes:", "-I FOLDER", "--mpe"})
    CHECK(contains(finished.out, part));
}

}  // namespace
}  // namespace swai
