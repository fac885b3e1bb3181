// SPDX-License-Identifier: Apache-2.0
#include "verif/system/bar_debug.hpp"

#include <cstring>
#include <exception>
#include <stdexcept>

#include "verif/system/dma.hpp"

namespace swai::system {

void BarDebug::drive(const common::DebugRequest& request) {
  const auto post = [this](uint64_t address, uint64_t value) {
    card_.post<uint64_t>(kRegisterBar, register_at(address), value);
  };
  const auto control = [](const common::DebugRequest& from) {
    return regs::debug::control::kHalt.put(from.halt) |
           regs::debug::control::kEbreakHalts.put(from.ebreak_halts) |
           regs::debug::control::kBreakpoints.put(from.bp_en);
  };
  for (unsigned i = 0; i < common::kHardwareBreakpoints; ++i) {
    if (request.bp_addr[i] != last_.bp_addr[i])
      post(regs::debug::breakpoint0::kAddr + 8 * i, request.bp_addr[i]);
  }
  if (control(request) != control(last_)) post(regs::debug::control::kAddr, control(request));
  if (request.data_we) post(regs::debug::data_in::kAddr, request.data);
  if (request.insn_valid) post(regs::debug::insn::kAddr, request.insn);
  if (request.resume) {
    post(regs::debug::action::kAddr,
         regs::debug::action::kResume.put(1) | regs::debug::action::kStep.put(request.step));
  }
  last_ = request;
}

common::DebugResponse BarDebug::sample() const {
  const auto status = card_.read<uint64_t>(kRegisterBar, register_at(regs::debug::status::kAddr));
  const auto data = card_.read<uint64_t>(kRegisterBar, register_at(regs::debug::data_out::kAddr));
  return {.halted = regs::debug::status::kHalted.get(status) != 0,
          .cause = static_cast<unsigned>(regs::debug::status::kCause.get(status)),
          .busy = regs::debug::status::kBusy.get(status) != 0,
          .fault = regs::debug::status::kFault.get(status) != 0,
          .data = data};
}

Halted::Halted(link::Card& card) : port_(card), target_(port_) {
  target_.request_halt();
  if (!target_.run_until_halted()) throw std::runtime_error("the processor does not stand still");
}

Halted::~Halted() {
  try {
    target_.resume();
  } catch (const std::exception&) {  // the connection has gone; the test knows
  }
}

uint64_t Halted::read(uint64_t address) {
  uint64_t value = 0;
  if (!target_.read_physical(address, {reinterpret_cast<uint8_t*>(&value), sizeof value}))
    throw std::runtime_error("a read of the halted processor faults");
  return value;
}

void Halted::write(uint64_t address, uint64_t value) {
  if (!target_.write_physical(address, {reinterpret_cast<const uint8_t*>(&value), sizeof value}))
    throw std::runtime_error("a write of the halted processor faults");
}

}  // namespace swai::system
