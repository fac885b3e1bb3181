// SPDX-License-Identifier: Apache-2.0
#include "host/transport/server/irq_table.hpp"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>
#include <string_view>

namespace swai::socket {

using namespace link::vfio_user;

namespace {

constexpr uint32_t kDataMask = kDataNone | kDataBool | kDataEventfd;
constexpr uint32_t kActions = kActionMask | kActionUnmask | kActionTrigger;

bool one_bit(uint32_t value) { return value != 0 && (value & (value - 1)) == 0; }

// Writing to something else might block for ever.
bool is_eventfd(int fd) {
  std::array<char, 64> target{};
  const auto link = "/proc/self/fd/" + std::to_string(fd);
  const ssize_t length = ::readlink(link.c_str(), target.data(), target.size());
  return length > 0 && std::string_view(target.data(), static_cast<size_t>(length)) == "anon_inode:[eventfd]";
}

void signal(const link::Fd& fd) {
  if (!fd) return;
  // A counter that is full has been signalled often enough; the write would block.
  pollfd ready{fd.get(), POLLOUT, 0};
  if (::poll(&ready, 1, 0) != 1 || (ready.revents & POLLOUT) == 0) return;
  const uint64_t one = 1;
  (void)!::write(fd.get(), &one, sizeof one);
}

}  // namespace

IrqTable::IrqTable(uint32_t vectors, unsigned max_fds) : max_fds_(max_fds) {
  lines(Irq::kMsix).resize(vectors);
  lines(Irq::kErr).resize(1);
  lines(Irq::kReq).resize(1);
}

uint32_t IrqTable::count(Irq type) const {
  return static_cast<uint32_t>(lines_[static_cast<uint32_t>(type)].size());
}

uint32_t IrqTable::flags(Irq type) const { return kIrqEventfd | (type == Irq::kMsix ? kIrqMaskable : 0); }

int IrqTable::check(const IrqSet& request, size_t data_bytes, const std::vector<link::Fd>& fds) {
  const uint32_t data = request.flags & kDataMask;
  const uint32_t action = request.flags & kActions;
  if (request.argsz < sizeof request || (request.flags & ~(kDataMask | kActions)) != 0) return EINVAL;
  if (!one_bit(data) || !one_bit(action) || request.index >= kIrqs) return EINVAL;
  if (data_bytes != (data == kDataBool ? request.count : 0)) return EINVAL;
  if (!fds.empty() && (data != kDataEventfd || fds.size() != request.count)) return EINVAL;
  for (const link::Fd& fd : fds) {
    if (!is_eventfd(fd.get())) return EINVAL;
  }
  if (request.count == 0) {
    // Only for switching off a whole type.
    return request.start == 0 && data == kDataNone && action == kActionTrigger ? 0 : EINVAL;
  }
  const auto type = static_cast<Irq>(request.index);
  if (!inside(request.start, request.count, count(type))) return EINVAL;
  if (action != kActionTrigger && (flags(type) & kIrqMaskable) == 0) return EINVAL;
  size_t replaced = 0;
  for (size_t i = 0; i < fds.size(); ++i) replaced += place(lines(type)[request.start + i], action) ? 1 : 0;
  return held() - replaced + fds.size() > max_fds_ ? ENOSPC : 0;
}

link::Fd& IrqTable::place(Line& line, uint32_t action) {
  if (action == kActionTrigger) return line.trigger;
  return action == kActionMask ? line.on_mask : line.on_unmask;
}

size_t IrqTable::held() const {
  size_t count = 0;
  for (const auto& group : lines_) {
    for (const Line& line : group)
      count += (line.trigger ? 1 : 0) + (line.on_mask ? 1 : 0) + (line.on_unmask ? 1 : 0);
  }
  return count;
}

int IrqTable::set(const IrqSet& request, std::span<const uint8_t> data, std::vector<link::Fd>& fds,
                  const std::function<void(unsigned)>& triggered) {
  if (const int error = check(request, data.size(), fds); error != 0) return error;
  const auto type = static_cast<Irq>(request.index);
  if (request.count == 0) {
    for (Line& line : lines(type)) line = {};
    return 0;
  }
  for (uint32_t i = 0; i < request.count; ++i) {
    Line& line = lines(type)[request.start + i];
    if ((request.flags & kDataEventfd) != 0) {
      place(line, request.flags & kActions) = fds.empty() ? link::Fd() : std::move(fds[i]);
      continue;
    }
    if ((request.flags & kDataBool) != 0 && data[i] == 0) continue;
    if ((request.flags & kActionTrigger) == 0) {
      mask(line, (request.flags & kActionMask) != 0);
    } else if (type == Irq::kMsix) {
      triggered(request.start + i);
    } else {
      raise(type, request.start + i);
    }
  }
  return 0;
}

void IrqTable::mask(Line& line, bool masked) {
  if (line.masked == masked) return;
  line.masked = masked;
  signal(masked ? line.on_mask : line.on_unmask);
  if (!masked && std::exchange(line.waiting, false)) signal(line.trigger);
}

void IrqTable::raise(Irq type, uint32_t index) {
  Line& line = lines(type)[index];
  if (line.masked) {
    line.waiting = true;
  } else {
    signal(line.trigger);
  }
}

void IrqTable::clear() {
  for (auto& group : lines_) {
    for (Line& line : group) line = {};
  }
}

}  // namespace swai::socket
