// SPDX-License-Identifier: Apache-2.0
// Memory in the order of streams, and its pools. Against a played card.
#include <cstring>

#include "verif/host/runtime/kernels.hpp"
#include "verif/host/runtime/tools.hpp"

using namespace swai;
using namespace swai::sdaa;

namespace {

uint64_t amount(sdaaMemPool_t pool, sdaaMemPoolAttr attribute) {
  uint64_t value = ~uint64_t{0};
  CHECK_OK(sdaaMemPoolGetAttribute(pool, attribute, &value));
  return value;
}
uint64_t free_memory() {
  size_t free = 0;
  size_t total = 0;
  CHECK_OK(sdaaMemGetInfo(&free, &total));
  return free;
}
uint8_t* allocate_in_order(size_t bytes, sdaaStream_t stream) {
  uint8_t* pointer = nullptr;
  REQUIRE_OK(sdaaMallocAsync(&pointer, bytes, stream));
  return pointer;
}
sdaaMemPool_t own_pool() {
  sdaaMemPool_t pool = nullptr;
  REQUIRE_OK(sdaaDeviceGetDefaultMemPool(&pool, 0));
  return pool;
}

constexpr size_t kMiB = 1 << 20;

}  // namespace

TEST_CASE("pools: a stream has again what it has freed, another one when that is complete") {
  const Fakes fakes;
  const sdaaModule_t module = load_fake_module();
  const sdaaStream_t first = new_stream(sdaaStreamNonBlocking), second = new_stream(sdaaStreamNonBlocking);
  uint64_t keep = ~uint64_t{0};
  REQUIRE_OK(sdaaMemPoolSetAttribute(own_pool(), sdaaMemPoolAttrReleaseThreshold, &keep));
  uint8_t* const one = allocate_in_order(kMiB, first);
  REQUIRE_OK(sdaaLaunchKernel(kernel(module, "slow"), nullptr, 0, first));
  REQUIRE_OK(sdaaFreeAsync(one, first));
  CHECK_ERROR(sdaaFreeAsync(one, first), sdaaErrorInvalidDevicePointer);
  CHECK_ERROR(sdaaMemset(one, 0, 1), sdaaErrorInvalidDevicePointer);
  // The kernel is not through yet.
  uint8_t* const other = allocate_in_order(kMiB, second);
  CHECK(other != one);
  CHECK(allocate_in_order(kMiB, first) == one);
  CHECK_OK(sdaaFreeAsync(one, first));
  CHECK_OK(sdaaStreamSynchronize(first));
  CHECK(allocate_in_order(kMiB, second) == one);
  CHECK_OK(sdaaFreeAsync(one, second));

  // Unless that is not allowed.
  const auto allow = [](int yes) {
    CHECK_OK(sdaaMemPoolSetAttribute(own_pool(), sdaaMemPoolReuseAllowOpportunistic, &yes));
  };
  CHECK_OK(sdaaStreamSynchronize(second));
  allow(0);
  uint8_t* const fresh = allocate_in_order(kMiB, first);
  CHECK(fresh != one);
  allow(1);
  CHECK(allocate_in_order(kMiB, first) == one);
  // What is much larger is not given away for something small.
  CHECK_OK(sdaaFreeAsync(one, first));
  CHECK(allocate_in_order(64, first) != one);
  CHECK_OK(sdaaDeviceSynchronize());
}

