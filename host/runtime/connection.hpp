// SPDX-License-Identifier: Apache-2.0
// A card with our protocol on it (abi/protocol.hpp): the handshake, short requests, slots of queues
// and doorbells, the page on which the card tells what is complete, and time. Used by one thread at a time.
#pragma once

#include <array>
#include <chrono>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "abi/protocol.hpp"
#include "host/runtime/error.hpp"
#include "host/runtime/firmware.hpp"
#include "host/runtime/limits.hpp"
#include "host/runtime/request_words.hpp"
#include "host/transport/card.hpp"

namespace swai::sdaa {

using std::chrono::steady_clock;

class Connection {
 public:
  using Values = RequestWords::Values;

  // Waits for the firmware, agrees on a version, attaches. Throws Failure or link::Error.
  Connection(std::unique_ptr<link::Card> card, const Limits& limits, Restart restart = Restart::kNo);
  // Another life as a client of the same card, which has forgotten all about the one before.
  void detach();
  void attach();
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  const protocol::Info& info() const { return firmware_.info; }
  // What the card has found out about copies on it (protocol::Operation::kRoutes); zeros on a shared one.
  struct Routes {
    uint64_t engines = 0;  // a bit for each command::Engine
    uint64_t over_link = 0;
    uint64_t at_boot = 0;
  };
  const Routes& routes() const { return routes_; }
  // By a daemon, which keeps its routes.
  bool is_shared() const { return routes_.engines == 0; }
  // A functional model, by whose speed much of its time passes in a moment.
  bool is_fast_tier() const { return card_->describe().configuration.ends_with(link::vendor::kFastTier); }
  // What the card calls this program.
  uint64_t client() const { return context_; }
  link::Card& card() { return *card_; }

  // Throws sdaaErrorDeviceLost when the firmware that this is a client of has ended.
  void check_firmware();

  // A request of this client: its context goes in front of `arguments`.
  [[nodiscard]] protocol::Status request(protocol::Operation operation,
                                         std::initializer_list<uint64_t> arguments, Values& values);
  // The same, again and again while the card says that it is not ready, for `why`; throws Failure when that
  // takes longer than anything may.
  [[nodiscard]] protocol::Status request_when_ready(protocol::Operation operation,
                                                    std::initializer_list<uint64_t> arguments, Values& values,
                                                    std::string_view why);
  // The same for those that can only fail when something is wrong: throws Failure.
  Values ask(protocol::Operation operation, std::initializer_list<uint64_t> arguments);

  // From now on allocations are reported to the card, so that it checks each access of a kernel. False: the
  // card cannot check; only a functional model that no daemon shares can.
  [[nodiscard]] bool check_accesses();
  bool checks_accesses() const { return checks_accesses_; }
  // Reports to a checking card that kernels may use these bytes of an allocation from `to` on, not from
  // `from` on.
  void move_allocation(uint64_t from, uint64_t to, uint64_t bytes);

  // Bus addresses for memory that the card is to reach.
  uint64_t take_iova(uint64_t bytes);
  void give_back_iova(uint64_t iova, uint64_t bytes);

  void write_slots(unsigned queue, uint32_t sequence, std::span<const uint8_t> bytes);
  std::array<uint8_t, protocol::kSlotBytes> read_slot(unsigned queue, uint32_t sequence);
  void ring(unsigned doorbell);
  // A word that host and card share, behind everything written before.
  void set_word(unsigned number, uint64_t value);

  // What the card has told last.
  protocol::QueueStatus queue(unsigned number) const;
  protocol::EventStatus event(unsigned number) const;

  struct Passed {
    bool awake = true;   // false: it sleeps, so that nothing more will come by itself
    uint64_t cycle = 0;  // then
  };
  // Up to `cycles`, or until the card tells something.
  Passed let_time_pass(uint64_t cycles);
  // A card that sleeps has no time unless it is asked something.
  void wake();
  uint64_t cycle() { return card_->cycle(); }

 private:
  uint64_t slot_at(unsigned queue, uint32_t sequence) const;
  protocol::Status exchange(protocol::Operation operation, std::span<const uint64_t> arguments,
                            Values& values);

  std::unique_ptr<link::Card> card_;
  Limits limits_;
  Firmware firmware_;
  std::optional<RequestWords> requests_;
  std::map<uint64_t, uint64_t> free_iovas_;  // begin, bytes
  uint64_t status_iova_ = 0;
  std::optional<link::PinnedMemory> status_;
  std::optional<link::PinnedMemory> route_;  // by which the card copies to itself
  Routes routes_;
  uint64_t context_ = 0;
  bool checks_accesses_ = false;
};

}  // namespace swai::sdaa
