// SPDX-License-Identifier: Apache-2.0
// System control: identity, the two kinds of reset and what survives them, the watchdog to the cycle.

#include "verif/rtl/soc/tests.hpp"

namespace swai::soc {
namespace {

namespace sys = regs::system;

// soc_reset strikes after so many clocks, drained or not (DrainClocks and a few).
constexpr uint64_t kDrainLimit = 4100;

class SystemTest {
 public:
  explicit SystemTest(uint64_t seed) : devices_(seed) {}

  void run(uint64_t rounds) {
    identity();
    for (uint64_t i = 0; i < rounds; ++i) {
      software_reset();
      host_reset();
      watchdog_kicked();
      watchdog_asleep();
      watchdog_reset();
    }
    counter_stays();
    devices_.power_on();
    devices_.expect(sys::reset_cause::kAddr, sys::reset_cause::kCause.put(sys::reset_cause::kCausePowerOn),
                    "cause");
    devices_.expect(sys::last_progress::kAddr, 0, "last_progress after power-on");
    devices_.expect(sys::scratch2::kAddr, 0, "scratch2 after power-on");
  }

 private:
  void identity() {
    const uint64_t word = devices_.read(sys::identity::kAddr);
    check(word == sys::identity::kReset, "identity");
    const uint64_t config = devices_.read(sys::config::kAddr);
    check(sys::config::kSramKib.get(config) * 1024 == regs::kSramBytes, "config.sram_kib");
    check(sys::config::kIcacheKib.get(config) == 16 && sys::config::kDcacheKib.get(config) == 16,
          "config caches");
  }

  // Writes words that a reset destroys, keeps or hands on; after_reset checks them.
  void before_reset() {
    auto& random = devices_.random();
    progress_ = random.next();
    scratch_ = random.next();
    devices_.write(sys::progress::kAddr, progress_);
    devices_.write(sys::scratch2::kAddr, scratch_);
    devices_.write(sys::status::kAddr, random.next());
    check(devices_.top().status_o == devices_.read(sys::status::kAddr),
          "status_o is not the status register");
    const uint64_t vector = random.next();
    devices_.write(sys::nmi_vector::kAddr, vector);
    check(devices_.top().nmi_vector_o == (vector & sys::nmi_vector::kAddress.mask()), "nmi_vector_o");
  }

  void after_reset(uint64_t cause) {
    resets_ = std::min<uint64_t>(resets_ + 1, 255);
    check(devices_.top().status_o == 0, "status_o after a reset");
    check(devices_.top().nmi_vector_o == sys::nmi_vector::kReset, "nmi_vector_o after a reset");
    check(devices_.top().nmi_o == 0, "nmi_o after a reset");
    devices_.expect(sys::reset_cause::kAddr,
                    sys::reset_cause::kCause.put(cause) | sys::reset_cause::kCount.put(resets_),
                    "reset_cause");
    devices_.expect(sys::last_progress::kAddr, progress_, "last_progress");
    devices_.expect(sys::progress::kAddr, 0, "progress after a reset");
    devices_.expect(sys::scratch2::kAddr, scratch_, "scratch2");
    devices_.expect(sys::watchdog_control::kAddr, sys::watchdog_control::kReset,
                    "watchdog_control after a reset");
  }

  bool in_reset() { return devices_.top().rst_sys_no == 0; }

  void await_reset(uint64_t limit, const std::string& what) {
    devices_.bench().until([this] { return in_reset(); }, limit, what);
    uint64_t held = 0;
    for (; in_reset(); ++held) {
      check(held < 100, "the reset does not end");
      devices_.step();
    }
    check(held >= 16, fmt::format("the reset lasted only {} cycles", held));
  }

  void software_reset() {
    before_reset();
    auto& random = devices_.random();
    // Wrong keys, keys in pieces.
    devices_.write(sys::reset_request::kAddr, sys::reset_request::kKeyGo ^ (uint64_t{1} << random.below(32)),
                   4);
    for (int i = 0; i < 4; ++i) {
      devices_.access(true, sys::reset_request::kAddr, 2, sys::reset_request::kKeyGo);
      devices_.access(true, sys::reset_request::kAddr + 2, 2, sys::reset_request::kKeyGo);
      devices_.access(true, sys::reset_request::kAddr + 3, 1, sys::reset_request::kKeyGo);
    }
    devices_.write(sys::reset_request::kAddr + 4, sys::reset_request::kKeyGo, 4);
    devices_.steps(20);
    check(!in_reset(), "a wrong key resets");
    devices_.write(sys::reset_request::kAddr, sys::reset_request::kKeyGo, random.chance(50) ? 4 : 8);
    await_reset(5, "software reset");
    after_reset(sys::reset_cause::kCauseSoftware);
  }

