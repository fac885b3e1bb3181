// SPDX-License-Identifier: Apache-2.0
// A card that several clients use at once: the real card, its time, and its one place for requests. What one
// client sees of it is its virtual card (virtual_card.hpp).
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

#include "host/runtime/firmware.hpp"
#include "host/runtime/request_words.hpp"
#include "host/transport/card.hpp"
#include "host/transport/server/device.hpp"

namespace swai::serve {

class SharedCard final : public socket::Clock {
 public:
  using Log = std::function<void(const std::string&)>;
  using Reply = sdaa::RequestWords::Reply;
  struct Request;

  // One that shares the card.
  class Client {
   public:
    virtual ~Client() = default;
    // What the kernel calls the client; 0: it is not attached.
    virtual uint64_t context() const = 0;
    virtual bool is_or_becomes_attached() const = 0;
    virtual void interrupt(unsigned vector) = 0;
    // The reply to a request of this client.
    virtual void take(const Request& request, const Reply& reply) = 0;
    // The kernel has forgotten the client.
    virtual void forget() = 0;
  };

  // Waits until the card's firmware serves. Throws sdaa::Failure or link::Error.
  SharedCard(std::unique_ptr<link::Card> card, Log log);

  // A client that stays as long as this is used. Returns its number, from 0 on.
  unsigned join(Client& client);

  // No user may have more than half of the contexts; `user_of` maps a client's number to its user.
  void share_among_users(std::function<uid_t(unsigned)> user_of) { user_of_ = std::move(user_of); }
  // Another context for this client would leave its user with too many.
  [[nodiscard]] bool user_has_enough(unsigned client) const;
  // Clients other than this one are attached, or will be.
  [[nodiscard]] bool has_others(unsigned client) const;

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
  [[nodiscard]] int map(const link::DmaMapping& mapping);
  void unmap(uint64_t iova, uint64_t bytes);
  // It serves, as far as one can see.
  [[nodiscard]] bool firmware_lives();
  void restart_firmware();

  // A request of a client, when its turn comes. It gets the reply when it, or who is next, asks for it.
  struct Request {
    Client* client = nullptr;
    uint32_t tag = 0;  // the client's
    protocol::Operation operation = protocol::Operation::kNone;
    std::vector<uint64_t> arguments;
  };
  void ask(Request request);
  void look_for_reply();
  // The client goes: its requests are through, or dropped, and it is detached, before this returns.
  void part_with(Client& client);

 private:
  void send_next();
  void deliver(const Reply& reply);
  // A request of our own, waited for. False: the firmware does not answer.
  [[nodiscard]] bool exchange(protocol::Operation operation, std::span<const uint64_t> arguments,
                              Reply& reply);
  [[nodiscard]] bool wait_for_reply(Reply& reply);
  [[nodiscard]] bool detach(uint64_t context);
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
  std::vector<Client*> clients_;
  std::function<uid_t(unsigned)> user_of_;
};

}  // namespace swai::serve
