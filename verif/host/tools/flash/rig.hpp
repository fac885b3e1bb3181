// SPDX-License-Identifier: Apache-2.0
// A chip with images in its slots, and what the boot ROM makes of it.
#pragma once

#include <random>

#include "host/tools/flash/execute.hpp"
#include "host/tools/flash/spi_nor.hpp"
#include "sim/card/flash_store.hpp"
#include "verif/firmware/fake_platform.hpp"
#include "verif/host/tools/flash/chip_bus.hpp"

namespace swai::flash {

class Rig {
 public:
  explicit Rig(uint64_t seed, card::FlashDefects defects = {});

  // Into the cells, past chip and bus; an empty slot when there are no bytes.
  void put(image::Slot slot, std::span<const uint8_t> bytes);
  std::span<uint8_t> slot(image::Slot slot);
  // A chip that was off, on a bus that works, with the cells as they are. Power goes as `cut` says.
  SpiNor& chip(std::optional<PowerCut> cut = std::nullopt);
  // The bus of the chip that was made last.
  ChipBus& bus() { return *bus_; }

  // Reads the slots and plans.
  Contents contents(size_t image_bytes = 0);
  Plan plan(std::span<const uint8_t> image, const WriteWish& wish = {});

  // A boot as the ROM's own code does it, attempts recorded in the cells. `confirms`: the image, if it was
  // not confirmed yet, passes its self-test.
  std::optional<image::Slot> boot(bool confirms);
  // The image that it loaded.
  Bytes loaded() const { return loaded_; }

 private:
  const uint64_t seed_;
  card::FlashDefects defects_;
  card::FlashStore store_ = card::FlashStore::in_memory(image::kMinFlashBytes);
  std::unique_ptr<SpiNor> chip_;
  ChipBus* bus_ = nullptr;
  boot::FakePlatform platform_;
  Bytes loaded_;
};

// An image with a payload that follows from version and seed; the state as given.
Bytes test_image(uint64_t version, size_t payload_bytes, uint64_t seed = 0);
Bytes with_state(Bytes image, bool confirmed, unsigned attempts = 0, unsigned rank = 0);

}  // namespace swai::flash
