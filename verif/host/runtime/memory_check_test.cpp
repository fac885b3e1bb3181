// SPDX-License-Identifier: Apache-2.0
// Checked memory (SWAI_MEMORY_CHECK=1): zones, patterns, what was not freed, and what becomes of memory that
// cannot be filled. Against a played card.
#include <algorithm>
#include <cstdlib>

#include "host/runtime/runtime.hpp"
#include "host/runtime/service_copies.hpp"
#include "verif/host/runtime/tools.hpp"
#include "verif/kit/process.hpp"

using namespace swai;
using namespace swai::sdaa;

namespace {

// Writes past the library, as a kernel would that is wrong.
void overwrite(void* pointer, int64_t at, uint8_t value) {
  const auto device = Runtime::get().current();
  Device::Lock lock = device->enter();
  copy_to_card(*device, lock, bits(pointer) + static_cast<uint64_t>(at), &value, 1);
}

}  // namespace

TEST_CASE("checked memory: fresh bytes, zones on both sides, and what is said of them") {
  const Fakes fakes(1, {}, true);
  size_t before = 0;
  size_t now = 0;
  size_t total = 0;
  REQUIRE_OK(sdaaMemGetInfo(&before, &total));
  for (const unsigned flags : {sdaaMallocCores, sdaaMallocProcessor, sdaaMallocShared}) {
    for (const size_t bytes : {1, 64, 1000, 2 << 20}) {
      void* pointer = nullptr;
      REQUIRE_OK(sdaaMallocWithFlags(&pointer, bytes, flags, sdaaAnyGroup));
      CHECK(bits(pointer) % 64 == 0);
      std::vector<uint8_t> image(bytes);
      REQUIRE_OK(sdaaMemcpy(image.data(), pointer, bytes, sdaaMemcpyDeviceToHost));
      CHECK(std::count(image.begin(), image.end(), 0xcd) == static_cast<long>(bytes));
      size_t damaged = 1;
      REQUIRE_OK(sdaaMemCheck(&damaged));
      CHECK(damaged == 0);
      for (const int64_t at : {int64_t{-1}, static_cast<int64_t>(bytes), static_cast<int64_t>(bytes) + 63}) {
        void* other = nullptr;
        REQUIRE_OK(sdaaMallocWithFlags(&other, bytes, flags, sdaaAnyGroup));
        overwrite(other, at, 0x77);
        REQUIRE_OK(sdaaMemCheck(&damaged));
        CHECK(damaged == 1);
        CHECK_ERROR(sdaaFree(other), sdaaErrorIllegalAddress);
        const std::string said = sdaaGetLastErrorMessage();
        CHECK(said.find(at < 0 ? "1 bytes before it" : "1 bytes behind it") != std::string::npos);
        CHECK(said.find(std::to_string(bytes) + " bytes at") != std::string::npos);
        CHECK_ERROR(sdaaFree(other), sdaaErrorInvalidDevicePointer);
      }
      CHECK_OK(sdaaFree(pointer));
    }
  }
  REQUIRE_OK(sdaaMemGetInfo(&now, &total));
  CHECK(now == before);
  CHECK_ERROR(sdaaMemCheck(nullptr), sdaaErrorInvalidValue);
}

TEST_CASE("memory is checked only where that is asked for") {
  const Fakes fakes;
  size_t damaged = 0;
  CHECK_ERROR(sdaaMemCheck(&damaged), sdaaErrorNotSupported);
}

namespace {

constexpr const char* kLeaves = "a program that leaves memory behind";
constexpr const char* kAlive = "--- alive ---\n";

}  // namespace

