// A card with our protocol on it (firmware/abi/protocol.hpp): the handshake, short requests, slots of queues
// and doorbells, the page on which the card tells what is complete, and time. Used by one thread at a time.
#pragma once

#include <array>
#include <chrono>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <span>

#include "firmware/abi/protocol.hpp"
#include "host/link/card.hpp"
#include "host/sdaa/error.hpp"

namespace swai::sdaa {

using std::chrono::steady_clock;

// How long something may take before it is called off, in the card's time and in ours.
struct Limits {
  uint64_t boot_cycles = 50'000'000;
  uint64_t request_cycles = 20'000'000;
  uint64_t wait_cycles = uint64_t{1} << 34;  // without anything having become complete
  std::chrono::milliseconds real{600'000};   // likewise
  // The card sleeps and nothing is left to do: only another thread could still change something.
  std::chrono::milliseconds asleep{10'000};
};

// Whether the card's processor and groups are reset before the firmware is waited for.
enum class Restart { kNo, kIfStopped, kYes };

class Connection {
 public:
  using Values = std::array<uint64_t, protocol::word::kValueCount>;

  // Waits for the firmware, agrees on a version, attaches. Throws Failure or link::Error.
  Connection(std::unique_ptr<link::Card> card, const Limits& limits, Restart restart = Restart::kNo);
  // Another life as a client of the same card, which has forgotten all about the one before.
  void detach();
  void attach();
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  const protocol::Info& info() const { return info_; }
  // What the card calls this program.
  uint64_t client() const { return context_; }
  link::Card& card() { return *card_; }

  // Throws sdaaErrorDeviceLost when the firmware that this is a client of has ended.
  void check_firmware();

  // A request of this client: its context goes in front of `arguments`.
  protocol::Status request(protocol::Operation operation, std::initializer_list<uint64_t> arguments,
                           Values& values);
  // The same for those that can only fail when something is wrong: throws Failure.
  Values ask(protocol::Operation operation, std::initializer_list<uint64_t> arguments);

  // Bus addresses for memory that the card is to reach.
  uint64_t take_iova(uint64_t bytes);
  void give_back_iova(uint64_t iova, uint64_t bytes);

  void write_slots(unsigned queue, uint32_t sequence, std::span<const uint8_t> bytes);
  void ring(unsigned doorbell);
  // A word that host and card share, behind everything written before.
  void set_word(unsigned number, uint64_t value);

  // What the card has told last.
  protocol::QueueStatus queue(unsigned number) const;
  protocol::EventStatus event(unsigned number) const;

  // Up to `cycles`, or until the card tells something. False: it sleeps, so that nothing more will come by
  // itself.
  bool let_time_pass(uint64_t cycles);
  uint64_t cycle() { return card_->cycle(); }

 private:
  void wait_for_firmware(Restart restart);
  protocol::Status exchange(protocol::Operation operation, std::span<const uint64_t> arguments,
                            Values& values);

  std::unique_ptr<link::Card> card_;
  Limits limits_;
  protocol::Info info_ = {};
  std::map<uint64_t, uint64_t> free_iovas_;  // begin, bytes
  uint64_t status_iova_ = 0;
  std::optional<link::PinnedMemory> status_;
  uint64_t life_ = 0;  // of the kernel
  uint64_t context_ = 0;
  uint32_t tag_ = 0;
};

}  // namespace swai::sdaa
