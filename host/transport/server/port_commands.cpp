// SPDX-License-Identifier: Apache-2.0
// The commands of the protocol. Every one of them checks its message before it does anything; what is wrong
// gets an error reply, and nothing has changed.
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <utility>

#include "host/transport/server/port.hpp"
#include "host/transport/vendor_region.hpp"

namespace swai::socket {

using namespace link::vfio_user;
namespace vendor = link::vendor;

namespace {

// Requests for information may be as long as the reply they ask for, as some clients send them.
template <typename T>
std::optional<T> take_query(std::span<const uint8_t> payload) {
  const auto query = take<T>(payload);
  if (!query || query->argsz < sizeof(T) || query->flags != 0) return std::nullopt;
  return query;
}

template <typename T>
std::span<const uint8_t> bytes_of(const T& value) {
  return {reinterpret_cast<const uint8_t*>(&value), sizeof value};
}

}  // namespace

void Port::execute(Message message) {
  current_ = std::move(message);
  const Header& header = current_.header;
  const auto command = static_cast<Command>(header.command);
  const bool card_write = command == Command::kRegionWrite || command == Command::kRegionWriteMulti;
  const bool takes_fds = command == Command::kDmaMap || command == Command::kDeviceSetIrqs;
  if ((header.flags & ~kNoReply) != kTypeCommand || current_.too_many_fds ||
      (!current_.fds.empty() && !takes_fds)) {
    // Posted writes are counted whatever becomes of them.
    if (card_write) vendor_.count_write(EINVAL, wants_reply());
    fail(EINVAL);
  } else {
    dispatch(current_);
  }
  current_.fds.clear();
}

void Port::dispatch(Message& message) {
  const Payload payload = message.payload;
  switch (static_cast<Command>(message.header.command)) {
    case Command::kDmaMap:
      return dma_map(message);
    case Command::kDmaUnmap:
      return dma_unmap(payload);
    case Command::kDeviceGetInfo:
      return get_info(payload);
    case Command::kDeviceGetRegionInfo:
      return get_region_info(payload);
    case Command::kDeviceGetIrqInfo:
      return get_irq_info(payload);
    case Command::kDeviceSetIrqs:
      return set_irqs(message);
    case Command::kRegionRead:
      return region_read(payload);
    case Command::kRegionWrite:
      return region_write(payload);
    case Command::kRegionWriteMulti:
      return write_multiple(payload);
    case Command::kDeviceReset:
      return reset(payload);
    case Command::kDeviceGetRegionIoFds:
    case Command::kDeviceFeature:
    case Command::kMigDataRead:
    case Command::kMigDataWrite:
      return fail(ENOTSUP);  // known, and optional
    default:
      return fail(EINVAL);
  }
}

void Port::dma_map(Message& message) {
  const auto request = take<DmaMap>(message.payload);
  if (!request || message.payload.size() != sizeof *request) return fail(EINVAL);
  finish(dma_.map(*request, message.fds, agreed_.max_dma_maps));
}

void Port::dma_unmap(Payload payload) {
  const auto request = take<DmaUnmap>(payload);
  if (!request || payload.size() != sizeof *request) return fail(EINVAL);
  const int error = dma_.unmap(*request);
  if (error != 0) return fail(error);
  answer(bytes_of(*request));
}

void Port::get_info(Payload payload) {
  if (!take_query<link::vfio_user::DeviceInfo>(payload)) return fail(EINVAL);
  link::vfio_user::DeviceInfo info;
  info.flags = kDeviceReset | kDevicePci;
  info.regions = vendor::kRegion + 1;
  info.irqs = kIrqs;
  answer(bytes_of(info));
}

std::optional<Port::RegionShape> Port::region(uint32_t index) const {
  if (index == vendor::kRegion) return RegionShape{vendor::kBytes, true, true};
  if (index >= kDeviceRegions) return std::nullopt;
  const Region& region = device_.info().regions[index];
  return RegionShape{region.bytes, region.readable, region.writable};
}

void Port::get_region_info(Payload payload) {
  const auto request = take_query<RegionInfo>(payload);
  const auto shape = request ? region(request->index) : std::nullopt;
  if (!shape) return fail(EINVAL);
  RegionInfo info;
  info.index = request->index;
  info.size = shape->bytes;
  if (info.size != 0)
    info.flags = (shape->readable ? kRegionReadable : 0) | (shape->writable ? kRegionWritable : 0);
  if (info.index != vendor::kRegion) return answer(bytes_of(info));

  info.argsz = sizeof(RegionInfo) + sizeof(RegionType);
  info.flags |= kRegionCaps;
  info.cap_offset = sizeof(RegionInfo);
  if (request->argsz < info.argsz) return answer(bytes_of(info));  // the client may ask again with more room
  RegionType type;
  type.type = vendor::kTypeVendor | device_.info().vendor_id;
  type.subtype = vendor::kSubtype;
  std::vector<uint8_t> reply;
  append(reply, info);
  append(reply, type);
  answer(reply);
}

void Port::get_irq_info(Payload payload) {
  const auto request = take_query<IrqInfo>(payload);
  if (!request || request->index >= kIrqs) return fail(EINVAL);
  IrqInfo info;
  info.index = request->index;
  info.flags = irqs_.flags(static_cast<Irq>(info.index));
  info.count = irqs_.count(static_cast<Irq>(info.index));
  answer(bytes_of(info));
}

void Port::set_irqs(Message& message) {
  const auto request = take<IrqSet>(message.payload);
  if (!request) return fail(EINVAL);
  const Payload data = Payload(message.payload).subspan(sizeof *request);
  finish(irqs_.set(*request, data, message.fds, [this](unsigned vector) { interrupt(vector); }));
}

int Port::check_access(const RegionAccess& access, bool write) const {
  const auto shape = region(access.region);
  if (!shape || access.count == 0 || !inside(access.offset, access.count, shape->bytes)) return EINVAL;
  if (!(write ? shape->writable : shape->readable)) return EACCES;
  return 0;
}

void Port::region_read(Payload payload) {
  const auto request = take<RegionAccess>(payload);
  if (!request || payload.size() != sizeof *request) return fail(EINVAL);
  if (request->count > agreed_.max_data_xfer_size) return fail(EINVAL);
  if (const int error = check_access(*request, false); error != 0) return fail(error);
  read_ = *request;
  if (request->region == vendor::kRegion) {
    std::vector<uint8_t> reply;
    append(reply, *request);
    reply.resize(sizeof *request + request->count);
    const int error = vendor_.read(request->offset, std::span(reply).subspan(sizeof *request));
    if (error != 0) return fail(error);
    if (!VendorRegion::is_run(request->offset)) return answer(reply);
    vendor_.start_run();
    waiting_ = Waiting::kRun;
    return;
  }
  started_ = true;
  waiting_ = Waiting::kRead;
  device_.start_read(request->region, request->offset, request->count);
}

// Whether a write fits in now; if not, it is executed again when it does.
bool Port::make_room(uint64_t bytes) {
  if (device_.write_room() >= bytes) return true;
  if (!clock_.asleep()) waiting_ = Waiting::kRoom;
  return false;
}

int Port::write_card(const RegionAccess& access, Payload data) {
  started_ = true;
  const int error = device_.region_write(access.region, access.offset, data);
  vendor_.count_write(error, wants_reply());
  return error;
}

void Port::region_write(Payload payload) {
  const auto request = take<RegionAccess>(payload);
  const bool whole = request && payload.size() - sizeof *request == request->count;
  int error = whole && request->count <= kMaxAccess ? check_access(*request, true) : EINVAL;
  if (request && request->region == vendor::kRegion) {
    if (error == 0) error = vendor_.write(request->offset, payload.subspan(sizeof *request));
  } else if (error != 0) {
    vendor_.count_write(error, wants_reply());
  } else if (make_room(request->count)) {
    error = write_card(*request, payload.subspan(sizeof *request));
  } else {
    if (waiting_ == Waiting::kRoom) return;
    error = EIO;
    vendor_.count_write(error, wants_reply());
  }
  if (error != 0) return fail(error);
  answer(bytes_of(*request));
}

void Port::write_multiple(Payload payload) {
  const auto head = take<MultiHeader>(payload);
  const uint64_t room = payload.size() - std::min(payload.size(), sizeof(MultiHeader));
  bool good = agreed_.write_multiple && head && room % sizeof(MultiWrite) == 0 &&
              head->count == room / sizeof(MultiWrite);
  std::vector<MultiWrite> writes;
  uint64_t bytes = 0;
  for (uint64_t i = 0; good && i < head->count; ++i) {
    writes.push_back(*take<MultiWrite>(payload, sizeof *head + i * sizeof(MultiWrite)));
    const MultiWrite& write = writes.back();
    good = write.count <= sizeof write.data && write.region != vendor::kRegion &&
           check_access({write.offset, write.region, write.count}, true) == 0;
    bytes += write.count;
  }
  if (good && !make_room(bytes)) {
    if (waiting_ == Waiting::kRoom) return;
    good = false;
  }
  if (!good) {
    vendor_.count_write(EINVAL, wants_reply());
    return fail(EINVAL);
  }
  MultiHeader done;
  for (const MultiWrite& write : writes) {
    if (write_card({write.offset, write.region, write.count}, {write.data, write.count}) != 0) break;
    ++done.count;
  }
  answer(bytes_of(done));
}

void Port::reset(Payload payload) {
  if (!payload.empty()) return fail(EINVAL);
  started_ = true;
  device_.reset();
  vendor_.forget_pending();
  answer({});
}

}  // namespace swai::socket
