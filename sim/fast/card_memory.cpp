// SPDX-License-Identifier: Apache-2.0
#include "sim/fast/card_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>

#include "card_regs.hpp"
#include "host/transport/channel.hpp"
#include "sim/common/archive.hpp"

namespace swai::fast {
namespace {

uint8_t* reserve(uint64_t bytes) {
  void* const memory =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    throw std::runtime_error(std::string("no room for the card's memory: ") + std::strerror(errno));
  }
  return static_cast<uint8_t*>(memory);
}

// Whole pages of the host that become zeros.
void release(uint8_t* memory, uint64_t bytes) {
  if (::madvise(memory, bytes, MADV_DONTNEED) != 0) std::memset(memory, 0, bytes);
}

uint8_t* inside(uint8_t* memory, uint64_t base, uint64_t size, uint64_t address, uint64_t bytes) {
  const uint64_t offset = address - base;
  return address >= base && offset < size && bytes <= size - offset ? memory + offset : nullptr;
}

constexpr uint64_t kPage = 4096;
constexpr size_t kEntriesAtOnce = 65536;
static_assert(CardMemory::kGroupBytes / kPage % kEntriesAtOnce == 0);
// Of an entry of the kernel's map of this process: the page is in memory, or was moved out of it.
constexpr uint64_t kHasContents = uint64_t{3} << 62;

constexpr const char* kPageMap = "/proc/self/pagemap";

[[noreturn]] void fail_to_tell() {
  throw std::runtime_error(std::string(kPageMap) +
                           ": cannot tell which memory was written: " + std::strerror(errno));
}

void read_at(const link::Fd& file, std::span<std::byte> into, uint64_t at) {
  while (!into.empty()) {
    const ssize_t got = ::pread(file.get(), into.data(), into.size(), static_cast<off_t>(at));
    if (got <= 0) fail_to_tell();
    into = into.subspan(static_cast<size_t>(got));
    at += static_cast<uint64_t>(got);
  }
}

}  // namespace

CardMemory::CardMemory(unsigned groups)
    : groups_(groups), hbm_(reserve(groups * kGroupBytes)), sram_(reserve(regs::kSramBytes)) {}

CardMemory::~CardMemory() {
  ::munmap(hbm_, groups_ * kGroupBytes);
  ::munmap(sram_, regs::kSramBytes);
}

uint8_t* CardMemory::hbm(uint64_t address, uint64_t bytes) const {
  return inside(hbm_, regs::kHbmRegion.base, groups_ * kGroupBytes, address, bytes);
}

uint8_t* CardMemory::sram(uint64_t address, uint64_t bytes) const {
  return inside(sram_, regs::kLocalRegion.base, regs::kSramBytes, address, bytes);
}

std::vector<uint64_t> CardMemory::written_pages() const {
  const link::Fd map(::open(kPageMap, O_RDONLY | O_CLOEXEC));
  if (!map) fail_to_tell();
  std::vector<uint64_t> pages;
  std::vector<uint64_t> entries(kEntriesAtOnce);
  const uint64_t first = reinterpret_cast<uintptr_t>(hbm_) / kPage;
  for (uint64_t page = 0; page < groups_ * kGroupBytes / kPage; page += entries.size()) {
    read_at(map, std::as_writable_bytes(std::span(entries)), (first + page) * sizeof(uint64_t));
    for (uint64_t i = 0; i < entries.size(); ++i) {
      // Whoever reads where nobody wrote gets a page of zeros, too.
      if ((entries[i] & kHasContents) != 0 && !is_zero({hbm_ + (page + i) * kPage, kPage}))
        pages.push_back(page + i);
    }
  }
  return pages;
}

void CardMemory::visit(Archive& archive) {
  archive.pages({sram_, regs::kSramBytes});
  std::vector<uint64_t> pages;
  if (archive.writes_down()) pages = written_pages();
  archive(pages);
  // What was there before is zero again.
  if (archive.takes_back()) release(hbm_, groups_ * kGroupBytes);
  for (const uint64_t page : pages) {
    if (page >= groups_ * kGroupBytes / kPage) throw Archive::Mismatch("memory that the card does not have");
    archive.memory({hbm_ + page * kPage, kPage});
  }
}

void CardMemory::discard(uint64_t address, uint64_t bytes) {
  if (uint8_t* const memory = hbm(address, bytes)) release(memory, bytes);
}

uint8_t* CardMemory::at(uint64_t address, uint64_t bytes) const {
  uint8_t* const found = hbm(address, bytes);
  return found != nullptr ? found : sram(address, bytes);
}

}  // namespace swai::fast
