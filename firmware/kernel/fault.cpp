// SPDX-License-Identifier: Apache-2.0
#include "firmware/kernel/fault.hpp"

#include <algorithm>

#include "firmware/common/csr.hpp"
#include "firmware/common/mmio.hpp"
#include "firmware/kernel/console.hpp"
#include "firmware/kernel/identity.hpp"
#include "firmware/kernel/log.hpp"
#include "firmware/kernel/timer.hpp"

namespace swai::kernel {
namespace {

namespace sys = regs::system;

constinit bool image_confirmed = false;

fault::Record& record() { return *reinterpret_cast<fault::Record*>(fault::kRecordAddress); }

// The caches do not survive a reset; memory does.
void store_record(fault::Record& stored) { csr::clean_cache(&stored, sizeof(stored)); }

void write_record(fault::Kind kind, const Frame& frame, std::string_view message) {
  fault::Record& out = record();
  out.magic = fault::Record::kMagic;
  out.format = fault::Record::kFormat;
  out.kind = kind;
  out.time = timer::now();
  out.cause = frame.cause;
  out.pc = frame.epc;
  out.value = frame.value;
  out.status = frame.status;
  out.registers = frame.registers;
  out.registers[0] = 0;
  out.message.fill(0);
  std::ranges::copy(message.substr(0, out.message.size()), out.message.begin());
  out.build.fill(0);
  const auto& commit = swai_identity.identity.git_hash;
  std::ranges::copy_n(commit.begin(), std::min(commit.size(), out.build.size()), out.build.begin());
  out.reported = 0;
  out.checksum = fault::checksum(out);
  store_record(out);
}

[[noreturn]] void reset() {
  for (;;) fw::write_reg(sys::reset_request::kAddr, sys::reset_request::kKeyGo);
}

[[noreturn]] void halt() {
  constexpr uint64_t kNever = ~uint64_t{0};
  fw::write_reg(sys::watchdog_control::kAddr, 0);
  fw::write_reg(regs::timer::mtimecmp::kAddr, kNever);
  csr::write<csr::kSie>(0);
  for (;;) csr::wait_for_interrupt();
}

}  // namespace

void set_image_confirmed(bool confirmed) { image_confirmed = confirmed; }

void print_fault(const fault::Record& fault) {
  constexpr char kNames[32][4] = {"x0", "ra", "sp", "gp", "tp",  "t0",  "t1", "t2", "s0", "s1", "a0",
                                  "a1", "a2", "a3", "a4", "a5",  "a6",  "a7", "s2", "s3", "s4", "s5",
                                  "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6"};
  console::print(text(fault.kind));
  if (fault.message[0] != 0) console::print(": ", fw::field(fault.message));
  // An assertion comes without a trap.
  if (fault.kind != fault::Kind::kAssertion && fault.kind != fault::Kind::kSelfTest) {
    console::print(": ", fault::cause_text(fault.cause), ", value ", fw::hex(fault.value));
  }
  console::print("\n  pc ", fw::hex(fault.pc, 16), "  cause ", fw::hex(fault.cause), "  status ",
                 fw::hex(fault.status), "  time ", fault.time, "  build ", fw::field(fault.build), '\n');
  for (unsigned i = 1; i < fault.registers.size(); ++i) {
    console::print(kNames[i][2] == 0 ? "  " : " ", kNames[i], ' ', fw::hex(fault.registers[i], 16),
                   i % 4 == 0 || i == 31 ? "\n" : "");
  }
}

void panic(fault::Kind kind, const Frame& frame, std::string_view message) {
  csr::clear<csr::kSstatus>(csr::kStatusSie);
  // The status word before the report: a second fault on the way must not hide the first.
  const uint64_t status = fw::read_reg(sys::status::kAddr);
  const bool again = sys::status::kStage.get(status) == sys::status::kStageFailed;
  if (again) halt();
  write_record(kind, frame, message);
  fw::write_reg(sys::status::kAddr,
                sys::status::kDetail.replace(sys::status::kStage.replace(status, sys::status::kStageFailed),
                                             static_cast<uint64_t>(kind)));
  fw::write_reg(sys::progress::kAddr, static_cast<uint64_t>(boot::Progress::kKernelPanic));

  console::print("\n*** PANIC: ");
  print_fault(record());
  const bool resets = !image_confirmed || kind == fault::Kind::kWatchdog;
  console::print(resets ? "resetting\n" : "halted\n");
  console::flush();
  if (resets) reset();
  halt();
}

[[gnu::noinline]] void panic(fault::Kind kind, std::string_view message) {
  Frame frame = {};
  frame.epc = reinterpret_cast<uint64_t>(__builtin_return_address(0));
  frame.registers[1] = frame.epc;
  frame.registers[2] = reinterpret_cast<uint64_t>(__builtin_frame_address(0));
  panic(kind, frame, message);
}

const fault::Record* last_fault() { return fault::is_valid(record()) ? &record() : nullptr; }

[[gnu::cold]] void report_last_fault() {
  fault::Record& last = record();
  if (!fault::is_valid(last) || last.reported != 0) return;
  log::write(journal::Line::kEarlierRun, static_cast<uint64_t>(last.kind), last.pc);
  log::note(journal::Fault::kFirmware, {static_cast<uint64_t>(last.kind), last.cause, last.pc, last.value});
  last.reported = 1;
  store_record(last);
}

}  // namespace swai::kernel
