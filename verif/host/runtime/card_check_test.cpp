// SPDX-License-Identifier: Apache-2.0
// Checked memory (SWAI_MEMORY_CHECK=1) on the functional card, which compares each access of a kernel with
// the allocations.
#include <random>

#include "host/runtime/runtime.hpp"
#include "verif/host/runtime/kernels.hpp"
#include "verif/host/runtime/tools.hpp"
#include "verif/kit/doctest_main.hpp"
#include "verif/system/rig.hpp"

using namespace swai;
using namespace swai::sdaa;

namespace {

constexpr const char* kOutOfBounds = "build/cpe-kernels/out_of_bounds.elf";

class CheckedCard {
 public:
  CheckedCard() {
    Runtime::get().use({[this] { return rig_->open(); }}, {}, true);
    Runtime::current_number() = 0;
    REQUIRE_OK(sdaaModuleLoad(&module_, kOutOfBounds));
  }
  ~CheckedCard() { Runtime::get().use({}); }
  CheckedCard(const CheckedCard&) = delete;
  CheckedCard& operator=(const CheckedCard&) = delete;

  // Empty: the kernel did nothing wrong.
  std::string mistake(const char* name, void* data, uint32_t number) {
    void* arguments[] = {&data, &number};
    REQUIRE_OK(sdaaLaunchKernel(kernel(module_, name), arguments, 0, nullptr));
    const sdaaError_t error = sdaaStreamSynchronize(nullptr);
    if (error == sdaaSuccess) return "";
    CHECK(error == sdaaErrorIllegalAddress);
    const std::string message = sdaaGetLastErrorMessage();
    REQUIRE_OK(sdaaStreamReset(nullptr));
    CHECK(message.starts_with(std::string(name) + ", "));
    CHECK(message.find("out_of_bounds.cpp:") != std::string::npos);
    CHECK(message.find("failed on core 0 of group 0") != std::string::npos);
    return message;
  }

 private:
  system::SharedRig rig_;
  sdaaModule_t module_ = nullptr;
};

void* take(size_t bytes) {
  void* memory = nullptr;
  REQUIRE_OK(sdaaMalloc(&memory, bytes));
  return memory;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("on the functional card: accesses beside allocations fail, with the nearest one named") {
  CheckedCard card;
  take(1000);
  void* const data = take(100);
  take(3000);
  const std::string named = "allocation 2 of client";
  CHECK(card.mistake("writes", data, 24).empty());
  CHECK(card.mistake("reads", data, 24).empty());
  CHECK(card.mistake("loads", data, 100).empty());
  CHECK(card.mistake("stores", data, 100).empty());
  for (const char* const name : {"writes", "reads"}) {
    CAPTURE(name);
    CHECK(has(card.mistake(name, data, 25), ", 0 bytes after the end of " + named));
    CHECK(has(card.mistake(name, data, 30), ", 20 bytes after the end of " + named));
    CHECK(has(card.mistake(name, beyond(data, ~uint64_t{3}), 0), ", 4 bytes before " + named));
    CHECK_FALSE(card.mistake(name, data, 100'000).empty());
  }
  for (const char* const name : {"loads", "stores"}) {
    CAPTURE(name);
    CHECK(has(card.mistake(name, data, 101), ", 0 bytes after the end of " + named));
    CHECK(has(card.mistake(name, beyond(data, 100), 1), ", 0 bytes after the end of " + named));
  }
  size_t damaged = 1;
  REQUIRE_OK(sdaaMemCheck(&damaged));
  CHECK(damaged == 0);
}

TEST_CASE(
    "on the functional card: accesses to freed memory fail, and to the same memory allocated anew do not") {
  CheckedCard card;
  void* const kept = take(64);
  void* const small = take(4096);
  void* const large = take(5 << 20);
  REQUIRE_OK(sdaaFree(small));
  REQUIRE_OK(sdaaFree(large));
  CHECK(has(card.mistake("reads", small, 5), "memory that was freed, allocation 2 of client"));
  CHECK(has(card.mistake("stores", small, 64), "memory that was freed, allocation 2 of client"));
  CHECK(has(card.mistake("writes", large, 1000), "memory that was freed, allocation 3 of client"));
  CHECK(card.mistake("writes", kept, 0).empty());
  CHECK(take(4096) == small);
  CHECK(card.mistake("writes", small, 1023).empty());
  // A client that attaches after a reset has no allocations of the previous one.
  REQUIRE_OK(sdaaDeviceReset());
}

TEST_CASE("on the functional card: many small allocations in any order are each reached to their ends") {
  CheckedCard card;
  std::mt19937_64 random(test_seed());
  std::vector<std::pair<void*, uint32_t>> all;
  for (unsigned i = 0; i < 400; ++i) {
    const auto bytes = static_cast<uint32_t>(4 * (1 + random() % 1000));
    all.emplace_back(take(bytes), bytes);
    if (random() % 3 == 0) {
      std::swap(all[random() % all.size()], all.back());
      REQUIRE_OK(sdaaFree(all.back().first));
      all.pop_back();
    }
  }
  for (const auto& [memory, bytes] : all) {
    REQUIRE(card.mistake("stores", memory, bytes).empty());
    REQUIRE(card.mistake("writes", memory, bytes / 4 - 1).empty());
  }
  for (const auto& [memory, bytes] : all) REQUIRE_OK(sdaaFree(memory));
}
