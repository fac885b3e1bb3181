// SPDX-License-Identifier: Apache-2.0
#include "firmware/kernel/selftest.hpp"

#include <span>

#include "abi/boot.hpp"
#include "firmware/common/csr.hpp"
#include "firmware/common/mmio.hpp"
#include "firmware/kernel/layout.hpp"
#include "firmware/kernel/mmu.hpp"
#include "firmware/kernel/timer.hpp"
#include "firmware/kernel/trap.hpp"

namespace swai::kernel::selftest {
namespace {

bool identity() {
  namespace identity = regs::system::identity;
  const uint64_t word = fw::read_reg(identity::kAddr);
  return identity::kMagic.get(word) == identity::kMagic.get(identity::kReset) &&
         identity::kMajor.get(word) == identity::kMajor.get(identity::kReset);
}

// Every word of a few lines different, through the cache to the memory and back, and once more inverted.
bool memory() {
  constexpr size_t kBytes = 1024;
  const std::span words(reinterpret_cast<volatile uint64_t*>(layout::address(layout::__free_start)),
                        kBytes / sizeof(uint64_t));
  constexpr uint64_t kStep = 0x9E37'79B9'7F4A'7C15;
  for (const uint64_t invert : {uint64_t{0}, ~uint64_t{0}}) {
    uint64_t value = 0;
    for (auto& word : words) word = (value += kStep) ^ invert;
    csr::flush_cache(layout::__free_start, kBytes);
    value = 0;
    for (auto& word : words) {
      if (word != ((value += kStep) ^ invert)) return false;
    }
  }
  return true;
}

bool caught(const trap::Caught& result, csr::Cause cause, uint64_t address) {
  return result.faulted && result.cause == cause && result.value == address;
}

// The holes in the page tables are where they should be, and traps come back.
bool protection() {
  constexpr uint16_t kReturn = 0x8082;
  const uint64_t data = layout::address(layout::__free_start);
  const uint64_t code = layout::address(layout::__text_start);
  *reinterpret_cast<volatile uint16_t*>(data) = kReturn;
  csr::fence_i();
  return caught(trap::try_load(0), csr::kLoadPageFault, 0) &&
         caught(trap::try_store(code), csr::kStorePageFault, code) &&
         caught(trap::try_call(data), csr::kFetchPageFault, data) && !trap::try_load(code).faulted &&
         caught(trap::try_store(COLD_CODE), csr::kStorePageFault, COLD_CODE) &&
         caught(trap::try_call(COLD_DATA), csr::kFetchPageFault, COLD_DATA) &&
         caught(trap::try_load(mmu::virtual_of(COLD_CODE_HOME)), csr::kLoadPageFault,
                mmu::virtual_of(COLD_CODE_HOME));
}

bool timer_interrupt() {
  constexpr uint64_t kDelay = 200;
  constexpr uint64_t kPatience = 100'000;
  const uint64_t alarms = timer::alarms();
  const uint64_t start = timer::now();
  timer::set_alarm(start + kDelay);
  while (timer::alarms() == alarms) {
    if (timer::now() - start > kPatience) return false;
  }
  return timer::alarms() == alarms + 1 && timer::now() - start >= kDelay;
}

}  // namespace

std::string_view run() {
  if (!identity()) return "identity";
  if (!memory()) return "memory";
  if (!protection()) return "protection";
  if (!timer_interrupt()) return "timer interrupt";
  return {};
}

}  // namespace swai::kernel::selftest
