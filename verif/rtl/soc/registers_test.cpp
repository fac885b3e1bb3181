// SPDX-License-Identifier: Apache-2.0
// Every register against its description: reset value, access kinds, what survives which reset, and that
// nobody lives where no register is described.

#include <algorithm>
#include <iterator>
#include <map>
#include <vector>

#include "card_regs_table.hpp"
#include "verif/rtl/soc/tests.hpp"

namespace swai::soc {
namespace {

using regs::RegisterInfo;

// The processor's own devices: those of the card live behind the ring.
bool ours(uint64_t base) { return base - regs::kIoRegion.base < regs::kIoRegion.size; }

std::vector<RegisterInfo> our_registers() {
  std::vector<RegisterInfo> result;
  std::ranges::copy_if(regs::kRegisters, std::back_inserter(result),
                       [](const RegisterInfo& info) { return ours(info.base); });
  return result;
}

std::string text(const RegisterInfo& info) { return fmt::format("{}.{}", info.device, info.name); }

uint64_t address(const RegisterInfo& info) { return info.base + info.offset; }

class RegistersTest {
 public:
  explicit RegistersTest(uint64_t seed) : devices_(seed) {}

  void run(uint64_t writes) {
    reset_values(true);
    access_kinds(writes);
    software_reset();
    devices_.power_on();
    reset_values(true);
    devices_.power_on();
    nobody();
  }

 private:
  // Registers whose reading has an effect come last: what they do must not disturb the others' reset values.
  void reset_values(bool power_on) {
    for (const bool effect : {false, true}) {
      for (const RegisterInfo& info : registers_) {
        if (info.read_effect != effect) continue;
        const uint64_t got = devices_.read(address(info));
        uint64_t want = info.reset;
        uint64_t fixed = info.reset_known;
        if (info.sticky && !power_on) {
          want = values_[address(info)];
          fixed &= info.rw;
        }
        check((got & fixed) == (want & fixed),
              fmt::format("{} is {:#x} after reset, not {:#x} (fixed bits {:#x})", text(info), got, want,
                          fixed));
      }
    }
  }

  // The next write to a register does nothing beyond moving the value.
  static bool plain(const RegisterInfo& info) { return !info.write_effect || info.rw != 0; }

  // What would end the test early is masked out of random values: a watchdog that strikes at once.
  static uint64_t harmless(const RegisterInfo& info, uint64_t value) {
    if (address(info) == regs::system::watchdog_timeout::kAddr) value |= 0x8080'8080;
    return value;
  }

  // Read-only fields that move by themselves are not the business of this test.
  static bool moves(const RegisterInfo& info) {
    return address(info) == regs::system::watchdog_control::kAddr ||
           address(info) == regs::uart::status::kAddr || address(info) == regs::flash::status::kAddr ||
           info.base == regs::irq::kBase;
  }

  void settle(const RegisterInfo& info) {
    if (address(info) != regs::flash::command::kAddr) return;
    // Each write starts a command: none is to be under way, and it is to be a short one.
    devices_.write(regs::flash::length::kAddr, values_[regs::flash::length::kAddr] = 0);
    devices_.poll(regs::flash::status::kAddr, regs::flash::status::kBusy, 0, 10'000,
                  "end of a flash command");
  }

  void access_kinds(uint64_t writes) {
    for (const RegisterInfo& info : registers_) values_[address(info)] = info.reset & info.rw;
    auto& random = devices_.random();
    for (uint64_t i = 0; i < writes; ++i) {
      const RegisterInfo& info = registers_[random.below(registers_.size())];
      if (!plain(info)) continue;
      settle(info);
      const unsigned size = 1U << random.below(4);
      const uint64_t at = address(info) + size * random.below(8 / size);
      const unsigned shift = 8 * (at % 8);
      const uint64_t lanes = (size == 8 ? ~uint64_t{0} : (uint64_t{1} << (8 * size)) - 1) << shift;
      const uint64_t value = harmless(info, random.number());
      const uint64_t before = info.ro != 0 && !info.read_effect ? devices_.read(address(info)) : 0;
      devices_.write(at, (value & lanes) >> shift, size);
      uint64_t& kept = values_[address(info)];
      kept = (kept & ~(lanes & info.rw)) | (value & lanes & info.rw);

      if (info.read_effect) continue;
      const uint64_t got = devices_.read(address(info));
      const std::string what =
          fmt::format("{} after {:#x} was written to lanes {:#x}", text(info), value, lanes);
      if (info.reset_known == ~uint64_t{0}) {
        check((got & info.rw) == kept, fmt::format("{}: {:#x} instead of {:#x}", what, got & info.rw, kept));
      }
      check((got & ~(info.rw | info.ro | info.w1c)) == 0,
            fmt::format("{}: bits {:#x} are no readable fields", what, got));
      if (!moves(info)) {
        check((got & info.ro) == (before & info.ro),
              fmt::format("{}: read-only bits moved from {:#x} to {:#x}", what, before & info.ro,
                          got & info.ro));
      }
    }
  }

  void software_reset() {
    devices_.write(regs::system::reset_request::kAddr, regs::system::reset_request::kKeyGo, 4);
    devices_.bench().until([this] { return devices_.top().rst_sys_no == 0; }, 10, "software reset");
    devices_.wait_reset_end();
    reset_values(false);
  }

  void nobody() {
    auto& random = devices_.random();
    for (int i = 0; i < 2000; ++i) {
      uint64_t at = regs::kIoRegion.base + random.below(regs::kIoRegion.size) / 8 * 8;
      if (random.chance(80)) {
        const auto& device = regs::kDevices[random.below(std::size(regs::kDevices))];
        if (!ours(device.base)) continue;
        at = device.base + random.below(random.chance(50) ? 256 : device.size) / 8 * 8;
      }
      const bool known =
          std::ranges::any_of(registers_, [&](const RegisterInfo& r) { return address(r) == at; });
      if (known) continue;
      const bool write = random.chance(50);
      const auto result = devices_.access(write, at, 8, random.next());
      check(result.err, fmt::format("{:#x} is no register but answers a {}", at, write ? "write" : "read"));
    }
    reset_values(true);
  }

  Devices devices_;
  const std::vector<RegisterInfo> registers_ = our_registers();
  std::map<uint64_t, uint64_t> values_;  // of the rw fields, by address
};

}  // namespace

void test_registers(uint64_t seed, uint64_t cycles) { RegistersTest(seed).run(cycles / 4); }

}  // namespace swai::soc
