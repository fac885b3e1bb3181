// SPDX-License-Identifier: Apache-2.0
// A device: the connection to its card, its queues, and everything that was made on it. One lock guards all
// of it. waiting.hpp says how its card's time passes.
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "abi/command.hpp"
#include "host/sdaa/allocations.hpp"
#include "host/sdaa/card_events.hpp"
#include "host/sdaa/connection.hpp"
#include "host/sdaa/host_calls.hpp"
#include "host/sdaa/host_copies.hpp"
#include "host/sdaa/host_memory.hpp"
#include "host/sdaa/objects.hpp"
#include "host/sdaa/pool.hpp"
#include "host/sdaa/printers.hpp"
#include "host/sdaa/profile.hpp"
#include "host/sdaa/waiting.hpp"

namespace swai::sdaa {

class Device : public std::enable_shared_from_this<Device> {
 public:
  using Lock = Waiting::Lock;
  using Opener = std::function<std::unique_ptr<link::Card>()>;

  // `checked`: memory is (memory_check.hpp).
  Device(int number, Opener opener, const Limits& limits, bool checked);
  ~Device();

  int number() const { return number_; }

  // Every use begins here. Opens the card when that has not been done yet.
  Lock enter();
  // Everything that was made on it is gone afterwards. Works on a lost card, too: opens it anew. Firmware
  // that has ended starts again, unless it is left to whoever comes next.
  enum class Firmware { kStart, kLeave };
  void reset(Firmware ended = Firmware::kStart);

  const protocol::Info& info() const { return connection_->info(); }
  const Limits& limits() const { return limits_; }
  // Changes with every reset: what was there before is gone.
  uint64_t epoch() const { return epoch_; }
  Connection& connection() { return *connection_; }

  // --- Commands

  // At the end of a stream, in its order with the default stream. Throws what the stream failed with, if it
  // did. The tail follows the command itself.
  template <typename Command>
  Point submit(Lock& lock, Stream& stream, command::Type type, Command command,
               std::span<const uint8_t> tail = {}, uint16_t flags = 0) {
    check(stream);
    if (stream.capture != nullptr) {
      command.header = {0, type, 0, flags};
      capture(stream, {reinterpret_cast<const uint8_t*>(&command), sizeof command}, tail);
      return {};
    }
    keep_order(lock, stream);
    stream.last = send(lock, *stream.queue, type, command, tail, flags);
    if (stream.ordered()) stream.queue->last_ordered = stream.last.sequence;
    note_given(stream, {reinterpret_cast<const uint8_t*>(&command), sizeof command}, type);
    return stream.last;
  }
  // Throws what the stream failed with.
  static void check(const Stream& stream);
  // What the stream is given next begins when that is complete.
  void order_after(Lock& lock, Stream& stream, const Point& point);

  template <typename Command>
  Point send(Lock& lock, Queue& queue, command::Type type, Command command,
             std::span<const uint8_t> tail = {}, uint16_t flags = 0) {
    command.header = {0, type, 0, flags};
    return send_bytes(lock, queue, {reinterpret_cast<const uint8_t*>(&command), sizeof command}, tail);
  }

  // --- Waiting

  // Until the command is complete. Throws what it, or one before it, failed with.
  void wait(Lock& lock, const Point& point);
  // Until everything that was begun is complete, well or not.
  void wait_idle(Lock& lock);
  // Until that cycle at the latest, even if the card sleeps.
  static constexpr uint64_t kNever = Waiting::kNever;
  template <typename Done>
  void wait_until(Lock& lock, Done done, uint64_t cycle = kNever) {
    waiting_.until(lock, done, cycle);
  }
  // The kernel of the first command that is not complete; null: it runs none.
  const KernelInfo* first_kernel() const;
  // On a shared card: the client whose launch runs while none of this one's does; 0: there is none.
  uint64_t other_client();
  // What the card told last of this client; none: it tells nothing of it.
  std::optional<protocol::ClientUsage> own_usage();
  // What a query costs: without it nothing would ever become complete for somebody who only asks.
  void let_a_moment_pass() { waiting_.let_a_moment_pass(); }
  // Of the card, when somebody waited for it last. Any thread may ask, with or without the lock; it takes
  // none of the card's time.
  uint64_t heard_cycle() const { return waiting_.heard_cycle(); }
  // The card without all that, whether its firmware lives or not: for what it tells about itself.
  template <typename Use>
  void use_card(Use use) {
    const Lock lock(mutex_);
    if (connection_) return use(connection_->card());
    if (idle_connection_) return use(idle_connection_->card());
    use(*opener_());
  }
  // Takes note of what the card has told. True: there was something new.
  bool look();
  // For who has waited in vain: throws when the firmware has ended, or a command can never become complete
  // because something has overwritten it in its slot.
  void check_card();

  // --- Streams and queues

