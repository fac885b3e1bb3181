// SPDX-License-Identifier: Apache-2.0
#include "host/transport/server/vendor.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace swai::socket {

using namespace link::vendor;

namespace {

constexpr uint64_t kWord = 8;

bool is_argument(uint64_t offset) { return offset >= kArgumentsAt && offset < kCommandAt; }

uint64_t halves(uint32_t low, uint32_t high) { return low | uint64_t{high} << 32; }

}  // namespace

void VendorRegion::reset() { *this = VendorRegion(*device_); }

uint64_t VendorRegion::word(uint64_t offset) const {
  const DeviceInfo& info = device_->info();
  if (offset >= kConfigurationAt && offset < kConfigurationAt + kConfigurationBytes) {
    uint64_t value = 0;
    const uint64_t at = offset - kConfigurationAt;
    // The last character stays a zero.
    const std::string text = info.configuration.substr(0, kConfigurationBytes - 1);
    if (at < text.size()) std::memcpy(&value, text.data() + at, std::min(kWord, text.size() - at));
    return value;
  }
  if (is_argument(offset)) return arguments_[(offset - kArgumentsAt) / kWord];
  switch (offset) {
    case kMagicAt:
      return kMagic;
    case kVersionAt:
      return halves(kVersion, kMinimumVersion);
    case kCardAt:
      return halves(info.card, info.cards);
    case kVectorsAt:
      return info.vectors;
    case kModeAt:
      return static_cast<uint64_t>(mode_);
    case kCycleAt:
      return device_->cycle();
    case kWritesAt:
      return writes_;
    case kWritesRefusedAt:
      return refused_;
    case kFirstRefusedAt:
      return first_refused_;
    case kFirstErrorAt:
      return first_error_;
    case kPendingAt:
      return pending_;
    case kRunVectorsAt:
      return request_.vectors;
    case kRunLimitAt:
      return request_.limit;
    case kRunFlagsAt:
      return request_.flags;
    case kRunAt:
      return static_cast<uint64_t>(result_.cause);
    case kRunAt + kWord:
      return result_.vectors;
    case kRunAt + 2 * kWord:
      return result_.cycle;
    case kCommandAt:
      return command_;
    case kCommandErrorAt:
      return command_error_;
    case kCommandValueAt:
      return command_value_;
    default:
      return 0;
  }
}

int VendorRegion::read(uint64_t offset, std::span<uint8_t> to) const {
  if (offset % kWord != 0 || to.size() % kWord != 0) return EINVAL;
  for (size_t i = 0; i < to.size(); i += kWord) {
    const uint64_t value = word(offset + i);
    std::memcpy(to.data() + i, &value, kWord);
  }
  return 0;
}

bool VendorRegion::writable(uint64_t offset) {
  return offset == kModeAt || offset == kPendingAt || offset == kRunVectorsAt || offset == kRunLimitAt ||
         offset == kRunFlagsAt || is_argument(offset) || offset == kCommandAt;
}

bool VendorRegion::allowed(uint64_t offset, uint64_t value) {
  if (offset == kModeAt) return value <= static_cast<uint64_t>(Mode::kDeterministic);
  if (offset == kRunFlagsAt) return (value & ~kLimitIsRelative) == 0;
  return true;
}

int VendorRegion::write_word(uint64_t offset, uint64_t value) {
  if (is_argument(offset)) {
    arguments_[(offset - kArgumentsAt) / kWord] = value;
    return 0;
  }
  switch (offset) {
    case kModeAt:
      mode_ = static_cast<Mode>(value);
      return 0;
    case kPendingAt:
      pending_ &= ~value;
      return 0;
    case kRunVectorsAt:
      request_.vectors = value;
      return 0;
    case kRunLimitAt:
      request_.limit = value;
      return 0;
    case kRunFlagsAt:
      request_.flags = value;
      return 0;
    default: {  // kCommandAt
      const ControlResult result = device_->control(value, arguments_);
      command_ = value;
      command_error_ = static_cast<uint64_t>(result.error);
      command_value_ = result.value;
      return result.error;
    }
  }
}

int VendorRegion::write(uint64_t offset, std::span<const uint8_t> from) {
  if (offset % kWord != 0 || from.size() % kWord != 0) return EINVAL;
  const auto value = [&](size_t at) {
    uint64_t result;
    std::memcpy(&result, from.data() + at, kWord);
    return result;
  };
  for (size_t i = 0; i < from.size(); i += kWord) {
    if (!writable(offset + i) || !allowed(offset + i, value(i))) return EINVAL;
  }
  int error = 0;
  for (size_t i = 0; i < from.size() && error == 0; i += kWord) error = write_word(offset + i, value(i));
  return error;
}

void VendorRegion::count_write(int error, bool told) {
  ++writes_;
  if (error == 0 || told) return;
  if (refused_++ != 0) return;
  first_refused_ = writes_;
  first_error_ = static_cast<uint64_t>(error);
}

void VendorRegion::start_run() {
  const uint64_t now = device_->cycle();
  limit_ = request_.limit;
  if ((request_.flags & kLimitIsRelative) != 0)
    limit_ = request_.limit > UINT64_MAX - now ? UINT64_MAX : now + limit_;
}

bool VendorRegion::run_ended(bool asleep) {
  const uint64_t now = device_->cycle();
  const uint64_t fired = pending_ & request_.vectors;
  const Cause cause = fired != 0      ? Cause::kInterrupt
                      : now >= limit_ ? Cause::kLimit
                      : asleep        ? Cause::kAsleep
                                      : Cause::kNone;
  if (cause == Cause::kNone) return false;
  result_ = {cause, fired, now};
  pending_ &= ~fired;
  return true;
}

}  // namespace swai::socket
