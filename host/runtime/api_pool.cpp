// SPDX-License-Identifier: Apache-2.0
// Memory in the order of streams, and its pools.
#include <fmt/format.h>

#include "host/runtime/call.hpp"
#include "host/runtime/device_memory.hpp"
#include "host/runtime/in_use.hpp"
#include "host/runtime/pool.hpp"

using namespace swai::sdaa;

namespace {

constexpr uint64_t kLine = 64;

InUse<MemoryPool> use_pool(sdaaMemPool_t handle) {
  return use_object(Runtime::get().pools.get(handle, "no such pool"), "the pool was destroyed");
}

sdaaMemPool_t handle_of(const std::shared_ptr<MemoryPool>& pool) {
  if (pool->handle == 0) pool->handle = Runtime::get().pools.add(pool);
  return reinterpret_cast<sdaaMemPool_t>(pool->handle);
}

void allocate(void** pointer, size_t bytes, const std::shared_ptr<MemoryPool>& wanted, sdaaStream_t stream) {
  require(pointer != nullptr, "a null pointer");
  *pointer = nullptr;
  auto use = Runtime::get().use_stream(stream);
  Device& device = *use.device;
  const StreamWriter writer = use.writer();
  writer.refuse_capture();
  writer.check();
  const auto pool = wanted == nullptr ? device.pools().current(use.device) : wanted;
  require(pool->alive, "the pool was destroyed", sdaaErrorInvalidHandle);
  require(pool->device == use.device, "pool and stream are of different devices", sdaaErrorInvalidHandle);
  if (bytes == 0) return;
  require(bytes < uint64_t{1} << 40, "more than a card can have", sdaaErrorOutOfMemory);
  // With checks what lies behind the last byte is nobody's.
  const uint64_t whole = device.checked() ? bytes : (bytes + kLine - 1) & ~(kLine - 1);
  device.queues().look();
  MemoryPool::Block block = pool->take(whole, *use.stream);
  if (block.bytes == 0) {
    if (pool->most != 0 && pool->reserved.now + whole > pool->most) pool->trim(device.connection(), 0);
    require(pool->most == 0 || pool->reserved.now + whole <= pool->most, "the pool may not have more",
            sdaaErrorOutOfMemory);
    block.bytes = whole;
    block.pointer =
        allocate_on_card(device, use.lock, whole, swai::protocol::Usage::kCpe, sdaaAnyGroup, pool);
    pool->reserved.add(whole);
  } else {
    device.allocations().add(block.pointer,
                             device.allocations().number(block.bytes, swai::protocol::Usage::kCpe,
                                                         static_cast<unsigned>(sdaaAnyGroup), pool));
  }
  pool->used.add(block.bytes);
  *pointer = reinterpret_cast<void*>(block.pointer);
}

uint64_t& amount(MemoryPool& pool, sdaaMemPoolAttr attribute) {
  switch (attribute) {
    case sdaaMemPoolAttrReleaseThreshold:
      return pool.threshold;
    case sdaaMemPoolAttrReservedMemCurrent:
      return pool.reserved.now;
    case sdaaMemPoolAttrReservedMemHigh:
      return pool.reserved.high;
    case sdaaMemPoolAttrUsedMemCurrent:
      return pool.used.now;
    case sdaaMemPoolAttrUsedMemHigh:
      return pool.used.high;
    default:
      fail(sdaaErrorInvalidValue, "an attribute that does not exist");
  }
}

bool is_about_reuse(sdaaMemPoolAttr attribute) {
  return attribute >= sdaaMemPoolReuseFollowEventDependencies &&
         attribute <= sdaaMemPoolReuseAllowInternalDependencies;
}

}  // namespace

sdaaError_t sdaaMallocAsync(void** pointer, size_t bytes, sdaaStream_t stream) {
  return call("sdaaMallocAsync", [&] { allocate(pointer, bytes, nullptr, stream); });
}

sdaaError_t sdaaMallocFromPoolAsync(void** pointer, size_t bytes, sdaaMemPool_t pool, sdaaStream_t stream) {
  return call("sdaaMallocFromPoolAsync",
              [&] { allocate(pointer, bytes, Runtime::get().pools.get(pool, "no such pool"), stream); });
}

sdaaError_t sdaaFreeAsync(void* pointer, sdaaStream_t stream) {
  return call("sdaaFreeAsync", [&] {
    auto use = Runtime::get().use_stream(stream);
    Device& device = *use.device;
    StreamWriter writer = use.writer();
    writer.refuse_capture();
    if (pointer == nullptr) return;
    const auto named = reinterpret_cast<uintptr_t>(pointer);
    const Allocation freed = device.allocations().check_begin(named);
    require(freed.pool != nullptr, "only memory of sdaaMallocAsync is freed in the order of a stream");
    const Point point = writer.mark();
    if (device.checked()) {
      // What is around it can be looked at only when it is at rest.
      writer.wait(point);
      free_on_card(device, use.lock, named);
      return;
    }
    // Another thread may have freed it meanwhile.
    device.allocations().check_begin(named);
    device.allocations().remove(named);
    freed.pool->used.now -= freed.bytes;
    freed.pool->free.push_back({named, freed.bytes, point});
  });
}

