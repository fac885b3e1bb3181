// SPDX-License-Identifier: Apache-2.0
#include "verif/host/tools/flash/chip_bus.hpp"

#include "host/tools/flash/board_error.hpp"

namespace swai::flash {

ChipBus::ChipBus(card::FlashStore& store, card::FlashOptions options)
    : chip_(store, [&] {
        options.begins = [this](const card::FlashOperation& operation) { begins(operation); };
        return options;
      }()) {}

void ChipBus::begins(const card::FlashOperation& operation) {
  if (cut && cut->operation == operations_.size()) {
    cut_at_ = operation.start +
              static_cast<uint64_t>(cut->progress * static_cast<double>(operation.end - operation.start));
  }
  operations_.push_back(operation.bytes);
}

void ChipBus::advance(uint64_t ns) {
  now_ += ns;
  if (!cut_at_ || now_ < *cut_at_) {
    chip_.set_now(now_);
    return;
  }
  chip_.set_now(*cut_at_);
  chip_.power_cut();
  dead_ = true;
  throw BoardError(Trouble::kGone, "power has gone");
}

void ChipBus::run(std::span<const SpiCommand> commands) {
  for (const SpiCommand& command : commands) {
    if (dead_) throw BoardError(Trouble::kGone, "there is no power");
    before(command);
    chip_.select();
    for (const uint8_t byte : command.out) {
      chip_.transfer(byte);
      advance(kByteNs);
    }
    for (uint8_t& byte : command.in) {
      byte = chip_.transfer(0);
      advance(kByteNs);
    }
    chip_.deselect();
    advance(kByteNs);
  }
}

void ChipBus::recover() {
  if (dead_) throw BoardError(Trouble::kGone, "there is no power");
  ++recoveries;
}

}  // namespace swai::flash
