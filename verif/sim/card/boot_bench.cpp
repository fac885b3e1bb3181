// SPDX-License-Identifier: Apache-2.0
#include "verif/sim/card/boot_bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "abi/boot.hpp"
#include "build/gen/card_regs.hpp"

namespace swai::card {
namespace {

constexpr uint64_t kBootCycles = 1'000'000;
constexpr uint64_t kSleepCycles = 200'000;

// A few instructions are enough for an image; the encoders keep the numbers readable.
uint32_t lui(unsigned rd, uint32_t value) { return (value & 0xFFFFF000) | rd << 7 | 0x37; }
uint32_t addiw(unsigned rd, unsigned rs1, uint32_t value) {
  return (value & 0xFFF) << 20 | rs1 << 15 | rd << 7 | 0x1B;
}
uint32_t sw(unsigned rs2, unsigned rs1, uint32_t offset) {
  return (offset >> 5 & 0x7F) << 25 | rs2 << 20 | rs1 << 15 | 2 << 12 | (offset & 31) << 7 | 0x23;
}
constexpr uint32_t kWfi = 0x10500073;
constexpr uint32_t kJumpBack4 = 0xFFDFF06F;
constexpr uint32_t kJumpHere = 0x0000006F;
constexpr unsigned kT0 = 5;
constexpr unsigned kT1 = 6;

}  // namespace

flash::Bytes tiny_image(Act act, uint16_t mark, uint64_t version, uint32_t payload_bytes) {
  namespace status = regs::system::status;
  std::vector<uint32_t> code;
  if (act == Act::kReport) {
    const auto word =
        static_cast<uint32_t>(status::kStage.put(status::kStageReady) | status::kDetail.put(mark));
    const auto address = static_cast<uint32_t>(status::kAddr);
    code = {lui(kT0, address + 0x800),
            addiw(kT0, kT0, address),
            lui(kT1, word + 0x800),
            addiw(kT1, kT1, word),
            sw(kT1, kT0, 0),
            kWfi,
            kJumpBack4};
  } else {
    code = {kJumpHere, mark};
  }
  flash::Bytes payload(payload_bytes);
  for (size_t i = 0; i < payload.size(); ++i) payload[i] = static_cast<uint8_t>(i * 37 + mark);
  for (size_t i = 0; i < 4 * code.size(); ++i)
    payload.at(i) = static_cast<uint8_t>(code[i / 4] >> (8 * (i % 4)));

  flash::Description description{.load_address = regs::kLocalRegion.base, .entry = regs::kLocalRegion.base};
  flash::set_text(description.identity.name, "tiny", "name");
  flash::set_text(description.identity.version, flash::version_text(version), "version");
  return flash::make_image(payload, description);
}

void confirm(flash::Bytes& image) {
  image::Header header = flash::read_header(image);
  header.state.confirmed = 0;
  flash::write_header(image, header);
}

void set_attempts(flash::Bytes& image, unsigned attempts) {
  image::Header header = flash::read_header(image);
  for (unsigned i = 0; i < attempts; ++i) header.state.attempts = image::count_attempt(header.state.attempts);
  flash::write_header(image, header);
}

BootBench::BootBench(uint64_t seed, FlashTimes times)
    : store_(FlashStore::in_memory(image::kMinFlashBytes)),
      card_({.seed = seed, .flash = {.times = times, .seed = seed}, .rom = "build/firmware/rom.hex"}, store_,
            [this](uint8_t byte) { console_.push_back(static_cast<char>(byte)); }) {}

void BootBench::erase(image::Slot slot) { std::ranges::fill(this->slot(slot), uint8_t{0xFF}); }

void BootBench::put(image::Slot slot, const flash::Bytes& image) {
  erase(slot);
  std::ranges::copy(image, this->slot(slot).begin());
}

BootStatus BootBench::boot() {
  console_.clear();
  card_.power_cycle();
  return run_on(kBootCycles);
}

BootStatus BootBench::run_on(uint64_t max_cycles) {
  using Stage = BootStatus::Stage;
  for (uint64_t i = 0; i < max_cycles; ++i) {
    card_.tick();
    const BootStatus status = card_.status();
    if (status.stage == Stage::kReady || status.stage == Stage::kRecovery || status.stage == Stage::kFailed) {
      return status;
    }
  }
  throw std::runtime_error(fmt::format("the card is still in stage {} after {} cycles; console:\n{}",
                                       text(card_.status().stage), card_.cycle(), console_));
}

const std::string& BootBench::console() {
  for (uint64_t i = 0; i < kSleepCycles && !card_.asleep(); ++i) card_.tick();
  if (!card_.asleep()) throw std::runtime_error("the card does not fall asleep; console:\n" + console_);
  return console_;
}

void BootBench::type(const std::string& text) {
  card_.uart().push({reinterpret_cast<const uint8_t*>(text.data()), text.size()});
}

}  // namespace swai::card
