// SPDX-License-Identifier: Apache-2.0
#include "sim/board/usb/usbfs.hpp"

#include <linux/usbdevice_fs.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <utility>

namespace swai::usb {
namespace {

constexpr uint32_t kCapabilities = USBDEVFS_CAP_ZERO_PACKET | USBDEVFS_CAP_BULK_CONTINUATION |
                                   USBDEVFS_CAP_NO_PACKET_SIZE_LIM | USBDEVFS_CAP_BULK_SCATTER_GATHER |
                                   USBDEVFS_CAP_REAP_AFTER_DISCONNECT;
constexpr char kDriver[] = "ftdi_sio";
constexpr int kHighSpeed = 3;
// Nothing will come until the program's own time is out: it need not ask as often as it can.
constexpr useconds_t kVainWait = 1'000;
constexpr size_t kMostBytes = 16 << 20;  // of a transfer, as the kernel has it

unsigned number_of(UMockdevIoctlData* data) {
  unsigned value = 0;
  std::memcpy(&value, data->data, sizeof value);
  return value;
}

Setup setup_of(const uint8_t* bytes) {
  auto word = [bytes](size_t at) { return static_cast<uint16_t>(bytes[at] | bytes[at + 1] << 8); };
  return {.type = bytes[0], .request = bytes[1], .value = word(2), .index = word(4), .length = word(6)};
}

}  // namespace

Usbfs::Usbfs(Board& board, bool wall_clock)
    : board_(board), wall_clock_(wall_clock), handler_(umockdev_ioctl_base_new()) {
  g_signal_connect(handler_, "handle-ioctl", G_CALLBACK(on_ioctl), this);
  g_signal_connect(handler_, "client-connected", G_CALLBACK(on_connected), this);
}

Usbfs::~Usbfs() {
  for (const auto& [id, pending] : pending_) release(pending);
  g_signal_handlers_disconnect_by_data(handler_, this);
  g_object_unref(handler_);
}

void Usbfs::release(const Pending& pending) {
  if (pending.data != nullptr) g_object_unref(pending.data);
  g_object_unref(pending.urb);
}

void Usbfs::on_connected(UMockdevIoctlBase* /*base*/, UMockdevIoctlClient* client, void* self) {
  g_signal_connect(client, "notify::connected", G_CALLBACK(on_closed), self);
}

// What the kernel does when a program ends or closes the device: its transfers are cancelled, its interfaces
// are free.
void Usbfs::on_closed(UMockdevIoctlClient* client, GParamSpec* /*property*/, void* self) {
  auto& usbfs = *static_cast<Usbfs*>(self);
  const std::lock_guard guard(usbfs.lock_);
  if (umockdev_ioctl_client_get_connected(client) != 0) return;
  for (UMockdevIoctlClient*& owner : usbfs.owner_)
    if (owner == client) owner = nullptr;
  std::erase_if(usbfs.pending_, [&](const auto& entry) {
    const auto& [id, pending] = entry;
    if (pending.client != client) return false;
    usbfs.board_.port().forget(id);
    release(pending);
    return true;
  });
}

gboolean Usbfs::on_ioctl(UMockdevIoctlBase* /*base*/, UMockdevIoctlClient* client, void* self) {
  auto& usbfs = *static_cast<Usbfs*>(self);
  const std::lock_guard guard(usbfs.lock_);
  Result result = -ENODEV;
  // The caller is C code in a thread of the library, so no exception may pass through it.
  try {
    if (!usbfs.failure_) {
      usbfs.time_passes();
      result = usbfs.serve(client, umockdev_ioctl_client_get_request(client),
                           umockdev_ioctl_client_get_arg(client));
    }
  } catch (const std::exception&) {
    usbfs.failure_ = std::current_exception();
  }
  umockdev_ioctl_client_complete(client, result < 0 ? -1 : result,
                                 result < 0 ? static_cast<int>(-result) : 0);
  if (usbfs.wall_clock_) usbfs.last_ = std::chrono::steady_clock::now();
  return TRUE;
}

void Usbfs::time_passes() {
  if (!last_) return;
  const auto gap = std::chrono::steady_clock::now() - *last_;
  board_.port().pass(static_cast<Picoseconds>(std::chrono::nanoseconds(gap).count()) * kNanosecond);
}

Usbfs::Result Usbfs::serve(UMockdevIoctlClient* client, unsigned long request, UMockdevIoctlData* argument) {
  UsbPort& port = board_.port();
  UMockdevIoctlData* data = nullptr;
  if (_IOC_SIZE(request) != 0) {
    data = umockdev_ioctl_data_resolve(argument, 0, _IOC_SIZE(request), nullptr);
    if (data == nullptr) return -EFAULT;
    g_object_unref(data);  // the argument holds it
  }
  if (!port.attached() && request != USBDEVFS_REAPURB && request != USBDEVFS_REAPURBNDELAY &&
      request != USBDEVFS_DISCARDURB)
    return -ENODEV;
  switch (request) {
    case USBDEVFS_GET_CAPABILITIES:
      std::memcpy(data->data, &kCapabilities, sizeof kCapabilities);
      return 0;
    case USBDEVFS_GET_SPEED:
      return kHighSpeed;
    case USBDEVFS_CLAIMINTERFACE:
      return claim(client, number_of(data));
    case USBDEVFS_RELEASEINTERFACE: {
      const unsigned interface = number_of(data);
      if (interface >= owner_.size() || owner_[interface] != client) return -EINVAL;
      owner_[interface] = nullptr;
      return 0;
    }
    case USBDEVFS_GETDRIVER: {
      auto& ask = *reinterpret_cast<usbdevfs_getdriver*>(data->data);
      if (ask.interface >= driver_.size() || !(driver_[ask.interface] || owner_[ask.interface] != nullptr))
        return -ENODATA;
      const std::string name = driver_[ask.interface] ? kDriver : "usbfs";
      std::memset(ask.driver, 0, sizeof ask.driver);
      name.copy(ask.driver, sizeof ask.driver - 1);
      return 0;
    }
    case USBDEVFS_IOCTL:
      return driver_request(data);
    case USBDEVFS_DISCONNECT_CLAIM:
      return disconnect_and_claim(client, data);
    case USBDEVFS_SETCONFIGURATION:
      // The kernel refuses it while a driver holds an interface, even to set the same one again.
      return driver_[0] || driver_[1] || owner_[0] != nullptr || owner_[1] != nullptr ? -EBUSY : 0;
    case USBDEVFS_SETINTERFACE:
      return 0;
    case USBDEVFS_CLEAR_HALT:
    case USBDEVFS_RESETEP:
      port.clear_halt(static_cast<uint8_t>(number_of(data)));
      return 0;
    case USBDEVFS_RESET:
      for (Channel& channel : board_.adapter().channels()) channel.set_mode(port.now(), 0);
      return 0;
    case USBDEVFS_CONTROL:
      return control(data);
    case USBDEVFS_SUBMITURB:
      return submit(client, data);
    case USBDEVFS_DISCARDURB: {
      uint64_t address = 0;
      std::memcpy(&address, argument->data, sizeof address);
      return discard(client, address);
    }
    case USBDEVFS_REAPURB:
    case USBDEVFS_REAPURBNDELAY:
      return reap(client, data);
    default:
      return -ENOTTY;
  }
}

Usbfs::Result Usbfs::claim(UMockdevIoctlClient* client, unsigned interface) {
  if (interface >= owner_.size()) return -EINVAL;
  if (driver_[interface] || board_.options().faults.claimed) return -EBUSY;
  if (owner_[interface] != nullptr && owner_[interface] != client) return -EBUSY;
  owner_[interface] = client;
  return 0;
}

Usbfs::Result Usbfs::detach_driver(unsigned interface) {
  if (interface >= driver_.size()) return -EINVAL;
  if (board_.options().faults.detach_refused) return -EPERM;
  return std::exchange(driver_[interface], false) ? 0 : -ENODATA;
}

// Detaching and attaching the kernel's driver are requests to the interface, wrapped in one to the device.
Usbfs::Result Usbfs::driver_request(UMockdevIoctlData* data) {
  const auto& wrapped = *reinterpret_cast<const usbdevfs_ioctl*>(data->data);
  const auto interface = static_cast<unsigned>(wrapped.ifno);
  if (interface >= driver_.size()) return -EINVAL;
  switch (static_cast<unsigned>(wrapped.ioctl_code)) {
    case USBDEVFS_DISCONNECT:
      return detach_driver(interface);
    case USBDEVFS_CONNECT:
      if (owner_[interface] != nullptr || driver_[interface]) return -EBUSY;
      driver_[interface] = true;
      return 1;
    default:
      return -ENOTTY;
  }
}

Usbfs::Result Usbfs::disconnect_and_claim(UMockdevIoctlClient* client, UMockdevIoctlData* data) {
  const auto& ask = *reinterpret_cast<const usbdevfs_disconnect_claim*>(data->data);
  if (ask.interface >= driver_.size()) return -EINVAL;
  if (driver_[ask.interface]) {
    const bool same = std::strncmp(ask.driver, kDriver, sizeof ask.driver) == 0;
    if ((ask.flags & USBDEVFS_DISCONNECT_CLAIM_IF_DRIVER) != 0 && !same) return -EBUSY;
    if ((ask.flags & USBDEVFS_DISCONNECT_CLAIM_EXCEPT_DRIVER) != 0 && same) return -EBUSY;
    if (const Result result = detach_driver(ask.interface); result < 0) return result;
  }
  return claim(client, ask.interface);
}

// A control transfer for which the program waits.
Usbfs::Result Usbfs::control(UMockdevIoctlData* data) {
  const auto& asked = *reinterpret_cast<const usbdevfs_ctrltransfer*>(data->data);
  const uint64_t id = ++last_id_;
  Urb urb{.id = id,
          .control = true,
          .setup = {asked.bRequestType, asked.bRequest, asked.wValue, asked.wIndex, asked.wLength},
          .length = asked.wLength};
  UMockdevIoctlData* buffer = nullptr;
  if (urb.length != 0) {
    buffer = umockdev_ioctl_data_resolve(data, offsetof(usbdevfs_ctrltransfer, data), urb.length, nullptr);
    if (buffer == nullptr) return -EFAULT;
    g_object_unref(buffer);  // the argument holds it
  }
  const bool to_host = urb.to_host();
  if (!to_host && buffer != nullptr) urb.data.assign(buffer->data, buffer->data + urb.length);
  if (!board_.port().submit(std::move(urb))) return -ENODEV;
  const std::optional<Urb> ended = board_.port().wait_for(id);
  if (!ended) {
    board_.port().forget(id);
    return -ETIMEDOUT;
  }
  if (ended->status != 0) return ended->status;
  if (to_host && buffer != nullptr) std::ranges::copy(ended->data, buffer->data);
  return static_cast<Result>(ended->moved);
}

Usbfs::Result Usbfs::submit(UMockdevIoctlClient* client, UMockdevIoctlData* data) {
  const auto& asked = *reinterpret_cast<const usbdevfs_urb*>(data->data);
  if (asked.buffer_length < 0 || static_cast<size_t>(asked.buffer_length) > kMostBytes) return -EINVAL;
  const uint64_t id = ++last_id_;
  Urb urb{.id = id, .endpoint = asked.endpoint, .length = static_cast<size_t>(asked.buffer_length)};
  urb.control = asked.type == USBDEVFS_URB_TYPE_CONTROL;
  if (!urb.control) {
    if (asked.type != USBDEVFS_URB_TYPE_BULK) return -EINVAL;
    const Channel* channel = board_.adapter().channel_of(urb.endpoint);
    if (channel == nullptr) return -ENOENT;
    // The kernel claims for a program that forgot to, where it can.
    const auto interface = static_cast<unsigned>(channel - board_.adapter().channels().data());
    if (const Result result = claim(client, interface); result < 0) return result;
  }

  Pending pending{.client = client, .urb = data, .data = nullptr, .ended = {}};
  if (urb.length != 0) {
    pending.data = umockdev_ioctl_data_resolve(data, offsetof(usbdevfs_urb, buffer), urb.length, nullptr);
    if (pending.data == nullptr) return -EFAULT;
  }
  g_object_ref(pending.urb);
  const uint8_t* bytes = pending.data == nullptr ? nullptr : pending.data->data;
  bool sound = true;
  if (urb.control) {
    sound = urb.length >= sizeof(Setup);
    if (sound) {
      urb.setup = setup_of(bytes);
      bytes += sizeof(Setup);
      urb.length -= sizeof(Setup);
      urb.endpoint = 0;
      sound = urb.setup.length <= urb.length;
    }
  }
  if (sound && !urb.to_host() && bytes != nullptr) urb.data.assign(bytes, bytes + urb.length);
  if (!sound || !board_.port().submit(std::move(urb))) {
    release(pending);
    return sound ? -ENODEV : -EINVAL;
  }
  pending_.emplace(id, pending);
  return 0;
}

Usbfs::Result Usbfs::discard(UMockdevIoctlClient* client, uint64_t address) {
  const auto found = std::ranges::find_if(pending_, [&](const auto& entry) {
    return entry.second.client == client && entry.second.urb->client_addr == address;
  });
  return found != pending_.end() && board_.port().discard(found->first) ? 0 : -EINVAL;
}

// What has ended of the program's own; what has of another's is kept for that.
std::optional<Urb> Usbfs::next_ended(UMockdevIoctlClient* client) {
  for (auto& [id, pending] : pending_)
    if (pending.client == client && pending.ended) return std::exchange(pending.ended, std::nullopt);
  while (std::optional<Urb> urb = board_.reap()) {
    const auto found = pending_.find(urb->id);
    if (found == pending_.end()) continue;
    if (found->second.client == client) return urb;
    found->second.ended = std::move(urb);
  }
  return std::nullopt;
}

Usbfs::Result Usbfs::reap(UMockdevIoctlClient* client, UMockdevIoctlData* data) {
  const std::optional<Urb> urb = next_ended(client);
  if (!urb && board_.port().waits_in_vain()) usleep(kVainWait);
  if (!urb) return board_.port().attached() ? -EAGAIN : -ENODEV;
  const auto found = pending_.find(urb->id);
  const Pending pending = found->second;
  pending_.erase(found);

  auto& answer = *reinterpret_cast<usbdevfs_urb*>(pending.urb->data);
  answer.status = urb->status;
  answer.actual_length = static_cast<int>(urb->moved);
  if (urb->to_host() && pending.data != nullptr)
    std::ranges::copy(urb->data, pending.data->data + (urb->control ? sizeof(Setup) : 0));
  umockdev_ioctl_data_set_ptr(data, 0, pending.urb);
  release(pending);  // set_ptr keeps what it needs
  return 0;
}

}  // namespace swai::usb
