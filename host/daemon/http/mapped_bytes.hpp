// SPDX-License-Identifier: Apache-2.0
// Bytes whose memory goes back to the system as soon as they are freed.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <new>
#include <vector>

namespace swai::http {

// malloc also maps large blocks, but only until the first of them are freed: from then on it takes such sizes
// from its heap, and keeps freed memory there.
template <typename T>
struct MappedAllocator {
  using value_type = T;

  T* allocate(size_t count) {
    void* const memory =
        ::mmap(nullptr, count * sizeof(T), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, size_t count) noexcept { ::munmap(memory, count * sizeof(T)); }
  bool operator==(const MappedAllocator&) const = default;
};

using MappedBytes = std::vector<char, MappedAllocator<char>>;

}  // namespace swai::http