// Run by the next one as a program of its own, with SWAI_MEMORY_CHECK=1, so that it ends as programs do.
TEST_CASE(kLeaves* doctest::skip()) {
  Fakes::use({[] { return std::make_unique<link::Card>(make_fake_card()); }}, true);
  void* pointer = nullptr;
  allocate(100);
  void* const freed = allocate(5000);
  REQUIRE_OK(sdaaMallocWithFlags(&pointer, 3 << 20, sdaaMallocShared, 1));
  REQUIRE_OK(sdaaMallocWithFlags(&pointer, 64, sdaaMallocProcessor, sdaaAnyGroup));
  REQUIRE_OK(sdaaFree(freed));
  REQUIRE_OK(sdaaDeviceReset());
  // Nothing is left of what the reset took, and nothing is said of what was freed.
  REQUIRE_OK(sdaaFree(allocate(64)));
  REQUIRE_OK(sdaaDeviceReset());
  std::fputs(kAlive, stderr);
  for (int i = 0; i < 40; ++i) allocate(64);
}

TEST_CASE("checked memory: what was not freed is listed when the device is reset, and at the end") {
  ::setenv("SWAI_MEMORY_CHECK", "1", 1);
  common::Process program({"/proc/self/exe", "--no-skip", std::string("--test-case=") + kLeaves});
  ::unsetenv("SWAI_MEMORY_CHECK");
  CHECK(program.wait() == 0);
  const std::string& said = program.output();
  INFO(said);
  const size_t alive = said.find(kAlive);
  REQUIRE(alive != std::string::npos);
  const auto count = [&](const std::string& text, size_t from, size_t to) {
    size_t found = 0;
    for (size_t at = said.find(text, from); at < to; at = said.find(text, at + 1)) ++found;
    return found;
  };
  CHECK(count("were not freed", 0, alive) == 1);
  CHECK(count("sdaa: memory check: device 0: 3 allocations were not freed, 3145892 bytes\n", 0, alive) == 1);
  CHECK(count("\n  allocation ", 0, alive) == 3);
  CHECK(count("\n  allocation 1 of client 1 of device 0: 100 bytes at 0x", 0, alive) == 1);
  CHECK(count("\n  allocation 3 of client 1 of device 0: 3145728 bytes at 0x", 0, alive) == 1);
  CHECK(count("\n  allocation 4 of client 1 of device 0: 64 bytes at 0xfffe", 0, alive) == 1);
  CHECK(count(" for cores\n", 0, alive) == 1);
  CHECK(count(" for both\n", 0, alive) == 1);
  CHECK(count(" for the processor\n", 0, alive) == 1);
  CHECK(count("were not freed", alive, said.size()) == 1);
  CHECK(count("device 0: 40 allocations were not freed, 2560 bytes\n", alive, said.size()) == 1);
  CHECK(count("\n  allocation ", alive, said.size()) == 32);
  CHECK(count("\n  ...\n", alive, said.size()) == 1);
}

TEST_CASE("checked memory that cannot be filled goes back to the card") {
  FakeOptions options;
  options.groups = 1;
  const Fakes fakes(1, options, true);
  void* const pointer = allocate(5000);
  const auto taken = [] {
    size_t free = 0;
    size_t total = 0;
    REQUIRE_OK(sdaaMemGetInfo(&free, &total));
    return total - free;
  };
  const auto module = load_fake_module();
  void* const kept = allocate(4 << 20);
  // The only group, which fills, is given up.
  const sdaaLaunchConfig_t config = {sizeof config, 0, 0, 50'000, 0};
  sdaaStream_t stream = nullptr;
  REQUIRE_OK(sdaaStreamCreateWithFlags(&stream, sdaaStreamNonBlocking));
  REQUIRE_OK(sdaaLaunch(kernel(module, "dead"), &config, nullptr, 0, stream));
  CHECK_ERROR(sdaaStreamSynchronize(stream), sdaaErrorDeviceFirmware);
  const size_t before = taken();
  for (const size_t bytes : {3u << 20, 1000u}) {
    for (int i = 0; i < 3; ++i) {
      void* fresh = pointer;
      CHECK_ERROR(sdaaMalloc(&fresh, bytes), sdaaErrorDeviceFirmware);
      CHECK(fresh == nullptr);
    }
    CHECK(taken() == before);
  }
  // Freed memory cannot be, either.
  CHECK_ERROR(sdaaFree(kept), sdaaErrorDeviceFirmware);
  CHECK(taken() <= before - (4 << 20));
  CHECK_ERROR(sdaaFree(kept), sdaaErrorInvalidDevicePointer);
}
