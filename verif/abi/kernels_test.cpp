// SPDX-License-Identifier: Apache-2.0
// The kernels do what they say, and the faulty ones fail as they should. They run on the functional model;
// the environment variable SWAI_CPE_RUN names another program with the same command line.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "cpe-kernels/sdk/include/swai/scalar_mix.hpp"
#include "host/tools/flash/flash_file.hpp"
#include "verif/firmware/test_tools.hpp"
#include "verif/kit/doctest_main.hpp"

namespace swai {
namespace {

using flash::Bytes;

std::string runner() {
  const char* other = std::getenv("SWAI_CPE_RUN");
  return other != nullptr ? other : "build/iss-cpe-run";
}

Finished run(const std::string& module, const std::string& kernel, const std::string& rest) {
  return run_command(
      fmt::format("{} build/cpe-kernels/{}.elf --daemon build/cpe-kernels/daemon.elf --kernel {} {}",
                  runner(), module, kernel, rest));
}

Bytes random_bytes(size_t count) {
  std::mt19937_64 random(test_seed());
  Bytes bytes(count);
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
  return bytes;
}

TEST_CASE("empty") {
  CHECK(run("empty", "empty", "").code == 0);
  CHECK(run("empty", "empty", "--mask 0x80000001 --launches 20").code == 0);
}

TEST_CASE("fill: exactly the bytes that it was told, whatever the number of CPEs") {
  for (const auto& [bytes, mask] :
       {std::pair{9999u, "0xffffffff"}, {63u, "0xffffffff"}, {600'000u, "0x8"}, {0u, "0x11"}}) {
    const TempFolder folder;
    REQUIRE(run("memset", "fill",
                fmt::format("--mask {} --args buf:{}:17 {} 0x1ab --dump 0:{}", mask, bytes + 64, bytes,
                            folder / "out"))
                .code == 0);
    const Bytes out = flash::read_file(folder / "out");
    for (size_t i = 0; i < bytes; ++i) REQUIRE(out[i] == 0xab);
    for (size_t i = bytes; i < bytes + 64; ++i) REQUIRE(out[i] == 17);
  }
}

TEST_CASE("copy") {
  for (const auto& [bytes, mask] :
       {std::pair{300'001u, "0xffffffff"}, {100'000u, "0x00100001"}, {1u, "0x2"}}) {
    const TempFolder folder;
    const Bytes in = random_bytes(bytes);
    flash::write_file(folder / "in", in);
    REQUIRE(run("copy", "copy",
                fmt::format("--mask {} --args buf:{} buf:={} {} 0 --dump 0:{}", mask, bytes, folder / "in",
                            bytes, folder / "out"))
                .code == 0);
    CHECK(flash::read_file(folder / "out") == in);
  }
}

TEST_CASE("broadcast: every CPE of a row has what its sender had") {
  constexpr uint32_t kBytes = 2048;
  constexpr uint32_t kRows = 4;
  constexpr uint32_t kColumns = 8;
  for (const unsigned sender : {0u, 3u, 7u}) {
    for (const unsigned rounds : {1u, 5u}) {
      const TempFolder folder;
      const Bytes in = random_bytes(kRows * kBytes);
      flash::write_file(folder / "in", in);
      REQUIRE(run("broadcast", "broadcast",
                  fmt::format("--args buf:{} buf:={} {} {} {} 0 --dump 0:{}", kRows * kColumns * kBytes,
                              folder / "in", kBytes, sender, rounds, folder / "out"))
                  .code == 0);
      const Bytes out = flash::read_file(folder / "out");
      for (uint32_t cpe = 0; cpe < kRows * kColumns; ++cpe) {
        CAPTURE(cpe);
        CHECK(std::memcmp(&out[cpe * kBytes], &in[cpe / kColumns * kBytes], kBytes) == 0);
      }
    }
  }
}

TEST_CASE("sync, and streams of memory") {
  for (const char* arguments : {"0 4", "1 1", "19 2", "64 4"})
    CHECK(run("sync", "sync_loop", fmt::format("--args {}", arguments)).code == 0);
  CHECK(run("stream", "stream", "--args buf:1048576 32768 4000 0 2").code == 0);
  CHECK(run("stream", "stream", "--args buf:1048576 32768 4096 1 1").code == 0);
  CHECK(run("stream", "stream", "--args buf:64 0 0 0 1").code == 0);
  // The last CPE's share would end behind the buffer.
  CHECK(run("stream", "stream", "--args buf:1048576 32769 4096 0 1").code == 1);
}

TEST_CASE("scalar: the check values are those of the same loop here") {
  constexpr uint32_t kRounds = 1000;
  const TempFolder folder;
  REQUIRE(
      run("scalar", "scalar", fmt::format("--args buf:128 {} 0 --dump 0:{}", kRounds, folder / "out")).code ==
      0);
  const Bytes out = flash::read_file(folder / "out");
  for (uint32_t cpe = 0; cpe < 32; ++cpe) {
    std::array<uint32_t, cpe::kMixWords> table;
    uint32_t check = 0;
    std::memcpy(&check, &out[cpe * sizeof(check)], sizeof(check));
    CHECK(check == cpe::scalar_mix(table.data(), cpe, kRounds));
  }
}

TEST_CASE("faulty kernels: failed, with the cause") {
  struct Expected {
    const char* kernel;
    const char* says;
  };
  // The buffer has one page; 64 bytes before its end 256 bytes are too many.
  for (const Expected& expected :
       {Expected{"illegal_instruction", "illegal instruction"}, Expected{"breakpoint", "breakpoint"},
        Expected{"assertion", "CPE 5: assertion failed: value != 0 (assertion, verif/kit/faulty/faults.cpp:"},
        Expected{"misaligned", "misaligned"}, Expected{"jump_nowhere", "fetch at 0x20000000"},
        Expected{"read_nowhere", "read at 0x0"}, Expected{"beyond_ldm", "read at 0x10020000"},
        Expected{"store_to_code", "does not permit"}, Expected{"bad_command", "bad command"},
        Expected{"no_such_unit", "bad command"}, Expected{"ends_its_launch", "bad command"},
        Expected{"endless_loop", "CPE 5"}, Expected{"deadlock_channel", "CPE 5"},
        Expected{"deadlock_sync", "CPE 5"}}) {
    CAPTURE(expected.kernel);
    const Finished finished = run("faults", expected.kernel, "--limit 100000 --args buf:4096 5 0");
    CHECK(finished.code == 1);
    const std::string text = finished.out + finished.error;
    CHECK(text.find("CPE 5") != std::string::npos);
    CHECK_MESSAGE(text.find(expected.says) != std::string::npos, text);
  }
  // A null pointer: segment 0 belongs to nobody.
  for (const char* kernel : {"dma_read", "dma_write", "window_read", "window_write"}) {
    CAPTURE(kernel);
    const Finished finished = run("faults", kernel, "--args 0 0 31 0");
    CHECK(finished.code == 1);
    const std::string text = finished.out + finished.error;
    CHECK_MESSAGE(text.find("CPE 31") != std::string::npos, text);
    CHECK_MESSAGE(text.find("segment 0") != std::string::npos, text);
  }
}

TEST_CASE("a stack that is too small stops the core, and not one level earlier") {
  struct Depth {
    const char* kernel;
    uint32_t from;
    uint32_t step;  // after which it takes as much again
    const char* says;
  };
  for (const Depth& depth :
       {Depth{"recursion", 10, 1, "stack overflow in {anonymous}::deepest (recursion, "},
        Depth{"mutual", 10, 2, "stack overflow in {anonymous}::"},
        Depth{"arrays", 160, 16, "stack overflow in {anonymous}::array (arrays, "},
        Depth{"pointers", 10, 1, "stack overflow in {anonymous}::pointed (pointers, "}}) {
    CAPTURE(depth.kernel);
    const TempFolder folder;
    const auto try_it = [&](uint32_t much) {
      return run("stack", depth.kernel,
                 fmt::format("--mask 2 --args buf:64 {} --dump 0:{}", much, folder / "out"));
    };
    // How far from the end of the stack.
    const auto lowest = [&](uint32_t much) {
      const Finished finished = try_it(much);
      REQUIRE_MESSAGE(finished.code == 0, finished.error);
      int32_t left = 0;
      std::memcpy(&left, flash::read_file(folder / "out").data(), sizeof left);
      REQUIRE(left >= 0);
      return static_cast<uint32_t>(left);
    };
    const uint32_t taken = lowest(depth.from) - lowest(depth.from + depth.step);
    const uint32_t most = depth.from + lowest(depth.from) / taken * depth.step;
    CHECK(lowest(most) < taken);
    for (const uint32_t much : {most + depth.step, ~uint32_t{0} - 100}) {
      const Finished finished = try_it(much);
      CHECK(finished.code == 1);
      const std::string text = finished.out + finished.error;
      CHECK_MESSAGE(text.find(std::string("CPE 1: ") + depth.says) != std::string::npos, text);
      CHECK(text.find("verif/kit/faulty/stack.cpp:") != std::string::npos);
    }
  }
}

TEST_CASE("printf: every kind of value, core after core") {
  const Finished finished = run("print", "kinds", "--mask 0x6 --args buf:64 0xfffffffe 0 7 1 1.5");
  CHECK(finished.code == 0);
  std::string expected;
  for (const int core : {1, 2}) {
    expected += fmt::format(
        "CPE {0}: -2 and    -2|-2   |-0002 of core {0}\n"
        "CPE {0}: fffffffe 0XFFFFFFFE 4294967303 100000007 100 %\n"
        "CPE {0}: 1.500 1.5 1.500000e+00, below \"x\" 0x4000000000000\n"
        "CPE {0}: nothing\n",
        core);
  }
  CHECK(finished.error.starts_with(expected + "kinds: done"));
}

TEST_CASE("printf: what finds no room is counted, what was printed before a core stopped comes out") {
  // A line takes four words of 1024; three launches wrap.
  std::string expected;
  for (int launch = 0; launch < 3; ++launch) {
    for (int i = 0; i < 100; ++i) expected += fmt::format("CPE 3: line {} of 100\n", i);
  }
  const Finished wraps = run("print", "lines", "--mask 0x8 --launches 3 --args 100");
  CHECK(wraps.error.starts_with(expected + "lines: done"));
  const Finished lost = run("print", "lines", "--mask 0x8 --args 300");
  CHECK(lost.code == 0);
  CHECK(lost.error.find("CPE 3: line 255 of 300\nCPE 3: 44 more lines are lost") != std::string::npos);
  const Finished stops = run("print", "stops", "--mask 0xf --args 2");
  CHECK(stops.code == 1);
  CHECK(stops.error.find("CPE 2: before\n") != std::string::npos);
}

TEST_CASE("a module with an undefined symbol") {
  const Finished finished = run("undefined", "needs_it", "");
  CHECK(finished.code == 2);
  CHECK(finished.error.find("function_that_is_nowhere") != std::string::npos);
}

}  // namespace
}  // namespace swai
