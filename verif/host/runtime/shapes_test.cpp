// SPDX-License-Identifier: Apache-2.0
// Copies and fills of other shapes, and memory by CUDA's names. Against a played card.
#include <cstring>

#include "verif/host/runtime/tools.hpp"
#include "verif/kit/doctest_main.hpp"

using namespace swai;
using namespace swai::sdaa;

namespace {

template <typename T>
std::vector<T> fetch(const void* from, size_t count) {
  std::vector<T> values(count);
  CHECK_OK(sdaaMemcpy(values.data(), from, count * sizeof(T), sdaaMemcpyDeviceToHost));
  return values;
}

}  // namespace

TEST_CASE("fills with values of 1, 2 and 4 bytes, short and longer than a buffer") {
  const Fakes fakes;
  for (const size_t count : {size_t{1}, size_t{7}, size_t{100'000}}) {
    CAPTURE(count);
    auto* words = static_cast<uint32_t*>(allocate((count + 1) * 4));
    CHECK_OK(sdaaMemset(words, 0xee, (count + 1) * 4));
    CHECK_OK(sdaaMemsetD32(words, 0x12345678, count));
    auto found = fetch<uint32_t>(words, count + 1);
    for (size_t i = 0; i < count; ++i) REQUIRE(found[i] == 0x12345678);
    CHECK(found[count] == 0xeeeeeeee);
    const sdaaStream_t stream = new_stream();
    CHECK_OK(sdaaMemsetD32Async(words, 0x01010101, count, stream));
    CHECK_OK(sdaaMemsetD16Async(words, 0xabcd, count, stream));
    CHECK_OK(sdaaStreamSynchronize(stream));
    const auto halves = fetch<uint16_t>(words, 2 * count + 2);
    for (size_t i = 0; i < count; ++i) REQUIRE(halves[i] == 0xabcd);
    if (count > 1) CHECK(halves[count] == 0x0101);
    CHECK(halves[2 * count] == 0xeeee);
    CHECK_OK(sdaaMemsetD16(words, 0x2222, 1));
    CHECK_OK(sdaaMemsetD8(words, 7, 1));
    CHECK_OK(sdaaMemsetD8Async(words, 9, 0, stream));
    CHECK(fetch<uint16_t>(words, 1)[0] == 0x2207);
    CHECK_OK(sdaaFree(words));
  }
  void* const memory = allocate(64);
  CHECK_ERROR(sdaaMemsetD32(beyond(memory, 2), 1, 1), sdaaErrorInvalidValue);
  CHECK_ERROR(sdaaMemsetD16(beyond(memory, 1), 1, 1), sdaaErrorInvalidValue);
  CHECK_ERROR(sdaaMemsetD32(memory, 1, 17), sdaaErrorInvalidValue);
  CHECK_ERROR(sdaaMemsetD32(memory, 1, ~size_t{0} / 2), sdaaErrorInvalidValue);
  // In a graph there are no buffers of the host.
  const sdaaStream_t stream = new_stream();
  REQUIRE_OK(sdaaStreamBeginCapture(stream, sdaaStreamCaptureModeGlobal));
  CHECK_OK(sdaaMemsetD32Async(memory, 0x33333333, 16, stream));
  CHECK_ERROR(sdaaMemsetD32Async(memory, 0x33333334, 16, stream), sdaaErrorStreamCaptureUnsupported);
  sdaaGraph_t graph = nullptr;
  CHECK_ERROR(sdaaStreamEndCapture(stream, &graph), sdaaErrorStreamCaptureInvalidated);
}

TEST_CASE("boxes: memory, fills and copies of parts of them") {
  const Fakes fakes;
  constexpr size_t kWidth = 100, kHeight = 5, kDepth = 3;
  const sdaaExtent extent = make_sdaaExtent(kWidth, kHeight, kDepth);
  sdaaPitchedPtr box = {};
  REQUIRE_OK(sdaaMalloc3D(&box, extent));
  CHECK(box.pitch == 128);
  CHECK(box.xsize == kWidth);
  CHECK(box.ysize == kHeight);
  CHECK_OK(sdaaMemset3D(box, 0x11, extent));
  CHECK_OK(sdaaMemset3DAsync(box, 0x22, make_sdaaExtent(10, 2, 2)));
  std::vector<uint8_t> host(kWidth * kHeight * kDepth);
  sdaaMemcpy3DParms copy = {};
  copy.srcPtr = box;
  copy.dstPtr = make_sdaaPitchedPtr(host.data(), kWidth, kWidth, kHeight);
  copy.extent = extent;
  copy.kind = sdaaMemcpyDeviceToHost;
  CHECK_OK(sdaaMemcpy3D(&copy));
  for (size_t z = 0; z < kDepth; ++z) {
    for (size_t y = 0; y < kHeight; ++y) {
      for (size_t x = 0; x < kWidth; ++x) {
        const bool changed = x < 10 && y < 2 && z < 2;
        REQUIRE(host[(z * kHeight + y) * kWidth + x] == (changed ? 0x22 : 0x11));
      }
    }
  }
  // A part of it to another place.
  std::mt19937_64 random(test_seed());
  host = random_bytes(random, host.size());
  sdaaMemcpy3DParms part = {};
  part.srcPtr = make_sdaaPitchedPtr(host.data(), kWidth, kWidth, kHeight);
  part.srcPos = make_sdaaPos(3, 1, 1);
  part.dstPtr = box;
  part.dstPos = make_sdaaPos(40, 2, 0);
  part.extent = make_sdaaExtent(20, 3, 2);
  part.kind = sdaaMemcpyHostToDevice;
  CHECK_OK(sdaaMemcpy3DAsync(&part));
  const auto found = fetch<uint8_t>(box.ptr, box.pitch * kHeight * kDepth);
  for (size_t z = 0; z < 2; ++z) {
    for (size_t y = 0; y < 3; ++y) {
      for (size_t x = 0; x < 20; ++x) {
        REQUIRE(found[(z * kHeight + y + 2) * box.pitch + x + 40] ==
                host[((z + 1) * kHeight + y + 1) * kWidth + x + 3]);
      }
    }
  }
  CHECK(found[2 * box.pitch + 39] == 0x11);
  CHECK(found[2 * box.pitch + 60] == 0x11);

  part.extent.height = 6;
  CHECK_ERROR(sdaaMemcpy3D(&part), sdaaErrorInvalidValue);
  part.extent = extent;
  part.srcPtr.pitch = 99;
  CHECK_ERROR(sdaaMemcpy3D(&part), sdaaErrorInvalidPitchValue);
  part.srcArray = reinterpret_cast<sdaaArray_t>(&part);
  CHECK_ERROR(sdaaMemcpy3D(&part), sdaaErrorNotSupported);
  CHECK_ERROR(sdaaMemcpy3D(nullptr), sdaaErrorInvalidValue);
  CHECK_ERROR(sdaaMemset3D(box, 0, make_sdaaExtent(200, 1, 1)), sdaaErrorInvalidPitchValue);
  CHECK_ERROR(sdaaMemset3D(box, 0, make_sdaaExtent(10, 6, 2)), sdaaErrorInvalidValue);
  CHECK_ERROR(sdaaMalloc3D(&box, make_sdaaExtent(1, size_t{1} << 33, size_t{1} << 33)), sdaaErrorOutOfMemory);
  CHECK_ERROR(sdaaMalloc3D(nullptr, extent), sdaaErrorInvalidValue);
}

TEST_CASE("copies with a direction in their names, in a stream") {
  const Fakes fakes;
  const sdaaStream_t stream = new_stream(sdaaStreamNonBlocking);
  void* const first = allocate(1000);
  void* const second = allocate(1000);
  std::mt19937_64 random(test_seed());
  const auto given = random_bytes(random, 1000);
  std::vector<uint8_t> found(1000);
  CHECK_OK(sdaaMemcpyHtoDAsync(first, given.data(), 1000, stream));
  CHECK_OK(sdaaMemcpyDtoDAsync(second, first, 1000, stream));
  CHECK_OK(sdaaMemcpyDtoHAsync(found.data(), second, 1000, stream));
  CHECK_OK(sdaaStreamSynchronize(stream));
  CHECK(found == given);
  found.assign(1000, 0);
  CHECK_OK(sdaaMemcpyWithStream(found.data(), first, 1000, sdaaMemcpyDeviceToHost, stream));
  CHECK(found == given);
  CHECK_ERROR(sdaaMemcpyDtoHAsync(found.data(), given.data(), 1, stream), sdaaErrorInvalidValue);
}

TEST_CASE("pointers of any type, arguments that are left out") {
  const Fakes fakes;
  float* numbers = nullptr;
  REQUIRE_OK(sdaaMalloc(&numbers, 100 * sizeof(float)));
  CHECK_OK(sdaaMemset(numbers, 0, 100 * sizeof(float)));
  void* base = nullptr;
  size_t bytes = 0;
  CHECK_OK(sdaaMemGetAddressRange(&base, &bytes, numbers + 99));
  CHECK(base == numbers);
  CHECK(bytes == 400);
  CHECK_OK(sdaaMemGetAddressRange(nullptr, nullptr, numbers));
  bytes = 0;
  CHECK_OK(sdaaMemPtrGetInfo(numbers + 1, &bytes));
  CHECK(bytes == 400);
  CHECK_ERROR(sdaaMemPtrGetInfo(numbers + 100, &bytes), sdaaErrorInvalidDevicePointer);
  CHECK_OK(sdaaFree(numbers));
  short* rows = nullptr;
  size_t pitch = 0;
  CHECK_OK(sdaaMallocPitch(&rows, &pitch, 10, 10));
  CHECK(pitch == 64);
  int* near = nullptr;
  CHECK_OK(sdaaMallocWithFlags(&near, 64, sdaaMallocShared));

  double* pinned = nullptr;
  unsigned flags = 99;
  CHECK_OK(sdaaMallocHost(&pinned, 64));
  CHECK_OK(sdaaHostGetFlags(&flags, pinned + 3));
  CHECK(flags == 0);
  CHECK_OK(sdaaHostFree(pinned));
  CHECK_OK(sdaaHostAlloc(&pinned, 64, sdaaHostAllocWriteCombined | sdaaHostAllocPortable));
  CHECK_OK(sdaaHostGetFlags(&flags, pinned));
  CHECK(flags == (sdaaHostAllocWriteCombined | sdaaHostAllocPortable));
  CHECK_OK(sdaaFreeHost(pinned));
  CHECK_ERROR(sdaaHostGetFlags(&flags, pinned), sdaaErrorInvalidValue);
  CHECK_ERROR(sdaaHostMalloc(&pinned, 64, sdaaHostMallocMapped), sdaaErrorNotSupported);
  CHECK_ERROR(sdaaHostMalloc(&pinned, 64, 8), sdaaErrorInvalidValue);
  std::vector<uint64_t> mine(100);
  CHECK_OK(sdaaHostRegister(mine.data(), 800));
  CHECK_OK(sdaaHostUnregister(mine.data()));
  CHECK_ERROR(sdaaHostRegister(mine.data(), 800, sdaaHostRegisterMapped), sdaaErrorNotSupported);
  CHECK_ERROR(sdaaHostRegister(mine.data(), 800, sdaaHostRegisterIoMemory), sdaaErrorNotSupported);

  sdaaStream_t stream = nullptr;
  CHECK_OK(sdaaStreamCreate(&stream, sdaaStreamNonBlocking));
  sdaaEvent_t event = nullptr;
  CHECK_OK(sdaaEventCreate(&event, sdaaEventDisableTiming));
  CHECK_OK(sdaaEventRecord(event));
  const dim3 blocks(4), threads(2, 3);
  CHECK(blocks.y == 1);
  CHECK(threads.y == 3);
}
