// Devices: what cards there are, what they are, waiting for all that was begun on one.
#include <algorithm>
#include <cstring>
#include <string>

#include "abi/module.hpp"
#include "host/sdaa/call.hpp"
#include "host/sdaa/peers.hpp"

using namespace swai::sdaa;

namespace {

template <size_t kTo, size_t kFrom>
void copy_text(char (&to)[kTo], const std::array<char, kFrom>& from) {
  static_assert(kTo > kFrom);
  std::copy(from.begin(), from.end(), to);
}

}  // namespace

sdaaError_t sdaaInit(unsigned int flags) {
  return call("sdaaInit", [&] {
    require(flags == 0, "flags are not used");
    Runtime::get().device(0);
  });
}

sdaaError_t sdaaRuntimeGetVersion(int* version) {
  return call("sdaaRuntimeGetVersion", [&] {
    require(version != nullptr, "a null pointer");
    *version = SDAA_VERSION;
  });
}

sdaaError_t sdaaDriverGetVersion(int* version) {
  return call("sdaaDriverGetVersion", [&] {
    require(version != nullptr, "a null pointer");
    const auto device = Runtime::get().current();
    const Device::Lock lock = device->enter();
    *version = device->info().version;
  });
}

sdaaError_t sdaaGetDeviceCount(int* count) {
  return call("sdaaGetDeviceCount", [&] {
    require(count != nullptr, "a null pointer");
    *count = Runtime::get().device_count();
    if (*count == 0) Runtime::get().device(0);  // says how to get one
  });
}

sdaaError_t sdaaSetDevice(int number) {
  return call("sdaaSetDevice", [&] {
    Runtime::get().device(number);
    Runtime::current_number() = number;
  });
}

sdaaError_t sdaaGetDevice(int* number) {
  return call("sdaaGetDevice", [&] {
    require(number != nullptr, "a null pointer");
    *number = Runtime::get().current()->number();
  });
}

sdaaError_t sdaaGetDeviceProperties(sdaaDeviceProp_t* properties, int number) {
  return call("sdaaGetDeviceProperties", [&] {
    require(properties != nullptr, "a null pointer");
    const auto device = Runtime::get().device(number);
    const Device::Lock lock = device->enter();
    const auto& info = device->info();
    sdaaDeviceProp_t fresh = {};
    const std::string name = "SWAI " + device->connection().card().describe().configuration;
    std::copy_n(name.begin(), std::min(name.size(), sizeof fresh.name - 1), fresh.name);
    copy_text(fresh.firmware, info.version_text);
    copy_text(fresh.firmwareCommit, info.git_hash);
    fresh.totalGlobalMem = info.memory_per_group * info.groups;
    fresh.memoryPerGroup = info.memory_per_group;
    fresh.groups = static_cast<int>(info.groups);
    fresh.rows = info.rows;
    fresh.columns = info.columns;
    fresh.multiProcessorCount = fresh.groups * fresh.rows * fresh.columns;
    fresh.localMemPerCore = swai::module::kLdmBytes;
    fresh.clockRate = 1'000'000;
    fresh.asyncEngineCount = 7;
    fresh.concurrentKernels = fresh.groups;
    fresh.streams = static_cast<int>(info.queues) - 1;
    fresh.maxArgumentBytes = swai::command::kMaxArgumentBytes;
    fresh.managementSharedMemory = (info.capabilities & swai::protocol::kSharedMemory) != 0;
    fresh.capabilities = info.capabilities;
    *properties = fresh;
  });
}

sdaaError_t sdaaDeviceSynchronize(void) {
  return call("sdaaDeviceSynchronize", [] {
    const auto device = Runtime::get().current();
    Device::Lock lock = device->enter();
    device->refuse_captures(Device::Captures::kAll, sdaaErrorStreamCaptureUnsupported);
    device->wait_idle(lock);
    if (const auto failure = device->first_failure()) throw Failure(*failure);
  });
}

sdaaError_t sdaaDeviceReset(void) {
  return call("sdaaDeviceReset", [] {
    require(!HostCalls::in_function(), "functions of the host that a stream calls must not use the device",
            sdaaErrorNotPermitted);
    Runtime::get().current()->reset();
    Runtime::get().sweep();
  });
}

sdaaError_t sdaaDeviceCanAccessPeer(int* can_access, int device, int peer) {
  return call("sdaaDeviceCanAccessPeer", [&] {
    require(can_access != nullptr, "a null pointer");
    *can_access = reaches(Runtime::get().device(device), Runtime::get().device(peer)) ? 1 : 0;
  });
}

sdaaError_t sdaaDeviceEnablePeerAccess(int peer, unsigned int flags) {
  return call("sdaaDeviceEnablePeerAccess", [&] {
    require(flags == 0, "flags are not used");
    const auto device = Runtime::get().current();
    const auto other = Runtime::get().device(peer);
    require(device != other, "a device is no peer of its own", sdaaErrorInvalidDevice);
    require(reaches(device, other), "the cards do not reach each other", sdaaErrorPeerAccessUnsupported);
    const Device::Lock lock = device->enter();
    require(device->peers().insert(peer).second, "peer access is enabled already",
            sdaaErrorPeerAccessAlreadyEnabled);
  });
}

sdaaError_t sdaaDeviceDisablePeerAccess(int peer) {
  return call("sdaaDeviceDisablePeerAccess", [&] {
    const auto device = Runtime::get().current();
    Runtime::get().device(peer);
    const Device::Lock lock = device->enter();
    require(device->peers().erase(peer) != 0, "peer access is not enabled", sdaaErrorPeerAccessNotEnabled);
  });
}

sdaaError_t sdaaDeviceGetTime(uint64_t* nanoseconds) {
  return call("sdaaDeviceGetTime", [&] {
    require(nanoseconds != nullptr, "a null pointer");
    const auto device = Runtime::get().current();
    const Device::Lock lock = device->enter();
    *nanoseconds = device->connection().cycle();
  });
}
