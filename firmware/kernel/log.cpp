// SPDX-License-Identifier: Apache-2.0
#include "firmware/kernel/log.hpp"

#include "abi/protocol.hpp"
#include "card_regs.hpp"
#include "firmware/common/mmio.hpp"
#include "firmware/kernel/console.hpp"
#include "firmware/kernel/interrupt.hpp"
#include "firmware/kernel/layout.hpp"
#include "firmware/kernel/sram.hpp"
#include "firmware/kernel/timer.hpp"
#include "firmware/runtime/journal.hpp"

namespace swai::kernel::log {
namespace {

constinit Sram sram;
constinit runtime::Journal<Sram> lines(sram);
constinit runtime::Journal<Sram> faults(sram);

// Card clocks are nanoseconds.
void print(const journal::Record& record) {
  const uint64_t micros = record.cycle / 1000;
  console::print('[', fw::padded(micros / 1'000'000, 4), '.', fw::padded(micros % 1'000'000, 6, '0'), "] ");
  journal::form(describe(static_cast<journal::Line>(record.id)).text, record.arguments,
                [](std::string_view text) { console::print(text); });
  console::print('\n');
}

}  // namespace

void init() {
  lines.init(layout::kLogJournal, layout::kLogRecords);
  faults.init(layout::kFaultJournal, layout::kFaultRecords);
}

void write_record(journal::Line line, const journal::Arguments& arguments) {
  const InterruptLock lock;
  lines.write(static_cast<uint16_t>(line), describe(line).severity, timer::now(), arguments);
  print(lines.read(lines.written() - 1));
}

void note(journal::Fault fault, const journal::Arguments& arguments) {
  const InterruptLock lock;
  faults.write(static_cast<uint16_t>(fault), journal::Severity::kFault, timer::now(), arguments);
  fw::write_reg(regs::pcie::interrupt::kAddr, protocol::kLogVector);
}

void replay() {
  for (uint64_t number = lines.oldest(); number < lines.written(); ++number) print(lines.read(number));
}

}  // namespace swai::kernel::log
