// SPDX-License-Identifier: Apache-2.0
// Devices: what cards there are, what they are, waiting for all that was begun on one.
#include <algorithm>
#include <bit>
#include <cstring>

#include "host/runtime/call.hpp"
#include "host/runtime/host_software_time.hpp"
#include "host/runtime/include/sdaa/simulation.h"
#include "host/runtime/peers.hpp"
#include "host/runtime/printing.hpp"
#include "host/runtime/properties.hpp"

using namespace swai::sdaa;
using swai::link::vendor::Statistic;

namespace {

constexpr const char* kLimits =
    "not the device's: a kernel's stack is what its module was linked for (sdaacc --stack), and it has no "
    "heap";
constexpr unsigned kSchedules =
    sdaaDeviceScheduleSpin | sdaaDeviceScheduleYield | sdaaDeviceScheduleBlockingSync;

void set_schedule(Device& device, unsigned flags) {
  require((flags & sdaaDeviceMapHost) == 0, "kernels reach no memory of the host", sdaaErrorNotSupported);
  require((flags & ~(kSchedules | sdaaDeviceLmemResizeToMax)) == 0 && std::popcount(flags & kSchedules) <= 1,
          "flags that do not exist");
  device.schedule() = flags;
}

sdaaDeviceProp_t properties(int number) {
  const auto device = Runtime::get().device(number);
  const Device::Lock lock = device->enter();
  return properties_of(*device);
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
    const Device::Lock lock = Runtime::get().current()->enter();
    // The protocol that both speak was agreed upon when the device was opened.
    *version = SDAA_VERSION;
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

sdaaError_t sdaaGetDeviceProperties(sdaaDeviceProp_t* to, int number) {
  return call("sdaaGetDeviceProperties", [&] {
    require(to != nullptr, "a null pointer");
    *to = properties(number);
  });
}

sdaaError_t sdaaDeviceGetAttribute(int* value, sdaaDeviceAttr attribute, int device) {
  return call("sdaaDeviceGetAttribute", [&] {
    require(value != nullptr, "a null pointer");
    *value = attribute_of(properties(device), attribute);
  });
}

sdaaError_t sdaaChooseDevice(int* device, const sdaaDeviceProp_t* wish) {
  return call("sdaaChooseDevice", [&] {
    require(device != nullptr && wish != nullptr, "a null pointer");
    int best = 0;
    unsigned most = agreement(properties(0), *wish);
    for (int other = 1; other < Runtime::get().device_count(); ++other) {
      if (const unsigned fields = agreement(properties(other), *wish); fields > most) {
        best = other;
        most = fields;
      }
    }
    *device = best;
  });
}

sdaaError_t sdaaInitDevice(int number, unsigned int device_flags, unsigned int flags) {
  return call("sdaaInitDevice", [&] {
    require(flags <= 1, "flags that do not exist");
    const auto device = Runtime::get().device(number);
    const Device::Lock lock = device->enter();
    if (flags == 1) set_schedule(*device, device_flags);
  });
}

sdaaError_t sdaaSetDeviceFlags(unsigned int flags) {
  return call("sdaaSetDeviceFlags", [&] { set_schedule(*Runtime::get().current(), flags); });
}

sdaaError_t sdaaGetDeviceFlags(unsigned int* flags) {
  return call("sdaaGetDeviceFlags", [&] {
    require(flags != nullptr, "a null pointer");
    *flags = Runtime::get().current()->schedule();
  });
}

sdaaError_t sdaaDeviceGet(sdaaDevice_t* device, int ordinal) {
  return call("sdaaDeviceGet", [&] {
    require(device != nullptr, "a null pointer");
    *device = Runtime::get().device(ordinal)->number();
  });
}

sdaaError_t sdaaDeviceGetName(char* name, int room, sdaaDevice_t device) {
  return call("sdaaDeviceGetName", [&] {
    require(name != nullptr && room > 0, "no room for a name");
    const sdaaDeviceProp_t found = properties(device);
    const size_t length = std::min(std::strlen(found.name), static_cast<size_t>(room) - 1);
    std::memcpy(name, found.name, length);
    name[length] = 0;
  });
}

sdaaError_t sdaaDeviceTotalMem(size_t* bytes, sdaaDevice_t device) {
  return call("sdaaDeviceTotalMem", [&] {
    require(bytes != nullptr, "a null pointer");
    *bytes = properties(device).totalGlobalMem;
  });
}

sdaaError_t sdaaDeviceComputeCapability(int* major, int* minor, sdaaDevice_t device) {
  return call("sdaaDeviceComputeCapability", [&] {
    require(major != nullptr && minor != nullptr, "a null pointer");
    const sdaaDeviceProp_t found = properties(device);
    *major = found.major;
    *minor = found.minor;
  });
}

sdaaError_t sdaaDeviceGetLimit(size_t* value, sdaaLimit) {
  return call("sdaaDeviceGetLimit", [&] {
    require(value != nullptr, "a null pointer");
    fail(sdaaErrorUnsupportedLimit, kLimits);
  });
}

sdaaError_t sdaaDeviceSetLimit(sdaaLimit, size_t) {
  return call("sdaaDeviceSetLimit", [] { fail(sdaaErrorUnsupportedLimit, kLimits); });
}

sdaaError_t sdaaDeviceGetCacheConfig(sdaaFuncCache* config) {
  return call("sdaaDeviceGetCacheConfig", [&] {
    require(config != nullptr, "a null pointer");
    *config = sdaaFuncCachePreferNone;
  });
}

sdaaError_t sdaaDeviceSetCacheConfig(sdaaFuncCache config) {
  return call("sdaaDeviceSetCacheConfig", [&] {
    require(config >= sdaaFuncCachePreferNone && config <= sdaaFuncCachePreferEqual,
            "a preference that does not exist");
  });
}

sdaaError_t sdaaDeviceGetSharedMemConfig(sdaaSharedMemConfig* config) {
  return call("sdaaDeviceGetSharedMemConfig", [&] {
    require(config != nullptr, "a null pointer");
    *config = sdaaSharedMemBankSizeDefault;
  });
}

sdaaError_t sdaaDeviceSetSharedMemConfig(sdaaSharedMemConfig config) {
  return call("sdaaDeviceSetSharedMemConfig", [&] {
    require(config >= sdaaSharedMemBankSizeDefault && config <= sdaaSharedMemBankSizeEightByte,
            "a bank size that does not exist");
  });
}

sdaaError_t sdaaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return call("sdaaDeviceGetStreamPriorityRange", [&] {
    Runtime::get().current();
    if (least != nullptr) *least = 0;
    if (greatest != nullptr) *greatest = 0;
  });
}

sdaaError_t sdaaDeviceSynchronize(void) {
  return call("sdaaDeviceSynchronize", [] {
    const auto device = Runtime::get().current();
    Device::Lock lock = device->enter();
    device->streams().refuse_captures(Streams::Captures::kAll, sdaaErrorStreamCaptureUnsupported);
    wait_and_print(*device, lock, [&] { device->waiting().until_idle(lock); });
    device->pools().trim(device->connection());
    if (const auto failure = device->queues().first_failure()) throw Failure(*failure);
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

sdaaError_t sdaaDeviceGetP2PAttribute(int* value, sdaaDeviceP2PAttr attribute, int device, int peer) {
  return call("sdaaDeviceGetP2PAttribute", [&] {
    require(value != nullptr, "a null pointer");
    require(attribute >= sdaaDevP2PAttrPerformanceRank && attribute <= sdaaDevP2PAttrCudaArrayAccessSupported,
            "an attribute that does not exist");
    const auto first = Runtime::get().device(device);
    const auto second = Runtime::get().device(peer);
    require(first != second, "a device is no peer of its own", sdaaErrorInvalidDevice);
    *value = attribute == sdaaDevP2PAttrAccessSupported && reaches(first, second) ? 1 : 0;
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

sdaaError_t swai::sdaa::let_device_time_pass(uint64_t nanoseconds) {
  return call("let_device_time_pass", [&] {
    const auto device = Runtime::get().current();
    Device::Lock lock = device->enter();
    const uint64_t now = device->connection().cycle();
    require(nanoseconds < Waiting::kNever - now, "longer than a card's time goes");
    device->waiting().until(
        lock, [] { return false; }, now + nanoseconds);
  });
}

sdaaError_t sdaaDeviceGetWork(sdaaDeviceWork_t* work) {
  return call("sdaaDeviceGetWork", [&] {
    require(work != nullptr, "a null pointer");
    const auto device = Runtime::get().current();
    const Device::Lock lock = device->enter();
    swai::link::Card& card = device->connection().card();
    const auto statistic = [&](Statistic which) {
      try {
        return card.command(swai::link::vendor::Command::kStatistic, {static_cast<uint64_t>(which)});
      } catch (const swai::link::Error& error) {
        if (error.kind() != swai::link::ErrorKind::kRefused) throw;
        throw Failure(sdaaErrorNotSupported, "this card does not count what its engines do");
      }
    };
    *work = {.any = statistic(Statistic::kWorkCycles),
             .dma = statistic(Statistic::kDmaCycles),
             .systolic = statistic(Statistic::kSystolicCycles),
             .vector = statistic(Statistic::kVectorCycles),
             .bytesToCard = statistic(Statistic::kRxPayloadBytes),
             .bytesToHost = statistic(Statistic::kTxPayloadBytes),
             .barrier = statistic(Statistic::kBarrierCycles)};
  });
}
