// SPDX-License-Identifier: Apache-2.0
// The cards of a process in the fast tier, on one clock.
#include <algorithm>
#include <optional>

#include "host/transport/vendor_region.hpp"
#include "sim/card/hosted_cards.hpp"
#include "sim/card/serve.hpp"
#include "sim/common/host_threads.hpp"
#include "sim/common/workers.hpp"
#include "sim/fast/card_device.hpp"
#include "sim/fast/mistakes.hpp"
#include "sim/fast/sizes.hpp"

namespace swai::fast {
namespace {

// Cards run one after the other, each so many cycles.
constexpr uint64_t kTurn = 1024;

class Cards final : public card::HostedCards {
 public:
  Cards(const card::Options& options, std::vector<card::FlashStore>& flash,
        const std::function<void(size_t, uint8_t)>& console)
      : save_(options.save),
        workers_(common::host_threads(kMostThreads)),
        mistakes_(Mistakes::make(options)) {
    for (unsigned i = 0; i < options.cards; ++i) {
      devices_.push_back(std::make_unique<CardDevice>(
          DeviceOptions{.card = {.sizes = sizes_of(options.config),
                                 .rom = options.rom,
                                 .flash = {.times = card::FlashTimes{}.faster(options.flash_speed)},
                                 .number = i,
                                 .workers = &workers_,
                                 .mistakes = mistakes_.get()},
                        .configuration = options.config + std::string(link::vendor::kFastTier),
                        .cards = static_cast<unsigned>(options.cards)},
          flash[i], [console, i](uint8_t byte) { console(i, byte); }, [this] { asleep_ = false; }));
      if (!options.restore.empty()) devices_.back()->restore(card::name_of_card(options.restore, i));
      if (!options.iommu) continue;
      devices_.back()->card().host_memory().set_route(
          [this](bool write, uint64_t address, std::span<uint8_t> bytes) {
            return route(write, address, bytes);
          });
    }
  }

  size_t size() const override { return devices_.size(); }
  socket::Device& device(size_t card) override { return *devices_[card]; }
  void finish() override {
    for (size_t i = 0; i < devices_.size(); ++i) {
      devices_[i]->card().flash().finish();
      if (!save_.empty()) devices_[i]->save(card::name_of_card(save_, i));
    }
  }

  bool asleep() const override { return asleep_; }
  void run(uint64_t limit) override;

 private:
  std::optional<bool> route(bool write, uint64_t address, std::span<uint8_t> bytes);

  std::string save_;
  common::Workers workers_;
  std::unique_ptr<Mistakes> mistakes_;
  std::vector<std::unique_ptr<CardDevice>> devices_;
  bool asleep_ = false;
};

std::optional<bool> Cards::route(bool write, uint64_t address, std::span<uint8_t> bytes) {
  for (const auto& device : devices_) {
    if (device->owns(address)) return device->routed(write, address, bytes);
  }
  return std::nullopt;
}

void Cards::run(uint64_t limit) {
  bool told = false;
  while (!told && !asleep_) {
    uint64_t present = limit;
    for (const auto& device : devices_) {
      if (!device->asleep()) present = std::min(present, device->cycle());
    }
    asleep_ = std::ranges::all_of(devices_, [](const auto& device) { return device->asleep(); });
    if (asleep_ || present >= limit) return;
    const uint64_t until = std::min(limit, (present / kTurn + 1) * kTurn);
    for (const auto& device : devices_) {
      if (device->cycle() < until) told = device->run(until) || told;
    }
    // Who sleeps has the same clock as those that work.
    for (const auto& device : devices_) {
      if (devices_.size() > 1 && device->cycle() < until && device->asleep()) device->card().wait(until);
    }
  }
}

}  // namespace
}  // namespace swai::fast

namespace swai::card {

std::unique_ptr<HostedCards> make_cards(const Options& options, std::vector<FlashStore>& flash,
                                        EventFile* /*events*/, std::function<void(size_t, uint8_t)> console) {
  return std::make_unique<fast::Cards>(options, flash, console);
}

}  // namespace swai::card
