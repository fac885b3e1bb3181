// SPDX-License-Identifier: Apache-2.0
// What the tests of the flash chip share: two ways to reach the chip, and the commands of a controller.
#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "sim/board/flash/flash_chip.hpp"
#include "sim/board/flash/flash_pins.hpp"

namespace swai::card {

using Bytes = std::vector<uint8_t>;

inline constexpr uint32_t kSize = 1 << 20;

// A command as a controller sees it. Lanes are those of the address phase and of the data phase.
struct Request {
  Bytes head;          // opcode, and what follows on one line
  Bytes quad;          // what follows on four lines: address and mode bits of EBh, data of 32h
  unsigned dummy = 0;  // sck periods
  size_t read = 0;     // bytes to read
  unsigned read_lanes = 1;
};

// Two ways to reach the chip: byte by byte, or by wiggling the pins.
class Bus {
 public:
  virtual ~Bus() = default;
  virtual Bytes run(const Request& request) = 0;
  virtual void wait(uint64_t clocks) = 0;
  virtual uint64_t now() const = 0;
};

class ByteBus : public Bus {
 public:
  explicit ByteBus(FlashChip& chip) : chip_(chip) {}
  Bytes run(const Request& request) override {
    Bytes answer;
    chip_.select();
    for (uint8_t byte : request.head) exchange(byte);
    for (uint8_t byte : request.quad) exchange(byte);
    for (unsigned i = 0; i < request.dummy * (request.quad.empty() ? 1 : 4) / 8; ++i) exchange(0);
    for (size_t i = 0; i < request.read; ++i) answer.push_back(exchange(0));
    chip_.deselect();
    return answer;
  }
  void wait(uint64_t clocks) override { chip_.set_now(now_ += clocks); }
  uint64_t now() const override { return now_; }

 private:
  uint8_t exchange(uint8_t byte) {
    wait(16);
    return chip_.transfer(byte);
  }
  FlashChip& chip_;
  uint64_t now_ = 0;
};

// A controller with sck at an eighth of the clock. It samples just before the falling edge, as ours does.
class PinBus : public Bus {
 public:
  explicit PinBus(FlashPins& pins) : pins_(pins) {}
  Bytes run(const Request& request) override {
    wires_.sck = idle_high;
    wait(1);
    wires_.cs_n = false;
    wait(half);
    for (uint8_t byte : request.head) send(byte, 1);
    for (uint8_t byte : request.quad) send(byte, 4);
    for (unsigned i = 0; i < request.dummy; ++i) period(0, 0);
    Bytes answer;
    for (size_t i = 0; i < request.read; ++i) answer.push_back(receive(request.read_lanes));
    wires_.sck = idle_high;
    wires_.enable = 0;
    wait(half);
    wires_.cs_n = true;
    wait(50);
    return answer;
  }
  void wait(uint64_t clocks) override {
    for (uint64_t i = 0; i < clocks; ++i) level_ = pins_.clock(now_++, wires_);
  }
  uint64_t now() const override { return now_; }

  uint64_t half = 4;       // clocks per half period of sck
  bool idle_high = false;  // SPI mode 3

 private:
  void period(uint8_t out, uint8_t enable) {
    wires_.sck = false;
    wires_.out = out;
    wires_.enable = enable;
    wait(half);
    wires_.sck = true;
    wait(half);
  }
  void send(uint8_t byte, unsigned lanes) {
    for (unsigned bit = 0; bit < 8; bit += lanes) {
      const auto top = static_cast<uint8_t>((byte << bit & 0xFF) >> (8 - lanes));
      period(top, lanes == 1 ? 0x1 : 0xF);
    }
  }
  uint8_t receive(unsigned lanes) {
    unsigned byte = 0;
    for (unsigned bit = 0; bit < 8; bit += lanes) {
      period(0, 0);
      byte = byte << lanes | (lanes == 1 ? level_ >> 1 & 1U : level_);
    }
    return static_cast<uint8_t>(byte);
  }
  FlashPins& pins_;
  FlashWires wires_;
  uint8_t level_ = 0xF;
  uint64_t now_ = 0;
};

// A chip on a bus, with the commands that tests use.
class Bench {
 public:
  explicit Bench(bool through_pins = false, FlashOptions options = {.times = FlashTimes{}.faster(1000)},
                 size_t size = kSize)
      : store(FlashStore::in_memory(size)), chip(store, options), pins(chip) {
    if (through_pins) {
      bus = std::make_unique<PinBus>(pins);
    } else {
      bus = std::make_unique<ByteBus>(chip);
    }
  }

  Bytes run(const Request& request) { return bus->run(request); }
  static Bytes head(uint8_t opcode, uint32_t address, const Bytes& rest = {}) {
    Bytes all = {opcode, static_cast<uint8_t>(address >> 16), static_cast<uint8_t>(address >> 8),
                 static_cast<uint8_t>(address)};
    all.insert(all.end(), rest.begin(), rest.end());
    return all;
  }
  void simple(uint8_t opcode) { run({.head = {opcode}}); }
  uint8_t status(uint8_t opcode = 0x05) { return run({.head = {opcode}, .read = 1})[0]; }
  void write_enable() { simple(0x06); }
  void program(uint32_t address, const Bytes& data) {
    write_enable();
    run({.head = head(0x02, address, data)});
  }
  void erase(uint8_t opcode, uint32_t address) {
    write_enable();
    run({.head = head(opcode, address)});
  }
  void write_status(const Bytes& values, uint8_t opcode = 0x01) {
    write_enable();
    Bytes all = {opcode};
    all.insert(all.end(), values.begin(), values.end());
    run({.head = all});
    wait_ready();
  }
  Bytes read(uint32_t address, size_t bytes) { return run({.head = head(0x03, address), .read = bytes}); }
  Bytes read_any(unsigned kind, uint32_t address, size_t bytes) {
    const Bytes plain = head(0x03, address);
    switch (kind % 4) {
      case 0:
        return run({.head = plain, .read = bytes});
      case 1:
        return run({.head = head(0x0B, address), .dummy = 8, .read = bytes});
      case 2:
        return run({.head = head(0x6B, address), .dummy = 8, .read = bytes, .read_lanes = 4});
      default:
        return run({.head = {0xEB},
                    .quad = {plain[1], plain[2], plain[3], 0x00},
                    .dummy = 4,
                    .read = bytes,
                    .read_lanes = 4});
    }
  }
  void wait_ready() {
    // Longer each time: a whole chip takes a million times what a page takes.
    for (uint64_t ns = 1000; ns < 1'000'000'000'000 && (status() & 1) != 0; ns += ns / 8) bus->wait(ns);
    CHECK((status() & 1) == 0);
  }

  FlashStore store;
  FlashChip chip;
  FlashPins pins;
  std::unique_ptr<Bus> bus;
};

}  // namespace swai::card
