// SPDX-License-Identifier: Apache-2.0
// Queues that model programs fill. One is kept for the next start, if there is one, until a stream needs it
// or the last program goes.
#pragma once

#include "abi/program.hpp"
#include "host/runtime/host_memory.hpp"
#include "host/runtime/queues.hpp"

namespace swai::sdaa {

class ProgramQueues {
 public:
  explicit ProgramQueues(Queues& queues) : queues_(queues) {}

  void begin(HostMemory& memory) { memory_ = &memory; }
  // All went with a reset.
  void end();

  // Programs that can be started.
  void add_program();
  void remove_program();
  // One that a program has for itself. In its ring are zeros, and nothing of an earlier run comes.
  Queue& take();
  void give_back(Queue& queue, bool has_ended);

 private:
  void prepare();
  void close(Queue& queue);
  void close_spare();

  Queues& queues_;
  HostMemory* memory_ = nullptr;
  unsigned programs_ = 0;
  Queue* spare_ = nullptr;               // for the next program that starts
  program::Record* old_ring_ = nullptr;  // of the queue that was closed last
};

}  // namespace swai::sdaa
