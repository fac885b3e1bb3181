// SPDX-License-Identifier: Apache-2.0
// A device: the connection to its card, and the parts of a client's life there. One lock guards all of it;
// waiting.hpp states how its card's time passes. Commands reach streams by a StreamWriter
// (stream_writer.hpp), and any other queue by a QueueWriter.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

#include "host/runtime/allocations.hpp"
#include "host/runtime/card_events.hpp"
#include "host/runtime/connection.hpp"
#include "host/runtime/host_calls.hpp"
#include "host/runtime/host_copies.hpp"
#include "host/runtime/host_memory.hpp"
#include "host/runtime/memory_report.hpp"
#include "host/runtime/objects.hpp"
#include "host/runtime/pool.hpp"
#include "host/runtime/printers.hpp"
#include "host/runtime/program_queues.hpp"
#include "host/runtime/queue_writer.hpp"
#include "host/runtime/queues.hpp"
#include "host/runtime/recorder.hpp"
#include "host/runtime/streams.hpp"
#include "host/runtime/waiting.hpp"

namespace swai::sdaa {

class Device : public std::enable_shared_from_this<Device> {
 public:
  using Lock = Waiting::Lock;
  using Opener = std::function<std::unique_ptr<link::Card>()>;

  // `checked`: memory is (memory_check.hpp).
  Device(int number, Opener opener, const Limits& limits, bool checked);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  int number() const { return number_; }
  const Limits& limits() const { return limits_; }
  bool checked() const { return checked_; }

  // Every use begins here. Opens the card when that has not been done yet.
  Lock enter();
  // Everything that was made on it is gone afterwards. Works on a lost card, too: opens it anew. Firmware
  // that has ended starts again, unless it is left to whoever comes next.
  enum class Firmware { kStart, kLeave };
  void reset(Firmware ended = Firmware::kStart);
  // Changes with every reset: what was there before is gone.
  uint64_t epoch() const { return queues_.epoch(); }
  // The card without all that, whether its firmware lives or not: for what it tells about itself.
  template <typename Use>
  void use_card(Use use) {
    const Lock lock(mutex_);
    if (connection_) return use(connection_->card());
    if (idle_connection_) return use(idle_connection_->card());
    use(*opener_());
  }

  // --- Parts, with the lock

  const protocol::Info& info() const { return connection_->info(); }
  Connection& connection() { return *connection_; }
  Queues& queues() { return queues_; }
  Waiting& waiting() { return waiting_; }
  ProgramQueues& program_queues() { return program_queues_; }
  Streams& streams() { return streams_; }
  CardEvents& events() { return events_; }
  HostCalls& host_calls() { return host_calls_; }
  Allocations& allocations() { return allocations_; }
  Pools& pools() { return pools_; }
  Printers& printers() { return printers_; }
  HostMemory& host_memory() { return *host_memory_; }
  HostCopies& host_copies() { return host_copies_; }
  // Numbers of the devices whose memory this one may read.
  std::set<int>& peers() { return peers_; }
  const Staging& staging() const { return staging_; }
  void set_staging(const Staging& staging);

  QueueWriter queue_writer(Lock& lock, Queue& queue) { return {queues_, waiting_, lock, queue}; }
  // To the queue that is the library's own.
  QueueWriter service_writer(Lock& lock) { return queue_writer(lock, queues_.service()); }
  std::shared_ptr<Stream> make_stream(Lock& lock, unsigned flags);
  // Streams, modules and others that are to die with a reset.
  void adopt(const std::shared_ptr<Object>& object);
  // Runs of programs count from 1.
  uint64_t begin_run() { return ++runs_begun_; }
  // For messages and records.
  memory_check::Owned owned() const { return {allocations_, connection_->client()}; }
  Recorder::Card recorded() const { return {number_, allocations_, *host_memory_}; }

  // --- Without the lock

  // At the end of the program. What other threads do then does not matter any more.
  void report_leaks();
  // Commands to be sent to the card (one at a time) that give a value.
  std::mutex& value_mutex() { return value_mutex_; }
  // How threads are to wait: kept for who asks.
  std::atomic<unsigned>& schedule() { return schedule_; }

 private:
  void open();
  // Returns the connection, which is of no use to anybody any more.
  std::unique_ptr<Connection> forget_everything();
  void note_change(Queue& queue, const protocol::QueueStatus& before);

  const int number_;
  const Opener opener_;
  const Limits limits_;
  const bool checked_;
  FairMutex mutex_;
  std::mutex value_mutex_;
  std::atomic<unsigned> schedule_ = 0;

  std::unique_ptr<Connection> connection_;
  std::unique_ptr<Connection> idle_connection_;  // after a reset; not attached
  Restart restart_ = Restart::kNo;               // when it is opened next
  uint64_t runs_begun_ = 0;
  Allocations allocations_;
  std::unique_ptr<HostMemory> host_memory_;
  HostCopies host_copies_;
  Staging staging_;
  CardEvents events_;
  Pools pools_;
  Printers printers_;
  std::set<int> peers_;
  std::vector<std::weak_ptr<Object>> objects_;
  Queues queues_;
  Waiting waiting_;
  ProgramQueues program_queues_;
  Streams streams_;
  HostCalls host_calls_;
};

}  // namespace swai::sdaa
