// SPDX-License-Identifier: Apache-2.0
// Which image is booted, and why: the part of the boot ROM that does not touch hardware itself. Unit tests
// and the fuzzer run it on the host.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "abi/boot.hpp"
#include "abi/image.hpp"
#include "firmware/common/text.hpp"

namespace swai::boot {

enum class Stage : uint8_t { kRom, kLoading, kRecovery };

using Digest = std::array<uint8_t, 32>;

// What the flow needs of the machine it runs on.
class Platform {
 public:
  // Text is taken at once and sent later.
  virtual fw::Out& console() = 0;
  virtual void set_stage(Stage stage, std::optional<image::Slot> slot, uint16_t detail) = 0;
  virtual void set_progress(Progress progress) = 0;
  // Says who speaks and why the machine started.
  virtual void introduce() = 0;

  // Memory inside kImageMemory, for writing.
  virtual std::span<uint64_t> memory(uint64_t address, uint64_t bytes) = 0;

  // Readies the flash chip: kNone, kNoFlash, kFlashBusy or kNoQuadMode.
  virtual image::Refusal open_flash() = 0;
  // A read in two halves, so that there is time to work while the data comes in. `hash`: also into the
  // digest.
  virtual void begin_read(uint32_t offset, uint32_t bytes, bool hash) = 0;
  // Also gives the console its turn, so take little at a time.
  virtual void take(std::span<uint64_t> words) = 0;
  virtual Digest finish_hash() = 0;
  // Clears bits in flash; returns when that is done.
  virtual bool program(uint32_t offset, std::span<const uint8_t> bytes) = 0;

 protected:
  ~Platform() = default;
};

// An image that lies in memory, verified.
struct Loaded {
  image::Slot slot;
  uint64_t entry;
  bool confirmed;
};

// Searches the flash once. On nothing the card belongs into recovery; the console and the status word say
// why.
std::optional<Loaded> find_and_load(Platform& platform);

}  // namespace swai::boot
