// SPDX-License-Identifier: Apache-2.0
// USB devices through libusb, with transfers that go on side by side.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "host/tools/flash/board_error.hpp"

struct libusb_context;
struct libusb_device;
struct libusb_device_handle;
struct libusb_transfer;

namespace swai::flash {

// A device that is plugged in.
struct UsbPlace {
  std::string path;  // bus and ports: "1-4.2"
  uint16_t vendor = 0;
  uint16_t product = 0;
  std::string manufacturer;
  std::string text;  // its product string
  std::string serial;
  std::optional<BoardError> problem;  // why its texts could not be read
};

// Devices with one of these ids, in the order of their paths. Throws BoardError when there is no USB.
std::vector<UsbPlace> list_usb(std::span<const std::pair<uint16_t, uint16_t>> ids);

// One interface of a device, with a bulk endpoint each way. All functions throw BoardError.
class UsbDevice {
 public:
  struct Endpoints {
    unsigned interface = 0;
    uint8_t in = 0;
    uint8_t out = 0;
    size_t idle_bytes = 0;  // the device sends as many when it has nothing to send
  };

  // Takes the interface; a driver of the kernel that has it steps aside and comes back at the end.
  UsbDevice(const UsbPlace& place, const Endpoints& endpoints);
  ~UsbDevice();
  UsbDevice(const UsbDevice&) = delete;
  UsbDevice& operator=(const UsbDevice&) = delete;

  const UsbPlace& place() const { return place_; }
  uint32_t packet_bytes() const { return packet_bytes_; }

  // A vendor request without data, to the device.
  void control(uint8_t request, uint16_t value, uint16_t index);

  // Begins to send; errors come with the next wait().
  void send(std::span<const uint8_t> bytes);
  // Lets transfers go on until one of them has brought something in or out. kNoAnswer when that takes too
  // long.
  void wait();
  bool all_sent() const { return sending_ == 0; }
  // What came in, transfer by transfer, as the device cut it.
  std::deque<std::vector<uint8_t>>& received() { return received_; }

  // Nothing is received before: a device can be told first to drop what it still has.
  void start_receiving();
  // Gives up what is under way, and forgets what came in.
  void stop();

 private:
  struct Transfer;
  static void completed(libusb_transfer* transfer);
  int submit(Transfer& transfer);
  void add(bool in, std::vector<uint8_t> bytes);
  void stop_all();
  void close();
  void handle_events();
  [[noreturn]] void fail(int code, const std::string& what) const;

  UsbPlace place_;
  Endpoints endpoints_;
  libusb_context* context_ = nullptr;
  libusb_device_handle* handle_ = nullptr;
  uint32_t packet_bytes_ = 512;
  std::vector<std::unique_ptr<Transfer>> transfers_;
  size_t sending_ = 0;
  size_t receiving_ = 0;
  bool stopping_ = false;
  uint64_t moved_ = 0;  // transfers that brought something
  int trouble_ = 0;     // first transfer status that was not good
  std::string trouble_where_;
  std::deque<std::vector<uint8_t>> received_;
};

}  // namespace swai::flash
