// SPDX-License-Identifier: Apache-2.0
// The timer against a model that counts cycles: time, comparison, interrupts, and when it keeps the card
// awake.

#include "verif/rtl/soc/tests.hpp"

namespace swai::soc {
namespace {

namespace timer = regs::timer;

class TimerTest final : private verif::Agent {
 public:
  explicit TimerTest(uint64_t seed) : devices_(seed) {
    // Learn the time; from here on the model knows it.
    time_ = devices_.top().time_o;
    devices_.bench().add(*this);
  }

  void run(uint64_t cycles) {
    auto& random = devices_.random();
    while (devices_.cycle() < cycles) {
      switch (random.below(4)) {
        case 0:
          set(timer::mtimecmp::kAddr, mtimecmp_, near_now());
          break;
        case 1:
          if (random.chance(20))
            set(timer::mtime::kAddr, time_,
                random.chance(50) ? random.number() : mtimecmp_ - random.below(60));
          break;
        case 2:
          set(timer::msip::kAddr, msip_, random.next());
          break;
        default:
          devices_.steps(random.below(100));
          break;
      }
      devices_.expect(timer::mtimecmp::kAddr, mtimecmp_, "mtimecmp");
      devices_.expect(timer::msip::kAddr, msip_ & 1, "msip");
      const uint64_t before = time_;
      const uint64_t got = devices_.read(timer::mtime::kAddr);
      check(got - before <= time_ - before,
            fmt::format("mtime reads {} between {} and {}", got, before, time_));
    }
    check(struck_ > 10, "the interrupt came too seldom to mean anything");
  }

 private:
  uint64_t near_now() {
    auto& random = devices_.random();
    if (random.chance(20)) return ~uint64_t{0};
    if (random.chance(20)) return random.number();
    return time_ + random.below(100) - 30;
  }

  // Writes all of a register or some bytes of it; the model follows in the cycle in which the device takes
  // it.
  void set(uint64_t address, uint64_t& value, uint64_t wanted) {
    auto& random = devices_.random();
    const unsigned size = random.chance(70) ? 8 : 1U << random.below(3);
    const unsigned at = size * static_cast<unsigned>(random.below(8 / size));
    const uint64_t lanes = (size == 8 ? ~uint64_t{0} : (uint64_t{1} << (8 * size)) - 1) << (8 * at);
    target_ = &value;
    lanes_ = lanes;
    data_ = wanted;
    devices_.write(address + at, (wanted & lanes) >> (8 * at), size);
    check(target_ == nullptr, "the write was not seen by the model");
  }

  void drive() override {}

  // Sees everything as the coming edge will find it.
  void sample() override {
    auto& pins = devices_.top();
    if (pins.rst_sys_no == 0) return;
    check(pins.time_o == time_, fmt::format("time is {} instead of {}", pins.time_o, time_));
    check((pins.irq_m_timer_o != 0) == pending_,
          fmt::format("timer interrupt is {} at {}, mtimecmp {}", pins.irq_m_timer_o, time_, mtimecmp_));
    check((pins.irq_m_software_o != 0) == ((msip_ & 1) != 0), "software interrupt");
    check((pins.busy_o != 0) == (mtimecmp_ != ~uint64_t{0} && !pending_),
          "busy while nothing can strike, or the other way round");
    if (!was_pending_ && pending_) ++struck_;
    was_pending_ = pending_;

    pending_ = time_ >= mtimecmp_;  // registered: seen one cycle later
    ++time_;
    if (target_ != nullptr && pins.reg_valid_i != 0 && pins.reg_write_i != 0) {
      const uint64_t base = target_ == &time_ ? time_ - 1 : *target_;
      *target_ = (base & ~lanes_) | (data_ & lanes_);
      target_ = nullptr;
    }
  }

  Devices devices_;
  uint64_t time_ = 0;
  uint64_t mtimecmp_ = ~uint64_t{0};
  uint64_t msip_ = 0;
  bool pending_ = false;
  bool was_pending_ = false;
  uint64_t struck_ = 0;
  uint64_t* target_ = nullptr;
  uint64_t lanes_ = 0;
  uint64_t data_ = 0;
};

}  // namespace

void test_timer(uint64_t seed, uint64_t cycles) { TimerTest(seed).run(cycles); }

}  // namespace swai::soc
