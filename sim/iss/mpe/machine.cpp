// SPDX-License-Identifier: Apache-2.0
#include "sim/iss/mpe/machine.hpp"

#include <algorithm>
#include <cstring>

#include "card_regs.hpp"

namespace swai::iss {

namespace {

constexpr uint64_t kNever = ~uint64_t{0};
// The console is the common UART as far as such programs use it: data at 0, line status at 5.
constexpr uint64_t kConsoleBase = regs::uart::kBase;
constexpr uint64_t kConsoleBytes = regs::uart::kSize;
constexpr uint64_t kLineStatus = 5;
constexpr uint64_t kReadyToSend = 0x60;

}  // namespace

Machine::Machine(const common::Elf& elf, uint64_t ram_bytes, common::Console& console)
    : ram_(kRamBase, ram_bytes),
      console_(console),
      tohost_(elf, program_memory(), console),
      hart_(*this, {.reset_pc = elf.entry, .nmi_pc = elf.entry}) {
  const common::LoadArea area{ram_.base(), ram_.all()};
  common::place(elf, {&area, 1});
}

common::ProgramMemory Machine::program_memory() {
  return {.read =
              [this](uint64_t address, std::span<uint8_t> to) {
                if (!ram_.contains(address, to.size())) return false;
                std::memcpy(to.data(), ram_.at(address), to.size());
                return true;
              },
          .write =
              [this](uint64_t address, std::span<const uint8_t> from) {
                if (!ram_.contains(address, from.size())) return false;
                std::memcpy(ram_.at(address), from.data(), from.size());
                return true;
              }};
}

// Stores to the page of the tohost word come to write().
HostPage Machine::page(uint64_t paddr) {
  const uint64_t base = paddr - paddr % kPageBytes;
  if (!ram_.contains(base, kPageBytes)) return {};
  uint8_t* host = ram_.at(base);
  return {.read = host, .write = tohost_.touches(base, kPageBytes) ? nullptr : host};
}

bool Machine::in_clint(uint64_t paddr) const { return paddr - regs::timer::kBase < regs::timer::kSize; }
bool Machine::in_console(uint64_t paddr) const { return paddr - kConsoleBase < kConsoleBytes; }

bool Machine::read(uint64_t paddr, unsigned size, uint64_t& value) {
  value = 0;
  if (ram_.contains(paddr, size)) {
    std::memcpy(&value, ram_.at(paddr), size);
  } else if (in_clint(paddr)) {
    clint_.set_time(hart_.time());
    const uint64_t word = clint_.read(paddr - regs::timer::kBase) >> (8 * (paddr % 8));
    std::memcpy(&value, &word, size);
  } else if (in_console(paddr)) {
    value = paddr == kConsoleBase + kLineStatus ? kReadyToSend : 0;
  } else {
    return false;
  }
  return true;
}

bool Machine::write(uint64_t paddr, unsigned size, uint64_t value) {
  if (ram_.contains(paddr, size)) {
    std::memcpy(ram_.at(paddr), &value, size);
    if (tohost_.touches(paddr, size)) exit_code_ = tohost_.poll();
    if (exit_code_) hart_.stop();
  } else if (in_clint(paddr)) {
    write_clint(paddr - regs::timer::kBase, size, value);
  } else if (in_console(paddr)) {
    if (paddr == kConsoleBase) console_.put(static_cast<uint8_t>(value));
  } else {
    return false;
  }
  return true;
}

void Machine::write_clint(uint64_t offset, unsigned size, uint64_t value) {
  const unsigned lane = offset % 8;
  clint_.set_time(hart_.time());
  clint_.write(offset, value << (8 * lane), static_cast<uint8_t>(((1u << size) - 1) << lane));
  if (clint_.time() != hart_.time()) hart_.set_time(clint_.time());
  update_lines();
  hart_.stop();  // the time to the next timer interrupt may have changed
}

void Machine::update_lines() {
  clint_.set_time(hart_.time());
  hart_.set_lines({.m_software = clint_.software_interrupt(), .m_timer = clint_.timer_interrupt()});
}

// How many steps until the timer line rises; 1 while it is up, because then time must not run past it unseen.
uint64_t Machine::steps_to_timer() {
  const uint64_t compare = clint_.read(regs::timer::mtimecmp::kOffset);
  return compare > hart_.time() ? compare - hart_.time() : kNever;
}

// Lets time pass until the hart wakes; false if nothing will wake it.
bool Machine::pass_time() {
  const uint64_t steps = steps_to_timer();
  if (steps == kNever) return false;
  hart_.advance_time(steps);
  update_lines();
  return !hart_.waiting();
}

Ending Machine::run(uint64_t max_steps, const std::function<void(const Retirement&)>& observer) {
  while (!exit_code_) {
    if (steps_ >= max_steps) return Ending::kLimit;
    if (hart_.stuck()) return Ending::kStuck;
    update_lines();
    if (hart_.waiting() && !pass_time()) return Ending::kAsleep;
    if (observer) {
      observer(hart_.step());
      ++steps_;
    } else {
      steps_ += hart_.run(std::min(max_steps - steps_, steps_to_timer()));
    }
  }
  return Ending::kExit;
}

}  // namespace swai::iss
