// SPDX-License-Identifier: Apache-2.0
#include "host/tools/flash/usb.hpp"

#include <fmt/format.h>
#include <libusb.h>
#include <sys/time.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "host/lib/printable.hpp"

namespace swai::flash {
namespace {

// A transfer holds some milliseconds of traffic, and there are enough of them for none to be missing while
// another is looked after.
constexpr size_t kTransferBytes = 16 << 10;
constexpr size_t kReceivers = 4;
constexpr unsigned kControlMs = 2000;

// After this long without any sign of life a board counts as dead. Tests of dead boards are less patient.
std::chrono::milliseconds patience() {
  const char* const text = std::getenv("SWAI_USB_PATIENCE_MS");
  unsigned ms = 0;
  if (text != nullptr && std::from_chars(text, text + std::strlen(text), ms).ec == std::errc{} && ms != 0)
    return std::chrono::milliseconds(ms);
  return std::chrono::milliseconds(5000);
}

BoardError usb_error(int code, const std::string& who, const std::string& what) {
  const auto error = [&](Trouble trouble, const std::string& cure) {
    return BoardError(trouble, fmt::format("{}: {}: {}; {}", who, what, libusb_error_name(code), cure));
  };
  switch (code) {
    case LIBUSB_ERROR_ACCESS:
      return error(
          Trouble::kNoPermission,
          "no permission: `make install` puts udev rules in place (swai flash doctor tells), then plug the "
          "board in again");
    case LIBUSB_ERROR_BUSY:
      return error(Trouble::kBusy,
                   "another program has the board: close it (openocd, openFPGALoader, a terminal?)");
    case LIBUSB_ERROR_NO_DEVICE:
    case LIBUSB_ERROR_NOT_FOUND:
      return error(Trouble::kGone, "the board was unplugged, or its power is gone");
    case LIBUSB_ERROR_TIMEOUT:
      return error(Trouble::kNoAnswer, "the board does not answer: unplug it, plug it in again");
    default:
      return error(Trouble::kNoAnswer, "the transfer failed: try another port or cable");
  }
}

std::string who(const std::string& path) { return fmt::format("board at usb {}", path); }

int code_of(libusb_transfer_status status) {
  switch (status) {
    case LIBUSB_TRANSFER_COMPLETED:
      return LIBUSB_SUCCESS;
    case LIBUSB_TRANSFER_NO_DEVICE:
      return LIBUSB_ERROR_NO_DEVICE;
    case LIBUSB_TRANSFER_TIMED_OUT:
      return LIBUSB_ERROR_TIMEOUT;
    case LIBUSB_TRANSFER_STALL:
      return LIBUSB_ERROR_PIPE;
    case LIBUSB_TRANSFER_OVERFLOW:
      return LIBUSB_ERROR_OVERFLOW;
    default:
      return LIBUSB_ERROR_IO;
  }
}

class Context {
 public:
  Context() {
    if (const int code = libusb_init(&context_); code != 0) {
      throw BoardError(Trouble::kNoBoard, fmt::format("there is no USB here: {}", libusb_error_name(code)));
    }
  }
  ~Context() {
    if (context_ != nullptr) libusb_exit(context_);
  }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  libusb_context* get() const { return context_; }
  libusb_context* release() { return std::exchange(context_, nullptr); }

