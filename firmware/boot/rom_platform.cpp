// SPDX-License-Identifier: Apache-2.0
#include "firmware/boot/rom_platform.hpp"

#include <bit>

#include "firmware/common/mmio.hpp"
#include "firmware/common/nor.hpp"
#include "version.hpp"

namespace swai::boot {
namespace {

namespace sys = regs::system;
namespace sha = regs::sha256;

// The longest erase of a sector or block that a reset can have interrupted us in.
constexpr uint64_t kFlashBusyClocks = 500'000'000;

constexpr uint64_t stage_value(Stage stage) {
  switch (stage) {
    case Stage::kRom:
      return sys::status::kStageRom;
    case Stage::kLoading:
      return sys::status::kStageLoading;
    case Stage::kRecovery:
      return sys::status::kStageRecovery;
  }
  return sys::status::kStageFailed;
}

const char* reset_cause() {
  switch (sys::reset_cause::kCause.get(fw::read_reg(sys::reset_cause::kAddr))) {
    case sys::reset_cause::kCausePowerOn:
      return "power-on";
    case sys::reset_cause::kCauseSoftware:
      return "software";
    case sys::reset_cause::kCauseWatchdog:
      return "watchdog";
    default:
      return "unknown";
  }
}

}  // namespace

void RomPlatform::set_stage(Stage stage, std::optional<image::Slot> slot, uint16_t detail) {
  uint64_t slot_value = sys::status::kSlotNone;
  if (slot) slot_value = *slot == image::Slot::kA ? sys::status::kSlotA : sys::status::kSlotB;
  fw::write_reg(sys::status::kAddr, sys::status::kStage.put(stage_value(stage)) |
                                        sys::status::kSlot.put(slot_value) |
                                        sys::status::kDetail.put(detail));
}

void RomPlatform::set_progress(Progress progress) {
  fw::write_reg(sys::progress::kAddr, static_cast<uint64_t>(progress));
}

void RomPlatform::introduce() {
  fw::print(out_, "SWAI boot ROM ", kVersion, ", reset: ", reset_cause());
  const uint64_t last = fw::read_reg(sys::last_progress::kAddr);
  if (last != 0) fw::print(out_, " at progress ", fw::hex(last));
  fw::put(out_, '\n');
}

std::span<uint64_t> RomPlatform::memory(uint64_t address, uint64_t bytes) {
  return {reinterpret_cast<uint64_t*>(address), bytes / sizeof(uint64_t)};
}

image::Refusal RomPlatform::open_flash() {
  // A reset does not reach the chip: it may still be programming or erasing.
  if (!fw::Nor::wait_ready(kFlashBusyClocks)) return image::Refusal::kFlashBusy;
  if (!fw::Nor::is_present(fw::Nor::read_id())) return image::Refusal::kNoFlash;
  return fw::Nor::enable_quad() ? image::Refusal::kNone : image::Refusal::kNoQuadMode;
}

void RomPlatform::begin_read(uint32_t offset, uint32_t bytes, bool hash) {
  if (hash) fw::write_reg(sha::control::kAddr, sha::control::kStart.put(1));
  fw::Nor::begin_read(offset, bytes, hash);
}

void RomPlatform::take(std::span<uint64_t> words) {
  fw::Nor::take(words);
  uart().pump();
}

Digest RomPlatform::finish_hash() {
  fw::write_reg(sha::control::kAddr, sha::control::kFinish.put(1));
  while (sha::status::kDone.get(fw::read_reg(sha::status::kAddr)) == 0) {
  }
  std::array<uint64_t, sizeof(Digest) / sizeof(uint64_t)> words;
  for (size_t i = 0; i < words.size(); ++i) {
    words[i] = fw::read_reg(sha::digest0::kAddr + i * sizeof(uint64_t));
  }
  return std::bit_cast<Digest>(words);
}

bool RomPlatform::program(uint32_t offset, std::span<const uint8_t> bytes) {
  return fw::Nor::program(offset, bytes);
}

}  // namespace swai::boot
