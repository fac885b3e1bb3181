// SPDX-License-Identifier: Apache-2.0
// The registers of a group, and the window on its CPEs.
#include <algorithm>
#include <bit>
#include <cstring>

#include "abi/launch.hpp"
#include "card_regs.hpp"
#include "sim/iss/cpe/group_unit.hpp"
#include "sim/iss/cpe/masks.hpp"

namespace swai::iss::cpe {

namespace {

namespace cg = regs::cg;

constexpr uint64_t kWord = 8;

bool is_access(uint64_t offset, uint64_t bytes) {
  return std::has_single_bit(bytes) && bytes <= kWord && offset % bytes == 0;
}

// Strobes, as a mask of bits.
uint64_t lanes_of(uint64_t offset, uint64_t bytes) {
  return (~uint64_t{0} >> 8 * (kWord - bytes)) << 8 * (offset % kWord);
}

uint64_t record0(const Fault& fault) {
  namespace reg = cg::fault_record0;
  return reg::kPc.put(fault.pc) | reg::kCause.put(static_cast<uint64_t>(fault.cause)) |
         reg::kAccess.put(static_cast<uint64_t>(fault.access)) | reg::kDma.put(fault.dma);
}
uint64_t record1(const Fault& fault) {
  if (fault.cause == Cause::kNone) return 0;
  namespace reg = cg::fault_record1;
  return reg::kLocation.put(fault.offset) | reg::kSegment.put(fault.segment);
}

// The number of a copy of a register that is there several times; none: it is another one.
template <uint64_t kOffset, uint64_t kCopies>
bool is_copy(uint64_t offset, unsigned& number) {
  number = static_cast<unsigned>((offset - kOffset) / kWord);
  return offset >= kOffset && number < kCopies;
}

struct CpeRegister {
  enum Number : uint8_t { kStatus, kPc, kFault0, kFault1, kControl, kCounters = 8 };
};

}  // namespace

// ----------------------------------------------------------------------------------------------- registers

bool GroupUnit::read(uint64_t offset, unsigned bytes, uint64_t& value) {
  if (!is_access(offset, bytes)) return false;
  uint64_t word = 0;
  if (!read_word(offset & ~(kWord - 1), word)) return false;
  value = (word & lanes_of(offset, bytes)) >> 8 * (offset % kWord);
  return true;
}

bool GroupUnit::write(uint64_t offset, unsigned bytes, uint64_t value) {
  if (!is_access(offset, bytes)) return false;
  now_.stuck = false;
  const uint64_t lanes = lanes_of(offset, bytes);
  const bool good = write_word(offset & ~(kWord - 1), value << 8 * (offset % kWord) & lanes, lanes);
  tell_fault();
  return good;
}

Fault GroupUnit::shown(unsigned cpe) const {
  if (cpe >= group_.size()) return {};
  const Fault& fault = group_.fault(cpe);
  return fault.cause != Cause::kNone ? fault : now_.records[cpe];
}

uint32_t GroupUnit::pending() const {
  uint32_t mask = 0;
  for (unsigned i = 0; i < group_.size(); ++i) {
    if (group_.fault(i).cause != Cause::kNone) mask |= uint32_t{1} << i;
  }
  return mask;
}

uint64_t GroupUnit::read_counter(uint64_t offset) const {
  switch (offset) {
    case cg::launches::kOffset:
      return now_.launches;
    case cg::launch_failures::kOffset:
      return now_.failures;
    case cg::doorbells_refused::kOffset:
      return now_.refused;
    case cg::cpe_faults::kOffset:
      return group_.faults() - before_.faults;
    case cg::cpe_reads::kOffset:
      return group_.lines_read() - before_.reads;
    case cg::cpe_writes::kOffset:
      return group_.lines_written() - before_.writes;
    default:  // of the caches, which are not here
      return 0;
  }
}

bool GroupUnit::read_word(uint64_t offset, uint64_t& word) const {
  unsigned copy = 0;
  switch (offset) {
    case cg::identity::kOffset:
      word = cg::identity::kReset | cg::identity::kGroup.put(options_.number);
      return true;
    case cg::config::kOffset:
      word = cg::config::kHbmKib.put(options_.hbm_kib) | cg::config::kRows.put(group_.rows()) |
             cg::config::kColumns.put(group_.columns());
      return true;
    case cg::control::kOffset:
      word = cg::control::kFaultEnable.put(now_.fault_enable) |
             cg::control::kCpeFaultEnable.put(now_.cpe_fault_enable);
      return true;
    case cg::launch_mask::kOffset:
      word = now_.mask;
      return true;
    case cg::launch_setup::kOffset:
      word = now_.setup;
      return true;
    case cg::launch_status::kOffset: {
      namespace reg = cg::launch_status;
      const uint64_t queued = now_.queue.size();
      word = reg::kQueued.put(queued) | reg::kFree.put(launch::kQueue - queued) |
             reg::kRunning.put(now_.running) | reg::kHeld.put(now_.held) | reg::kEnded.put(now_.ended);
      return true;
    }
    case cg::launch_control::kOffset:
      word = cg::launch_control::kHoldAfterFailure.put(now_.hold);
      return true;
    case cg::watchdog::kOffset:
      word = now_.watchdog;
      return true;
    case cg::daemon::kOffset:
      word = cg::daemon::kBootPc.put(now_.daemon.pc) | cg::daemon::kSegment.put(now_.daemon.segment);
      return true;
    case cg::segment_table::kOffset:
      word = now_.table;
      return true;
    case cg::segment_count::kOffset:
      word = now_.entries;
      return true;
    case cg::doorbell::kOffset:
    case cg::invalidate::kOffset:
      word = 0;
      return true;
    case cg::cpe_enable::kOffset:
      word = now_.enable;
      return true;
    case cg::cpe_running::kOffset:
      word = now_.running ? group_.unfinished() : 0;
      return true;
    case cg::cpe_asleep::kOffset:
      word = group_.asleep();
      return true;
    case cg::cpe_stopped::kOffset:
      word = group_.stopped();
      return true;
    case cg::fault_pending::kOffset:
      word = pending();
      return true;
    case cg::launch_age::kOffset:
      word = now_.running ? std::min<uint64_t>(now_.cycles, ~uint32_t{0}) : 0;
      return true;
    default:
      break;
  }
  if (is_copy<cg::launch_cycles::kOffset, cg::launch_cycles::kCopies>(offset, copy)) {
    word = now_.results[copy];
    return true;
  }
  if (is_copy<cg::fault_record0::kOffset, cg::fault_record0::kCopies>(offset, copy)) {
    word = record0(shown(copy));
    return true;
  }
  if (is_copy<cg::fault_record1::kOffset, cg::fault_record1::kCopies>(offset, copy)) {
    word = record1(shown(copy));
    return true;
  }
  word = read_counter(offset);
  return offset >= cg::launches::kOffset && offset <= cg::cpe_writes::kOffset;
}

bool GroupUnit::write_word(uint64_t offset, uint64_t ones, uint64_t lanes) {
  const auto set = [&](auto& value, uint64_t mask) {
    using Value = std::remove_reference_t<decltype(value)>;
    value = static_cast<Value>((value & ~(lanes & mask)) | (ones & mask));
  };
  switch (offset) {
    case cg::control::kOffset:
      if ((lanes & 1) == 0) return true;
      now_.fault_enable = cg::control::kFaultEnable.get(ones) != 0;
      now_.cpe_fault_enable = cg::control::kCpeFaultEnable.get(ones) != 0;
      if (cg::control::kClearCounters.get(ones) != 0) {
        now_.launches = now_.failures = now_.refused = 0;
        before_ = {.faults = group_.faults(), .reads = group_.lines_read(), .writes = group_.lines_written()};
      }
      return true;
    case cg::launch_mask::kOffset:
      set(now_.mask, ~uint32_t{0});
      return true;
    case cg::launch_setup::kOffset:
      set(now_.setup, (uint64_t{1} << 41) - 1);
      return true;
    case cg::doorbell::kOffset:
      return lanes == ~uint64_t{0} && ring(ones);
    case cg::launch_control::kOffset: {
      namespace reg = cg::launch_control;
      if ((lanes & 1) != 0) now_.hold = reg::kHoldAfterFailure.get(ones) != 0;
      if (reg::kResume.get(ones) != 0) now_.held = false;
      if (reg::kKill.get(ones) != 0 && now_.running) now_.kill = true;
      if (reg::kFlush.get(ones) != 0) now_.doomed = static_cast<uint32_t>(now_.queue.size());
      return true;
    }
    case cg::watchdog::kOffset:
      set(now_.watchdog, ~uint32_t{0});
      return true;
    case cg::daemon::kOffset:
      set(now_.daemon.pc, ~uint32_t{0});
      ones >>= 32;
      lanes >>= 32;
      set(now_.daemon.segment, 0xffff);
      group_.set_daemon(now_.daemon);
      return true;
    case cg::segment_table::kOffset:
      set(now_.table, cg::segment_table::kAddress.mask());
      group_.set_segment_table(now_.table, now_.entries);
      return true;
    case cg::segment_count::kOffset:
      set(now_.entries, cg::segment_count::kEntries.mask());
      group_.set_segment_table(now_.table, now_.entries);
      return true;
    case cg::invalidate::kOffset:
      if (cg::invalidate::kCode.get(ones) != 0) group_.invalidate_code();
      return true;
    case cg::cpe_enable::kOffset: {
      uint32_t mask = now_.enable;
      set(mask, uint32_t((uint64_t{1} << group_.size()) - 1));
      enable(mask);
      return true;
    }
    case cg::fault_pending::kOffset:
      for_each(static_cast<uint32_t>(ones) & pending(),
               [&](unsigned i) { now_.records[i] = group_.fault(i); });
      group_.clear_faults(static_cast<uint32_t>(ones));
      return true;
    default: {
      uint64_t word = 0;
      return read_word(offset, word);  // read-only
    }
  }
}

void GroupUnit::enable(uint32_t mask) {
  const uint32_t gone = now_.enable & ~mask;
  const uint32_t come = mask & ~now_.enable;
  now_.enable = mask;
  if (gone != 0) {
    if (now_.running) group_.abandon(gone, Cause::kKilled);
    group_.disable(gone);
  }
  if (come != 0) group_.boot(now_.daemon, come);
}

bool GroupUnit::ring(uint64_t word) {
  if (now_.queue.size() >= launch::kQueue) {
    ++now_.refused;
    return false;
  }
  namespace setup = cg::launch_setup;
  now_.queue.push_back(
      {.launch = {.pc = static_cast<uint32_t>(cg::doorbell::kPc.get(word)),
                  .argument = static_cast<uint32_t>(cg::doorbell::kArgument.get(word)),
                  .mask = now_.mask,
                  .code_segment = static_cast<uint16_t>(setup::kCodeSegment.get(now_.setup)),
                  .argument_segment = static_cast<uint16_t>(setup::kArgumentSegment.get(now_.setup)),
                  .context = static_cast<uint8_t>(setup::kOwner.get(now_.setup))},
       .notify = setup::kNotify.get(now_.setup) != 0,
       .came = time_});
  return true;
}

// -------------------------------------------------------------------------------------------------- window

uint64_t GroupUnit::read_cpe(const Cpe& cpe, unsigned number) const {
  switch (number) {
    case CpeRegister::kStatus:
      // Until the time has passed that it has run ahead, it is on its way to where it may wait.
      return cpe.status(cpe.clock().time() + now_.ahead <= group_.time());
    case CpeRegister::kPc:
      return cpe.hart().pc();
    case CpeRegister::kFault0:
      return record0(cpe.fault());
    case CpeRegister::kFault1:
      return record1(cpe.fault());
    default:
      if (number < CpeRegister::kCounters) return 0;
      return static_cast<uint32_t>(cpe.count(number - CpeRegister::kCounters));
  }
}

bool GroupUnit::read_window(uint64_t offset, std::span<uint8_t> bytes) {
  if (!is_access(offset, bytes.size()) || offset < regs::kCgAccess) return false;
  const uint64_t cpe = (offset - regs::kCgAccess) / regs::kCgAccessStride;
  const uint64_t at = offset % regs::kCgAccessStride;
  if (cpe >= group_.size() || (group_.stopped() >> cpe & 1) != 0) return false;
  if (at < kLdmBytes) {
    std::memcpy(bytes.data(), &group_.ldm(static_cast<unsigned>(cpe))[at], bytes.size());
    return true;
  }
  const uint64_t number = (at - regs::kCgAccessRegisters) / kWord;
  const uint64_t word =
      number < 32 ? read_cpe(group_.cpe(static_cast<unsigned>(cpe)), static_cast<unsigned>(number)) : 0;
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(word >> 8 * (offset % kWord + i));
  return true;
}

bool GroupUnit::write_window(uint64_t offset, std::span<const uint8_t> bytes) {
  if (!is_access(offset, bytes.size()) || offset < regs::kCgAccess) return false;
  const auto cpe = static_cast<unsigned>((offset - regs::kCgAccess) / regs::kCgAccessStride);
  const uint64_t at = offset % regs::kCgAccessStride;
  if (cpe >= group_.size() || (group_.stopped() >> cpe & 1) != 0) return false;
  const std::span<uint8_t> ldm = group_.ldm(cpe);
  if (at < kLdmBytes) {
    std::memcpy(&ldm[at], bytes.data(), bytes.size());
  } else if (at == regs::kCgAccessControl && (bytes[0] & 1) != 0) {
    std::memset(ldm.data(), 0, ldm.size());
  }
  return true;
}

}  // namespace swai::iss::cpe
