// SPDX-License-Identifier: Apache-2.0
#include "verif/host/tools/flash/rig.hpp"

#include <algorithm>
#include <cstring>

namespace swai::flash {

using image::Slot;

Rig::Rig(uint64_t seed, card::FlashDefects defects) : seed_(seed), defects_(std::move(defects)) {}

std::span<uint8_t> Rig::slot(Slot slot) {
  return store_.cells().subspan(slot_offset(slot), image::kSlotBytes);
}

void Rig::put(Slot where, std::span<const uint8_t> bytes) {
  std::memset(slot(where).data(), 0xFF, image::kSlotBytes);
  std::ranges::copy(bytes, slot(where).begin());
}

SpiNor& Rig::chip(std::optional<PowerCut> cut) {
  // Nobody here waits for a chip for its own sake.
  constexpr double kFaster = 200;
  auto bus = std::make_unique<ChipBus>(
      store_,
      card::FlashOptions{.times = card::FlashTimes{}.faster(kFaster), .seed = seed_, .defects = defects_});
  bus->cut = cut;
  bus_ = bus.get();
  chip_ = std::make_unique<SpiNor>(std::move(bus));
  return *chip_;
}

Contents Rig::contents(size_t image_bytes) {
  SpiNor& nor = chip_ ? *chip_ : chip();
  return read_contents(nor, SlotMap{}, bytes_to_know(nor.geometry(), image_bytes));
}

Plan Rig::plan(std::span<const uint8_t> image, const WriteWish& wish) {
  const Contents there = contents(image.size());
  return plan_write(there, SlotMap{}, chip_->geometry(), image, wish);
}

std::optional<Slot> Rig::boot(bool confirms) {
  for (const Slot slot : image::kSlots) std::ranges::copy(this->slot(slot), platform_.slot(slot).begin());
  const auto found = platform_.boot();
  if (found) {
    image::Header header = platform_.header(found->slot);
    const auto payload = platform_.loaded(header);
    if (confirms) header.state.confirmed = 0;
    platform_.edit_header(found->slot, header);
    loaded_.assign(sizeof(header), 0);
    write_header(loaded_, header);
    loaded_.insert(loaded_.end(), payload.begin(), payload.end());
  }
  for (const Slot slot : image::kSlots) std::ranges::copy(platform_.slot(slot), this->slot(slot).begin());
  if (!found) return std::nullopt;
  return found->slot;
}

Bytes test_image(uint64_t version, size_t payload_bytes, uint64_t seed) {
  std::mt19937_64 random(version * 31 + seed);
  return boot::random_image(random, version, payload_bytes);
}

Bytes with_state(Bytes image, bool confirmed, unsigned attempts, unsigned rank) {
  image::Header header = read_header(image);
  if (confirmed) header.state.confirmed = 0;
  header.state.attempts <<= attempts;
  header.state.rank <<= rank;
  write_header(image, header);
  return image;
}

}  // namespace swai::flash
