// SPDX-License-Identifier: Apache-2.0
// Memory of the card and pinned memory of the host.
#include <fmt/format.h>

#include "abi/segment.hpp"
#include "host/runtime/call.hpp"
#include "host/runtime/device_memory.hpp"
#include "host/runtime/memory_check.hpp"

using namespace swai::sdaa;
namespace protocol = swai::protocol;

namespace {

constexpr uint64_t kPitchAlignment = 64;

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
  *pointer = reinterpret_cast<void*>(
      allocate_on_card(*device, lock, bytes, static_cast<protocol::Usage>(flags), group));
}

constexpr const char* kNotReached = "kernels reach no memory of the host";

void allocate_host(void** pointer, size_t bytes, unsigned flags) {
  require(pointer != nullptr, "a null pointer");
  *pointer = nullptr;
  require((flags & sdaaHostMallocMapped) == 0, kNotReached, sdaaErrorNotSupported);
  require((flags & ~(sdaaHostMallocPortable | sdaaHostMallocWriteCombined)) == 0, "flags that do not exist");
  if (bytes == 0) return;
  const auto device = Runtime::get().current();
  const Device::Lock lock = device->enter();
  *pointer = device->host_memory().allocate(bytes, flags);
}

void free_host(void* pointer) {
  if (pointer == nullptr) return;
  const auto device = Runtime::get().current();
  Device::Lock lock = device->enter();
  const auto* area = device->host_memory().find(pointer, 1);
  require(area != nullptr && !area->registered && area->begin == reinterpret_cast<uintptr_t>(pointer),
          "not the beginning of memory of sdaaMallocHost, or freed before");
  device->waiting().until_idle(lock);
  require(device->host_memory().remove(pointer, false), "freed meanwhile by another thread");
}

void find_range(void* pointer, void** base, size_t* bytes) {
  const auto device = Runtime::get().current();
  const Device::Lock lock = device->enter();
  const auto named = reinterpret_cast<uintptr_t>(pointer);
  device->allocations().check(named, 1);
  const auto found = device->allocations().find(named);
  if (base != nullptr) *base = reinterpret_cast<void*>(found->first);
  if (bytes != nullptr) *bytes = found->second.bytes;
}

// Rows that begin at multiples of 64; the pitch.
size_t allocate_rows(void** pointer, size_t width, size_t rows) {
  constexpr uint64_t kMost = uint64_t{1} << 40;
  require(width < kMost && rows < kMost, "more than a card can have", sdaaErrorOutOfMemory);
  const uint64_t wide = (width + kPitchAlignment - 1) & ~(kPitchAlignment - 1);
  require(wide == 0 || rows < kMost / wide, "more than a card can have", sdaaErrorOutOfMemory);
  allocate(pointer, wide * rows, sdaaMallocCores, sdaaAnyGroup);
  return wide;
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
    *pitch = allocate_rows(pointer, width, height);
  });
}

sdaaError_t sdaaMalloc3D(sdaaPitchedPtr* pointer, sdaaExtent extent) {
  return call("sdaaMalloc3D", [&] {
    require(pointer != nullptr, "a null pointer");
    require(extent.depth == 0 || extent.height < (uint64_t{1} << 40) / extent.depth,
            "more than a card can have", sdaaErrorOutOfMemory);
    void* memory = nullptr;
    const size_t pitch = allocate_rows(&memory, extent.width, extent.height * extent.depth);
    *pointer = make_sdaaPitchedPtr(memory, pitch, extent.width, extent.height);
  });
}

sdaaError_t sdaaMemGetAddressRange(void** base, size_t* bytes, void* pointer) {
  return call("sdaaMemGetAddressRange", [&] { find_range(pointer, base, bytes); });
}

sdaaError_t sdaaMemPtrGetInfo(void* pointer, size_t* bytes) {
  return call("sdaaMemPtrGetInfo", [&] {
    require(bytes != nullptr, "a null pointer");
    find_range(pointer, nullptr, bytes);
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
    device->waiting().until_idle(lock);
    free_on_card(*device, lock, named);
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
    device->waiting().until_idle(lock);
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
  return call("sdaaMallocHost", [&] { allocate_host(pointer, bytes, sdaaHostMallocDefault); });
}

sdaaError_t sdaaHostMalloc(void** pointer, size_t bytes, unsigned int flags) {
  return call("sdaaHostMalloc", [&] { allocate_host(pointer, bytes, flags); });
}

sdaaError_t sdaaHostAlloc(void** pointer, size_t bytes, unsigned int flags) {
  return call("sdaaHostAlloc", [&] { allocate_host(pointer, bytes, flags); });
}

sdaaError_t sdaaFreeHost(void* pointer) {
  return call("sdaaFreeHost", [&] { free_host(pointer); });
}

sdaaError_t sdaaHostFree(void* pointer) {
  return call("sdaaHostFree", [&] { free_host(pointer); });
}

sdaaError_t sdaaHostGetFlags(unsigned int* flags, void* pointer) {
  return call("sdaaHostGetFlags", [&] {
    require(flags != nullptr && pointer != nullptr, "a null pointer");
    const auto device = Runtime::get().current();
    const Device::Lock lock = device->enter();
    const auto* area = device->host_memory().find(pointer, 1);
    require(area != nullptr, "the memory is not pinned");
    *flags = area->flags;
  });
}

sdaaError_t sdaaHostRegister(void* pointer, size_t bytes, unsigned int flags) {
  return call("sdaaHostRegister", [&] {
    require(pointer != nullptr && bytes != 0, "no memory");
    require((flags & sdaaHostRegisterMapped) == 0, kNotReached, sdaaErrorNotSupported);
    require((flags & sdaaHostRegisterIoMemory) == 0, "memory of other cards cannot be pinned",
            sdaaErrorNotSupported);
    require((flags & ~(sdaaHostRegisterPortable | sdaaHostRegisterReadOnly)) == 0, "flags that do not exist");
    const auto begin = reinterpret_cast<uintptr_t>(pointer);
    require(begin + bytes > begin && (begin + bytes) >> 47 == 0, "no memory of this process");
    const auto device = Runtime::get().current();
    const Device::Lock lock = device->enter();
    require(!device->host_memory().overlaps(pointer, bytes), "part of it is pinned already",
            sdaaErrorHostMemoryAlreadyRegistered);
    device->host_memory().add(pointer, bytes, flags);
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
    device->waiting().until_idle(lock);
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
