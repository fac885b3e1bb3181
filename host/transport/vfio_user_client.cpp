// SPDX-License-Identifier: Apache-2.0
#include "host/transport/vfio_user_client.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace swai::link {

using namespace vfio_user;
using std::chrono::steady_clock;

namespace {

constexpr size_t kMaxUnsent = 4 << 20;

template <typename T>
Bytes bytes_of(const T& value) {
  return {reinterpret_cast<const uint8_t*>(&value), sizeof value};
}

}  // namespace

VfioUserClient::VfioUserClient(Fd connection, std::function<void()> turn, std::string address,
                               const VfioUserOptions& options)
    // The server sends no descriptors.
    : channel_(std::move(connection), 0), turn_(std::move(turn)), options_(options) {
  description_.address = std::move(address);
  negotiate();
  ask_what_it_is();
}

void VfioUserClient::lost(const std::string& why) {
  if (lost_why_.empty()) lost_why_ = why;
  channel_.close();
  throw Error(ErrorKind::kLost, fmt::format("the card at {} is lost: {}; what it held is gone, open it again",
                                            description_.address, lost_why_));
}

void VfioUserClient::close() {
  if (lost_why_.empty()) lost_why_ = "the connection was closed by this side";
  channel_.close();
}

bool VfioUserClient::wait_for_server(Time deadline, std::span<pollfd> others) {
  std::vector<pollfd> fds(others.begin(), others.end());
  fds.push_back({channel_.fd(), static_cast<short>(POLLIN | (channel_.unsent() != 0 ? POLLOUT : 0)), 0});
  const auto left = std::chrono::ceil<Milliseconds>(deadline - steady_clock::now()).count();
  if (turn_) turn_();
  const int timeout = turn_ ? 0 : static_cast<int>(std::clamp<int64_t>(left, 0, 1'000'000));
  if (::poll(fds.data(), fds.size(), timeout) < 0) {
    for (pollfd& fd : fds) fd.revents = 0;
  }
  std::copy(fds.begin(), fds.end() - 1, others.begin());
  return std::any_of(fds.begin(), fds.end(), [](const pollfd& fd) { return fd.revents != 0; }) || left > 0;
}

std::optional<Message> VfioUserClient::receive() {
  if (channel_.state() != Channel::State::kOpen) lost("the connection was closed");
  channel_.flush();
  auto message = channel_.receive();
  if (channel_.state() == Channel::State::kMalformed) lost("a message has an impossible length");
  if (!message && channel_.state() == Channel::State::kClosed) lost("the other side closed the connection");
  return message;
}

uint16_t VfioUserClient::send(Command command, Bytes payload, uint32_t flags, std::span<const int> fds) {
  if (channel_.state() != Channel::State::kOpen) lost("the connection was closed");
  while (abandoned_.count(next_id_) != 0) ++next_id_;
  Header header;
  header.id = next_id_++;
  header.command = static_cast<uint16_t>(command);
  header.bytes = static_cast<uint32_t>(sizeof header + payload.size());
  header.flags = kTypeCommand | flags;
  channel_.send(header, payload, fds);
  return header.id;
}

VfioUserClient::Payload VfioUserClient::call(Command command, Bytes payload, const std::string& what,
                                             Milliseconds timeout, std::span<const int> fds) {
  const uint16_t id = send(command, payload, 0, fds);
  const Time deadline = steady_clock::now() + timeout;
  for (;;) {
    auto message = receive();
    if (!message) {
      if (wait_for_server(deadline)) continue;
      abandoned_.insert(id);
      throw Error(ErrorKind::kTimedOut,
                  fmt::format("{} ({}) took longer than {} ms; is the simulator overloaded or stopped?", what,
                              description_.address, timeout.count()));
    }
    if (!message->is_reply()) {
      serve(*message);
      continue;
    }
    const Header& header = message->header;
    if (header.id != id) {
      if (abandoned_.erase(header.id) == 0)
        lost(fmt::format("it answers message {}, which nobody sent", header.id));
      continue;
    }
    if ((header.flags & kError) != 0) {
      const int code = static_cast<int>(header.error);
      throw Error(ErrorKind::kRefused,
                  fmt::format("{} ({}) was refused: {}", what, description_.address,
                              code == 0 ? "no reason given" : std::strerror(code)),
                  code);
    }
    if (header.command != static_cast<uint16_t>(command)) lost("a reply names another command");
    return std::move(message->payload);
  }
}