sdaaError_t sdaaMemPoolCreate(sdaaMemPool_t* pool, const sdaaMemPoolProps* properties) {
  return call("sdaaMemPoolCreate", [&] {
    require(pool != nullptr && properties != nullptr, "a null pointer");
    require(properties->allocType == sdaaMemAllocationTypePinned, "memory of pools is pinned");
    require(properties->location.type == sdaaMemLocationTypeDevice, "memory of pools is a device's");
    require(properties->handleTypes == sdaaMemHandleTypeNone, "no process can use another one's memory",
            sdaaErrorNotSupported);
    const auto device = Runtime::get().device(properties->location.id);
    const Device::Lock lock = device->enter();
    const auto own = device->pools().own(device);
    auto fresh = std::make_shared<MemoryPool>();
    fresh->device = own->device;
    fresh->most = properties->maxSize;
    device->pools().add(fresh);
    *pool = handle_of(fresh);
  });
}

sdaaError_t sdaaMemPoolDestroy(sdaaMemPool_t pool) {
  return call("sdaaMemPoolDestroy", [&] {
    const auto use = use_pool(pool);
    Device& device = *use.object->device;
    require(use.object != device.pools().own(use.object->device), "a device's first pool stays");
    device.queues().look();
    device.pools().close(device.connection(), *use.object);
    Runtime::get().pools.remove(pool);
  });
}

sdaaError_t sdaaMemPoolGetAttribute(sdaaMemPool_t pool, sdaaMemPoolAttr attribute, void* value) {
  return call("sdaaMemPoolGetAttribute", [&] {
    require(value != nullptr, "a null pointer");
    const auto use = use_pool(pool);
    if (is_about_reuse(attribute)) {
      *static_cast<int*>(value) = use.object->reuse[attribute - sdaaMemPoolReuseFollowEventDependencies];
    } else {
      *static_cast<uint64_t*>(value) = amount(*use.object, attribute);
    }
  });
}

sdaaError_t sdaaMemPoolSetAttribute(sdaaMemPool_t pool, sdaaMemPoolAttr attribute, void* value) {
  return call("sdaaMemPoolSetAttribute", [&] {
    require(value != nullptr, "a null pointer");
    const auto use = use_pool(pool);
    if (is_about_reuse(attribute)) {
      use.object->reuse[attribute - sdaaMemPoolReuseFollowEventDependencies] = *static_cast<int*>(value);
      return;
    }
    uint64_t& kept = amount(*use.object, attribute);
    const uint64_t wish = *static_cast<uint64_t*>(value);
    if (attribute == sdaaMemPoolAttrReleaseThreshold) {
      kept = wish;
      return;
    }
    require(attribute == sdaaMemPoolAttrReservedMemHigh || attribute == sdaaMemPoolAttrUsedMemHigh,
            "what is in use now cannot be set");
    require(wish == 0, "a peak can be set to 0 only");
    kept = attribute == sdaaMemPoolAttrUsedMemHigh ? use.object->used.now : use.object->reserved.now;
  });
}

sdaaError_t sdaaMemPoolTrimTo(sdaaMemPool_t pool, size_t bytes) {
  return call("sdaaMemPoolTrimTo", [&] {
    const auto use = use_pool(pool);
    use.object->device->queues().look();
    use.object->trim(use.object->device->connection(), bytes);
  });
}

sdaaError_t sdaaDeviceGetDefaultMemPool(sdaaMemPool_t* pool, int number) {
  return call("sdaaDeviceGetDefaultMemPool", [&] {
    require(pool != nullptr, "a null pointer");
    const auto device = Runtime::get().device(number);
    const Device::Lock lock = device->enter();
    *pool = handle_of(device->pools().own(device));
  });
}

sdaaError_t sdaaDeviceGetMemPool(sdaaMemPool_t* pool, int number) {
  return call("sdaaDeviceGetMemPool", [&] {
    require(pool != nullptr, "a null pointer");
    const auto device = Runtime::get().device(number);
    const Device::Lock lock = device->enter();
    *pool = handle_of(device->pools().current(device));
  });
}

sdaaError_t sdaaDeviceSetMemPool(int number, sdaaMemPool_t pool) {
  return call("sdaaDeviceSetMemPool", [&] {
    const auto device = Runtime::get().device(number);
    const auto use = use_pool(pool);
    require(use.object->device == device, "the pool is another device's");
    device->pools().set_current(use.object);
  });
}
