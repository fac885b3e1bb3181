// SPDX-License-Identifier: Apache-2.0
#include "verif/rtl/group/launch/launch_model.hpp"

#include <fmt/format.h>

#include "card_regs.hpp"
#include "sim/group/noc_port.hpp"

namespace swai::cg {
namespace {

constexpr unsigned kCauseWatchdog = 16;
constexpr unsigned kCauseKilled = 17;
// The row's end is registered, then the group's: so much later than the last CPE's.
constexpr unsigned kGather = 2;

}  // namespace

LaunchModel::LaunchModel(Vtb_launch& top, Cpes& cpes, unsigned group, Random& random)
    : stalls(random), top_(top), cpes_(cpes), random_(random), group_(group), records_(kCpes) {
  cpes.on_taken = [this](unsigned cpe, uint32_t pc) {
    const uint32_t bit = 1U << cpe;
    check(active_ && (launch_.mask & bit) != 0, fmt::format("CPE {} takes a launch that is not for it", cpe));
    check((taken_ & bit) == 0, fmt::format("CPE {} takes launch {} twice", cpe, sequence_));
    check(pc == launch_.pc, fmt::format("CPE {} is sent to {:#x} instead of {:#x}", cpe, pc, launch_.pc));
    taken_ |= bit;
  };
  cpes.on_done = [this](unsigned cpe) {
    const Field got(top_.launch_o, cpe * 128, 128);
    check(got.get(wires::cpe::launch::kPc) == launch_.pc &&
              got.get(wires::cpe::launch::kArgument) == launch_.argument &&
              got.get(wires::cpe::launch::kMask) == launch_.mask &&
              got.get(wires::cpe::launch::kCodeSegment) == launch_.code_segment &&
              got.get(wires::cpe::launch::kArgumentSegment) == launch_.argument_segment,
          fmt::format("CPE {} has another launch", cpe));
  };
}

void LaunchModel::drive() {
  top_.done_ready_i = !answering_ && stalls.go();
  top_.done_rsp_valid_i = answering_ && answer_in_ == 0;
}

void LaunchModel::sample() {
  records();
  resets();
  run();
  const bool was_active = active_;
  if (top_.pop_o) start();
  if (top_.kill_o && was_active) kill_ = true;
  if (top_.flush_o) doomed_ = static_cast<unsigned>(queue_.size());
  if (top_.end_o) end();
  if (top_.push_o) {
    check(queue_.size() < 8, "a launch more than there is room for");
    queue_.push_back(next);
    queue_.back().rung = busy_cycle_;
  }
  port();
  if (top_.code_invalidate_o) ++invalidations_;
  if (top_.dslb_invalidate_o) ++forgotten_;
  taken_before_ = taken_;
  usable_before_ = usable_now_;
  usable_now_ = top_.usable_o;
  ++cycle_;
  if (top_.busy_o) ++busy_cycle_;
}

void LaunchModel::start() {
  check(!active_ && !queue_.empty(), "a launch starts while another one runs, or out of nothing");
  ++sequence_;
  launch_ = queue_.front();
  queue_.pop_front();
  active_ = true;
  refused_ = doomed_ != 0 || (launch_.mask & ~uint32_t{top_.usable_o}) != 0;
  if (doomed_ != 0) --doomed_;
  popped_ = cycle_;
  waited_ = busy_cycle_ - launch_.rung;
  taken_ = lost_ = restarted_ = 0;
  begun_ = through_ = 0;
  expired_now_ = kill_ = false;
}

void LaunchModel::run() {
  const bool running = top_.running_o;
  if (running && !was_running_) {
    check(active_ && !refused_ && launch_.mask != 0, "nothing to run");
    begun_ = cycle_;
    const bool other = launch_.code_segment != last_code_ || launch_.owner != last_owner_;
    check(begun_ == popped_ + 1 + (other ? 1 : 0), "a launch is not offered in its cycle");
    last_code_ = launch_.code_segment;
    last_owner_ = launch_.owner;
    const Field space(top_.space_o, 0, 97);
    check(space.get(wires::cg::space::kCodeSegment) == launch_.code_segment &&
              space.get(wires::cg::space::kOwner) == launch_.owner,
          "another space");
  }
  was_running_ = running;
  const uint32_t up = top_.tile_rst_no & ~uint32_t{top_.halt_o};
  const uint32_t due = running ? launch_.mask & ~taken_before_ & ~lost_ & up : 0;
  check(top_.launch_valid_o == due, fmt::format("offered to {:#x}, not {:#x}", top_.launch_valid_o, due));
  const uint32_t fresh = top_.fault_valid_o & up & ~fault_noted_;
  fault_noted_ |= fresh;
  fault_due_ |= fresh;
  if (!running) return;

  const uint32_t open = launch_.mask & ~lost_ & ~(taken_before_ & top_.finished_o);
  if (open == 0) {
    if (through_ == 0) through_ = cycle_;
    return;
  }
  const bool late = watchdog != 0 && cycle_ - begun_ >= watchdog;
  if (late) expired_now_ = true;
  const uint32_t faulted = open & taken_before_ & fresh;
  // Whoever has just faulted in its daemon is stopped for the launch a cycle later.
  const uint32_t stopped = open & ~fresh & (late || kill_ ? ~0U : taken_before_ & ~uint32_t{top_.usable_o});
  const uint32_t disabled = open & ~faulted & ~taken_before_ & ~uint32_t{top_.usable_o};
  for (unsigned i = 0; i < kCpes; ++i) {
    // One that was given up has the record of its fault.
    if ((stopped >> i & 1) || ((disabled & ~fresh & ~uint32_t{top_.enable_bits_o}) >> i & 1)) why_[i] = late;
  }
  lost_ |= faulted | stopped | disabled;
}

void LaunchModel::end() {
  check(active_, "the end of nothing");
  active_ = false;
  const uint32_t sequence = top_.sequence_o;
  check(sequence == sequence_, fmt::format("launch {} ends as number {}", sequence_, sequence));
  const bool failed = refused_ || lost_ != 0;
  uint64_t run = 0;
  if (begun_ == 0) {
    check(refused_ || launch_.mask == 0, "a launch ends without having been offered");
    check(cycle_ == popped_ + 1, "a launch that nobody runs takes its time");
  } else {
    check(through_ != 0, "the end comes before all are through");
    run = through_ + kGather - begun_;
    if (lost_ == 0) check(cycle_ == through_ + kGather, "the end comes late");
  }
  if (lost_ != 0) {
    check((launch_.mask & ~restarted_) == 0, fmt::format("not restarted: {:#x}", launch_.mask & ~restarted_));
    // But for those that have been enabled since it was looked at.
    check((launch_.mask & ~uint32_t{top_.tile_rst_no} & top_.usable_o & usable_before_) == 0,
          "it has ended, but its CPEs are not back");
  }
  results_[sequence] = {
      .word = run << 34 | uint64_t{expired_now_} << 33 | uint64_t{failed} << 32 | sequence,
      .cycles = run | uint64_t{expired_now_} << 30 | uint64_t{failed} << 31 | waited_ << 32};
  if (failed) ++failures_;
  if (expired_now_) ++expired_;
  if (launch_.notify) notify_.insert(sequence);
}

void LaunchModel::records() {
  pending_ &= ~uint32_t{top_.cleared_o};
  for (unsigned i = 0; i < kCpes; ++i) {
    if ((top_.recorded_o >> i & 1) == 0) continue;
    ++captured_;
    Fault record;
    if (fault_due_ >> i & 1) {
      record = cpes_.fault(i);
      fault_due_ &= ~(1U << i);
    } else {
      const auto why = why_.find(i);
      check(why != why_.end(), fmt::format("a record of nothing on CPE {}", i));
      record = {.cause = why->second ? kCauseWatchdog : kCauseKilled, .pc = cpes_.pc(i), .segment = 0xffff};
      why_.erase(why);
    }
    if (pending_ >> i & 1) continue;
    pending_ |= 1U << i;
    records_[i] = record;
  }
}

// A CPE is reset only when it is quiet, after a halt, or with the whole group.
void LaunchModel::resets() {
  const uint32_t rst = top_.tile_rst_no;
  const uint32_t fell = rst_before_ & ~rst;
  check((fell & ~quiet_before_) == 0, fmt::format("reset while not quiet: {:#x}", fell));
  check((fell & ~halt_before_) == 0, fmt::format("reset without halt: {:#x}", fell));
  for (unsigned i = 0; i < kCpes; ++i)
    check((top_.parked_o >> i & 1) == 0 || (rst >> i & 1) == 0, "parked while up");
  for (unsigned i = 0; i < kCpes; ++i)
    check((fell >> i & 1) == 0 || !why_.contains(i), "reset without the record");
  if (lost_ != 0) restarted_ |= ~rst;
  fault_noted_ &= rst;
  rst_before_ = rst;
  halt_before_ = top_.halt_o;
  quiet_before_ = top_.quiet_i;
}

void LaunchModel::port() {
  if (answering_) {
    if (answer_in_-- != 0) return;
    answering_ = false;
    if (telling_ != 0) told_ = telling_;
    return;
  }
  if (!top_.done_valid_o) return;
  Request request;
  const Field field(top_.done_o, 0, kReqBits);
  field.slice(0, 512).get_bytes(request.data);
  request.addr = field.get(wires::noc::req::kAddr);
  request.strb = field.get(wires::noc::req::kStrb);
  check(field.get(wires::noc::req::kOp) == 1 && field.get(wires::noc::req::kSize) == 3,
        "not a write of 8 bytes");
  uint64_t data = 0;
  for (unsigned i = 0; i < 8; ++i) data |= uint64_t{request.data[request.addr % 64 + i]} << 8 * i;
  check(request.strb == uint64_t{0xff} << request.addr % 64, "wrong strobes");
  if (!top_.done_ready_i) return;
  answering_ = true;
  answer_in_ = static_cast<unsigned>(random_.below(longest_answer + 1));
  if (request.addr == regs::inbox::done0::kAddr + 8 * group_) {
    telling_ = static_cast<uint32_t>(data);
    check(telling_ > told_, "done words in the wrong order");
    const auto result = results_.find(telling_);
    check(result != results_.end(), fmt::format("done word {:#x} of a launch that has not ended", data));
    check(result->second.word == data,
          fmt::format("done word {:#x} instead of {:#x}", data, result->second.word));
    return;
  }
  telling_ = 0;
  check(request.addr == regs::inbox::work::kAddr, fmt::format("a write to {:#x}", request.addr));
  check(data == regs::inbox::work::kGroups.put(1U << group_), "not the group's bit");
  check(!notify_.empty() && *notify_.begin() <= told_,
        "a notification that nobody asked for, or that came too early");
  while (!notify_.empty() && *notify_.begin() <= told_) notify_.erase(notify_.begin());
}

void LaunchModel::all_told() const {
  check(told_ == ended(), fmt::format("the last done word was of launch {}, not {}", told_, ended()));
  check(notify_.empty(), "a notification is missing");
}

}  // namespace swai::cg