TEST_CASE("pools: counts, what is kept and what goes back to the card") {
  const Fakes fakes;
  const sdaaStream_t stream = new_stream();
  const sdaaMemPool_t pool = own_pool();
  const uint64_t before = free_memory();
  uint8_t* const one = allocate_in_order(4 * kMiB, stream);
  uint8_t* const two = allocate_in_order(4 * kMiB, stream);
  CHECK(amount(pool, sdaaMemPoolAttrUsedMemCurrent) == 8 * kMiB);
  CHECK(amount(pool, sdaaMemPoolAttrReservedMemCurrent) == 8 * kMiB);
  CHECK_OK(sdaaFreeAsync(one, stream));
  CHECK(amount(pool, sdaaMemPoolAttrUsedMemCurrent) == 4 * kMiB);
  CHECK(amount(pool, sdaaMemPoolAttrReservedMemCurrent) == 8 * kMiB);
  CHECK(amount(pool, sdaaMemPoolAttrUsedMemHigh) == 8 * kMiB);
  uint64_t zero = 0;
  CHECK_OK(sdaaMemPoolSetAttribute(pool, sdaaMemPoolAttrUsedMemHigh, &zero));
  CHECK(amount(pool, sdaaMemPoolAttrUsedMemHigh) == 4 * kMiB);
  // Who waits lets the pool give back what it does not want to keep.
  CHECK_OK(sdaaStreamSynchronize(stream));
  CHECK(amount(pool, sdaaMemPoolAttrReservedMemCurrent) == 4 * kMiB);
  uint64_t keep = 64 * kMiB;
  CHECK_OK(sdaaMemPoolSetAttribute(pool, sdaaMemPoolAttrReleaseThreshold, &keep));
  CHECK_OK(sdaaFreeAsync(two, stream));
  CHECK_OK(sdaaDeviceSynchronize());
  CHECK(amount(pool, sdaaMemPoolAttrReservedMemCurrent) == 4 * kMiB);
  CHECK(free_memory() < before);
  CHECK_OK(sdaaMemPoolTrimTo(pool, 0));
  CHECK(amount(pool, sdaaMemPoolAttrReservedMemCurrent) == 0);
  CHECK(free_memory() == before);
  // Memory that a pool keeps is there for all when there is no other.
  CHECK_OK(sdaaFreeAsync(allocate_in_order(40 * kMiB, stream), stream));
  CHECK_OK(sdaaStreamSynchronize(stream));
  CHECK(amount(pool, sdaaMemPoolAttrReservedMemCurrent) == 40 * kMiB);
  void* const large = allocate(60 * kMiB);
  void* const more = allocate(50 * kMiB);
  CHECK(amount(pool, sdaaMemPoolAttrReservedMemCurrent) == 0);
  CHECK_OK(sdaaFree(large));
  CHECK_OK(sdaaFree(more));
  // sdaaFree takes memory of pools, too.
  CHECK_OK(sdaaFree(allocate_in_order(kMiB, stream)));
  CHECK(amount(pool, sdaaMemPoolAttrReservedMemCurrent) == 0);
  CHECK(free_memory() == before);
}

TEST_CASE("pools: of one's own, with a limit") {
  const Fakes fakes(2);
  sdaaMemPoolProps wish = {};
  wish.allocType = sdaaMemAllocationTypePinned;
  wish.location = {sdaaMemLocationTypeDevice, 0};
  wish.maxSize = 2 * kMiB;
  sdaaMemPool_t pool = nullptr;
  REQUIRE_OK(sdaaMemPoolCreate(&pool, &wish));
  sdaaMemPool_t current = nullptr;
  CHECK_OK(sdaaDeviceGetMemPool(&current, 0));
  CHECK(current == own_pool());
  CHECK_OK(sdaaDeviceSetMemPool(0, pool));
  CHECK_OK(sdaaDeviceGetMemPool(&current, 0));
  CHECK(current == pool);
  CHECK_ERROR(sdaaDeviceSetMemPool(1, pool), sdaaErrorInvalidValue);
  uint8_t* const one = allocate_in_order(kMiB, nullptr);
  uint8_t* two = nullptr;
  CHECK_OK(sdaaMallocAsync(&two, kMiB, pool, nullptr));
  uint8_t* three = nullptr;
  CHECK_ERROR(sdaaMallocFromPoolAsync(&three, 64, pool, nullptr), sdaaErrorOutOfMemory);
  CHECK_OK(sdaaFreeAsync(one, nullptr));
  CHECK_OK(sdaaMemPoolDestroy(pool));
  CHECK_ERROR(sdaaMemPoolTrimTo(pool, 0), sdaaErrorInvalidHandle);
  CHECK_OK(sdaaDeviceGetMemPool(&current, 0));
  CHECK(current == own_pool());
  // What is in use stays, and goes back when it is freed.
  CHECK_OK(sdaaMemset(two, 0, kMiB));
  CHECK_OK(sdaaFreeAsync(two, nullptr));
  CHECK_OK(sdaaDeviceSynchronize());
  CHECK(free_memory() == 122 * kMiB);
  CHECK_ERROR(sdaaMemPoolDestroy(own_pool()), sdaaErrorInvalidValue);
  wish.allocType = sdaaMemAllocationTypeInvalid;
  CHECK_ERROR(sdaaMemPoolCreate(&pool, &wish), sdaaErrorInvalidValue);
  CHECK_OK(sdaaDeviceReset());
  CHECK_ERROR(sdaaMemPoolTrimTo(current, 0), sdaaErrorInvalidHandle);
  CHECK(allocate_in_order(kMiB, nullptr) != nullptr);
}

