// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/profile.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "abi/trace/track_event.hpp"

namespace swai::sdaa {

using events::Message;
namespace fields = events::fields;

std::atomic<Profile*> Profile::instance_ = nullptr;

namespace {

constexpr uint64_t kProgram = 1;  // process; cards are those behind it
constexpr uint64_t kThreads = 1000;
constexpr uint64_t kRanges = uint64_t{1} << 32;
constexpr uint64_t kQueues = uint64_t{2} << 32;
constexpr uint64_t kCardQueues = 100;

uint64_t now() {
  static const auto begin = std::chrono::steady_clock::now();
  const auto since = std::chrono::steady_clock::now() - begin;
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(since).count());
}

thread_local std::string next_kernel;

}  // namespace

void name_launch(const std::string& kernel) { next_kernel = kernel; }

Profile::Command describe(const void* command, command::Type type) {
  const auto as = [command](auto form) {
    std::memcpy(&form, command, sizeof form);
    return form;
  };
  switch (type) {
    case command::Type::kLaunch:
      return {std::exchange(next_kernel, {})};
    case command::Type::kCopy: {
      const auto copy = as(command::Copy{});
      return {copy.to_host != 0 ? "copy to host" : "copy to card", copy.bytes * copy.rows};
    }
    case command::Type::kCopyDevice: {
      const auto copy = as(command::CopyDevice{});
      return {"copy on card", copy.bytes * copy.rows};
    }
    case command::Type::kFill: {
      const auto fill = as(command::Fill{});
      return {"fill", fill.bytes * fill.rows};
    }
    case command::Type::kEventRecord:
      return {"event record"};
    case command::Type::kEventWait:
      return {"event wait"};
    case command::Type::kHostCall:
      return {"host function"};
    case command::Type::kGraph:
      return {"graph"};
    default:
      return {"marker"};
  }
}

void Profile::open(const std::string& path) {
  now();
  // Never destroyed: threads may still be in it when the process ends.
  instance_ = new Profile(path);
  std::atexit(close);
}

void Profile::close() {
  if (Profile* profile = get()) profile->close_all();
}

Profile::Profile(const std::string& path) : file_(path), source_(file_.add(now)) {}

bool Profile::turn(bool on) {
  const std::lock_guard guard(mutex_);
  return std::exchange(on_, on);
}

uint64_t Profile::thread_track() {
  static std::atomic<uint64_t> last = 0;
  thread_local const uint64_t own = kThreads + ++last;
  return own;
}
uint64_t Profile::queue_track(int device, unsigned queue) {
  return kQueues + static_cast<uint64_t>(device) * kCardQueues + queue;
}

bool Profile::begin(const std::string& name) {
  const std::lock_guard guard(mutex_);
  const uint64_t track = thread_track();
  describe(track, kProgram, "program", fmt::format("thread {}", track - kThreads));
  return begin_on(track, name, 0, 0);
}
void Profile::end() {
  const std::lock_guard guard(mutex_);
  end_on(thread_track(), 0);
}

uint64_t Profile::start(const std::string& name) {
  const std::lock_guard guard(mutex_);
  // The first track on which nothing is.
  uint64_t track = kRanges;
  while (tracks_.contains(track) && tracks_[track].open != 0) ++track;
  describe(track, kProgram, "program", "ranges");
  if (!begin_on(track, name, 0, 0)) return 0;
  ranges_[++last_range_] = track;
  return last_range_;
}
bool Profile::stop(uint64_t range) {
  const std::lock_guard guard(mutex_);
  const auto found = ranges_.extract(range);
  if (found.empty()) return false;
  end_on(found.mapped(), 0);
  return true;
}