 private:
  libusb_context* context_ = nullptr;
};

std::string path_of(libusb_device* device) {
  std::array<uint8_t, 8> ports;
  const int count = libusb_get_port_numbers(device, ports.data(), ports.size());
  std::string path = fmt::format("{}", libusb_get_bus_number(device));
  if (count <= 0) return fmt::format("{}-{}", path, libusb_get_device_address(device));
  for (int i = 0; i < count; ++i)
    path += fmt::format("{}{}", i == 0 ? '-' : '.', ports[static_cast<size_t>(i)]);
  return path;
}

// Calls `use` for each device until it returns false.
template <typename Use>
void each_device(libusb_context* context, const Use& use) {
  libusb_device** devices = nullptr;
  const ssize_t count = libusb_get_device_list(context, &devices);
  if (count < 0) {
    throw BoardError(Trouble::kNoBoard, fmt::format("USB devices cannot be listed: {}",
                                                    libusb_error_name(static_cast<int>(count))));
  }
  bool go_on = true;
  for (ssize_t i = 0; i < count && go_on; ++i) {
    libusb_device_descriptor descriptor;
    if (libusb_get_device_descriptor(devices[i], &descriptor) == 0) go_on = use(devices[i], descriptor);
  }
  libusb_free_device_list(devices, 1);
}

std::string text_at(libusb_device_handle* handle, uint8_t index) {
  std::array<unsigned char, 256> text;
  if (index == 0) return "";
  const int bytes = libusb_get_string_descriptor_ascii(handle, index, text.data(), text.size());
  return common::printable(
      {reinterpret_cast<const char*>(text.data()), static_cast<size_t>(std::max(bytes, 0))});
}

}  // namespace

std::vector<UsbPlace> list_usb(std::span<const std::pair<uint16_t, uint16_t>> ids) {
  const Context context;
  std::vector<UsbPlace> places;
  each_device(context.get(), [&](libusb_device* device, const libusb_device_descriptor& is) {
    if (std::ranges::find(ids, std::pair(is.idVendor, is.idProduct)) == ids.end()) return true;
    UsbPlace place = {.path = path_of(device), .vendor = is.idVendor, .product = is.idProduct};
    libusb_device_handle* handle = nullptr;
    if (const int code = libusb_open(device, &handle); code != 0) {
      place.problem = usb_error(code, who(place.path), "cannot be opened");
    } else {
      place.manufacturer = text_at(handle, is.iManufacturer);
      place.text = text_at(handle, is.iProduct);
      place.serial = text_at(handle, is.iSerialNumber);
      libusb_close(handle);
    }
    places.push_back(std::move(place));
    return true;
  });
  std::ranges::sort(places, {}, &UsbPlace::path);
  return places;
}

struct UsbDevice::Transfer {
  Transfer(UsbDevice& of, bool in, std::vector<uint8_t> contents)
      : device(of), is_in(in), bytes(std::move(contents)), usb(libusb_alloc_transfer(0)) {
    if (usb == nullptr) throw std::bad_alloc();
    const uint8_t endpoint = in ? of.endpoints_.in : of.endpoints_.out;
    libusb_fill_bulk_transfer(usb, of.handle_, endpoint, bytes.data(), static_cast<int>(bytes.size()),
                              completed, this, 0);
  }
  ~Transfer() { libusb_free_transfer(usb); }
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  UsbDevice& device;
  const bool is_in;
  std::vector<uint8_t> bytes;
  libusb_transfer* const usb;
  bool flying = false;
};

UsbDevice::UsbDevice(const UsbPlace& place, const Endpoints& endpoints)
    : place_(place), endpoints_(endpoints) {
  Context context;
  int code = LIBUSB_ERROR_NO_DEVICE;
  each_device(context.get(), [&](libusb_device* device, const libusb_device_descriptor& is) {
    if (is.idVendor != place.vendor || is.idProduct != place.product || path_of(device) != place.path)
      return true;
    code = libusb_open(device, &handle_);
    if (code == 0) {
      const int bytes = libusb_get_max_packet_size(device, endpoints.in);
      if (bytes > 2) packet_bytes_ = static_cast<uint32_t>(bytes);
    }
    return false;
  });
  if (code != 0) fail(code, "cannot be opened");
  libusb_set_auto_detach_kernel_driver(handle_, 1);
  code = libusb_claim_interface(handle_, static_cast<int>(endpoints.interface));
  if (code != 0) {
    libusb_close(handle_);
    if (code == LIBUSB_ERROR_OTHER) {
      throw BoardError(Trouble::kBusy,
                       fmt::format("{}: a driver of the kernel does not let go of it; is a program using "
                                   "its serial port?",
                                   who(place.path)));
    }
    fail(code, "cannot be taken");
  }
  context_ = context.release();
}

UsbDevice::~UsbDevice() { close(); }

void UsbDevice::close() {
  stop_all();
  libusb_release_interface(handle_, static_cast<int>(endpoints_.interface));
  libusb_close(handle_);
  libusb_exit(context_);
}

void UsbDevice::fail(int code, const std::string& what) const {
  throw usb_error(code, who(place_.path), what);
}

void UsbDevice::control(uint8_t request, uint16_t value, uint16_t index) {
  constexpr uint8_t kVendorToDevice =
      uint8_t{LIBUSB_REQUEST_TYPE_VENDOR} | uint8_t{LIBUSB_RECIPIENT_DEVICE} | uint8_t{LIBUSB_ENDPOINT_OUT};
  const int code =
      libusb_control_transfer(handle_, kVendorToDevice, request, value, index, nullptr, 0, kControlMs);
  if (code < 0) fail(code, fmt::format("request {} is refused", request));
}

void UsbDevice::completed(libusb_transfer* usb) {
  auto& transfer = *static_cast<Transfer*>(usb->user_data);
  UsbDevice& device = transfer.device;
  transfer.flying = false;
  --(transfer.is_in ? device.receiving_ : device.sending_);
  if (device.stopping_) return;
  int code = code_of(usb->status);
  if (code == 0 && !transfer.is_in && usb->actual_length != usb->length) code = LIBUSB_ERROR_IO;
  const bool idle = transfer.is_in && static_cast<size_t>(usb->actual_length) <= device.endpoints_.idle_bytes;
  if (!idle) ++device.moved_;
  if (code == 0 && transfer.is_in) {
    if (!idle) device.received_.emplace_back(usb->buffer, usb->buffer + usb->actual_length);
    code = device.submit(transfer);
  }
  if (code != 0 && device.trouble_ == 0) {
    device.trouble_ = code;
    device.trouble_where_ = transfer.is_in ? "receiving" : "sending";
  }
}

int UsbDevice::submit(Transfer& transfer) {
  const int code = libusb_submit_transfer(transfer.usb);
  transfer.flying = code == 0;
  if (transfer.flying) ++(transfer.is_in ? receiving_ : sending_);
  return code;
}

void UsbDevice::add(bool in, std::vector<uint8_t> bytes) {
  transfers_.push_back(std::make_unique<Transfer>(*this, in, std::move(bytes)));
  if (const int code = submit(*transfers_.back()); code != 0) fail(code, in ? "receiving" : "sending");
}

void UsbDevice::start_receiving() {
  for (size_t i = 0; i < kReceivers; ++i) add(true, std::vector<uint8_t>(kTransferBytes));
}

void UsbDevice::send(std::span<const uint8_t> bytes) {
  std::erase_if(transfers_, [](const auto& transfer) { return !transfer->is_in && !transfer->flying; });
  while (!bytes.empty()) {
    const auto part = bytes.first(std::min(bytes.size(), kTransferBytes));
    add(false, std::vector<uint8_t>(part.begin(), part.end()));
    bytes = bytes.subspan(part.size());
  }
}

void UsbDevice::handle_events() {
  timeval moment = {0, 100'000};
  const int code = libusb_handle_events_timeout(context_, &moment);
  if (code != 0 && code != LIBUSB_ERROR_INTERRUPTED) fail(code, "waiting");
}

void UsbDevice::wait() {
  const auto end = std::chrono::steady_clock::now() + patience();
  const uint64_t before = moved_;
  while (moved_ == before && trouble_ == 0) {
    handle_events();
    if (std::chrono::steady_clock::now() > end && moved_ == before) fail(LIBUSB_ERROR_TIMEOUT, "waiting");
  }
  if (trouble_ != 0) fail(trouble_, trouble_where_);
}

void UsbDevice::stop_all() {
  stopping_ = true;
  for (const auto& transfer : transfers_) {
    if (transfer->flying) libusb_cancel_transfer(transfer->usb);
  }
  const auto end = std::chrono::steady_clock::now() + patience();
  while (sending_ + receiving_ != 0 && std::chrono::steady_clock::now() < end) {
    timeval moment = {0, 100'000};
    libusb_handle_events_timeout(context_, &moment);
  }
  // What did not come back the kernel may still write to.
  for (auto& transfer : transfers_) {
    if (transfer->flying) static_cast<void>(transfer.release());
  }
  transfers_.clear();
  sending_ = receiving_ = 0;
  stopping_ = false;
}

void UsbDevice::stop() {
  stop_all();
  libusb_clear_halt(handle_, endpoints_.in);
  libusb_clear_halt(handle_, endpoints_.out);
  trouble_ = 0;
  received_.clear();
}

}  // namespace swai::flash
