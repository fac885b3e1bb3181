// SPDX-License-Identifier: Apache-2.0
// The processor's inbox: both ports against a model, cycle by cycle.

#include <array>
#include <optional>

#include "verif/rtl/soc/tests.hpp"

namespace swai::soc {
namespace {

namespace inbox = regs::inbox;

constexpr uint64_t kWorkBits = inbox::work::kDoorbells.mask() | inbox::work::kDma.mask() |
                               inbox::work::kGroups.mask() | inbox::work::kFaults.mask();

// What the inbox holds, and what the ring does to it in every cycle.
class Ring final : public verif::Agent {
 public:
  explicit Ring(Devices& devices) : devices_(devices) {}

  void drive() override {
    auto& random = devices_.random();
    auto& pins = devices_.top();
    pins.ring_valid_i = quiet_ ? 0 : static_cast<uint8_t>(random.below(2));
    pins.ring_write_i = static_cast<uint8_t>(random.below(2));
    pins.ring_addr_i = static_cast<uint32_t>(inbox::kBase + 8 * random.below(8));
    pins.ring_wdata_i = random.next() & random.next() & random.next();
    pins.ring_wstrb_i = static_cast<uint8_t>(random.next());
    pins.faults_i = static_cast<uint16_t>(quiet_ || random.chance(80) ? 0 : 1U << random.below(16));
    pins.groups_reset_i = static_cast<uint8_t>(quiet_ || random.chance(90) ? 0 : random.below(16));
  }

  void sample() override {
    auto& pins = devices_.top();
    check((pins.irq_s_external_o != 0) == irq_, "the interrupt is not what `work` and `enable` say");
    irq_ = (work_ & enable_) != 0;

    uint64_t set = 0;
    if (pins.ring_valid_i != 0) {
      const uint64_t offset = pins.ring_addr_i - inbox::kBase;
      const auto value = look(offset);
      check((pins.ring_err_o != 0) == !value, "the ring's port answers with an error where it should not");
      if (value) check(pins.ring_rdata_o == *value, "the ring reads something else");
      const uint64_t lanes = lane_mask(pins.ring_wstrb_i);
      if (pins.ring_write_i != 0 && offset == 0) set = pins.ring_wdata_i & lanes & kWorkBits;
      if (pins.ring_write_i != 0 && offset >= inbox::done0::kOffset && offset <= inbox::done3::kOffset) {
        uint64_t& word = done_.at((offset - inbox::done0::kOffset) / 8);
        word = (word & ~lanes) | (pins.ring_wdata_i & lanes);
      }
    }
    if (pins.reg_valid_i != 0 && pins.reg_write_i != 0 && pins.reg_addr_i - inbox::kBase < inbox::kSize) {
      const uint64_t lanes = lane_mask(pins.reg_wstrb_i);
      const uint64_t offset = (pins.reg_addr_i - inbox::kBase) / 8 * 8;
      if (offset == inbox::work::kOffset) work_ &= ~(pins.reg_wdata_i & lanes);
      if (offset == inbox::enable::kOffset) enable_ = (enable_ & ~lanes) | (pins.reg_wdata_i & lanes);
    }
    work_ |= set | uint64_t{pins.faults_i} << 48;
    for (unsigned group = 0; group < done_.size(); ++group) {
      if ((pins.groups_reset_i >> group & 1) != 0) done_[group] = 0;
    }
  }

  std::optional<uint64_t> look(uint64_t offset) const {
    if (offset == inbox::work::kOffset) return work_;
    if (offset == inbox::enable::kOffset) return enable_;
    if (offset >= inbox::done0::kOffset && offset <= inbox::done3::kOffset)
      return done_.at((offset - inbox::done0::kOffset) / 8);
    return std::nullopt;
  }

  void quiet(bool on) { quiet_ = on; }

 private:
  Devices& devices_;
  bool quiet_ = false;
  bool irq_ = false;
  uint64_t work_ = 0;
  uint64_t enable_ = 0;
  std::array<uint64_t, 4> done_{};
};

}  // namespace

void test_inbox(uint64_t seed, uint64_t cycles) {
  Devices devices(seed);
  auto& random = devices.random();
  devices.write(regs::irq::enable_s::kAddr, regs::irq::pending::kInbox.mask());
  Ring ring(devices);
  devices.bench().add(ring);
  while (devices.cycle() < cycles) {
    const uint64_t offset = random.chance(50) ? inbox::work::kOffset : 8 * random.below(6);
    if (random.chance(50)) {
      devices.write(inbox::kBase + offset, random.next());
    } else {
      ring.quiet(true);
      devices.step();
      check(devices.read(inbox::kBase + offset) == *ring.look(offset), "the processor reads something else");
      ring.quiet(false);
    }
  }
}

}  // namespace swai::soc
