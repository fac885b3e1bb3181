// SPDX-License-Identifier: Apache-2.0
// Writes down what the program gets to know of its cards (record.hpp), if SWAI_RECORD names a file: how each
// command of its streams ended, with the contents of copies to the host; lines that kernels print; messages
// of model programs. What depends on time alone is left out: when a failure is noticed, whether a stream had
// to wait.
#pragma once

#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "abi/command.hpp"
#include "host/runtime/profile.hpp"
#include "host/runtime/record.hpp"

namespace swai::sdaa {

class Allocations;
class HostMemory;
struct GraphNode;
struct Stream;

class Recorder {
 public:
  // Null: nobody wants one; and in a copy of the process, which has our file, too, and perhaps a lock that
  // nobody will ever leave.
  static Recorder* get() {
    Recorder* const recorder = instance_.load(std::memory_order_acquire);
    return recorder != nullptr && recorder->process_ == ::getpid() ? recorder : nullptr;
  }
  // Throws when no file can be made. It is complete when the process ends.
  static void open(const std::string& name);

  // The card that something is of.
  struct Card {
    int number = 0;
    const Allocations& allocations;
    const HostMemory& host_memory;
  };

  // All with the device's lock. The stream was given that.
  void given(const Card& card, const Stream& stream, command::Type type, std::span<const uint8_t> command,
             const Profile::Command& of);
  // It is a launch of a graph of these nodes.
  void holds(const Card& card, const Queue& queue, const std::vector<GraphNode>& nodes);
  // What the card has told of the queue is new.
  void look(const Card& card, const Queue& queue);
  // What is not complete will never be.
  void forget(int device);
  void printed(int device, const std::string& core, const std::string& line);
  void message(int device, uint64_t run, std::span<const uint8_t> bytes);

 private:
  // Memory of the host, as the card has it.
  struct Area {
    uint64_t iova = 0;
    uint64_t bytes = 0;
    uint64_t rows = 1;
    uint64_t pitch = 0;

    uint64_t extent() const { return (rows - 1) * pitch + bytes; }
  };
  struct Pending {
    Point point;
    record::Result result;
    std::vector<Area> to_host = {};
  };
  struct Waiting {
    int device = 0;
    std::deque<Pending> commands = {};
  };

  explicit Recorder(const std::string& name);
  static void close();
  static Area area_of(const command::Copy& copy);
  // Whoever reads it later finds what comes now.
  void overwrite(const Card& card, const Area& area);
  void finish(const Card& card, const Queue& queue, Pending& pending);
  // Digests, and the contents themselves if they are to be kept. Nothing where memory is not there any more.
  void take(const Card& card, record::Result& result, std::span<const Area> areas, bool kept);
  void take(record::Result& result, std::span<const uint8_t> piece);
  void keep(record::Result& result);
  // With these contents.
  void write(record::Result result, std::span<const uint8_t> bytes);
  void write(const record::Result& result);
  void close_file();

  using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;
  static std::atomic<Recorder*> instance_;
  std::mutex mutex_;
  std::string name_;
  File file_;
  File contents_;
  const int process_;
  uint64_t written_ = 0;
  uint64_t kept_ = 0;
  bool open_ = true;  // not after the end, nor when there was no room
  std::map<const Queue*, Waiting> waiting_;
};

}  // namespace swai::sdaa
