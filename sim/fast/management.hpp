// SPDX-License-Identifier: Apache-2.0
// The management complex: the processor's model with ROM, SRAM and devices. What else it can reach lies
// beyond `Fabric`.
//
// An instruction takes a cycle. The card's clock is the processor's count of them, and of the cycles that it
// waited.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sim/fast/card_memory.hpp"
#include "sim/fast/data_cache.hpp"
#include "sim/fast/debug_port.hpp"
#include "sim/fast/devices.hpp"
#include "sim/iss/mpe/hart.hpp"

namespace swai {
class Archive;
}

namespace swai::fast {

// The card as the processor reaches it: registers of endpoint, DMA engine and groups.
class Fabric {
 public:
  virtual ~Fabric() = default;
  virtual bool read(uint64_t address, unsigned size, uint64_t& value) = 0;
  virtual bool write(uint64_t address, unsigned size, uint64_t value) = 0;
};

class Management final : public iss::Memory {
 public:
  // `rom`: rows of 512 bits in hex, as the card's ROM is made from. Throws std::runtime_error.
  // `cache`: keeps the books of the data cache; null: nobody does.
  Management(CardMemory& memory, card::FlashChip& chip, const std::string& rom, Fabric& fabric,
             std::function<void(uint8_t)> console, DataCache* cache);

  uint64_t now() const { return epoch_ + hart_.ticks(); }
  // Lets so many cycles pass, fewer when something has happened that others have to see. The processor runs
  // or waits.
  void advance(uint64_t cycles);
  // So many cycles pass for others while this sleeps.
  void sleep(uint64_t cycles) { hart_.advance_time(cycles); }
  // Cycles until timer or watchdog do something; kNever: they will not.
  static constexpr uint64_t kNever = ~uint64_t{0};
  uint64_t left() const;
  // Nothing will happen here until input comes.
  bool asleep();

  void reset(System::Cause cause);
  uint32_t status() const { return system_.status(); }
  Inbox& inbox() { return inbox_; }
  Uart& uart() { return uart_; }
  DebugPort& debug() { return debug_; }
  iss::Hart& hart() { return hart_; }
  uint64_t instructions() const { return instructions_; }
  std::span<const uint8_t> rom() const { return rom_; }
  void visit(Archive& archive);

  // iss::Memory
  iss::HostPage page(uint64_t paddr) override;
  bool read(uint64_t paddr, unsigned size, uint64_t& value) override;
  bool write(uint64_t paddr, unsigned size, uint64_t value) override;
  void use_cache(uint64_t paddr, unsigned size, iss::CacheUse use) override;
  void clean_cache() override;

 private:
  struct Place {
    RegisterBlock* device = nullptr;
    uint64_t offset = 0;
  };

  // All but the console, which access_device() looks at first.
  Place device(uint64_t paddr);
  template <typename Access>
  bool access_device(uint64_t paddr, Access access);
  void update_lines();
  bool waits() const { return debug_.halted() || hart_.waiting() || hart_.stuck() || stalled() != 0; }
  // Cycles for which a device still holds the processor's access.
  uint64_t stalled() const { return stalled_until_ - std::min(stalled_until_, now()); }
  uint64_t run(uint64_t cycles);
  // What a device does may change the processor's interrupt lines, and what is due when.
  void end_run() {
    hart_.stop();
    ends_run_ = true;
  }

  CardMemory& memory_;
  Fabric& fabric_;
  DataCache* cache_;
  std::vector<uint8_t> rom_;
  iss::Hart hart_;
  Timer timer_;
  Uart uart_;
  Sha256 sha_;
  Flash flash_;
  Irq irq_;
  System system_;
  Inbox inbox_;
  DebugPort debug_;
  uint64_t epoch_ = 0;
  uint64_t stalled_until_ = 0;
  bool ends_run_ = false;
  uint64_t instructions_ = 0;
};

}  // namespace swai::fast
