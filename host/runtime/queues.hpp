// SPDX-License-Identifier: Apache-2.0
// The queues that a client has opened on its card, and what the card has told about them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "host/runtime/connection.hpp"
#include "host/runtime/queue_failure.hpp"

namespace swai::sdaa {

inline constexpr const char* kNoQueue = "the card has no queue for this client; another one may leave";

class Queues {
 public:
  // Called for each queue about which look() finds something new; `before` is what was known until then.
  using Changed = std::function<void(Queue& queue, const protocol::QueueStatus& before)>;

  explicit Queues(Changed changed) : changed_(std::move(changed)) {}

  // A client's life on its card, which ends when the device is reset: its queues are gone then.
  void begin(Connection& connection) { connection_ = &connection; }
  void end();
  // Counts the lives that have ended.
  uint64_t epoch() const { return epoch_; }
  Connection& connection() const { return *connection_; }

  const std::vector<std::unique_ptr<Queue>>& all() const { return all_; }
  // Takes note of what the card has told. True: there was something new.
  bool look();
  // For a wait in vain: throws when the firmware has ended, or a command can never become complete because
  // something has overwritten it in its slot.
  void check() const;
  [[nodiscard]] bool all_idle() const;
  [[nodiscard]] bool group_is_lost() const;
  // The kernel of the first command that is not complete; null: the card runs none.
  const KernelInfo* first_kernel() const;
  // The first failure among queues of streams, if there is one.
  std::optional<Failure> first_failure() const;

  // A new queue that nobody uses yet. Null: the card gives this client no more.
  [[nodiscard]] Queue* open();
  // The same; does not ask the card again after a refusal until a queue was closed.
  [[nodiscard]] Queue* open_if_likely();
  // A new one for a user. Throws when there is none.
  Queue& need();
  void close(Queue& queue);
  // A queue that has failed, or whose program has ended, begins anew. Throws while something is under way.
  void restart(Queue& queue);
  // The same. False: something is under way.
  [[nodiscard]] bool try_restart(Queue& queue);
  // The library's own.
  Queue& service();
  [[nodiscard]] bool is_service(const Queue& queue) const { return &queue == service_; }
  // The card goes on behind a function of the host. Nothing happens if the queue went with a reset meanwhile.
  void resume(Queue& queue, uint32_t sequence);

 private:
  const Changed changed_;
  Connection* connection_ = nullptr;
  uint64_t epoch_ = 0;
  std::vector<std::unique_ptr<Queue>> all_;
  bool no_more_ = false;
  Queue* service_ = nullptr;
};

}  // namespace swai::sdaa
