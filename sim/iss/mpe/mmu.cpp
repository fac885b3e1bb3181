// SPDX-License-Identifier: Apache-2.0
// Address translation (Sv39 with Svpbmt) and the look-aside tables that make it fast.
#include "sim/iss/mpe/csr_numbers.hpp"
#include "sim/iss/mpe/hart.hpp"

namespace swai::iss {

namespace {

namespace pte {
constexpr uint64_t kValid = 1 << 0;
constexpr uint64_t kRead = 1 << 1;
constexpr uint64_t kWrite = 1 << 2;
constexpr uint64_t kExecute = 1 << 3;
constexpr uint64_t kUser = 1 << 4;
constexpr uint64_t kAccessed = 1 << 6;
constexpr uint64_t kDirty = 1 << 7;
constexpr unsigned kPpnShift = 10;
constexpr uint64_t kPpn = (uint64_t{1} << 44) - 1;
constexpr uint64_t kReserved = uint64_t{0x7f} << 54 | uint64_t{1} << 63;  // the last is Svnapot's
constexpr uint64_t kMemoryType = uint64_t{3} << 61;
constexpr uint64_t kIoType = uint64_t{2} << 61;
}  // namespace pte

uint64_t page_fault(Access access) {
  switch (access) {
    case Access::kFetch:
      return cause::kFetchPage;
    case Access::kLoad:
      return cause::kLoadPage;
    default:
      return cause::kStorePage;
  }
}

uint64_t access_fault(Access access) {
  switch (access) {
    case Access::kFetch:
      return cause::kFetchAccess;
    case Access::kLoad:
      return cause::kLoadAccess;
    default:
      return cause::kStoreAccess;
  }
}

bool canonical(uint64_t vaddr) {
  const auto top = static_cast<int64_t>(vaddr) >> 38;
  return top == 0 || top == -1;
}

}  // namespace

bool Hart::read_page_table(uint64_t paddr, uint64_t& entry) const {
  if (pma(paddr) != Pma::kMemory) return false;
  if (const HostPage page = memory_.page(paddr); page.read != nullptr) {
    std::memcpy(&entry, page.read + paddr % kPageBytes, sizeof entry);
    return true;
  }
  return memory_.read(paddr, sizeof entry, entry);
}

bool Hart::page_allows(uint64_t entry, Access access, Privilege privilege) const {
  const bool user_page = (entry & pte::kUser) != 0;
  if (privilege == Privilege::kUser
          ? !user_page
          : user_page && (access == Access::kFetch || !(csrs_.mstatus & mstatus::kSum))) {
    return false;
  }
  if (!(entry & pte::kAccessed)) return false;
  switch (access) {
    case Access::kFetch:
      return (entry & pte::kExecute) != 0;
    case Access::kLoad:
      return (entry & pte::kRead) || ((entry & pte::kExecute) && (csrs_.mstatus & mstatus::kMxr));
    default:
      return (entry & pte::kWrite) && (entry & pte::kDirty);
  }
}

Hart::WalkResult Hart::walk_sv39(uint64_t vaddr, Access access, Privilege privilege) const {
  const WalkResult fault{.cause = page_fault(access)};
  if (!canonical(vaddr)) return fault;
  uint64_t table = (csrs_.satp & satp::kPpn) << kPageBits;
  for (unsigned level = 3; level-- > 0;) {
    const unsigned shift = kPageBits + 9 * level;
    const uint64_t offset_mask = (uint64_t{1} << shift) - 1;
    uint64_t entry = 0;
    if (!read_page_table(table + 8 * ((vaddr >> shift) & 0x1ff), entry))
      return {.cause = access_fault(access)};
    const uint64_t type = entry & pte::kMemoryType;
    if (!(entry & pte::kValid) || (entry & (pte::kRead | pte::kWrite)) == pte::kWrite ||
        (entry & pte::kReserved) || type == pte::kMemoryType ||
        (type != 0 && !(csrs_.menvcfg & envcfg::kPbmte))) {
      return fault;
    }
    const uint64_t target = ((entry >> pte::kPpnShift) & pte::kPpn) << kPageBits;
    if (entry & (pte::kRead | pte::kExecute)) {
      if ((target & offset_mask) || !page_allows(entry, access, privilege)) return fault;
      if (access == Access::kFetch && type == pte::kIoType) return {.cause = access_fault(access)};
      return {.paddr = target | (vaddr & offset_mask), .uncached = type != 0};
    }
    if (entry & (pte::kDirty | pte::kAccessed | pte::kUser | pte::kMemoryType)) return fault;
    table = target;
  }
  return fault;
}

Hart::WalkResult Hart::walk(uint64_t vaddr, Access access, Privilege privilege) const {
  const bool bare = privilege == Privilege::kMachine || csrs_.satp >> satp::kModeShift == satp::kBare;
  WalkResult result = bare ? WalkResult{.paddr = vaddr} : walk_sv39(vaddr, access, privilege);
  if (result.cause != 0) return result;
  const Pma attributes = pma(result.paddr);  // vacant beyond 40 bits, too
  if (attributes == Pma::kVacant || (access == Access::kFetch && attributes == Pma::kIo)) {
    result.cause = access_fault(access);
  }
  return result;
}

std::optional<uint64_t> Hart::translate(uint64_t vaddr, Access access) const {
  const WalkResult result = walk(vaddr, access, access == Access::kFetch ? privilege_ : data_privilege_);
  if (result.cause != 0) return std::nullopt;
  return result.paddr;
}

const Hart::Translation* Hart::translation(uint64_t vaddr, Access access, uint64_t& cause) {
  const uint64_t offset = vaddr % kPageBytes;
  const uint64_t tag = vaddr - offset + context(access);
  Translation& entry = slot(vaddr, access);
  if (entry.tag != tag) {
    const WalkResult result = walk(vaddr, access, access == Access::kFetch ? privilege_ : data_privilege_);
    if (result.cause != 0) {
      cause = result.cause;
      return nullptr;
    }
    entry = {.tag = tag, .host = nullptr, .page = result.paddr - offset, .pma = pma(result.paddr)};
    entry.posted = entry.pma == Pma::kIo || result.uncached;
    if (entry.pma == Pma::kMemory) {
      const HostPage page = memory_.page(result.paddr);
      entry.host = access == Access::kStore ? page.write : page.read;
      if (page.watched && access != Access::kFetch) entry.host = nullptr;
    }
  }
  if (access != Access::kFetch && entry.host != nullptr) {
    PlainPages& pages = access == Access::kStore ? stores_ : loads_;
    pages[(vaddr >> kPageBits) % kPlainPages] = {
        .tag = tag, .offset = reinterpret_cast<uintptr_t>(entry.host) - (vaddr - offset)};
  }
  return &entry;
}

void Hart::flush_translations() {
  for (Translations& one : translations_) one.fill({});
  loads_.fill({});
  stores_.fill({});
  // Code that lies elsewhere now; what lies in the cache stays there.
  forget_code();
}

}  // namespace swai::iss