void VfioUserClient::check_region(unsigned region, uint64_t offset, uint64_t bytes, const char* what) const {
  const bool known = region < description_.regions.size();
  const uint64_t size = known ? description_.regions[region].bytes : 0;
  if (known && inside(offset, bytes, size)) return;
  throw Error(ErrorKind::kBadArgument, fmt::format("{} of {} bytes at {:#x} of region {}, which has {} bytes",
                                                   what, bytes, offset, region, size));
}

VfioUserClient::Payload VfioUserClient::read_some(unsigned region, uint64_t offset, uint64_t count,
                                                  Milliseconds timeout) {
  const RegionAccess access{offset, region, static_cast<uint32_t>(count)};
  auto reply = call(Command::kRegionRead, bytes_of(access),
                    fmt::format("reading region {} at {:#x}", region, offset), timeout);
  const auto head = take<RegionAccess>(reply);
  if (!head || head->count > count || reply.size() != sizeof *head + head->count)
    lost("it answered a read wrongly");
  if (head->count < count) {
    throw Error(ErrorKind::kIncomplete, fmt::format("reading region {} at {:#x} gave {} of {} bytes", region,
                                                    offset, head->count, count));
  }
  reply.erase(reply.begin(), reply.begin() + sizeof(RegionAccess));
  return reply;
}

void VfioUserClient::read(unsigned region, uint64_t offset, Buffer to) {
  check_region(region, offset, to.size(), "a read");
  for (size_t at = 0; at < to.size();) {
    const size_t some = std::min(to.size() - at, max_transfer_);
    const Payload data = read_some(region, offset + at, some, options_.timeout);
    std::copy(data.begin(), data.end(), to.begin() + static_cast<ptrdiff_t>(at));
    at += some;
  }
}

void VfioUserClient::write(unsigned region, uint64_t offset, Bytes from) {
  check_region(region, offset, from.size(), "a write");
  for (size_t at = 0; at < from.size();) {
    const size_t some = std::min(from.size() - at, max_transfer_);
    Payload message;
    append(message, RegionAccess{offset + at, region, static_cast<uint32_t>(some)});
    message.insert(message.end(), from.begin() + at, from.begin() + at + some);
    call(Command::kRegionWrite, message, fmt::format("writing region {} at {:#x}", region, offset + at),
         options_.timeout);
    at += some;
  }
}

void VfioUserClient::post(unsigned region, uint64_t offset, Bytes from) {
  check_region(region, offset, from.size(), "a write");
  for (size_t at = 0; at < from.size();) {
    const size_t some = std::min(from.size() - at, max_transfer_);
    Payload message;
    append(message, RegionAccess{offset + at, region, static_cast<uint32_t>(some)});
    message.insert(message.end(), from.begin() + at, from.begin() + at + some);
    send(Command::kRegionWrite, message, kNoReply, {});
    at += some;
    const Time deadline = steady_clock::now() + options_.timeout;
    while (channel_.unsent() > kMaxUnsent) {
      auto request = receive();
      if (request && !request->is_reply()) {
        serve(*request);
      } else if (request && abandoned_.erase(request->header.id) == 0) {
        lost("it answers what nobody asked");
      } else if (!request && !wait_for_server(deadline)) {
        throw Error(ErrorKind::kTimedOut, fmt::format("posting writes to {}: it took none for {} ms",
                                                      description_.address, options_.timeout.count()));
      }
    }
  }
}

void VfioUserClient::map(const DmaMapping& mapping) {
  DmaMap request;
  request.flags = (mapping.readable ? kDmaReadable : 0) | (mapping.writable ? kDmaWritable : 0);
  request.address = mapping.iova;
  request.size = mapping.memory.size();
  const bool by_file = mapping.fd >= 0;
  if (by_file) request.offset = mapping.offset;
  call(Command::kDmaMap, bytes_of(request),
       fmt::format("mapping {} bytes at bus address {:#x}", request.size, request.address), options_.timeout,
       by_file ? std::span(&mapping.fd, 1) : std::span<const int>());
  mappings_[mapping.iova] = mapping;
}