TEST_CASE("pools: what is refused") {
  const Fakes fakes;
  const sdaaStream_t stream = new_stream();
  void* pointer = allocate(64);
  CHECK_ERROR(sdaaFreeAsync(pointer, stream), sdaaErrorInvalidValue);
  CHECK_ERROR(sdaaFreeAsync(&pointer, stream), sdaaErrorInvalidDevicePointer);
  CHECK_OK(sdaaFreeAsync(nullptr, stream));
  CHECK_ERROR(sdaaMallocAsync(static_cast<void**>(nullptr), 64, stream), sdaaErrorInvalidValue);
  CHECK_ERROR(sdaaMallocAsync(&pointer, size_t{1} << 40, stream), sdaaErrorOutOfMemory);
  CHECK_OK(sdaaMallocAsync(&pointer, 0, stream));
  CHECK(pointer == nullptr);
  CHECK_ERROR(sdaaMallocFromPoolAsync(&pointer, 64, nullptr, stream), sdaaErrorInvalidHandle);
  int value = 0;
  CHECK_ERROR(sdaaMemPoolGetAttribute(own_pool(), static_cast<sdaaMemPoolAttr>(9), &value),
              sdaaErrorInvalidValue);
  uint64_t bytes = 1;
  CHECK_ERROR(sdaaMemPoolSetAttribute(own_pool(), sdaaMemPoolAttrUsedMemCurrent, &bytes),
              sdaaErrorInvalidValue);
  CHECK_ERROR(sdaaMemPoolSetAttribute(own_pool(), sdaaMemPoolAttrUsedMemHigh, &bytes), sdaaErrorInvalidValue);
  REQUIRE_OK(sdaaStreamBeginCapture(stream, sdaaStreamCaptureModeGlobal));
  CHECK_ERROR(sdaaMallocAsync(&pointer, 64, stream), sdaaErrorStreamCaptureUnsupported);
  sdaaGraph_t graph = nullptr;
  CHECK_ERROR(sdaaStreamEndCapture(stream, &graph), sdaaErrorStreamCaptureInvalidated);
}

TEST_CASE("pools: with checks, what was written around memory is found when it is freed") {
  const Fakes fakes(1, {}, true);
  const sdaaStream_t stream = new_stream();
  const sdaaModule_t module = load_fake_module();
  uint8_t* const one = allocate_in_order(100, stream);
  CHECK_ERROR(sdaaMemsetAsync(one, 0, 101, stream), sdaaErrorInvalidValue);
  CHECK_OK(sdaaMemsetAsync(one, 0, 100, stream));
  CHECK_OK(sdaaFreeAsync(one, stream));
  uint8_t* const two = allocate_in_order(64, stream);
  // Four cores write, 64 bytes apart.
  const WhoArgs who = {global<uint32_t>(two)};
  CHECK_OK(sdaaLaunchKernel(kernel(module, "who"), &who, 0, stream));
  CHECK_ERROR(sdaaFreeAsync(two, stream), sdaaErrorIllegalAddress);
  CHECK(amount(own_pool(), sdaaMemPoolAttrReservedMemCurrent) == 0);
}
