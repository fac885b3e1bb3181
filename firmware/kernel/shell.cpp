// SPDX-License-Identifier: Apache-2.0
#include "firmware/kernel/shell.hpp"

#include <array>
#include <string_view>

#include "firmware/common/csr.hpp"
#include "firmware/common/mmio.hpp"
#include "firmware/kernel/console.hpp"
#include "firmware/kernel/fault.hpp"
#include "firmware/kernel/frame.hpp"
#include "firmware/kernel/identity.hpp"
#include "firmware/kernel/interrupt.hpp"
#include "firmware/kernel/layout.hpp"
#include "firmware/kernel/log.hpp"
#include "firmware/kernel/timer.hpp"
#include "firmware/kernel/trap.hpp"

namespace swai::kernel::shell {
namespace {

void help(std::string_view);

void info(std::string_view) {
  const image::Identity& identity = swai_identity.identity;
  console::print(fw::field(identity.name), ' ', fw::field(identity.version), " (",
                 fw::field(identity.git_hash), ") for ", fw::field(identity.board), '\n');
  console::print("memory ", (boot::kMemoryEnd - boot::kMemoryBase) / 1024, " KiB, kernel ",
                 layout::address(layout::__free_start) - layout::address(layout::__text_start),
                 " bytes, free ", layout::address(layout::__free_end) - layout::address(layout::__free_start),
                 " bytes\n");
  console::print("time ", timer::now(), ", cycles ", csr::read<csr::kCycle>(), ", instructions ",
                 csr::read<csr::kInstret>(), ", traps ", trap::count(), '\n');
}

void show_log(std::string_view) { log::replay(); }

void show_fault(std::string_view) {
  if (const fault::Record* last = last_fault()) {
    print_fault(*last);
  } else {
    console::print("no fault recorded\n");
  }
}

void reboot(std::string_view) {
  console::print("rebooting\n");
  console::flush();
  fw::write_reg(regs::system::reset_request::kAddr, regs::system::reset_request::kKeyGo);
}

// Recursion that the compiler cannot turn into a loop, and far deeper than any stack.
[[gnu::noinline]] uint64_t eat_stack(volatile uint64_t* from) {
  volatile uint64_t depth = *from + 1;
  return depth == ~uint64_t{0} ? 0 : eat_stack(&depth) + depth;
}

// Provokes each kind of fault, for tests of what follows.
void crash(std::string_view how) {
  if (how == "null") {
    *reinterpret_cast<volatile uint64_t*>(0) = 0;
  } else if (how == "illegal") {
    asm volatile("unimp");
  } else if (how == "assert") {
    require(how.empty(), "asked for on the console");
  } else if (how == "stack") {
    volatile uint64_t start = 0;
    eat_stack(&start);
  } else if (how == "machine") {
    asm volatile("li a7, -1; ecall" ::: "a7", "memory");
  } else if (how == "nested") {
    // Room for the registers and nothing else: the handler runs into its guard page.
    csr::write<csr::kSscratch>(layout::address(layout::__trap_stack_guard) + layout::kPageBytes +
                               sizeof(Frame));
    asm volatile("unimp");
  } else if (how == "bus") {
    fw::write_reg(regs::system::kBase + regs::system::kSize - sizeof(uint64_t), 0);
  } else if (how == "hang") {
    fw::write_reg(regs::system::watchdog_timeout::kAddr, boot::kWatchdogClocks);
    fw::write_reg(regs::system::watchdog_control::kAddr, regs::system::watchdog_control::kEnable.put(1));
    const InterruptLock lock;
    for (;;) asm volatile("");
  } else {
    console::print("crash how? null, illegal, assert, stack, machine, nested, bus, hang\n");
  }
}

struct Command {
  std::string_view name;
  std::string_view help;
  void (*function)(std::string_view argument);
};
constexpr std::array kCommands = {
    Command{"help", "this list", help},
    Command{"info", "identity, memory, counters", info},
    Command{"log", "the last log lines", show_log},
    Command{"fault", "the last fault record", show_fault},
    Command{"crash", "provoke a fault", crash},
    Command{"reboot", "reset the card", reboot},
};

void help(std::string_view) {
  for (const Command& command : kCommands) console::print(command.name, ": ", command.help, '\n');
}

void execute(std::string_view line) {
  const size_t space = line.find(' ');
  const std::string_view name = line.substr(0, space);
  if (name.empty()) return;
  std::string_view argument = line;
  argument.remove_prefix(space == line.npos ? line.size() : space + 1);
  for (const Command& command : kCommands) {
    if (command.name == name) return command.function(argument);
  }
  console::print("unknown command; try help\n");
}

constinit std::array<char, 80> line_buffer = {};
constinit size_t line_length = 0;

}  // namespace

void take(char byte) {
  constexpr char kBackspace = 0x08;
  constexpr char kDelete = 0x7F;
  if (byte == '\n' || byte == '\r') {
    const std::string_view line(line_buffer.data(), line_length);
    line_length = 0;
    execute(line);
  } else if (byte == kBackspace || byte == kDelete) {
    if (line_length != 0) --line_length;
  } else if (line_length < line_buffer.size()) {
    line_buffer[line_length++] = byte;
  }
}

}  // namespace swai::kernel::shell
