// SPDX-License-Identifier: Apache-2.0
// What the library is to its process: the devices, the handles, what each thread has chosen.
#pragma once

#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "host/runtime/device.hpp"
#include "host/runtime/graph.hpp"
#include "host/runtime/program.hpp"

namespace swai::sdaa {

// Objects by numbers that are never used twice: a handle that was destroyed, or never was one, is found out.
template <typename T, unsigned kKind>
class Handles {
 public:
  uintptr_t add(std::shared_ptr<T> object) {
    const std::lock_guard guard(mutex_);
    const uintptr_t handle = uintptr_t{kKind} << 56 | ++last_;
    objects_.emplace(handle, std::move(object));
    return handle;
  }
  // nullptr: there is none.
  std::shared_ptr<T> find(const void* handle) const {
    const std::lock_guard guard(mutex_);
    const auto found = objects_.find(reinterpret_cast<uintptr_t>(handle));
    return found == objects_.end() ? nullptr : found->second;
  }
  std::shared_ptr<T> get(const void* handle, const char* what) const {
    auto object = find(handle);
    require(object != nullptr, what, sdaaErrorInvalidHandle);
    return object;
  }
  void remove(const void* handle) {
    const std::lock_guard guard(mutex_);
    objects_.erase(reinterpret_cast<uintptr_t>(handle));
  }
  template <typename Condition>
  void remove_if(Condition condition) {
    const std::lock_guard guard(mutex_);
    std::erase_if(objects_, [&](const auto& item) { return condition(*item.second); });
  }
  std::vector<std::shared_ptr<T>> all() const {
    const std::lock_guard guard(mutex_);
    std::vector<std::shared_ptr<T>> found;
    for (const auto& [handle, object] : objects_) found.push_back(object);
    return found;
  }
  size_t size() const {
    const std::lock_guard guard(mutex_);
    return objects_.size();
  }

 private:
  mutable std::mutex mutex_;
  uintptr_t last_ = 0;
  std::unordered_map<uintptr_t, std::shared_ptr<T>> objects_;
};

class Runtime {
 public:
  // The process's own; its cards are those that the environment names (SWAI_CARD).
  static Runtime& get();

  // Other cards, and no handles any more: those that the environment names now, or these.
  void use_environment();
  void use(std::vector<Device::Opener> openers, const Limits& limits = {}, bool checked = false);

  int device_count() const;
  // Throws sdaaErrorNoDevice or sdaaErrorInvalidDevice.
  std::shared_ptr<Device> device(int number) const;
  std::shared_ptr<Device> current() const { return device(current_number()); }
  static int& current_number();

  // NULL is the current device's default stream. Its device's lock comes with it.
  struct InUse {
    std::shared_ptr<Stream> stream;
    std::shared_ptr<Device> device;
    Device::Lock lock;

    StreamWriter writer() { return {*device, lock, *stream}; }
  };
  InUse use_stream(sdaaStream_t handle);

  Handles<Stream, 0x51> streams;
  Handles<Event, 0x52> events;
  Handles<Module, 0x53> modules;
  Handles<Function, 0x54> functions;
  Handles<Graph, 0x55> graphs;
  Handles<GraphExec, 0x56> graph_execs;
  Handles<Program, 0x58> programs;
  Handles<MemoryPool, 0x59> pools;
  // What died with a reset.
  void sweep();
  void report_leaks() const;

 private:
  Runtime();

  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<Device>> devices_;
};

// For measurements, and not in the C interface: Streams::feed_two_level.
void feed_two_level(sdaaStream_t handle);

}  // namespace swai::sdaa
