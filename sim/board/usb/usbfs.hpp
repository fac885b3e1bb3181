// SPDX-License-Identifier: Apache-2.0
// The device node of a board: answers the ioctls of Linux's usbfs, as libusb makes them, for what a bed
// (bed.hpp) has connected to it.
#pragma once

#include <umockdev.h>

#include <array>
#include <chrono>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <set>

#include "sim/board/usb/board.hpp"

namespace swai::usb {

class Usbfs {
 public:
  // `wall_clock`: time passes for the board, too, while the host does something else.
  Usbfs(Board& board, bool wall_clock);
  ~Usbfs();
  Usbfs(const Usbfs&) = delete;
  Usbfs& operator=(const Usbfs&) = delete;

  UMockdevIoctlBase* handler() { return handler_; }
  // Whether the kernel's driver for serial ports has both interfaces, as before anybody came.
  bool driver_attached() const { return driver_ == std::array<bool, 2>{true, true}; }
  // Held while an ioctl is served.
  std::mutex& lock() { return lock_; }
  // The board's failure; null while it works. After a failure programs find the device gone.
  const std::exception_ptr& failure() const { return failure_; }

 private:
  // A transfer that a program has submitted and not reaped.
  struct Pending {
    UMockdevIoctlClient* client;
    UMockdevIoctlData* urb;
    UMockdevIoctlData* data;   // null without data
    std::optional<Urb> ended;  // another program reaped it from the board
  };
  // What an ioctl returns: 0 or more, or an errno that is below 0.
  using Result = long;

  static gboolean on_ioctl(UMockdevIoctlBase* base, UMockdevIoctlClient* client, void* self);
  static void on_connected(UMockdevIoctlBase* base, UMockdevIoctlClient* client, void* self);
  static void on_closed(UMockdevIoctlClient* client, GParamSpec* property, void* self);

  Result serve(UMockdevIoctlClient* client, unsigned long request, UMockdevIoctlData* argument);
  Result claim(UMockdevIoctlClient* client, unsigned interface);
  Result driver_request(UMockdevIoctlData* data);
  Result disconnect_and_claim(UMockdevIoctlClient* client, UMockdevIoctlData* data);
  Result detach_driver(unsigned interface);
  Result control(UMockdevIoctlData* data);
  Result submit(UMockdevIoctlClient* client, UMockdevIoctlData* data);
  Result discard(UMockdevIoctlClient* client, uint64_t address);
  Result reap(UMockdevIoctlClient* client, UMockdevIoctlData* data);
  std::optional<Urb> next_ended(UMockdevIoctlClient* client);
  void time_passes();
  static void release(const Pending& pending);

  Board& board_;
  bool wall_clock_;
  UMockdevIoctlBase* handler_;
  std::mutex lock_;
  std::exception_ptr failure_;
  std::array<bool, 2> driver_{true, true};
  std::array<UMockdevIoctlClient*, 2> owner_{};  // of an interface
  std::map<uint64_t, Pending> pending_;          // by Urb::id
  uint64_t last_id_ = 0;
  std::optional<std::chrono::steady_clock::time_point> last_;
};

}  // namespace swai::usb
