// SPDX-License-Identifier: Apache-2.0
// Tables that the compiler driver leaves in a module, for those who run and look at it; whole ones and
// damaged ones.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "abi/module_reader.hpp"
#include "host/lib/argument_types.hpp"
#include "host/lib/prints.hpp"
#include "host/lib/source_lines.hpp"
#include "host/lib/variables.hpp"
#include "verif/abi/sdaacc_runs.hpp"
#include "verif/firmware/test_tools.hpp"
#include "verif/kit/doctest_main.hpp"

namespace swai {
namespace {

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

}  // namespace
}  // namespace swai
