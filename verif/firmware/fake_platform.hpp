// SPDX-License-Identifier: Apache-2.0
// The machine of the boot flow, on the host: flash as an array of NOR cells, memory as an array of bytes. It
// checks what the flow must keep to: no access outside flash or outside the memory for images, no overlapping
// reads.
#pragma once

#include <optional>
#include <random>
#include <string>
#include <vector>

#include "firmware/boot/flow.hpp"
#include "host/tools/flash/image.hpp"

namespace swai::boot {

class FakePlatform final : public Platform {
 public:
  FakePlatform();

  fw::Out& console() override { return out_; }
  void set_stage(Stage stage, std::optional<image::Slot> slot, uint16_t detail) override;
  void set_progress(Progress progress) override { progress_ = progress; }
  void introduce() override { out_.put("introduction\n"); }
  std::span<uint64_t> memory(uint64_t address, uint64_t bytes) override;
  image::Refusal open_flash() override { return flash_state; }
  void begin_read(uint32_t offset, uint32_t bytes, bool hash) override;
  void take(std::span<uint64_t> words) override;
  Digest finish_hash() override;
  bool program(uint32_t offset, std::span<const uint8_t> bytes) override;

  void erase(image::Slot slot);
  void put(image::Slot slot, std::span<const uint8_t> bytes);
  std::span<uint8_t> slot(image::Slot slot);
  image::Header header(image::Slot slot);
  void edit_header(image::Slot slot, const image::Header& header);

  std::optional<Loaded> boot();
  // The payload as it lies in memory.
  std::span<const uint8_t> loaded(const image::Header& header) const;

  // How the machine behaves.
  image::Refusal flash_state = image::Refusal::kNone;
  bool program_works = true;
  bool program_reports_success = true;

  // What the flow did.
  std::string text() const { return out_.text; }
  Stage stage() const { return stage_; }
  std::optional<image::Slot> stage_slot() const { return stage_slot_; }
  uint16_t detail() const { return detail_; }
  Progress progress() const { return progress_; }
  unsigned programs() const { return programs_; }

 private:
  struct TextOut final : fw::Out {
    void put(std::string_view part) override { text += part; }
    std::string text;
  };

  TextOut out_;
  std::vector<uint8_t> flash_;
  std::vector<uint64_t> memory_;
  Stage stage_ = Stage::kRom;
  std::optional<image::Slot> stage_slot_;
  uint16_t detail_ = 0;
  Progress progress_ = Progress::kRomStart;
  unsigned programs_ = 0;
  // The read under way.
  uint32_t at_ = 0;
  uint32_t left_ = 0;
  bool hashing_ = false;
  std::vector<uint8_t> message_;
};

// An image whose payload is random.
flash::Bytes random_image(std::mt19937_64& random, uint64_t version, size_t payload_bytes);
// The same, confirmed.
flash::Bytes random_confirmed_image(std::mt19937_64& random, uint64_t version, size_t payload_bytes);

}  // namespace swai::boot
