// SPDX-License-Identifier: Apache-2.0
#include "verif/rtl/soc/devices.hpp"

namespace swai::soc {
namespace {

constexpr uint64_t kAccessLimit = 100'000;

}  // namespace

uint64_t lane_mask(uint8_t lanes) {
  uint64_t mask = 0;
  for (unsigned i = 0; i < 8; ++i) mask |= (lanes >> i & 1) != 0 ? uint64_t{0xFF} << (8 * i) : 0;
  return mask;
}

Devices::Devices(uint64_t seed) : bench_(seed) {
  auto& pins = top();
  pins.uart_rx_i = 1;
  pins.flash_io_i = 0xF;
  pins.awake_i = 1;
  pins.write_error_i = 0;
  pins.ring_valid_i = 0;
  pins.faults_i = 0;
  pins.groups_reset_i = 0;
  pins.host_reset_i = 0;
  pins.drained_i = 1;
  bench_.add(*this);
  power_on();
}

void Devices::power_on() {
  drive();
  bench_.reset();
  wait_reset_end();
}

void Devices::wait_reset_end() {
  bench_.until([this] { return top().rst_sys_no != 0; }, 100, "end of reset");
}

void Devices::drive() {
  auto& pins = top();
  pins.reg_valid_i = active_;
  if (active_) {
    pins.reg_write_i = write_;
    pins.reg_addr_i = static_cast<uint32_t>(address_);
    pins.reg_wdata_i = data_;
    pins.reg_wstrb_i = lanes_;
  } else {
    // No device may listen to these while valid is low.
    pins.reg_write_i = static_cast<uint8_t>(random().below(2));
    pins.reg_addr_i = static_cast<uint32_t>(random().chance(50) ? address_ : random().next());
    pins.reg_wdata_i = random().next();
    pins.reg_wstrb_i = static_cast<uint8_t>(random().next());
  }
}

void Devices::sample() {
  if (!active_) return;
  ++result_.cycles;
  if (top().reg_ready_o == 0) return;
  active_ = false;
  result_.err = top().reg_err_o != 0;
  result_.data = top().reg_rdata_o & lane_mask(lanes_);
}

Devices::Result Devices::access(bool write, uint64_t address, unsigned size, uint64_t data) {
  if (!no_gaps_ && random().chance(30)) steps(random().below(8));
  write_ = write;
  address_ = address;
  lanes_ = static_cast<uint8_t>(((1U << size) - 1) << (address % 8));
  // Lanes outside the access are noise, or what would be dangerous if it counted.
  data_ = random().chance(50) ? data : (data & lane_mask(lanes_)) | (random().next() & ~lane_mask(lanes_));
  result_ = {};
  active_ = true;
  bench_.until([this] { return !active_; }, kAccessLimit, fmt::format("access to {:#x}", address));
  return result_;
}

uint64_t Devices::read(uint64_t address, unsigned size) {
  const Result result = access(false, address, size);
  check(!result.err, fmt::format("reading {:#x} ended in an error", address));
  return result.data >> (8 * (address % 8));
}

void Devices::write(uint64_t address, uint64_t value, unsigned size) {
  const Result result = access(true, address, size, value << (8 * (address % 8)));
  check(!result.err, fmt::format("writing {:#x} ended in an error", address));
}

void Devices::expect(uint64_t address, uint64_t value, const std::string& what) {
  const uint64_t got = read(address);
  check(got == value, fmt::format("{}: {:#x} instead of {:#x}", what, got, value));
}

void Devices::poll(uint64_t address, regs::Field field, uint64_t value, uint64_t limit,
                   const std::string& what) {
  const uint64_t end = cycle() + limit;
  while (field.get(read(address)) != value) {
    check(cycle() < end, fmt::format("{}: not within {} cycles", what, limit));
  }
}

}  // namespace swai::soc
