// SPDX-License-Identifier: Apache-2.0
// What the program does with its cards, as a Perfetto trace in the file that SWAI_PROFILE names: calls and
// ranges of its threads, commands of its streams. Times are the host's, in nanoseconds since the file was
// opened; the card's are with each command.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "abi/command.hpp"
#include "host/lib/events_file.hpp"
#include "host/runtime/queue.hpp"

namespace swai::sdaa {

class Profile {
 public:
  // Null: nobody wants one.
  static Profile* get() { return instance_.load(std::memory_order_acquire); }
  // What is given from now on; throws when the file cannot be written. It is complete when the process ends.
  static void open(const std::string& path);
  // Now; nothing is written any more.
  static void close();

  // While it is off nothing begins; what has begun still ends.
  // Returns what it was.
  bool turn(bool on);

  // --- Of the calling thread: slices, one in the other

  // False: it is off, and there is nothing to end.
  bool begin(const std::string& name);
  void end();

  // --- Ranges of the process, that lie as they like

  // 0: it is off.
  uint64_t start(const std::string& name);
  // False: there is no such range.
  bool stop(uint64_t range);

  // --- Commands. A queue completes them in order: each runs from when it was given, or the one before it was
  // seen to be complete, until the host sees that it is.

  struct Command {
    std::string name;
    uint64_t bytes = 0;
  };
  // `coarse`: the card's times are.
  void given(int device, bool coarse, const Point& end, Command command, uint64_t cycle);
  void look(int device, const Queue& queue);
  void forget(int device);

 private:
  explicit Profile(const std::string& path);

  struct Waiting {
    uint32_t sequence;
    Command command;
    uint64_t cycle;
  };
  struct Track {
    unsigned open = 0;  // slices
    std::deque<Waiting> waiting;
  };
  static uint64_t thread_track();
  static uint64_t queue_track(int device, unsigned queue);
  void describe(uint64_t track, uint64_t process, const std::string& process_name, const std::string& name);
  bool begin_on(uint64_t track, const std::string& name, uint64_t bytes, uint64_t cycle);
  void end_on(uint64_t track, uint64_t cycle);
  void begin_first(uint64_t track);
  void put(unsigned field, const events::Message& message);
  void close_all();

  static std::atomic<Profile*> instance_;
  std::mutex mutex_;
  events::EventFile file_;
  unsigned source_;
  bool on_ = true;
  std::map<uint64_t, Track> tracks_;     // that were described
  std::map<uint64_t, uint64_t> ranges_;  // and their tracks
  uint64_t last_range_ = 0;
};

// A call of the C interface, or nothing.
class ProfiledCall {
 public:
  explicit ProfiledCall(const char* name) noexcept;
  ~ProfiledCall();
  ProfiledCall(const ProfiledCall&) = delete;
  ProfiledCall& operator=(const ProfiledCall&) = delete;

 private:
  Profile* profile_ = Profile::get();
};

// What a command is called there.
Profile::Command describe(const void* command, command::Type type);
// The kernel that the thread launches next.
void name_launch(const std::string& kernel);

}  // namespace swai::sdaa
