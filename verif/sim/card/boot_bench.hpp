// SPDX-License-Identifier: Apache-2.0
// The whole card with a flash chip in memory, for tests that boot it many times; and images so small that a
// boot is short.
#pragma once

#include <cstdint>
#include <string>

#include "abi/image.hpp"
#include "host/tools/flash/image.hpp"
#include "sim/card/card.hpp"

namespace swai::card {

// What an image does once it has been booted.
enum class Act {
  kReport,  // says ready, with its mark as detail, and sleeps
  kHang,    // loops for ever; the watchdog ends it
};

// An unconfirmed image of a few instructions (filled up to `payload_bytes`).
flash::Bytes tiny_image(Act act, uint16_t mark, uint64_t version, uint32_t payload_bytes = 64);

// State fields of a header that was confirmed, or booted so many times without.
void confirm(flash::Bytes& image);
void set_attempts(flash::Bytes& image, unsigned attempts);

class BootBench {
 public:
  explicit BootBench(uint64_t seed, FlashTimes times = FlashTimes{});

  void erase(image::Slot slot);
  // The bytes lie in the slot as they are, whether the ROM will like them or not.
  void put(image::Slot slot, const flash::Bytes& image);
  std::span<uint8_t> slot(image::Slot slot) {
    return store_.cells().subspan(slot_offset(slot), image::kSlotBytes);
  }
  image::Header header(image::Slot slot) { return flash::read_header(this->slot(slot)); }

  // Power on, until an image reports, the ROM gives up or the card fails. Throws when none of that happens.
  BootStatus boot();
  // The same without power going away: for an image that has just been reset, or a ROM that was asked to look
  // again.
  BootStatus run_on(uint64_t max_cycles);
  // Lets the card send what it has to say.
  const std::string& console();
  void type(const std::string& text);

  Card& card() { return card_; }
  FlashStore& store() { return store_; }

 private:
  FlashStore store_;
  std::string console_;
  Card card_;
};

}  // namespace swai::card
