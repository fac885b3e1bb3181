// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/runtime.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <string>
#include <string_view>

#include "host/runtime/recorder.hpp"
#include "host/transport/served.hpp"

namespace swai::sdaa {
namespace {

constexpr const char* kNoCard =
    "no card: start one with `swai serve`, or set SWAI_CARD to the socket of one that runs (several: "
    "separated "
    "by commas)";

uint64_t number_from(const char* variable, uint64_t otherwise) {
  const char* text = std::getenv(variable);
  if (text == nullptr || *text == '\0') return otherwise;
  char* end = nullptr;
  const uint64_t value = std::strtoull(text, &end, 10);
  return *end == '\0' && value != 0 ? value : otherwise;
}

// 0: there is no such variable. A limit that is not understood is none.
uint32_t cycles_from(const char* variable) {
  const char* text = std::getenv(variable);
  if (text == nullptr || *text == '\0') return 0;
  const uint64_t cycles = number_from(variable, 0);
  if (cycles == 0 || cycles > ~uint32_t{0}) {
    fail(sdaaErrorInvalidValue,
         fmt::format("{}={}: a number of cycles from 1 to {} is expected", variable, text, ~uint32_t{0}));
  }
  return static_cast<uint32_t>(cycles);
}

std::vector<Device::Opener> openers_from_environment() {
  std::vector<Device::Opener> openers;
  const auto add = [&openers](const std::string& path) {
    openers.emplace_back([path] { return link::Card::open(path); });
  };
  const char* text = std::getenv("SWAI_CARD");
  std::string_view left = text == nullptr ? "" : text;
  if (left.empty()) {
    for (const std::string& path : link::served_cards()) add(path);
  }
  while (!left.empty()) {
    const size_t comma = std::min(left.find(','), left.size());
    const std::string path(left.substr(0, comma));
    left.remove_prefix(std::min(comma + 1, left.size()));
    if (!path.empty()) add(path);
  }
  return openers;
}

bool wants_memory_check() { return number_from("SWAI_MEMORY_CHECK", 0) != 0; }

Limits limits_from_environment() {
  Limits limits;
  limits.wait_cycles = number_from("SWAI_TIMEOUT_CYCLES", limits.wait_cycles);
  // 0, which number_from() takes for none: never.
  const char* patience = std::getenv("SWAI_PATIENCE_SECONDS");
  const bool never = patience != nullptr && std::string_view(patience) == "0";
  limits.silent =
      never ? std::chrono::hours(24 * 365) : std::chrono::seconds(number_from("SWAI_PATIENCE_SECONDS", 5));
  limits.launch_cycles = cycles_from("SWAI_LAUNCH_LIMIT");
  limits.real = std::chrono::seconds(number_from("SWAI_TIMEOUT_SECONDS", 600));
  return limits;
}

}  // namespace

Runtime& Runtime::get() {
  // Never destroyed: threads may still be in it when the process ends.
  static auto* const runtime = new Runtime;
  return *runtime;
}

Runtime::Runtime() {
  const auto open_if_named = [](const char* variable, void (*open)(const std::string&)) {
    const char* const path = std::getenv(variable);
    if (path == nullptr || *path == '\0') return;
    try {
      open(path);
    } catch (const std::runtime_error& error) {
      fail(sdaaErrorOperatingSystem, error.what());
    }
  };
  open_if_named("SWAI_PROFILE", Profile::open);
  open_if_named(record::kVariable, Recorder::open);
  use_environment();
  if (wants_memory_check()) std::atexit([] { get().report_leaks(); });
}

void Runtime::use_environment() {
  use(openers_from_environment(), limits_from_environment(), wants_memory_check());
}

void Runtime::use(std::vector<Device::Opener> openers, const Limits& limits, bool checked) {
  std::vector<std::shared_ptr<Device>> fresh;
  for (auto& opener : openers) {
    const int number = static_cast<int>(fresh.size());
    fresh.push_back(std::make_shared<Device>(number, std::move(opener), limits, checked));
  }
  {
    const std::lock_guard guard(mutex_);
    devices_.swap(fresh);
  }
  for (const auto& device : fresh) device->reset(Device::Firmware::kLeave);
  sweep();
}

int Runtime::device_count() const {
  const std::lock_guard guard(mutex_);
  return static_cast<int>(devices_.size());
}

std::shared_ptr<Device> Runtime::device(int number) const {
  const std::lock_guard guard(mutex_);
  if (devices_.empty()) fail(sdaaErrorNoDevice, kNoCard);
  if (number < 0 || number >= static_cast<int>(devices_.size()))
    fail(sdaaErrorInvalidDevice,
         fmt::format("there is no device {}: the last one is {}", number, devices_.size() - 1));
  return devices_[static_cast<size_t>(number)];
}

int& Runtime::current_number() {
  thread_local int number = 0;
  return number;
}

Runtime::InUse Runtime::use_stream(sdaaStream_t handle) {
  InUse use;
  if (handle == nullptr) {
    use.device = current();
    use.lock = use.device->enter();
    use.stream = use.device->streams().default_stream();
    return use;
  }
  use.stream = streams.get(handle, "no such stream");
  use.device = use.stream->device;
  use.lock = use.device->enter();
  require(use.stream->alive, "the stream was destroyed", sdaaErrorInvalidHandle);
  return use;
}

void Runtime::report_leaks() const {
  const std::unique_lock guard(mutex_, std::try_to_lock);
  if (!guard.owns_lock()) return;
  for (const auto& device : devices_) device->report_leaks();
}

void Runtime::sweep() {
  const auto dead = [](const Object& object) { return !object.alive; };
  functions.remove_if([](const Function& function) { return !function.module->alive; });
  modules.remove_if(dead);
  graph_execs.remove_if(dead);
  graphs.remove_if(dead);
  events.remove_if(dead);
  streams.remove_if(dead);
  pools.remove_if(dead);
}

void feed_two_level(sdaaStream_t handle) {
  auto use = Runtime::get().use_stream(handle);
  use.device->streams().feed_two_level(use.lock, *use.stream);
}

}  // namespace swai::sdaa