  std::shared_ptr<Stream> default_stream() { return default_stream_; }
  std::shared_ptr<Stream> make_stream(Lock& lock, unsigned flags);
  void drop_stream(Stream& stream);
  void reset_stream(Lock& lock, Stream& stream);
  // From now on the stream's queue, and so all streams that share it, is fed the GPU's way.
  void feed_two_level(Lock& lock, Stream& stream);
  // The first failure among the streams, if there is one.
  std::optional<Failure> first_failure() const;
  // For what the library itself does.
  Queue& service_queue();
  // Model programs that can be started. One queue is kept for the next start, if there is one, until a stream
  // needs it or the last program goes.
  void add_program();
  void remove_program();
  // One that a program fills; it has it for itself. In its ring are zeros, and nothing of an earlier run
  // comes.
  Queue& take_program_queue();
  void give_program_queue_back(Queue& queue, bool has_ended);
  // Runs of programs count from 1.
  uint64_t begin_run() { return ++runs_begun_; }

  // --- Captures (graph.hpp)

  void begin_capture(const std::shared_ptr<Stream>& stream);
  void forget_capture(const std::shared_ptr<Capture>& capture) { std::erase(captures_, capture); }
  // For what cannot be captured: ends the capture if the stream has one.
  static void refuse_captured(const Stream& stream);
  // The same for what waits for streams that the default stream is in order with, or for all.
  enum class Captures { kOrdered, kAll };
  void refuse_captures(Captures which, sdaaError_t code);

  // --- Events

  CardEvents& events() { return events_; }
  Point record_event(Lock& lock, Stream& stream, unsigned number, uint64_t& count);
  void wait_event(Lock& lock, Stream& stream, unsigned number, uint64_t count);

  // --- Memory

  Allocations& allocations() { return allocations_; }
  Pools& pools() { return pools_; }
  Printers& printers() { return printers_; }
  // What kernels have printed comes out, however the waiting ends.
  template <typename Wait>
  void wait_and_print(Lock& lock, Wait wait) {
    try {
      wait();
    } catch (...) {
      printers_.drain_quietly(*this, lock);
      throw;
    }
    printers_.drain(*this, lock);
  }
  bool checked() const { return checked_; }
  // At the end of the program. What other threads do then does not matter any more.
  void report_leaks();
  // Numbers of the devices whose memory this one may read.
  std::set<int>& peers() { return peers_; }
  HostMemory& host_memory() { return *host_memory_; }
  HostCopies& host_copies() { return host_copies_; }
  const Staging& staging() const { return staging_; }
  void set_staging(const Staging& staging);
  // Commands to be sent to the card (one at a time) that give a value.
  std::mutex& value_mutex() { return value_mutex_; }
  // How threads are to wait: kept for who asks.
  std::atomic<unsigned>& schedule() { return schedule_; }

  HostCalls& host_calls() { return *host_calls_; }
  Point host_call(Lock& lock, Stream& stream, HostCalls::Function function, bool always);
  void resume(Queue& queue, uint32_t sequence);

  // Streams and modules that are to die with a reset.
  void adopt(const std::shared_ptr<Object>& object);

 private:
  friend class HostCalls;
  using Usages = std::array<protocol::ClientUsage, protocol::kContexts>;

  // What the card told last of its clients; nobody: it tells nothing of them.
  Usages usages();
  void open();
  // Returns the connection, which is of no use to anybody any more.
  std::unique_ptr<Connection> forget_everything();
  void put(Queue& queue, std::span<const uint8_t> slots);
  Point send_bytes(Lock& lock, Queue& queue, std::span<const uint8_t> command, std::span<const uint8_t> tail);
  // Who listens hears of it.
  void note_given(const Stream& stream, std::span<const uint8_t> command, command::Type type);
  static void capture(Stream& stream, std::span<const uint8_t> command, std::span<const uint8_t> tail);
  void keep_order(Lock& lock, Stream& stream);
  void order_behind(Lock& lock, Queue& later, Queue& earlier);
  // Null: the card gives this client no more.
  Queue* open_queue();
  void close_queue(Queue& queue);
  void prepare_program_queue();
  void close_spare() { close_queue(*std::exchange(spare_, nullptr)); }
  Queue& need_queue();
  Queue& pick_queue(Lock& lock);

  const int number_;
  const Opener opener_;
  const Limits limits_;
  const bool checked_;
  FairMutex mutex_;
  std::mutex value_mutex_;
  std::atomic<unsigned> schedule_ = 0;
  Waiting waiting_;
  uint64_t epoch_ = 0;  // counts resets

  std::unique_ptr<Connection> connection_;
  std::unique_ptr<Connection> idle_connection_;  // after a reset; not attached
  std::vector<std::unique_ptr<Queue>> queues_;
  bool no_more_queues_ = false;
  uint64_t streams_begun_ = 0;
  uint64_t runs_begun_ = 0;
  Restart restart_ = Restart::kNo;  // when it is opened next
  Queue* service_ = nullptr;
  unsigned programs_ = 0;
  Queue* spare_ = nullptr;               // for the next program that starts
  program::Record* old_ring_ = nullptr;  // of the queue that was closed last
  std::shared_ptr<Stream> default_stream_;
  std::vector<std::shared_ptr<Capture>> captures_;
  std::vector<std::weak_ptr<Object>> objects_;
  CardEvents events_;
  Allocations allocations_;
  Pools pools_;
  Printers printers_;
  std::set<int> peers_;
  std::unique_ptr<HostMemory> host_memory_;
  HostCopies host_copies_;
  Staging staging_;
  std::unique_ptr<HostCalls> host_calls_;
};

}  // namespace swai::sdaa
