// SPDX-License-Identifier: Apache-2.0
// Memory, copies and fills, against a played card.
#include <algorithm>
#include <cstring>

#include "verif/host/runtime/tools.hpp"
#include "verif/kit/doctest_main.hpp"

using namespace swai;
using namespace swai::sdaa;

TEST_CASE("memory: pointers, sizes, kinds, groups, and what is refused") {
  const Fakes fakes;
  void* pointer = reinterpret_cast<void*>(1);
  CHECK_OK(sdaaMalloc(&pointer, 0));
  CHECK(pointer == nullptr);
  CHECK_OK(sdaaFree(nullptr));
  CHECK_ERROR(sdaaMalloc(nullptr, 64), sdaaErrorInvalidValue);
  CHECK_ERROR(sdaaMallocWithFlags(&pointer, 64, 3, sdaaAnyGroup), sdaaErrorInvalidValue);
  CHECK_ERROR(sdaaMallocWithFlags(&pointer, 64, sdaaMallocCores, 2), sdaaErrorInvalidValue);
  CHECK_ERROR(sdaaMallocWithFlags(&pointer, 64, sdaaMallocCores, -2), sdaaErrorInvalidValue);
  CHECK_ERROR(sdaaMalloc(&pointer, size_t{1} << 40), sdaaErrorOutOfMemory);
  CHECK(pointer == nullptr);
  CHECK_ERROR(sdaaMalloc(&pointer, ~size_t{0}), sdaaErrorOutOfMemory);

  size_t before = 0;
  size_t total = 0;
  REQUIRE_OK(sdaaMemGetInfo(&before, &total));
  CHECK(total == (122 << 20));
  CHECK_ERROR(sdaaMemGetInfo(nullptr, &total), sdaaErrorInvalidValue);
  std::vector<void*> all;
  for (const unsigned flags : {sdaaMallocCores, sdaaMallocProcessor, sdaaMallocShared}) {
    for (const size_t bytes : {1, 64, 4096, 1 << 20, 5 << 20}) {
      for (const int group : {sdaaAnyGroup, 0, 1}) {
        REQUIRE_OK(sdaaMallocWithFlags(&pointer, bytes, flags, group));
        CHECK(bits(pointer) % 64 == 0);
        all.push_back(pointer);
        sdaaPointerAttribute_t attributes;
        REQUIRE_OK(sdaaPointerGetAttributes(&attributes, beyond(pointer, bytes - 1)));
        CHECK(attributes.base == pointer);
        CHECK(attributes.bytes == bytes);
        CHECK(attributes.type == (flags == sdaaMallocShared ? sdaaMemoryTypeManaged : sdaaMemoryTypeDevice));
        if (group >= 0) CHECK(attributes.group == group);
      }
    }
  }
  size_t now = 0;
  REQUIRE_OK(sdaaMemGetInfo(&now, &total));
  CHECK(now < before);
  for (void* one : all) CHECK_OK(sdaaFree(one));
  REQUIRE_OK(sdaaMemGetInfo(&now, &total));
  CHECK(now == before);
}