  void kick() {
    devices_.write(sys::watchdog_kick::kAddr, sys::watchdog_kick::kKeyKick,
                   devices_.random().chance(50) ? 4 : 8);
  }

  uint64_t enable_watchdog() {
    const uint64_t timeout = 30 + devices_.random().below(300);
    devices_.write(sys::watchdog_timeout::kAddr, timeout);
    devices_.write(sys::watchdog_control::kAddr, sys::watchdog_control::kEnable.put(1), 1);
    return timeout;
  }

  void watchdog_kicked() {
    uint64_t timeout = enable_watchdog();
    for (int i = 0; i < 5; ++i) {
      devices_.steps(devices_.random().below(timeout - 20));
      check(devices_.top().nmi_o == 0, "the watchdog barks in spite of kicks");
      if (devices_.random().chance(50)) {
        timeout = 30 + devices_.random().below(300);
        devices_.write(sys::watchdog_timeout::kAddr, timeout);
      }
      kick();
    }
    const uint64_t kicked = devices_.cycle();
    // Setting the enable bit that is set is no kick, a key in pieces neither.
    devices_.write(sys::watchdog_control::kAddr, 1, 1);
    for (int i = 0; i < 3; ++i)
      devices_.access(true, sys::watchdog_kick::kAddr, 2, sys::watchdog_kick::kKeyKick);
    devices_.bench().until([this] { return devices_.top().nmi_o != 0; }, timeout + 5, "first bark");
    check(devices_.cycle() - kicked == timeout + 1,
          fmt::format("barks {} cycles after the kick, timeout {}", devices_.cycle() - kicked, timeout));
    check(sys::watchdog_control::kExpired.get(devices_.read(sys::watchdog_control::kAddr)) == 1,
          "watchdog_control.expired");
    kick();
    check(devices_.top().nmi_o == 0, "a kick does not withdraw the bark");
    devices_.write(sys::watchdog_control::kAddr, 0, 1);
    devices_.steps(2 * timeout + 10);
    check(devices_.top().nmi_o == 0 && !in_reset(), "a watchdog that is off barks or bites");
  }

  void watchdog_asleep() {
    const uint64_t timeout = enable_watchdog();
    devices_.top().awake_i = 0;
    devices_.steps(1);
    const uint64_t word = devices_.read(sys::watchdog_control::kAddr);
    devices_.steps(3 * timeout);
    devices_.expect(sys::watchdog_control::kAddr, word, "the watchdog counts in its sleep");
    devices_.top().awake_i = 1;
    kick();
    devices_.write(sys::watchdog_control::kAddr, 0, 1);
  }

  void watchdog_reset() {
    before_reset();
    const uint64_t timeout = enable_watchdog();
    devices_.bench().until([this] { return devices_.top().nmi_o != 0; }, timeout + 5, "bark");
    const uint64_t barked = devices_.cycle();
    devices_.bench().until([this] { return in_reset(); }, timeout + 5, "bite");
    check(devices_.cycle() - barked == timeout + 3,
          fmt::format("bites {} cycles after barking, timeout {}", devices_.cycle() - barked, timeout));
    await_reset(1, "bite");
    after_reset(sys::reset_cause::kCauseWatchdog);
  }

  // The host asks, and the ring takes its time to drain, or never does.
  void host_reset() {
    auto& top = devices_.top();
    for (const uint64_t drains : {uint64_t{0}, devices_.random().below(500), uint64_t{100'000}}) {
      before_reset();
      check(top.fence_o == 0, "the ring is fenced without a reset");
      top.drained_i = drains == 0;
      top.host_reset_i = 1;
      devices_.step();
      top.host_reset_i = 0;
      devices_.step();
      check(top.fence_o != 0, "no fence before a reset");
      for (uint64_t i = 0; i < drains && !in_reset(); ++i) {
        check(i < kDrainLimit, "the reset waits for ever");
        devices_.step();
      }
      check(drains == 0 || drains > kDrainLimit || !in_reset(), "the reset does not wait for the ring");
      top.drained_i = 1;
      await_reset(3, "host's reset");
      check(top.fence_o == 0, "the fence stays");
      after_reset(sys::reset_cause::kCauseHost);
    }
  }

  void counter_stays() {
    while (resets_ < 255) {
      devices_.write(sys::reset_request::kAddr, sys::reset_request::kKeyGo, 4);
      await_reset(5, "software reset");
      ++resets_;
    }
    software_reset();
  }

  Devices devices_;
  uint64_t resets_ = 0;
  uint64_t progress_ = 0;
  uint64_t scratch_ = 0;
};

}  // namespace

void test_system(uint64_t seed, uint64_t cycles) { SystemTest(seed).run(cycles / 2000 + 1); }

}  // namespace swai::soc
