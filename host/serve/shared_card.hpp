// SPDX-License-Identifier: Apache-2.0
// A card that several clients use at once. Each has a virtual card (virtual_card.hpp) that the socket server
// shows it; this is what they share: the real card, its time, and its one place for requests.
//
// One thread calls everything.
#pragma once

#include <sys/types.h>

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "host/link/card.hpp"
#include "host/link/server/device.hpp"
#include "host/sdaa/firmware.hpp"
#include "host/sdaa/request_words.hpp"

namespace swai::serve {

class VirtualCard;

class SharedCard final : public socket::Clock {
 public:
  using Log = std::function<void(const std::string&)>;

  // Waits until the card's firmware serves. Throws sdaa::Failure or link::Error.
  SharedCard(std::unique_ptr<link::Card> card, unsigned clients, Log log);
  ~SharedCard() override;

  // No user may have more than half of the contexts; `user_of` tells whose a virtual card is.
  void share_among_users(std::function<uid_t(unsigned)> user_of) { user_of_ = std::move(user_of); }
  // Another context for this client would leave its user with too many.
  bool user_has_enough(unsigned client) const;

  const std::vector<std::unique_ptr<VirtualCard>>& cards() const { return cards_; }
  // With it the firmware attaches clients of ours alone (protocol::Operation::kAttach).
  uint64_t key() const { return key_; }
  const protocol::Info& info() const { return firmware_.info; }
  const link::Description& describe() const { return card_->describe(); }
  void log(const std::string& line) const { log_(line); }

  // The connection to the real card, as link::Backend::fd() has it. Call look_at_connection() when it has
  // input or has changed; it throws link::Error when the card is lost.
  int fd() const { return card_->backend().fd(); }
  void look_at_connection() { card_->backend().wait({}, link::Milliseconds{0}); }
  // Closes the card: every later request fails at once.
  void close() { card_->close(); }

  // Time passes while a client waits for it, as on the real card.
  bool asleep() const override { return asleep_; }
  void run(uint64_t limit) override;
  uint64_t cycle() const;

  // --- The real card, for its virtual ones

  void read(unsigned region, uint64_t offset, std::span<uint8_t> to);
  void post(unsigned region, uint64_t offset, std::span<const uint8_t> from);
  // 0 or an errno.
  int map(const link::DmaMapping& mapping);
  void unmap(uint64_t iova, uint64_t bytes);
  // It serves, as far as one can see.
  bool firmware_lives();
  void restart_firmware();

  // A request of a client, when its turn comes. It gets the reply when it, or who is next, asks for it.
  struct Request {
    VirtualCard* client = nullptr;
    uint32_t tag = 0;  // the client's
    protocol::Operation operation = protocol::Operation::kNone;
    std::vector<uint64_t> arguments;
  };
  void ask(Request request);
  void look_for_reply();
  // The client goes: its requests are through, or dropped, and it is detached, before this returns.
  void part_with(VirtualCard& client);

 private:
  using Reply = sdaa::RequestWords::Reply;

  void send_next();
  void deliver(const Reply& reply);
  // A request of our own, waited for. False: the firmware does not answer.
  bool exchange(protocol::Operation operation, std::span<const uint64_t> arguments, Reply& reply);
  bool wait_for_reply(Reply& reply);
  bool detach(uint64_t context);
  void settle();
  bool finish_first();
  void log_unless_lost(const link::Error& error) const;

  std::unique_ptr<link::Card> card_;
  Log log_;
  const uint64_t key_;
  link::PinnedMemory route_;  // by which the card copies to itself
  sdaa::Firmware firmware_;
  std::optional<sdaa::RequestWords> words_;
  std::deque<Request> requests_;  // the first one is under way, if one is
  bool under_way_ = false;
  mutable uint64_t now_ = 0;
  mutable bool now_is_known_ = false;
  bool asleep_ = false;
  bool silent_ = false;  // the firmware did not answer a request
  std::vector<std::unique_ptr<VirtualCard>> cards_;
  std::function<uid_t(unsigned)> user_of_;
};

}  // namespace swai::serve
