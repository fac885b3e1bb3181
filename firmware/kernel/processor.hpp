// SPDX-License-Identifier: Apache-2.0
// The management processor as the runtime sees it: physical addresses, through the kernel's page tables.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "abi/discard.hpp"
#include "card_regs.hpp"
#include "firmware/common/csr.hpp"
#include "firmware/common/mmio.hpp"
#include "firmware/kernel/log.hpp"
#include "firmware/kernel/mmu.hpp"
#include "firmware/kernel/program_entry.hpp"
#include "firmware/kernel/segments.hpp"
#include "firmware/kernel/sram.hpp"
#include "firmware/kernel/timer.hpp"
#include "firmware/kernel/trap.hpp"
#include "firmware/runtime/machine.hpp"

namespace swai::kernel {

struct Processor : Sram {
  static uint64_t read(uint64_t address) { return fw::read_reg(address); }
  static bool try_read(uint64_t address, uint64_t& value) {
    const trap::Caught caught = trap::try_load(address);
    value = caught.value;
    return !caught.faulted;
  }
  static uint32_t read_low(uint64_t address) { return *reinterpret_cast<volatile uint32_t*>(address); }
  static void write(uint64_t address, uint64_t value) { fw::write_reg(address, value); }
  static uint64_t cycles() { return csr::read<csr::kCycle>(); }

  // --- Memory that the caches hold

  // Words of the device memory.
  static uint64_t load(uint64_t address) { return *in_device<volatile uint64_t>(address); }
  static void store(uint64_t address, uint64_t value) { *in_device<volatile uint64_t>(address) = value; }
  static void copy(uint64_t address, std::span<const uint8_t> bytes) {
    touch();
    std::memcpy(at<void>(address), bytes.data(), bytes.size());
  }
  static void zero(uint64_t address, uint64_t bytes) {
    touch();
    std::memset(at<void>(address), 0, bytes);
  }
  static void publish(uint64_t address, uint64_t bytes) { csr::flush_cache(at<void>(address), bytes); }
  static void look(uint64_t address, uint64_t bytes) {
    touch();
    csr::flush_cache(at<void>(address), bytes);
  }
  static void touch() { mmu::touch(); }
  static const uint8_t* bytes(uint64_t address) { return at<const uint8_t>(address); }
  static void move(uint64_t to, uint64_t from, uint64_t bytes) { mmu::move(to, from, bytes); }
  static void set_entry(uint64_t address, uint64_t value) {
    segments::reach(address);
    store(address, value);
    csr::clean_line(in_device<void>(address));
    csr::fence();
  }
  static void map(uint64_t address, uint64_t bytes, memory::Usage) { mmu::map(address, bytes); }
  static void unmap(uint64_t address, uint64_t bytes) {
    csr::fence_i();
    mmu::unmap(address, bytes);
  }

  static void discard(uint64_t address, uint64_t bytes) {
    write(regs::system::scratch3::kAddr, discard::encode({address, bytes}));
  }

  // --- Time

  static uint64_t time() { return csr::read<csr::kTime>(); }
  // timer::set_alarm() once before: it lets the machine timer interrupt.
  static void set_alarm(uint64_t time) { fw::write_reg(regs::timer::mtimecmp::kAddr, time); }
  static uint64_t alarm() { return fw::read_reg(regs::timer::mtimecmp::kAddr); }

  static void sleep() { csr::wait_for_interrupt(); }

  // --- Programs

  static void begin_program(unsigned number) { mmu::begin_program(number); }
  static uint64_t show(unsigned number, uint64_t address, unsigned pages, bool executable) {
    return mmu::show(number, address, pages, executable);
  }
  static void show_answers(unsigned number, uint64_t address) { mmu::show_answers(number, address); }
  static void end_program(unsigned number) { mmu::end_program(number); }
  static void tell(unsigned number, const program::Notes& notes) {
    std::memcpy(reinterpret_cast<void*>(mmu::notes_of(number)), &notes, sizeof notes);
  }
  [[gnu::always_inline]] static void tell_end(unsigned number, const program::Notes& notes) {
    constexpr uint64_t kFirst = offsetof(program::Notes, completed);
    put(mmu::notes_of(number) + kFirst, reinterpret_cast<const uint8_t*>(&notes) + kFirst,
        sizeof notes - kFirst);
  }
  static void run_program(unsigned number, runtime::ProgramState& state) {
    mmu::use_program(number);
    enter_program(state);
  }

  [[gnu::cold]] static uint64_t begin_quantum(uint64_t end) {
    const uint64_t before = alarm();
    csr::clear<csr::kSie>(csr::kSupervisorExternal);
    timer::set_alarm(end);
    return before;
  }
  [[gnu::cold]] static void end_quantum(uint64_t alarm) {
    timer::set_alarm(alarm);
    csr::set<csr::kSie>(csr::kSupervisorExternal);
  }

  static void note(journal::Fault fault, const journal::Arguments& arguments) { log::note(fault, arguments); }

 private:
  template <typename T>
  static T* at(uint64_t physical) {
    return reinterpret_cast<T*>(mmu::virtual_of(physical));
  }
  // Saves the comparison.
  template <typename T>
  static T* in_device(uint64_t physical) {
    if (physical < mmu::kPrivate) __builtin_unreachable();
    return at<T>(physical);
  }
};
static_assert(runtime::Machine<Processor>);

}  // namespace swai::kernel
