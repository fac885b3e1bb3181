// SPDX-License-Identifier: Apache-2.0
#include "sim/card/report.hpp"

#include <fmt/format.h>

#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>

#include "abi/image.hpp"

namespace swai::card {
namespace {

constexpr unsigned kJsonVersion = 1;
// Two periods of sck, each eight clocks.
constexpr double kFlashClocksPerByte = 16;

std::string slot_name(BootStatus::Slot slot) {
  return slot == BootStatus::Slot::kNone ? "none" : slot == BootStatus::Slot::kA ? "A" : "B";
}

// 1234567 -> 1,234,567
std::string grouped(uint64_t number) {
  std::string text = std::to_string(number);
  for (size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

}  // namespace

double Report::over_flash() const {
  return image_bytes == 0
             ? 0
             : static_cast<double>(boot_cycles) / (kFlashClocksPerByte * static_cast<double>(image_bytes));
}

uint64_t image_bytes(const FlashStore& flash, BootStatus::Slot slot) {
  if (slot == BootStatus::Slot::kNone) return 0;
  const uint32_t offset =
      image::slot_offset(slot == BootStatus::Slot::kA ? image::Slot::kA : image::Slot::kB);
  if (offset + sizeof(image::Header) > flash.size()) return 0;
  image::Header header;
  std::memcpy(&header, flash.cells().data() + offset, sizeof header);
  return header.magic == image::kMagic ? header.length + image::kHeaderBytes : 0;
}

std::string table(const Report& report) {
  std::string out;
  auto row = [&out](const std::string& name, const std::string& value, const char* unit) {
    out += fmt::format("{:<24}{:>14} {}\n", name, value, unit);
  };
  row("status", text(report.status.stage), "");
  if (report.image_bytes != 0) {
    row("booted slot", slot_name(report.status.slot), "");
    row("image", grouped(report.image_bytes), "bytes");
  }
  if (report.boot_cycles != 0) {
    row("boot, reset to ready", grouped(report.boot_cycles), "cycles");
    if (report.image_bytes != 0) {
      row("  over flash transfer", fmt::format("{:.3f}", report.over_flash()), "times");
    }
  }
  row("simulated", grouped(report.cycles), "cycles");
  row("speed", grouped(static_cast<uint64_t>(report.khz)), "kHz");
  row("flash commands", grouped(report.flash.commands), "");
  if (report.flash.ignored != 0) row("  ignored by the chip", grouped(report.flash.ignored), "");
  if (report.violations.total() != 0) row("  against the data sheet", grouped(report.violations.total()), "");
  if (report.uart_framing_errors != 0) row("console framing errors", grouped(report.uart_framing_errors), "");
  return out;
}

std::string json(const Report& report) {
  const nlohmann::ordered_json object = {
      {"version", kJsonVersion},
      {"stage", text(report.status.stage)},
      {"slot", slot_name(report.status.slot)},
      {"detail", report.status.detail},
      {"cycles", report.cycles},
      {"image_bytes", report.image_bytes},
      {"boot_cycles", report.boot_cycles},
      {"boot_over_flash", report.over_flash()},
      {"khz", report.khz},
      {"flash",
       {{"commands", report.flash.commands},
        {"ignored", report.flash.ignored},
        {"programs", report.flash.programs},
        {"erases", report.flash.erases},
        {"violations", report.violations.total()}}},
      {"uart_framing_errors", report.uart_framing_errors},
  };
  return object.dump(2) + "\n";
}

}  // namespace swai::card
