// Memory of the card and pinned memory of the host.
#include <fmt/format.h>

#include "abi/segment.hpp"
#include "host/sdaa/call.hpp"
#include "host/sdaa/memory_check.hpp"

using namespace swai::sdaa;
namespace protocol = swai::protocol;

namespace {

constexpr uint64_t kPitchAlignment = 64;

// Does something with memory that is nobody's: not the user's yet, or not any more. When that fails the card
// gets the memory back all the same.
template <typename Action>
void or_give_back(Device& device, Device::Lock& lock, uint64_t given, Action action) {
  const uint64_t epoch = device.epoch();
  try {
    action();
  } catch (const Failure&) {
    try {
      // After a reset the number may be somebody else's. What was begun may still use it.
      if (device.epoch() == epoch) {
        device.wait_idle(lock);
        device.connection().ask(protocol::Operation::kFree, {given});
      }
    } catch (const Failure&) {
      // Nobody knows whether it is in use: it stays taken.
    }
    throw;
  }
}

void allocate(void** pointer, size_t bytes, unsigned flags, int group) {
  require(pointer != nullptr, "a null pointer");
  require(flags <= sdaaMallocShared, "no such kind of memory");
  *pointer = nullptr;
  if (bytes == 0) return;
  const auto device = Runtime::get().current();
  Device::Lock lock = device->enter();
  const auto& info = device->info();
  require(group == sdaaAnyGroup || (group >= 0 && static_cast<unsigned>(group) < info.groups),
          "no such group");
  const auto usage = static_cast<protocol::Usage>(flags);
  const uint64_t wish =
      protocol::AllocateFlags{
          usage, static_cast<uint8_t>(group == sdaaAnyGroup ? protocol::kAnyGroup : unsigned(group))}
          .bits();
  Connection::Values values;
  const bool checked = device->checked();
  const uint64_t asked = checked ? memory_check::room(bytes) : bytes;
  auto status = protocol::Status::kAgain;
  // The card clears what somebody else has left there.
  while (status == protocol::Status::kAgain)
    status = device->connection().request(protocol::Operation::kAllocate, {asked, wish}, values);
  if (status != protocol::Status::kOk) {
    fail(code_of(status),
         fmt::format("{} bytes of memory on device {}: {}", bytes, device->number(), text(status)));
  }
  const Allocation fresh = device->allocations().number(bytes, usage, static_cast<unsigned>(group));
  const uint64_t named = checked ? values[0] + memory_check::kZone : values[0];
  if (checked)
    or_give_back(*device, lock, values[0], [&] { memory_check::prepare(*device, lock, named, fresh); });
  device->allocations().add(named, fresh);
  *pointer = reinterpret_cast<void*>(named);
}

}  // namespace

sdaaError_t sdaaMalloc(void** pointer, size_t bytes) {
  return call("sdaaMalloc", [&] { allocate(pointer, bytes, sdaaMallocCores, sdaaAnyGroup); });
}

sdaaError_t sdaaMallocWithFlags(void** pointer, size_t bytes, unsigned int flags, int group) {
  return call("sdaaMallocWithFlags", [&] { allocate(pointer, bytes, flags, group); });
}

sdaaError_t sdaaMallocPitch(void** pointer, size_t* pitch, size_t width, size_t height) {
  return call("sdaaMallocPitch", [&] {
    require(pitch != nullptr, "a null pointer");
    constexpr uint64_t kMost = uint64_t{1} << 40;
    require(width < kMost && height < kMost, "more than a card can have", sdaaErrorOutOfMemory);
    const uint64_t wide = (width + kPitchAlignment - 1) & ~(kPitchAlignment - 1);
    require(wide == 0 || height < kMost / wide, "more than a card can have", sdaaErrorOutOfMemory);
    allocate(pointer, wide * height, sdaaMallocCores, sdaaAnyGroup);
    *pitch = wide;
  });
}

sdaaError_t sdaaFree(void* pointer) {
  return call("sdaaFree", [&] {
    if (pointer == nullptr) return;
    const auto device = Runtime::get().current();
    Device::Lock lock = device->enter();
    const auto named = reinterpret_cast<uintptr_t>(pointer);
    device->allocations().check_begin(named);
    // Whatever was begun may still use it. Another thread may have freed it meanwhile.
    device->wait_idle(lock);
    const Allocation freed = device->allocations().check_begin(named);
    device->allocations().remove(named);
    if (!device->checked()) {
      device->connection().ask(protocol::Operation::kFree, {named});
      return;
    }
    const uint64_t given = named - memory_check::kZone;
    std::string damage;
    or_give_back(*device, lock, given, [&] {
      damage = memory_check::damage(*device, lock, named, freed);
      memory_check::poison(*device, lock, named, freed);
    });
    device->connection().ask(protocol::Operation::kFree, {given});
    if (damage.empty()) return;
    memory_check::report(damage);
    fail(sdaaErrorIllegalAddress, damage);
  });
}

sdaaError_t sdaaMemGetInfo(size_t* free, size_t* total) {
  return call("sdaaMemGetInfo", [&] {
    require(free != nullptr && total != nullptr, "a null pointer");
    const auto device = Runtime::get().current();
    Device::Lock lock = device->enter();
    uint64_t all_free = 0;
    uint64_t all = 0;
    for (uint64_t group = 0; group < device->info().groups; ++group) {
      const auto values = device->connection().ask(protocol::Operation::kMemoryInfo, {group});
      all_free += values[0];
      all += values[1];
    }
    *free = all_free;
    *total = all;
  });
}

