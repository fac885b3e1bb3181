// SPDX-License-Identifier: Apache-2.0
// A card of the fast tier in this process, with all that surrounds it: flash, console, and a host that has
// its memory mapped and reaches everything through BARs and the debug port. What the host sees is written
// down.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sim/fast/card.hpp"

namespace swai::fast {

class Bed {
 public:
  static constexpr uint64_t kHostAt = 0x4000'0000;
  static constexpr uint64_t kHostBytes = 256 << 10;

  // The smallest card, with this image in its flash.
  explicit Bed(std::span<const uint8_t> image, Mistakes* mistakes = nullptr);

  Card& card() { return card_; }
  card::FlashStore& flash() { return flash_; }
  std::vector<uint8_t>& host() { return host_; }
  // Numbers that the host has read, bytes of the console, messages.
  std::vector<uint64_t>& seen() { return seen_; }
  const std::string& console() const { return console_; }

  // Time passes, also for a card that sleeps.
  void run(uint64_t cycles);

  // BAR0 and BAR4, by addresses of the card.
  void write_memory(uint64_t address, std::span<const uint8_t> bytes);
  std::vector<uint8_t> read_memory(uint64_t address, size_t bytes);
  void write_register(uint64_t address, uint64_t value);
  uint64_t read_register(uint64_t address);

  // The processor stands still, and does what the debug port asks for; goes on.
  void halt();
  void resume();
  bool halted();
  // Accesses of the processor that stands still. False: a fault.
  bool load_word(uint64_t address, uint64_t& value);
  bool store_word(uint64_t address, uint64_t value);
  void clean_line(uint64_t address);
  void forget_translations();

  // As the driver of a group wants it (abi/group/machine.hpp): all of a processor that stands still.
  uint64_t read(uint64_t address);
  uint32_t read_low(uint64_t address) { return static_cast<uint32_t>(read(address)); }
  void write(uint64_t address, uint64_t value) { store_word(address, value); }
  void store(uint64_t address, uint64_t value) { store_word(address, value); }
  void copy(uint64_t address, std::span<const uint8_t> bytes) { write_memory(address, bytes); }
  void zero(uint64_t address, uint64_t bytes);
  void publish(uint64_t /*address*/, uint64_t /*bytes*/) {}
  uint64_t cycles() { return card_.cycle(); }

 private:
  void connect();
  void execute(uint32_t instruction);

  card::FlashStore flash_;
  std::vector<uint8_t> host_;
  std::vector<uint64_t> seen_;
  std::string console_;
  Card card_;
};

}  // namespace swai::fast