TEST_CASE("memory that is gone: freed twice, used after free, pointers into the middle, of nobody") {
  const Fakes fakes;
  void* pointer = allocate(1000);
  uint8_t bytes[1000] = {};
  CHECK_ERROR(sdaaFree(beyond(pointer, 64)), sdaaErrorInvalidDevicePointer);
  CHECK_ERROR(sdaaFree(bytes), sdaaErrorInvalidDevicePointer);
  CHECK_OK(sdaaMemcpy(beyond(pointer, 1), bytes, 999, sdaaMemcpyHostToDevice));
  CHECK_ERROR(sdaaMemcpy(beyond(pointer, 1), bytes, 1000, sdaaMemcpyHostToDevice), sdaaErrorInvalidValue);
  CHECK_OK(sdaaFree(pointer));
  CHECK_ERROR(sdaaFree(pointer), sdaaErrorInvalidDevicePointer);
  CHECK_ERROR(sdaaMemcpy(pointer, bytes, 1, sdaaMemcpyHostToDevice), sdaaErrorInvalidDevicePointer);
  CHECK_ERROR(sdaaMemcpy(bytes, pointer, 1, sdaaMemcpyDeviceToHost), sdaaErrorInvalidDevicePointer);
  CHECK_ERROR(sdaaMemset(pointer, 0, 1), sdaaErrorInvalidDevicePointer);
  sdaaPointerAttribute_t attributes;
  CHECK_ERROR(sdaaPointerGetAttributes(&attributes, pointer), sdaaErrorInvalidValue);
  CHECK_ERROR(sdaaPointerGetAttributes(nullptr, bytes), sdaaErrorInvalidValue);
  CHECK_ERROR(sdaaPointerGetAttributes(&attributes, nullptr), sdaaErrorInvalidValue);
  CHECK_OK(sdaaPointerGetAttributes(&attributes, bytes));
  CHECK(attributes.type == sdaaMemoryTypeUnregistered);
  CHECK_OK(sdaaDeviceSynchronize());
}

TEST_CASE("out of memory, and room again after a free") {
  const Fakes fakes;
  std::vector<void*> all;
  void* pointer = nullptr;
  sdaaError_t result = sdaaSuccess;
  while ((result = sdaaMalloc(&pointer, 8 << 20)) == sdaaSuccess) all.push_back(pointer);
  CHECK(result == sdaaErrorOutOfMemory);
  CHECK(all.size() >= 14);
  CHECK(pointer == nullptr);
  CHECK_OK(sdaaFree(all.back()));
  CHECK_OK(sdaaMalloc(&pointer, 8 << 20));
}

TEST_CASE("a reset frees all") {
  const Fakes fakes;
  size_t before = 0;
  size_t now = 0;
  size_t total = 0;
  REQUIRE_OK(sdaaMemGetInfo(&before, &total));
  void* pointer = allocate(20 << 20);
  REQUIRE_OK(sdaaDeviceReset());
  CHECK_ERROR(sdaaFree(pointer), sdaaErrorInvalidDevicePointer);
  REQUIRE_OK(sdaaMemGetInfo(&now, &total));
  CHECK(now == before);
}

TEST_CASE("memory that the card clears for ever is a timeout, and says what is waited for") {
  const Fakes fakes;
  Limits limits = Fakes::limits();
  // Before the kernel gives up the group that clears.
  limits.wait_cycles = 300'000;
  const FakeOptions options = {.groups = 1, .clears = false};
  Fakes::use({[options] { return std::make_unique<link::Card>(make_fake_card(options)); }}, false, limits);
  void* pointer = nullptr;
  for (size_t bytes = 32 << 20; bytes >= 2 << 20; bytes /= 2) {
    while (sdaaMalloc(&pointer, bytes) == sdaaSuccess) {
    }
  }
  REQUIRE_OK(sdaaDeviceReset());
  CHECK_ERROR(sdaaMalloc(&pointer, 2 << 20), sdaaErrorTimedOut);
  const std::string message = sdaaGetLastErrorMessage();
  CAPTURE(message);
  CHECK(message.find("clearing what others left") != std::string::npos);
  CHECK(message.find("SWAI_TIMEOUT_CYCLES") != std::string::npos);
}