sdaaError_t sdaaMemCheck(size_t* damaged) {
  return call("sdaaMemCheck", [&] {
    require(damaged != nullptr, "a null pointer");
    *damaged = 0;
    const auto device = Runtime::get().current();
    Device::Lock lock = device->enter();
    require(device->checked(), "only with SWAI_MEMORY_CHECK=1", sdaaErrorNotSupported);
    device->wait_idle(lock);
    // Other threads allocate and free while this one waits.
    const auto& all = device->allocations().all();
    for (auto next = all.begin(); next != all.end();) {
      const auto [pointer, allocation] = *next;
      const std::string damage = memory_check::damage(*device, lock, pointer, allocation);
      if (!damage.empty() && all.contains(pointer)) {
        memory_check::report(damage);
        ++*damaged;
      }
      next = all.upper_bound(pointer);
    }
  });
}

sdaaError_t sdaaMallocHost(void** pointer, size_t bytes) {
  return sdaaHostMalloc(pointer, bytes, sdaaHostMallocDefault);
}

sdaaError_t sdaaHostMalloc(void** pointer, size_t bytes, unsigned int flags) {
  return call("sdaaHostMalloc", [&] {
    require(pointer != nullptr, "a null pointer");
    require(flags <= sdaaHostMallocPortable, "flags that do not exist");
    *pointer = nullptr;
    if (bytes == 0) return;
    const auto device = Runtime::get().current();
    const Device::Lock lock = device->enter();
    *pointer = device->host_memory().allocate(bytes);
  });
}

sdaaError_t sdaaFreeHost(void* pointer) {
  return call("sdaaFreeHost", [&] {
    if (pointer == nullptr) return;
    const auto device = Runtime::get().current();
    Device::Lock lock = device->enter();
    const auto* area = device->host_memory().find(pointer, 1);
    require(area != nullptr && !area->registered && area->begin == reinterpret_cast<uintptr_t>(pointer),
            "not the beginning of memory of sdaaMallocHost, or freed before");
    device->wait_idle(lock);
    require(device->host_memory().remove(pointer, false), "freed meanwhile by another thread");
  });
}

sdaaError_t sdaaHostRegister(void* pointer, size_t bytes, unsigned int flags) {
  return call("sdaaHostRegister", [&] {
    require(pointer != nullptr && bytes != 0, "no memory");
    require((flags & ~(sdaaHostRegisterPortable | sdaaHostRegisterReadOnly)) == 0, "flags that do not exist");
    const auto begin = reinterpret_cast<uintptr_t>(pointer);
    require(begin + bytes > begin && (begin + bytes) >> 47 == 0, "no memory of this process");
    const auto device = Runtime::get().current();
    const Device::Lock lock = device->enter();
    require(!device->host_memory().overlaps(pointer, bytes), "part of it is pinned already",
            sdaaErrorHostMemoryAlreadyRegistered);
    device->host_memory().add(pointer, bytes, (flags & sdaaHostRegisterReadOnly) == 0);
  });
}

sdaaError_t sdaaHostUnregister(void* pointer) {
  return call("sdaaHostUnregister", [&] {
    require(pointer != nullptr, "a null pointer");
    const auto device = Runtime::get().current();
    Device::Lock lock = device->enter();
    const auto* area = device->host_memory().find(pointer, 1);
    require(area != nullptr && area->registered && area->begin == reinterpret_cast<uintptr_t>(pointer),
            "not the beginning of registered memory", sdaaErrorHostMemoryNotRegistered);
    device->wait_idle(lock);
    require(device->host_memory().remove(pointer, true), "unregistered meanwhile by another thread",
            sdaaErrorHostMemoryNotRegistered);
  });
}

sdaaError_t sdaaPointerGetAttributes(sdaaPointerAttribute_t* attributes, const void* pointer) {
  return call("sdaaPointerGetAttributes", [&] {
    require(attributes != nullptr && pointer != nullptr, "a null pointer");
    const auto device = Runtime::get().current();
    Device::Lock lock = device->enter();
    sdaaPointerAttribute_t fresh = {};
    fresh.device = device->number();
    fresh.group = -1;
    const auto named = reinterpret_cast<uintptr_t>(pointer);
    if (const auto* area = device->host_memory().find(pointer, 1)) {
      fresh.type = sdaaMemoryTypeHost;
      fresh.hostPointer = const_cast<void*>(pointer);
      fresh.devicePointer = reinterpret_cast<void*>(area->iova + (named - area->begin));
      fresh.base = reinterpret_cast<void*>(area->begin);
      fresh.bytes = area->bytes;
    } else if (const auto found = device->allocations().find(named);
               found != device->allocations().all().end()) {
      const auto& allocation = found->second;
      fresh.type =
          allocation.usage == protocol::Usage::kShared ? sdaaMemoryTypeManaged : sdaaMemoryTypeDevice;
      fresh.devicePointer = const_cast<void*>(pointer);
      fresh.base = reinterpret_cast<void*>(found->first);
      fresh.bytes = allocation.bytes;
      fresh.group = static_cast<int>(device->connection().ask(protocol::Operation::kPointerInfo, {named})[4]);
    } else {
      require(named >> 48 == 0, "device memory that nobody has", sdaaErrorInvalidValue);
      fresh.type = sdaaMemoryTypeUnregistered;
      fresh.hostPointer = const_cast<void*>(pointer);
    }
    *attributes = fresh;
  });
}
