// SPDX-License-Identifier: Apache-2.0
// A host on the wire: transfers to a board without Linux between them, and flash commands made of MPSSE
// commands.
#pragma once

#include <doctest/doctest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/board/usb/board.hpp"

namespace swai::usb {

inline constexpr size_t kFlashBytes = 1 << 20;
inline constexpr uint8_t kOut = 0x02;
inline constexpr uint8_t kIn = 0x81;

inline FaultPlan faults_of(const std::vector<std::string>& texts, uint64_t seed = 1) {
  FaultPlan plan;
  for (const std::string& text : texts) add_fault(plan, text, seed);
  return plan;
}

inline boards::Board shipped(const std::string& name) { return boards::load_board("boards/" + name); }

struct PortBench {
  card::FlashStore store = card::FlashStore::in_memory(kFlashBytes);
  std::unique_ptr<Board> board;

  // The board's faults, its kind, and how many times faster than real its flash chip is.
  explicit PortBench(const std::vector<std::string>& faults = {}, double speed = 1,
                     const boards::Board& kind = shipped("ft2232h"), uint64_t seed = 1) {
    BoardOptions options{.kind = kind, .serial = "X", .nor = {}, .faults = faults_of(faults, seed)};
    options.nor.chip.times = card::FlashTimes{}.faster(speed);
    options.nor.chip.seed = seed;
    options.nor.chip.defects = options.faults.defects;
    options.nor.data_line = options.faults.data_line;
    board = std::make_unique<Board>(options, store);
  }
  UsbPort& port() { return board->port(); }

  uint64_t submit(uint8_t endpoint, Bytes data, size_t length) {
    const uint64_t id = ++ids_;
    Urb urb{.id = id, .endpoint = endpoint, .length = length, .data = std::move(data)};
    return port().submit(std::move(urb)) ? id : 0;
  }
  uint64_t submit_out(const Bytes& data) { return submit(kOut, data, data.size()); }
  uint64_t submit_in(size_t length) { return submit(kIn, {}, length); }
  // As a program does that has nothing else to do: the next transfer that ends.
  std::optional<Urb> wait() {
    std::optional<Urb> urb = board->reap();
    return urb ? urb : board->reap();
  }
  // One at a time; the status of the transfer is 0.
  void out(const Bytes& data) {
    REQUIRE(submit_out(data) != 0);
    const auto urb = wait();
    REQUIRE(urb);
    REQUIRE(urb->status == 0);
    REQUIRE(urb->moved == data.size());
  }
  // Payload of as many transfers as it takes.
  Bytes in(size_t bytes) {
    Bytes all;
    for (int tries = 0; all.size() < bytes && tries < 1'000; ++tries) {
      REQUIRE(submit_in(16'384) != 0);
      const auto urb = wait();
      REQUIRE(urb);
      REQUIRE(urb->status == 0);
      payload(all, urb->data);
    }
    return all;
  }
  static void payload(Bytes& all, const Bytes& data) {
    for (size_t i = 0; i < data.size(); i += Channel::kPacketBytes) {
      const size_t end = std::min(i + Channel::kPacketBytes, data.size());
      all.insert(all.end(), data.begin() + static_cast<std::ptrdiff_t>(i + Channel::kStatusBytes),
                 data.begin() + static_cast<std::ptrdiff_t>(end));
    }
  }
  std::optional<Urb> control(const Setup& setup) {
    const uint64_t id = ++ids_;
    if (!port().submit({.id = id, .control = true, .setup = setup, .length = setup.length}))
      return std::nullopt;
    return wait();
  }

  // The engine at 30 MHz, chip select high.
  void begin() {
    REQUIRE(control({0x40, 0x0B, 0x0200, 1, 0})->status == 0);
    out({0x8A, 0x86, 0, 0, 0x85, 0x80, 0x08, 0x0B});
  }
  // What a flash command is in MPSSE commands.
  static Bytes command(const Bytes& send, size_t receive) {
    Bytes all = {0x80, 0x00, 0x0B, 0x11};
    append_length(all, send.size());
    all.insert(all.end(), send.begin(), send.end());
    if (receive != 0) {
      all.push_back(0x20);
      append_length(all, receive);
    }
    all.insert(all.end(), {0x80, 0x08, 0x0B});
    if (receive != 0) all.push_back(0x87);
    return all;
  }
  Bytes flash(const Bytes& send, size_t receive = 0) {
    out(command(send, receive));
    return receive == 0 ? Bytes{} : in(receive);
  }
  static Bytes head(uint8_t opcode, uint32_t address, const Bytes& rest = {}) {
    Bytes all = {opcode, static_cast<uint8_t>(address >> 16), static_cast<uint8_t>(address >> 8),
                 static_cast<uint8_t>(address)};
    all.insert(all.end(), rest.begin(), rest.end());
    return all;
  }
  void wait_ready() {
    for (int i = 0; i < 1'000'000; ++i)
      if ((flash({0x05}, 1)[0] & 1) == 0) return;
    FAIL("the chip stays busy");
  }

 private:
  static void append_length(Bytes& all, size_t bytes) {
    all.push_back(static_cast<uint8_t>(bytes - 1));
    all.push_back(static_cast<uint8_t>((bytes - 1) >> 8));
  }
  uint64_t ids_ = 0;
};

}  // namespace swai::usb
