// SPDX-License-Identifier: Apache-2.0
// Fetches, loads, stores and atomics that are not a plain access within one page of plain memory.
#include <algorithm>

#include "sim/iss/mpe/csr_numbers.hpp"
#include "sim/iss/mpe/hart.hpp"

namespace swai::iss {

namespace {

constexpr unsigned kReservationBits = 6;

uint64_t low_bytes(uint64_t value, unsigned size) {
  return size == 8 ? value : value & ((uint64_t{1} << (8 * size)) - 1);
}

uint64_t misaligned_fault(Access access) {
  return access == Access::kLoad ? cause::kLoadMisaligned : cause::kStoreMisaligned;
}

uint64_t nobody_there(Access access) {
  return access == Access::kLoad ? cause::kLoadAccess : cause::kStoreAccess;
}

// How many bytes of an access lie in the page in which it starts.
unsigned first_part(uint64_t vaddr, unsigned size) {
  return static_cast<unsigned>(std::min<uint64_t>(size, kPageBytes - vaddr % kPageBytes));
}

}  // namespace

bool Hart::fetch_half(uint64_t vaddr, uint16_t& half) {
  uint64_t cause = 0;
  const Translation* page = translation(vaddr, Access::kFetch, cause);
  uint64_t value = 0;
  if (page != nullptr && !read_part(*page, vaddr, 2, value)) cause = cause::kFetchAccess;
  if (cause != 0) {
    raise(cause, vaddr);
    return false;
  }
  half = static_cast<uint16_t>(value);
  return true;
}

// In halves: an instruction may straddle two pages, and a short one at the end of a page needs only the
// first.
const Insn* Hart::fetch_slowly() {
  uint16_t low = 0;
  uint16_t high = 0;
  if (!fetch_half(pc_, low)) return nullptr;
  if (insn_length(low) == 4 && !fetch_half(pc_ + 2, high)) return nullptr;
  Insn& insn = decoded_[(pc_ / 2) % kDecoded];
  insn = decode(static_cast<uint32_t>(low) | static_cast<uint32_t>(high) << 16);
  return &insn;
}

// Bytes that lie within one page; any number up to 8.
bool Hart::read_part(const Translation& page, uint64_t vaddr, unsigned size, uint64_t& value) {
  const uint64_t offset = vaddr % kPageBytes;
  value = 0;
  if (page.host != nullptr) {
    std::memcpy(&value, page.host + offset, size);
    return true;
  }
  if (page.pma == Pma::kMemory) {
    memory_.use_cache(page.page + offset, size, page.posted ? CacheUse::kUncached : CacheUse::kLoad);
  }
  if (std::has_single_bit(size)) return memory_.read(page.page + offset, size, value);
  for (unsigned byte = 0; byte < size; ++byte) {
    uint64_t one = 0;
    if (!memory_.read(page.page + offset + byte, 1, one)) return false;
    value |= one << (8 * byte);
  }
  return true;
}

bool Hart::write_part(const Translation& page, uint64_t vaddr, unsigned size, uint64_t value) {
  const uint64_t offset = vaddr % kPageBytes;
  if (page.host != nullptr) {
    std::memcpy(page.host + offset, &value, size);
    return true;
  }
  if (page.pma == Pma::kMemory) {
    memory_.use_cache(page.page + offset, size, page.posted ? CacheUse::kUncached : CacheUse::kStore);
  }
  if (std::has_single_bit(size)) {
    return memory_.write(page.page + offset, size, low_bytes(value, size)) || page.posted;
  }
  for (unsigned byte = 0; byte < size; ++byte) {
    if (!memory_.write(page.page + offset + byte, 1, (value >> (8 * byte)) & 0xff)) return page.posted;
  }
  return true;
}

// The page of one part of a load or store. IO wants the whole access aligned.
const Hart::Translation* Hart::data_page(uint64_t vaddr, uint64_t part, unsigned size, Access access) {
  uint64_t cause = 0;
  const Translation* page = translation(part, access, cause);
  if (page != nullptr && page->pma == Pma::kIo && vaddr % size != 0) cause = misaligned_fault(access);
  if (cause == 0) return page;
  raise(cause, part);
  return nullptr;
}

bool Hart::load_slowly(uint64_t vaddr, unsigned size, uint64_t& value) {
  const unsigned first = first_part(vaddr, size);
  value = 0;
  for (unsigned done = 0; done < size;) {
    const uint64_t part = vaddr + done;
    const unsigned bytes = done == 0 ? first : size - first;
    const Translation* page = data_page(vaddr, part, size, Access::kLoad);
    if (page == nullptr) return false;
    uint64_t piece = 0;
    if (!read_part(*page, part, bytes, piece)) {
      raise(cause::kLoadAccess, part);
      return false;
    }
    if (page->pma == Pma::kIo && supply_ != nullptr) piece = low_bytes(supply_->mem_rdata, bytes);
    value |= piece << (8 * done);
    done += bytes;
  }
  record_load(vaddr, size, value);
  return true;
}

bool Hart::store_slowly(uint64_t vaddr, unsigned size, uint64_t value) {
  const unsigned first = first_part(vaddr, size);
  const Translation* low = data_page(vaddr, vaddr, size, Access::kStore);
  if (low == nullptr) return false;
  if (first < size) {
    // Nothing may be written if the second part faults; neighbouring pages have different slots.
    const uint64_t part = vaddr + first;
    uint64_t ignored = 0;
    if (!low->posted && !read_part(*low, vaddr, first, ignored)) {
      raise(cause::kStoreAccess, vaddr);
      return false;
    }
    const Translation* high = data_page(vaddr, part, size, Access::kStore);
    if (high == nullptr) return false;
    if (!write_part(*high, part, size - first, value >> (8 * first))) {
      raise(cause::kStoreAccess, part);
      return false;
    }
  }
  if (!write_part(*low, vaddr, first, value)) {
    raise(cause::kStoreAccess, vaddr);
    return false;
  }
  record_store(vaddr, size, low_bytes(value, size));
  return true;
}

// Atomics and pairs are aligned and work on memory only.
const Hart::Translation* Hart::plain_memory_page(uint64_t vaddr, unsigned size, Access access) {
  if (vaddr % size != 0) {
    raise(misaligned_fault(access), vaddr);
    return nullptr;
  }
  uint64_t cause = 0;
  const Translation* page = translation(vaddr, access, cause);
  if (page != nullptr && page->pma != Pma::kMemory) cause = nobody_there(access);
  if (cause == 0) return page;
  raise(cause, vaddr);
  return nullptr;
}

bool Hart::atomic_load(uint64_t vaddr, unsigned size, Access access, uint64_t& value) {
  const Translation* page = plain_memory_page(vaddr, size, access);
  if (page == nullptr) return false;
  if (!read_part(*page, vaddr, size, value)) {
    raise(nobody_there(access), vaddr);
    return false;
  }
  record_load(vaddr, size, value);
  return true;
}

bool Hart::atomic_store(uint64_t vaddr, unsigned size, uint64_t value) {
  const Translation* page = plain_memory_page(vaddr, size, Access::kStore);
  if (page == nullptr) return false;
  if (!write_part(*page, vaddr, size, value)) {
    raise(cause::kStoreAccess, vaddr);
    return false;
  }
  record_store(vaddr, size, low_bytes(value, size));
  return true;
}

bool Hart::store_pair(uint64_t vaddr, uint64_t low, uint64_t high) {
  const Translation* page = plain_memory_page(vaddr, 16, Access::kStore);
  if (page == nullptr) return false;
  if (!write_part(*page, vaddr, 8, low) || !write_part(*page, vaddr + 8, 8, high)) {
    raise(cause::kStoreAccess, vaddr);
    return false;
  }
  record_store(vaddr, 16, low);
  mem_wdata_high_ = high;
  return true;
}

bool Hart::reserve(uint64_t vaddr, unsigned size, uint64_t& value) {
  if (!atomic_load(vaddr, size, Access::kLoad, value)) return false;
  reservation_ = (slot(vaddr, Access::kLoad).page + vaddr % kPageBytes) >> kReservationBits;
  return true;
}

bool Hart::store_conditional(uint64_t vaddr, unsigned size, uint64_t value, bool& success) {
  const Translation* page = plain_memory_page(vaddr, size, Access::kStore);
  if (page == nullptr) return false;
  success = reservation_ == (page->page + vaddr % kPageBytes) >> kReservationBits;
  reservation_.reset();
  return !success || atomic_store(vaddr, size, value);
}

// A cache operation may touch what can be read or written; since nothing is writable but not readable, the
// right to read decides. Faults are a store's. Memory itself is not accessed: whether it is there does not
// matter.
void Hart::operate_on_line(uint64_t vaddr, CacheUse use) {
  uint64_t cause = 0;
  if (const Translation* const page = translation(vaddr, Access::kLoad, cause)) {
    memory_.use_cache(page->page + vaddr % kPageBytes, 1, use);
  } else {
    raise(cause == cause::kLoadPage ? cause::kStorePage : cause::kStoreAccess, vaddr);
  }
}

// The cache makes the line its own without asking memory: whether that is there does not matter here, and
// what is not cached is refused.
bool Hart::zero_line(uint64_t vaddr) {
  constexpr uint64_t kLineBytes = 64;
  uint64_t cause = 0;
  const Translation* const page = translation(vaddr, Access::kStore, cause);
  if (page != nullptr && (page->pma != Pma::kMemory || page->posted)) cause = cause::kStoreAccess;
  if (cause != 0) {
    raise(cause, vaddr);
    return false;
  }
  const uint64_t line = vaddr & ~(kLineBytes - 1);
  for (uint64_t word = line; word < line + kLineBytes; word += sizeof word)
    write_part(*page, word, sizeof word, 0);
  return true;
}

}  // namespace swai::iss