void VfioUserClient::unmap(uint64_t iova, uint64_t bytes) {
  DmaUnmap request;
  request.address = iova;
  request.size = bytes;
  call(Command::kDmaUnmap, bytes_of(request),
       fmt::format("unmapping {} bytes at bus address {:#x}", bytes, iova), options_.timeout);
  mappings_.erase(iova);
}

void VfioUserClient::set_interrupts(std::span<const int> eventfds) {
  const std::string what = "setting up interrupts";
  IrqSet off;
  off.index = static_cast<uint32_t>(Irq::kMsix);
  off.flags = kDataNone | kActionTrigger;
  call(Command::kDeviceSetIrqs, bytes_of(off), what, options_.timeout);
  for (size_t at = 0; at < eventfds.size();) {
    const size_t some = std::min<size_t>(eventfds.size() - at, std::max<uint64_t>(max_fds_, 1));
    IrqSet set;
    set.index = off.index;
    set.flags = kDataEventfd | kActionTrigger;
    set.start = static_cast<uint32_t>(at);
    set.count = static_cast<uint32_t>(some);
    call(Command::kDeviceSetIrqs, bytes_of(set), what, options_.timeout, eventfds.subspan(at, some));
    at += some;
  }
}

void VfioUserClient::reset() { call(Command::kDeviceReset, {}, "resetting the card", options_.timeout); }

vendor::RunResult VfioUserClient::run_until(const vendor::RunRequest& request) {
  if (!description_.has_vendor_region) {
    throw Error(ErrorKind::kBadArgument,
                fmt::format("{} has no vendor region: its time cannot be ruled", description_.address));
  }
  // In one message with the read behind it, as far as the server sees it: one of them waits for an answer.
  post(vendor::kRegion, vendor::kRunVectorsAt, bytes_of(request));
  const Payload reply =
      read_some(vendor::kRegion, vendor::kRunAt, sizeof(vendor::RunResult), options_.run_timeout);
  return *take<vendor::RunResult>(reply);
}

bool VfioUserClient::wait(std::span<pollfd> fds, Milliseconds timeout) {
  const Time deadline = steady_clock::now() + timeout;
  for (;;) {
    while (const auto message = receive()) {
      if (!message->is_reply()) {
        serve(*message);
      } else if (abandoned_.erase(message->header.id) == 0) {
        lost("it answers what nobody asked");
      }
    }
    const bool in_time = wait_for_server(deadline, fds);
    if (std::any_of(fds.begin(), fds.end(), [](const pollfd& fd) { return fd.revents != 0; })) return true;
    if (!in_time) return false;
  }
}

VfioUserClient::Payload VfioUserClient::dma_access(const Message& request) {
  const auto access = take<DmaAccess>(request.payload);
  const bool write = request.header.command == static_cast<uint16_t>(Command::kDmaWrite);
  if (!access || access->count > max_transfer_) return {};
  if (request.payload.size() != sizeof *access + (write ? access->count : 0)) return {};
  auto found = mappings_.upper_bound(access->address);
  if (found == mappings_.begin()) return {};
  const DmaMapping& mapping = (--found)->second;
  const uint64_t at = access->address - mapping.iova;
  if (!inside(at, access->count, mapping.memory.size())) return {};
  if (!(write ? mapping.writable : mapping.readable)) return {};
  Payload reply;
  append(reply, *access);
  const Buffer memory = mapping.memory.subspan(at, access->count);
  if (write) {
    std::copy(request.payload.begin() + sizeof *access, request.payload.end(), memory.begin());
  } else {
    reply.insert(reply.end(), memory.begin(), memory.end());
  }
  return reply;
}

void VfioUserClient::serve(const Message& request) {
  Header header = request.header;
  const bool known = header.command == static_cast<uint16_t>(Command::kDmaRead) ||
                     header.command == static_cast<uint16_t>(Command::kDmaWrite);
  const Payload reply = known ? dma_access(request) : Payload();
  if ((header.flags & kNoReply) != 0) return;
  header.flags = kTypeReply | (reply.empty() ? kError : 0);
  header.error = reply.empty() ? EINVAL : 0;
  header.bytes = static_cast<uint32_t>(sizeof header + reply.size());
  channel_.send(header, reply);
}

}  // namespace swai::link
