// SPDX-License-Identifier: Apache-2.0
#include "sim/fast/management.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <system_error>

#include "card_regs.hpp"

namespace swai::fast {
namespace {

constexpr unsigned kRowBytes = 64;

// The number that these two digits are; false if they are none.
bool parse_byte(const char* digits, uint8_t& byte) {
  const auto [end, error] = std::from_chars(digits, digits + 2, byte, 16);
  return error == std::errc() && end == digits + 2;
}

std::vector<uint8_t> read_rom(const std::string& path) {
  std::ifstream file(path);
  if (!file)
    throw std::runtime_error(path + ": cannot read the boot ROM; `make build/firmware/rom.hex` makes it");
  std::vector<uint8_t> rom;
  std::string row;
  while (std::getline(file, row)) {
    bool good = row.size() == 2 * kRowBytes;
    // The last byte of a row comes first.
    for (size_t i = kRowBytes; good && i-- > 0;) good = parse_byte(&row[2 * i], rom.emplace_back());
    if (!good) {
      throw std::runtime_error(path + ": not a boot ROM: rows of 128 hexadecimal digits are expected");
    }
  }
  if (rom.empty() || rom.size() > regs::kRomRegion.size) {
    throw std::runtime_error(path + ": not a boot ROM: empty, or larger than the ROM");
  }
  rom.resize(regs::kRomRegion.size);
  return rom;
}

uint64_t copied(const uint8_t* from, unsigned size) {
  uint64_t value = 0;
  std::memcpy(&value, from, size);
  return value;
}

}  // namespace

Management::Management(CardMemory& memory, card::FlashChip& chip, const std::string& rom, Fabric& fabric,
                       std::function<void(uint8_t)> console, DataCache* cache)
    : memory_(memory),
      fabric_(fabric),
      cache_(cache),
      rom_(read_rom(rom)),
      hart_(*this, {.reset_pc = regs::kBootVector, .nmi_pc = regs::system::nmi_vector::kReset}),
      timer_(hart_),
      uart_(std::move(console)),
      flash_(
          chip, sha_, [this] { return now(); },
          [this](uint64_t until) { stalled_until_ = std::max(stalled_until_, until); }),
      system_([this](const discard::Row& row) { memory_.discard(row.address, row.bytes); }),
      debug_(hart_, *this) {}

void Management::reset(System::Cause cause) {
  system_.strike(cause);
  epoch_ += hart_.ticks();
  hart_.reset();
  clean_cache();
  for (RegisterBlock* one : {static_cast<RegisterBlock*>(&timer_), static_cast<RegisterBlock*>(&uart_),
                             static_cast<RegisterBlock*>(&sha_), static_cast<RegisterBlock*>(&flash_),
                             static_cast<RegisterBlock*>(&irq_), static_cast<RegisterBlock*>(&system_),
                             static_cast<RegisterBlock*>(&inbox_)}) {
    one->reset(false);
  }
  debug_.processor_reset();
  stalled_until_ = 0;
}

void Management::update_lines() {
  namespace pending = regs::irq::pending;
  irq_.set_levels(pending::kUart.put(uart_.interrupt() ? 1 : 0) |
                  pending::kFlash.put(flash_.interrupt() ? 1 : 0) |
                  pending::kInbox.put(inbox_.interrupt() ? 1 : 0));
  hart_.set_lines({.m_software = timer_.software(),
                   .m_timer = timer_.due(),
                   .m_external = irq_.machine(),
                   .s_external = irq_.supervisor()});
}

uint64_t Management::left() const {
  const uint64_t events = std::min(timer_.left(), system_.watchdog_left());
  return stalled() != 0 ? std::min(events, stalled()) : events;
}

bool Management::asleep() {
  update_lines();
  return hart_.waiting() && stalled() == 0 && !debug_.halted() && !debug_.halt_asked() &&
         timer_.left() == Timer::kNever;
}

uint64_t Management::run(uint64_t cycles) {
  // Who keeps the books wants to know each instruction's pc.
  if (!debug_.watches() && cache_ == nullptr) {
    const uint64_t steps = hart_.run(cycles);
    instructions_ += steps;
    debug_.stepped();
    return steps;
  }
  uint64_t done = 0;
  ends_run_ = false;
  while (done < cycles && !ends_run_ && !hart_.waiting() && !debug_.stops()) {
    hart_.run(1);
    ++instructions_;
    ++done;
    debug_.stepped();
    update_lines();
  }
  return done;
}

void Management::advance(uint64_t cycles) {
  update_lines();
  if (debug_.halt_asked() && !debug_.halted()) debug_.halt();
  uint64_t passed = std::min(cycles, left());
  if (waits()) {
    hart_.advance_time(passed);
  } else {
    passed = run(passed);
  }
  update_lines();
  switch (system_.pass(passed)) {
    case System::Strike::kNmi:
      hart_.set_nmi_pc(system_.nmi_vector());
      hart_.raise_nmi();
      break;
    case System::Strike::kReset:
      return reset(System::Cause::kWatchdog);
    default:
      break;
  }
  if (system_.reset_asked()) reset(System::Cause::kSoftware);
}

// ------------------------------------------------------------------------------------------------------ bus

Management::Place Management::device(uint64_t paddr) {
  struct Entry {
    uint64_t base, size;
    RegisterBlock* device;
  };
  const Entry entries[] = {
      {regs::timer::kBase, regs::timer::kSize, &timer_},    {regs::flash::kBase, regs::flash::kSize, &flash_},
      {regs::sha256::kBase, regs::sha256::kSize, &sha_},    {regs::irq::kBase, regs::irq::kSize, &irq_},
      {regs::system::kBase, regs::system::kSize, &system_}, {regs::inbox::kBase, regs::inbox::kSize, &inbox_},
  };
  for (const Entry& one : entries) {
    if (paddr - one.base < one.size) return {one.device, paddr - one.base};
  }
  return {};
}

iss::HostPage Management::page(uint64_t paddr) {
  const uint64_t base = paddr - paddr % iss::kPageBytes;
  if (uint8_t* const found = memory_.at(base, iss::kPageBytes))
    return {.read = found, .write = found, .watched = cache_ != nullptr};
  if (regs::kRomRegion.contains(base)) return {.read = rom_.data() + (base - regs::kRomRegion.base)};
  return {};
}

// What a device does may change the processor's interrupt lines, or when something happens next. Most
// accesses are bytes of the console, which change nothing of that.
template <typename Access>
bool Management::access_device(uint64_t paddr, Access access) {
  if (const uint64_t offset = paddr - regs::uart::kBase; offset < regs::uart::kSize) {
    const bool interrupt = uart_.interrupt();
    const bool good = access(static_cast<RegisterBlock&>(uart_), offset);
    if (uart_.interrupt() != interrupt) end_run();
    return good;
  }
  end_run();
  const Place place = device(paddr);
  return place.device != nullptr && access(*place.device, place.offset);
}

void Management::use_cache(uint64_t paddr, unsigned size, iss::CacheUse use) {
  if (cache_ == nullptr) return;
  if (use != iss::CacheUse::kLoad && use != iss::CacheUse::kStore) return cache_->clean(paddr, size);
  cache_->use(paddr, size, use == iss::CacheUse::kStore, hart_.pc());
}

void Management::clean_cache() {
  if (cache_ != nullptr) cache_->clean_all();
}

bool Management::read(uint64_t paddr, unsigned size, uint64_t& value) {
  value = 0;
  if (const uint8_t* const found = memory_.at(paddr, size)) {
    value = copied(found, size);
    return true;
  }
  if (regs::kRomRegion.contains(paddr)) {
    value = copied(rom_.data() + (paddr - regs::kRomRegion.base), size);
    return true;
  }
  if (regs::kCardRegion.contains(paddr)) {
    end_run();
    return fabric_.read(paddr, size, value);
  }
  return access_device(
      paddr, [&](RegisterBlock& device, uint64_t offset) { return device.read(offset, size, value); });
}

bool Management::write(uint64_t paddr, unsigned size, uint64_t value) {
  if (uint8_t* const found = memory_.at(paddr, size)) {
    std::memcpy(found, &value, size);
    return true;
  }
  bool good = false;
  if (regs::kCardRegion.contains(paddr)) {
    end_run();
    good = fabric_.write(paddr, size, value);
  } else {
    good = access_device(
        paddr, [&](RegisterBlock& device, uint64_t offset) { return device.write(offset, size, value); });
  }
  // Stores to devices are posted: the processor has let them go.
  if (!good && iss::pma(paddr) == iss::Pma::kIo) {
    irq_.raise(regs::irq::pending::kWriteError.put(1));
    end_run();
  }
  return good;
}

}  // namespace swai::fast
