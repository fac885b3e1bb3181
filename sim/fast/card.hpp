// SPDX-License-Identifier: Apache-2.0
// The whole card as a functional model: it boots the same ROM, runs the same firmware and the same kernels as
// the card in RTL, and knows nothing of cycles inside its parts. docs/simulate/card-model.md says what is the
// same and what is not.
//
// Its clock: an instruction of the management processor takes a cycle, as does one of each core; transfers
// over PCIe take what the wire's figures say; all else takes none. The same commands give the same cycles and
// the same bits.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sim/board/flash/flash_chip.hpp"
#include "sim/fast/card_memory.hpp"
#include "sim/fast/core_group.hpp"
#include "sim/fast/dma_engine.hpp"
#include "sim/fast/endpoint.hpp"
#include "sim/fast/host_memory.hpp"
#include "sim/fast/management.hpp"
#include "sim/iss/cpe/allocations.hpp"

namespace swai {
class Archive;
}

namespace swai::fast {

// More threads wait for each other longer than they help each other.
constexpr unsigned kMostThreads = 8;

struct CardOptions {
  Endpoint::Sizes sizes;
  std::string rom;  // rows of 512 bits in hex
  card::FlashOptions flash;
  unsigned number = 0;
  common::Workers* workers = nullptr;  // of the process; null: one thread
  Mistakes* mistakes = nullptr;        // told what hardware would not forgive; null: nobody looks for it
};

class Card final : private Fabric {
 public:
  struct Outside {
    std::function<void(uint8_t byte)> console;
    // A message of the endpoint leaves the card; the run that is under way ends with it.
    std::function<void(const Msix::Message& message)> message;
    // Someone wrote the reset bit in configuration space.
    std::function<void()> function_reset;
  };

  Card(const CardOptions& options, card::FlashStore& flash, Outside outside);

  uint64_t cycle() const { return management_.now(); }
  // Up to the cycle `until`; ends earlier after stop(), and when the card falls asleep.
  void run(uint64_t until);
  void stop() { stop_ = true; }
  // A card that sleeps waits for something from outside.
  void wait(uint64_t until) { management_.sleep(until - cycle()); }
  // Nothing happens any more until input comes.
  bool asleep();

  uint32_t status() const { return management_.status(); }
  // The cycle in which the status word first said ready; 0: it has not yet.
  uint64_t ready_cycle() const { return ready_cycle_; }
  uint64_t instructions() const { return management_.instructions(); }
  Uart& uart() { return management_.uart(); }
  card::FlashChip& flash() { return chip_; }
  Endpoint& endpoint() { return endpoint_; }
  HostMemory& host_memory() { return host_; }
  // Allocations that the client has reported: its kernels then fault on other bytes of the same segments.
  iss::cpe::Allocations& allocations() { return allocations_; }
  // A reset of the function, by itself or because the link has gone down.
  void reset_function(bool link);
  // The link goes down, and with it all that the host has asked for.
  void lose_link();
  // What it was made from.
  const Endpoint::Sizes& sizes() const { return sizes_; }
  unsigned number() const { return number_; }
  const card::FlashTimes& flash_times() const { return flash_times_; }
  const card::FlashStore& flash_store() const { return flash_store_; }
  std::span<const uint8_t> rom() const { return management_.rom(); }
  // Between runs: all that the card holds, but for the cells of its flash chip, which have a file of their
  // own.
  void visit(Archive& archive);

 private:
  // Fabric: the processor's accesses.
  bool read(uint64_t address, unsigned size, uint64_t& value) override;
  bool write(uint64_t address, unsigned size, uint64_t value) override;

  bool read_endpoint(uint64_t offset, unsigned size, uint64_t& value);
  bool write_endpoint(uint64_t offset, unsigned size, uint64_t value);
  void reset_parts(bool processor, unsigned groups);
  void group_done(unsigned group, uint64_t word, bool notify);
  void look_at_lines(uint64_t address, uint64_t bytes);
  void report_fault(unsigned number);
  bool groups_busy() const;
  void run_groups();
  void send_messages();
  void note_status();

  const Endpoint::Sizes sizes_;
  const unsigned number_;
  const card::FlashTimes flash_times_;
  const card::FlashStore& flash_store_;
  Mistakes* const mistakes_;
  CardMemory memory_;
  DataCache cache_;  // for who looks for mistakes
  iss::cpe::Allocations allocations_;
  card::FlashChip chip_;
  Outside outside_;
  Management management_;
  HostMemory host_;
  DmaEngine dma_;
  Endpoint endpoint_;
  std::vector<std::unique_ptr<CoreGroup>> groups_;
  uint64_t last_round_ = 0;
  uint64_t ready_cycle_ = 0;
  bool stop_ = false;
};

}  // namespace swai::fast
