// SPDX-License-Identifier: Apache-2.0
#include "host/transport/server/shared_memory.hpp"

#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>

#include "host/transport/server/limits.hpp"
#include "host/transport/vfio_user.hpp"

namespace swai::socket {
namespace {

// All mappings of the process, for the signal handler: no locks, no allocation. A free slot has begin 0;
// while it is being filled, 1.
struct Slot {
  std::atomic<uintptr_t> begin{0};
  std::atomic<uintptr_t> end{0};
};
constexpr unsigned kSlots = kProcessMaps;
std::array<Slot, kSlots> slots;
std::atomic<unsigned> slot_hint{0};
constexpr unsigned kNoSlot = kSlots;

struct sigaction previous;

bool replace(uintptr_t address, uintptr_t bytes) {
  return ::mmap(reinterpret_cast<void*>(address), bytes, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0) != MAP_FAILED;
}

void on_bus_error(int signal, siginfo_t* info, void* context) {
  const auto address = reinterpret_cast<uintptr_t>(info->si_addr);
  for (const Slot& slot : slots) {
    const uintptr_t begin = slot.begin.load(std::memory_order_acquire);
    if (begin < 2 || address < begin || address >= slot.end.load(std::memory_order_acquire)) continue;
    const uintptr_t page = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
    // A page of a file of huge pages cannot be replaced alone.
    if (replace(address / page * page, page) || replace(begin, slot.end - begin)) return;
  }
  // Not ours: as if this handler were not there.
  if ((previous.sa_flags & SA_SIGINFO) != 0) {
    previous.sa_sigaction(signal, info, context);
  } else {
    ::sigaction(SIGBUS, &previous, nullptr);
  }
}

void install_handler() {
  static const bool done = [] {
    struct sigaction action {};
    action.sa_sigaction = on_bus_error;
    action.sa_flags = SA_SIGINFO;
    ::sigaction(SIGBUS, &action, &previous);
    return true;
  }();
  (void)done;
}

unsigned take_slot(uintptr_t begin, uintptr_t end) {
  for (unsigned tried = 0; tried < kSlots; ++tried) {
    const unsigned index = slot_hint.fetch_add(1) % kSlots;
    uintptr_t free = 0;
    if (!slots[index].begin.compare_exchange_strong(free, 1)) continue;
    slots[index].end.store(end, std::memory_order_release);
    slots[index].begin.store(begin, std::memory_order_release);
    return index;
  }
  return kNoSlot;
}

}  // namespace

int SharedMemory::map(int fd, uint64_t offset, uint64_t bytes, bool writable) {
  struct stat file;
  if (::fstat(fd, &file) != 0) return errno;
  // Only what has a size can be checked; a device might do anything.
  if (!S_ISREG(file.st_mode)) return EINVAL;
  if (!link::vfio_user::inside(offset, bytes, static_cast<uint64_t>(file.st_size))) return EINVAL;
  install_handler();
  void* at = ::mmap(nullptr, bytes, PROT_READ | (writable ? PROT_WRITE : 0), MAP_SHARED, fd,
                    static_cast<off_t>(offset));
  if (at == MAP_FAILED) return errno;
  const auto begin = reinterpret_cast<uintptr_t>(at);
  const unsigned slot = take_slot(begin, begin + bytes);
  if (slot == kNoSlot) {
    ::munmap(at, bytes);
    return ENOSPC;
  }
  release();
  data_ = static_cast<uint8_t*>(at);
  bytes_ = bytes;
  slot_ = slot;
  return 0;
}

void SharedMemory::release() {
  if (data_ == nullptr) return;
  slots[slot_].begin.store(0, std::memory_order_release);
  ::munmap(data_, bytes_);
  data_ = nullptr;
}

SharedMemory& SharedMemory::operator=(SharedMemory&& other) noexcept {
  if (this == &other) return *this;
  release();
  data_ = std::exchange(other.data_, nullptr);
  bytes_ = std::exchange(other.bytes_, 0);
  slot_ = other.slot_;
  return *this;
}

}  // namespace swai::socket