void Profile::given(int device, bool coarse, const Point& end, Command command, uint64_t cycle) {
  const std::lock_guard guard(mutex_);
  if (!on_) return;
  const uint64_t track = queue_track(device, end.queue->number);
  describe(track, kProgram + 1 + static_cast<uint64_t>(device),
           fmt::format("card {}{}", device, coarse ? " (fast tier: coarse)" : ""),
           fmt::format("queue {}", end.queue->number));
  tracks_[track].waiting.push_back({end.sequence, std::move(command), cycle});
  if (tracks_[track].waiting.size() == 1) begin_first(track);
}
void Profile::look(int device, const Queue& queue) {
  const std::lock_guard guard(mutex_);
  const auto found = tracks_.find(queue_track(device, queue.number));
  if (found == tracks_.end()) return;
  auto& waiting = found->second.waiting;
  while (!waiting.empty() && queue.reached(waiting.front().sequence)) {
    end_on(found->first, queue.line.cycle);
    waiting.pop_front();
    if (!waiting.empty()) begin_first(found->first);
  }
}
void Profile::forget(int device) {
  const std::lock_guard guard(mutex_);
  for (auto& [number, track] : tracks_) {
    if (number < queue_track(device, 0) || number >= queue_track(device + 1, 0)) continue;
    if (!track.waiting.empty()) end_on(number, 0);
    track.waiting.clear();
  }
}
void Profile::begin_first(uint64_t track) {
  const Waiting& first = tracks_[track].waiting.front();
  begin_on(track, first.command.name, first.command.bytes, first.cycle);
}

void Profile::close_all() {
  const std::lock_guard guard(mutex_);
  for (auto& [number, track] : tracks_) {
    while (track.open != 0) end_on(number, 0);
    track.waiting.clear();
  }
  ranges_.clear();
  on_ = false;
  file_.finish();
}

// --- Packets

void Profile::put(unsigned field, const Message& message) {
  const uint64_t time = now();
  file_.put(source_, time,
            Message()
                .number(fields::packet::kTimestamp, time)
                .number(fields::packet::kSequence, 1)
                .nested(field, message));
}

void Profile::describe(uint64_t track, uint64_t process, const std::string& process_name,
                       const std::string& name) {
  if (!on_ || tracks_.contains(track)) return;
  Message about;
  if (!tracks_.contains(process)) {
    tracks_[process];
    about.number(fields::process::kPid, process).text(fields::process::kName, process_name);
    put(fields::packet::kTrackDescriptor,
        Message().number(fields::descriptor::kUuid, process).nested(fields::descriptor::kProcess, about));
  }
  tracks_[track];
  Message descriptor;
  descriptor.number(fields::descriptor::kUuid, track).number(fields::descriptor::kParent, process);
  if (track < kRanges) {
    Message thread;
    thread.number(fields::thread::kPid, process)
        .number(fields::thread::kTid, track)
        .text(fields::thread::kName, name);
    descriptor.nested(fields::descriptor::kThread, thread);
  } else {
    descriptor.text(fields::descriptor::kName, name);
  }
  put(fields::packet::kTrackDescriptor, descriptor);
}

namespace {
void annotate(Message& event, const char* name, uint64_t value) {
  if (value == 0) return;
  Message about;
  about.text(fields::annotation::kName, name).number(fields::annotation::kUint, value);
  event.nested(fields::event::kAnnotation, about);
}
}  // namespace

// Where there is no room the end is left out as well.
bool Profile::begin_on(uint64_t track, const std::string& name, uint64_t bytes, uint64_t cycle) {
  if (!on_) return false;
  if (!file_.room()) {
    file_.drop();
    return false;
  }
  ++tracks_[track].open;
  Message event;
  event.number(fields::event::kType, fields::event::kBegin).number(fields::event::kTrack, track);
  event.text(fields::event::kName, name);
  annotate(event, "bytes", bytes);
  annotate(event, "card begin", cycle);
  put(fields::packet::kTrackEvent, event);
  return true;
}
void Profile::end_on(uint64_t track, uint64_t cycle) {
  const auto found = tracks_.find(track);
  if (found == tracks_.end() || found->second.open == 0) return;
  --found->second.open;
  Message event;
  event.number(fields::event::kType, fields::event::kEnd).number(fields::event::kTrack, track);
  annotate(event, "card end", cycle);
  put(fields::packet::kTrackEvent, event);
}

// --- Calls

ProfiledCall::ProfiledCall(const char* name) noexcept {
  if (profile_ != nullptr && !profile_->begin(name)) profile_ = nullptr;
}
ProfiledCall::~ProfiledCall() {
  if (profile_ != nullptr) profile_->end();
}

}  // namespace swai::sdaa
