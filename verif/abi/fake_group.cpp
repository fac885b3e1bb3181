// SPDX-License-Identifier: Apache-2.0
#include "verif/abi/fake_group.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "card_regs.hpp"

namespace swai::group {

namespace cg = regs::cg;

FakeGroup::FakeGroup(uint64_t seed, unsigned number, unsigned rows, unsigned columns)
    : random_(seed), number_(number), rows_(rows), columns_(columns) {}

uint64_t FakeGroup::last(uint64_t offset) const {
  const auto found = registers_.find(offset);
  return found == registers_.end() ? 0 : found->second;
}

// Time goes on, and launches with it.
void FakeGroup::pass(uint64_t cycles) {
  for (uint64_t i = 0; i < cycles; ++i) {
    ++now_;
    if (running_ && now_ >= ends_at_ && !launches_hang) {
      const bool failed = failure_.wanted;
      if (failed) {
        record0_[failure_.cpe] = failure_.record0;
        record1_[failure_.cpe] = failure_.record1;
        fault_pending_ |= uint32_t{1} << failure_.cpe;
        failure_ = {};
      }
      running_ = false;
      ended_ = current_.number;
      const auto run = static_cast<uint32_t>(now_ - started_at_);
      inbox_ = launch::encode_done({ended_, failed, false, run});
      results_[ended_ % 16] = cg::launch_cycles::kRun.put(run) | cg::launch_cycles::kFailed.put(failed) |
                              cg::launch_cycles::kWaited.put(1);
    }
    if (!running_ && !queue_.empty()) {
      current_ = queue_.front();
      queue_.pop_front();
      running_ = true;
      started_at_ = now_;
      ends_at_ = now_ + run_cycles + random_() % (run_cycles + 1);
      // The code is fetched when the launch runs.
      const auto segment = static_cast<uint16_t>(cg::launch_setup::kCodeSegment.get(current_.setup));
      const uint64_t base = segment_base(segment, segment::kExecute);
      if (base != 0) current_.code = word(base + (current_.pc & 0xfff'ffff));
      if ((current_.mask & stopped()) != 0) complain("launch on a CPE that is stopped");
      launches_.push_back(current_);
    }
  }
}

uint64_t FakeGroup::word(uint64_t address) {
  uint64_t value = 0;
  for (unsigned i = 0; i < 8; ++i) {
    const auto found = memory_.find(address + i);
    if (found != memory_.end()) value |= uint64_t{found->second} << 8 * i;
  }
  return value;
}

uint64_t FakeGroup::segment_base(uint16_t number, uint8_t permission) {
  if (number >= last(cg::segment_count::kOffset)) {
    complain(fmt::format("segment {} is beyond the table", number));
    return 0;
  }
  const uint64_t entry = word(last(cg::segment_table::kOffset) + uint64_t{number} * 8);
  if (!segment::is_valid(entry) || (segment::decode(entry).permissions & permission) == 0) {
    complain(fmt::format("segment {} is not there, or does not permit it", number));
    return 0;
  }
  return segment::decode(entry).base;
}

uint32_t FakeGroup::stopped() const {
  uint32_t mask = ~enabled_;
  for (unsigned cpe = 0; cpe < kCpes; ++cpe) {
    if (now_ < up_at_[cpe] || (broken_cpes >> cpe & 1) != 0) mask |= uint32_t{1} << cpe;
  }
  return mask & static_cast<uint32_t>((uint64_t{1} << rows_ * columns_) - 1);
}

void FakeGroup::enable(uint32_t mask) {
  for (unsigned cpe = 0; cpe < rows_ * columns_; ++cpe) {
    const uint32_t bit = uint32_t{1} << cpe;
    if ((enabled_ & bit) != 0 && (mask & bit) == 0) {
      ++resets_[cpe];
      up_at_[cpe] = now_ + 10 + random_() % 100;
      if (running_ && (current_.mask & bit) != 0) complain("reset of a CPE that works");
    }
    if ((enabled_ & bit) == 0 && (mask & bit) != 0) {
      up_at_[cpe] = std::max(up_at_[cpe], now_ + 10 + random_() % 50);
      const auto daemon = static_cast<uint16_t>(cg::daemon::kSegment.get(last(cg::daemon::kOffset)));
      if (segment_base(daemon, segment::kExecute) == 0) complain("no daemon");
    }
  }
  enabled_ = mask;
}

void FakeGroup::doorbell(uint64_t value) {
  if (queue_.size() >= launch::kQueue) {
    complain("doorbell refused");
    return;
  }
  queue_.push_back({static_cast<uint32_t>(cg::doorbell::kPc.get(value)),
                    static_cast<uint32_t>(cg::doorbell::kArgument.get(value)),
                    static_cast<uint32_t>(last(cg::launch_mask::kOffset)), last(cg::launch_setup::kOffset),
                    ++taken_, 0});
}

uint64_t FakeGroup::read(uint64_t address) {
  if (address == regs::inbox::done0::kAddr + number_ * 8) {
    pass(6 + random_() % 3);
    return inbox_;
  }
  const uint64_t offset = address - cg::kBase - number_ * cg::kSize;
  if (offset >= cg::kSize) {
    complain(fmt::format("read of {:#x}", address));
    return 0;
  }
  pass(20 + random_() % 20);
  if (offset >= regs::kCgAccess) {
    const uint64_t inside = offset - regs::kCgAccess;
    return cpe_read(static_cast<unsigned>(inside / regs::kCgAccessStride), inside % regs::kCgAccessStride);
  }
  return group_read(offset);
}

uint64_t FakeGroup::cpe_read(unsigned cpe, uint64_t offset) {
  if ((stopped() >> cpe & 1) != 0) complain("access to a CPE in reset");
  if (offset == regs::kCgAccessControl) return clear_hangs || now_ < cleared_at_[cpe] ? 1 : 0;
  return 0;
}

uint64_t FakeGroup::group_read(uint64_t offset) {
  const uint32_t unfinished = running_ ? current_.mask : 0;
  if (offset == cg::config::kOffset) return cg::config::kRows.put(rows_) | cg::config::kColumns.put(columns_);
  if (offset == cg::launch_status::kOffset) {
    return cg::launch_status::kQueued.put(queue_.size()) |
           cg::launch_status::kFree.put(launch::kQueue - queue_.size()) |
           cg::launch_status::kRunning.put(running_) | cg::launch_status::kEnded.put(ended_);
  }
  if (offset == cg::cpe_running::kOffset) return unfinished;
  if (offset == cg::cpe_stopped::kOffset) return stopped();
  if (offset == cg::fault_pending::kOffset) return fault_pending_;
  if (offset - cg::launch_cycles::kOffset < 16 * 8)
    return results_[static_cast<uint32_t>(offset - cg::launch_cycles::kOffset) / 8];
  if (offset - cg::fault_record0::kOffset < kCpes * 8)
    return record0_[(offset - cg::fault_record0::kOffset) / 8];
  if (offset - cg::fault_record1::kOffset < kCpes * 8)
    return record1_[(offset - cg::fault_record1::kOffset) / 8];
  complain(fmt::format("read of register {:#x}", offset));
  return 0;
}

void FakeGroup::write(uint64_t address, uint64_t value) {
  pass(1 + random_() % 20);
  const uint64_t offset = address - cg::kBase - number_ * cg::kSize;
  if (offset >= cg::kSize) {
    complain(fmt::format("write to {:#x}", address));
    return;
  }
  if (offset < regs::kCgAccess) {
    group_write(offset, value);
    return;
  }
  const uint64_t inside = offset - regs::kCgAccess;
  const auto cpe = static_cast<unsigned>(inside / regs::kCgAccessStride);
  if ((stopped() >> cpe & 1) != 0) complain("access to a CPE in reset");
  if (inside % regs::kCgAccessStride == regs::kCgAccessControl && value == 1) {
    ++clears_[cpe];
    cleared_at_[cpe] = now_ + 512;
  }
}

void FakeGroup::group_write(uint64_t offset, uint64_t value) {
  registers_[offset] = value;
  if (offset == cg::doorbell::kOffset) doorbell(value);
  if (offset == cg::cpe_enable::kOffset) enable(static_cast<uint32_t>(value));
  if (offset == cg::fault_pending::kOffset) fault_pending_ &= ~static_cast<uint32_t>(value);
  if (offset == cg::segment_table::kOffset && value % 64 != 0) complain("segment table misaligned");
}

void FakeGroup::fail_next(uint32_t cpe, uint64_t record0, uint64_t record1) {
  failure_ = {true, cpe, record0, record1};
}

void FakeGroup::store(uint64_t address, uint64_t value) {
  if (address % 8 != 0) complain("store that is not one store");
  for (unsigned i = 0; i < 8; ++i) cache_[address + i] = static_cast<uint8_t>(value >> 8 * i);
}

void FakeGroup::copy(uint64_t address, std::span<const uint8_t> bytes) {
  pass(bytes.size() / 8);
  for (size_t i = 0; i < bytes.size(); ++i) cache_[address + i] = bytes[i];
}

void FakeGroup::zero(uint64_t address, uint64_t bytes) {
  for (uint64_t i = 0; i < bytes; ++i) cache_[address + i] = 0;
}

void FakeGroup::publish(uint64_t address, uint64_t bytes) {
  pass(10);
  for (uint64_t i = 0; i < bytes; ++i) {
    const auto found = cache_.find(address + i);
    if (found != cache_.end()) memory_[address + i] = found->second;
  }
}

}  // namespace swai::group