TEST_CASE("pinned memory: found in the middle, given back once, no command to the card") {
  const Fakes fakes;
  REQUIRE_OK(sdaaDeviceSynchronize());
  uint64_t begin = 0;
  uint64_t end = 0;
  REQUIRE_OK(sdaaDeviceGetTime(&begin));
  void* pointer = nullptr;
  REQUIRE_OK(sdaaMallocHost(&pointer, 10'000));
  std::vector<uint8_t> own(20'000);
  REQUIRE_OK(sdaaHostRegister(own.data() + 5, 10'000, 0));
  REQUIRE_OK(sdaaDeviceGetTime(&end));
  CHECK(begin == end);

  sdaaPointerAttribute_t attributes;
  REQUIRE_OK(sdaaPointerGetAttributes(&attributes, static_cast<uint8_t*>(pointer) + 9'999));
  CHECK(attributes.type == sdaaMemoryTypeHost);
  CHECK(attributes.base == pointer);
  REQUIRE_OK(sdaaPointerGetAttributes(&attributes, own.data() + 5));
  CHECK(attributes.type == sdaaMemoryTypeHost);
  REQUIRE_OK(sdaaPointerGetAttributes(&attributes, own.data() + 4));
  CHECK(attributes.type == sdaaMemoryTypeUnregistered);

  CHECK_ERROR(sdaaHostRegister(own.data(), 6, 0), sdaaErrorHostMemoryAlreadyRegistered);
  CHECK_ERROR(sdaaHostRegister(own.data() + 100, 6, 0), sdaaErrorHostMemoryAlreadyRegistered);
  CHECK_ERROR(sdaaHostRegister(nullptr, 6, 0), sdaaErrorInvalidValue);
  CHECK_ERROR(sdaaHostRegister(own.data(), 0, 0), sdaaErrorInvalidValue);
  CHECK_ERROR(sdaaHostRegister(own.data(), 5, 64), sdaaErrorInvalidValue);
  CHECK_ERROR(sdaaHostUnregister(pointer), sdaaErrorHostMemoryNotRegistered);
  CHECK_ERROR(sdaaHostUnregister(own.data()), sdaaErrorHostMemoryNotRegistered);
  CHECK_ERROR(sdaaHostUnregister(nullptr), sdaaErrorInvalidValue);
  CHECK_OK(sdaaHostUnregister(own.data() + 5));
  CHECK_ERROR(sdaaHostUnregister(own.data() + 5), sdaaErrorHostMemoryNotRegistered);
  CHECK_ERROR(sdaaFreeHost(static_cast<uint8_t*>(pointer) + 1), sdaaErrorInvalidValue);
  CHECK_ERROR(sdaaFreeHost(own.data()), sdaaErrorInvalidValue);
  CHECK_OK(sdaaFreeHost(pointer));
  CHECK_ERROR(sdaaFreeHost(pointer), sdaaErrorInvalidValue);
  CHECK_OK(sdaaFreeHost(nullptr));
  CHECK_ERROR(sdaaMallocHost(nullptr, 1), sdaaErrorInvalidValue);
  CHECK_ERROR(sdaaHostMalloc(&pointer, 1, 8), sdaaErrorInvalidValue);
  CHECK_ERROR(sdaaMallocHost(&pointer, size_t{1} << 45), sdaaErrorOutOfMemory);
  CHECK_OK(sdaaMallocHost(&pointer, 0));
  CHECK(pointer == nullptr);
  // Bus addresses are used again.
  void* first = nullptr;
  for (int i = 0; i < 20; ++i) {
    REQUIRE_OK(sdaaMallocHost(&pointer, size_t{1} << 20));
    REQUIRE_OK(sdaaPointerGetAttributes(&attributes, pointer));
    if (i == 0) first = attributes.devicePointer;
    CHECK(attributes.devicePointer == first);
    REQUIRE_OK(sdaaFreeHost(pointer));
  }
}

TEST_CASE("copies of every kind, random sizes and places") {
  const Fakes fakes;
  std::mt19937_64 random(test_seed());
  constexpr size_t kBytes = 3 << 20;
  std::vector<void*> device;
  for (const unsigned flags : {sdaaMallocCores, sdaaMallocProcessor, sdaaMallocShared}) {
    void* pointer = nullptr;
    REQUIRE_OK(sdaaMallocWithFlags(&pointer, kBytes, flags, sdaaAnyGroup));
    device.push_back(pointer);
  }
  void* memory = nullptr;
  REQUIRE_OK(sdaaMallocHost(&memory, kBytes));
  auto* pinned = static_cast<uint8_t*>(memory);
  std::vector<uint8_t> registered(kBytes);
  REQUIRE_OK(sdaaHostRegister(registered.data(), kBytes, 0));
  std::vector<uint8_t> pageable(kBytes);
  uint8_t* const hosts[] = {pinned, registered.data(), pageable.data()};
  for (int round = 0; round < 60; ++round) {
    const size_t bytes = 1 + random() % (round % 5 == 0 ? kBytes : 5000);
    const size_t at = random() % (kBytes - bytes + 1);
    const auto data = random_bytes(random, bytes);
    uint8_t* const from = hosts[random() % 3] + random() % (kBytes - bytes + 1);
    uint8_t* const to = hosts[random() % 3] + random() % (kBytes - bytes + 1);
    void* const first = beyond(device[random() % 3], at);
    void* const second = beyond(device[random() % 3], at);
    const auto kind = [&](sdaaMemcpyKind one) { return random() % 2 == 0 ? sdaaMemcpyDefault : one; };
    std::memcpy(from, data.data(), bytes);
    CHECK_OK(sdaaMemcpy(first, from, bytes, kind(sdaaMemcpyHostToDevice)));
    std::memset(from, 0, bytes);
    if (first != second) CHECK_OK(sdaaMemcpy(second, first, bytes, kind(sdaaMemcpyDeviceToDevice)));
    CHECK_OK(sdaaMemcpy(to, second, bytes, kind(sdaaMemcpyDeviceToHost)));
    REQUIRE(std::memcmp(to, data.data(), bytes) == 0);
    CHECK_OK(sdaaMemset(second, 0x5a, bytes));
    CHECK_OK(sdaaMemcpy(to, second, bytes, sdaaMemcpyDeviceToHost));
    REQUIRE(std::count(to, to + bytes, 0x5a) == static_cast<long>(bytes));
  }
  CHECK_OK(sdaaMemcpy(pageable.data(), pinned, kBytes, sdaaMemcpyHostToHost));
  CHECK(std::memcmp(pageable.data(), pinned, kBytes) == 0);
  REQUIRE_OK(sdaaHostUnregister(registered.data()));
}

TEST_CASE("copies in rows") {
  const Fakes fakes;
  std::mt19937_64 random(test_seed());
  constexpr size_t kBytes = 4 << 20;
  void* device = allocate(kBytes);
  void* other = allocate(kBytes);
  void* memory = nullptr;
  REQUIRE_OK(sdaaMallocHost(&memory, kBytes));
  std::vector<uint8_t> pageable(kBytes);
  uint8_t* const hosts[] = {static_cast<uint8_t*>(memory), pageable.data()};
  for (int round = 0; round < 20; ++round) {
    const bool wide = round % 4 == 0;
    const size_t width = 1 + random() % (wide ? 1'500'000 : 3000);
    const size_t height = 1 + random() % (wide ? 2 : 40);
    const size_t host_pitch = width + random() % 100;
    const size_t pitch = width + random() % 100;
    uint8_t* const host = hosts[random() % 2];
    const auto data = random_bytes(random, host_pitch * height);
    std::memcpy(host, data.data(), data.size());
    CHECK_OK(sdaaMemset(device, 0xee, kBytes));
    CHECK_OK(sdaaMemcpy2D(device, pitch, host, host_pitch, width, height, sdaaMemcpyHostToDevice));
    CHECK_OK(sdaaMemcpy2D(other, width, device, pitch, width, height, sdaaMemcpyDeviceToDevice));
    CHECK_OK(sdaaMemset2D(device, pitch, 0x11, width, height));
    std::memset(host, 0, data.size());
    CHECK_OK(sdaaMemcpy2D(host, host_pitch, other, width, width, height, sdaaMemcpyDeviceToHost));
    for (size_t row = 0; row < height; ++row)
      REQUIRE(std::memcmp(host + row * host_pitch, data.data() + row * host_pitch, width) == 0);
    std::vector<uint8_t> image(kBytes);
    CHECK_OK(sdaaMemcpy(image.data(), device, kBytes, sdaaMemcpyDeviceToHost));
    for (size_t row = 0; row < height; ++row) {
      const uint8_t* const begin = image.data() + row * pitch;
      REQUIRE(std::count(begin, begin + width, 0x11) == static_cast<long>(width));
      REQUIRE(std::count(begin + width, begin + pitch, 0xee) == static_cast<long>(pitch - width));
    }
  }
}

TEST_CASE("what copies and fills refuse") {
  const Fakes fakes;
  void* device = allocate(4096);
  std::vector<uint8_t> host(4096);
  CHECK_ERROR(sdaaMemcpy(device, host.data(), 1, static_cast<sdaaMemcpyKind>(7)),
              sdaaErrorInvalidMemcpyDirection);
  CHECK_ERROR(sdaaMemcpy(device, host.data(), 1, sdaaMemcpyDeviceToHost), sdaaErrorInvalidValue);
  CHECK_ERROR(sdaaMemcpy(device, host.data(), 1, sdaaMemcpyDeviceToDevice), sdaaErrorInvalidValue);
  CHECK_ERROR(sdaaMemcpy(host.data(), device, 1, sdaaMemcpyHostToHost), sdaaErrorInvalidValue);
  CHECK_ERROR(sdaaMemcpy(device, nullptr, 1, sdaaMemcpyHostToDevice), sdaaErrorInvalidValue);
  CHECK_ERROR(sdaaMemcpy(nullptr, device, 1, sdaaMemcpyDeviceToHost), sdaaErrorInvalidValue);
  CHECK_ERROR(sdaaMemcpy(beyond(device, 10), device, 100, sdaaMemcpyDeviceToDevice), sdaaErrorInvalidValue);
  CHECK_ERROR(sdaaMemcpy(device, host.data(), 4097, sdaaMemcpyHostToDevice), sdaaErrorInvalidValue);
  CHECK_OK(sdaaMemcpy(device, host.data(), 0, sdaaMemcpyHostToDevice));
  CHECK_OK(sdaaMemset(device, 1, 0));
  CHECK_ERROR(sdaaMemset(nullptr, 1, 1), sdaaErrorInvalidValue);
  CHECK_ERROR(sdaaMemset(host.data(), 1, 1), sdaaErrorInvalidDevicePointer);
  CHECK_ERROR(sdaaMemset(device, 1, 4097), sdaaErrorInvalidValue);
  CHECK_ERROR(sdaaMemcpy2D(device, 9, host.data(), 10, 10, 2, sdaaMemcpyHostToDevice),
              sdaaErrorInvalidPitchValue);
  CHECK_ERROR(sdaaMemcpy2D(device, 10, host.data(), 9, 10, 2, sdaaMemcpyHostToDevice),
              sdaaErrorInvalidPitchValue);
  CHECK_ERROR(sdaaMemcpy2D(device, 64, host.data(), 64, 64, 65, sdaaMemcpyHostToDevice),
              sdaaErrorInvalidValue);
  CHECK_ERROR(sdaaMemcpy2D(device, size_t{1} << 62, host.data(), 64, 64, 65, sdaaMemcpyHostToDevice),
              sdaaErrorInvalidValue);
  CHECK_ERROR(sdaaMemset2D(device, 9, 1, 10, 1), sdaaErrorInvalidPitchValue);
  CHECK_ERROR(sdaaMemset2D(device, 64, 1, 64, 65), sdaaErrorInvalidValue);
  size_t pitch = 0;
  void* pointer = nullptr;
  CHECK_OK(sdaaMallocPitch(&pointer, &pitch, 100, 10));
  CHECK(pitch == 128);
  CHECK_ERROR(sdaaMallocPitch(&pointer, nullptr, 100, 10), sdaaErrorInvalidValue);
  CHECK_ERROR(sdaaMallocPitch(&pointer, &pitch, size_t{1} << 39, 1 << 20), sdaaErrorOutOfMemory);
  // Nothing of this has hurt the stream.
  CHECK_OK(sdaaDeviceSynchronize());
}

TEST_CASE("read-only registered memory is read in place and not written in place") {
  const Fakes fakes;
  std::vector<uint8_t> host(8192, 7);
  REQUIRE_OK(sdaaHostRegister(host.data(), host.size(), sdaaHostRegisterReadOnly));
  void* device = allocate(8192);
  CHECK_OK(sdaaMemcpy(device, host.data(), 8192, sdaaMemcpyHostToDevice));
  CHECK_OK(sdaaMemset(device, 9, 8192));
  CHECK_OK(sdaaMemcpy(host.data(), device, 8192, sdaaMemcpyDeviceToHost));
  CHECK(std::count(host.begin(), host.end(), 9) == 8192);
  CHECK_OK(sdaaHostUnregister(host.data()));
}

TEST_CASE("copies between devices") {
  const Fakes fakes(2);
  std::mt19937_64 random(test_seed());
  const auto data = random_bytes(random, 2'500'000);
  void* first = allocate(data.size());
  REQUIRE_OK(sdaaMemcpyHtoD(first, data.data(), data.size()));
  REQUIRE_OK(sdaaSetDevice(1));
  void* second = allocate(data.size());
  REQUIRE_OK(sdaaMemset(second, 0, data.size()));
  CHECK_OK(sdaaMemcpyPeer(second, 1, first, 0, data.size()));
  std::vector<uint8_t> back(data.size());
  CHECK_OK(sdaaMemcpyDtoH(back.data(), second, data.size()));
  CHECK(back == data);
  void* third = allocate(data.size());
  CHECK_OK(sdaaMemcpyPeer(third, 1, second, 1, data.size()));
  CHECK_OK(sdaaMemcpyDtoD(second, third, data.size()));
  CHECK_ERROR(sdaaMemcpyPeer(second, 2, first, 0, 1), sdaaErrorInvalidDevice);
  CHECK_ERROR(sdaaMemcpyPeer(second, 1, first, -1, 1), sdaaErrorInvalidDevice);
  CHECK_ERROR(sdaaMemcpyPeer(second, 1, first, 0, data.size() + 1), sdaaErrorInvalidValue);
  // Each in a host of its own, they do not reach each other.
  int can = 1;
  CHECK_OK(sdaaDeviceCanAccessPeer(&can, 1, 0));
  CHECK(can == 0);
  CHECK_ERROR(sdaaDeviceEnablePeerAccess(0, 0), sdaaErrorPeerAccessUnsupported);
  CHECK_ERROR(sdaaDeviceEnablePeerAccess(1, 0), sdaaErrorInvalidDevice);
  CHECK_ERROR(sdaaDeviceEnablePeerAccess(2, 0), sdaaErrorInvalidDevice);
  CHECK_ERROR(sdaaDeviceEnablePeerAccess(0, 1), sdaaErrorInvalidValue);
  CHECK_ERROR(sdaaDeviceDisablePeerAccess(0), sdaaErrorPeerAccessNotEnabled);
  CHECK_ERROR(sdaaDeviceDisablePeerAccess(7), sdaaErrorInvalidDevice);
  CHECK_ERROR(sdaaDeviceCanAccessPeer(nullptr, 1, 0), sdaaErrorInvalidValue);
  CHECK_ERROR(sdaaDeviceCanAccessPeer(&can, 1, 2), sdaaErrorInvalidDevice);
  REQUIRE_OK(sdaaMemset(second, 0, data.size()));
  CHECK_OK(sdaaMemcpyPeerAsync(second, 1, first, 0, data.size(), nullptr));
  CHECK_OK(sdaaMemcpyDtoH(back.data(), second, data.size()));
  CHECK(back == data);
  REQUIRE_OK(sdaaMemset(third, 0, data.size()));
  CHECK_OK(sdaaMemcpyPeerAsync(third, 1, second, 1, data.size(), nullptr));
  CHECK_OK(sdaaMemcpyDtoH(back.data(), third, data.size()));
  CHECK(back == data);
  CHECK_ERROR(sdaaMemcpyPeerAsync(second, 1, first, 0, data.size() + 1, nullptr), sdaaErrorInvalidValue);
}
