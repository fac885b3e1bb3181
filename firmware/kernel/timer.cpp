// SPDX-License-Identifier: Apache-2.0
#include "firmware/kernel/timer.hpp"

#include "firmware/kernel/machine_call.hpp"

namespace swai::kernel::timer {
namespace {

constexpr uint64_t kNever = ~uint64_t{0};
constinit volatile uint64_t alarm_count = 0;

}  // namespace

void set_alarm(uint64_t time) { machine::call(machine::Call::kSetTimer, time); }

uint64_t alarms() { return alarm_count; }

void on_interrupt() {
  alarm_count = alarm_count + 1;
  set_alarm(kNever);
}

}  // namespace swai::kernel::timer
