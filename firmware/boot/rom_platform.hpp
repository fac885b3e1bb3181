// SPDX-License-Identifier: Apache-2.0
// The boot flow's view of the card.
#pragma once

#include "firmware/boot/flow.hpp"
#include "firmware/common/uart.hpp"

namespace swai::boot {

class RomPlatform final : public Platform {
 public:
  fw::Uart& uart() { return out_.uart; }

  fw::Out& console() override { return out_; }
  void set_stage(Stage stage, std::optional<image::Slot> slot, uint16_t detail) override;
  void set_progress(Progress progress) override;
  void introduce() override;
  std::span<uint64_t> memory(uint64_t address, uint64_t bytes) override;
  image::Refusal open_flash() override;
  void begin_read(uint32_t offset, uint32_t bytes, bool hash) override;
  void take(std::span<uint64_t> words) override;
  Digest finish_hash() override;
  bool program(uint32_t offset, std::span<const uint8_t> bytes) override;

 private:
  struct ConsoleOut final : fw::Out {
    explicit ConsoleOut(std::span<char> ring) : uart(ring) {}
    void put(std::string_view text) override { uart.put(text); }
    fw::Uart uart;
  };

  std::array<char, 1024> ring_;  // not initialised: nothing is read before it is written
  ConsoleOut out_{ring_};
};

}  // namespace swai::boot
