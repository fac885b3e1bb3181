// SPDX-License-Identifier: Apache-2.0
#include "verif/firmware/memory/exerciser.hpp"

#include <algorithm>
#include <string>

namespace swai::memory {
namespace {

constexpr uint64_t kTable = FakeProcessor::kOwn;
constexpr uint64_t kRecords = kTable + 0x10'0000;
constexpr uint64_t kPieces = kTable + 0x80'0000;
constexpr uint64_t kFirst = kTable + FakeProcessor::kOwnBytes;
constexpr uint64_t kGroupStride = uint64_t{16} << 30;
constexpr uint16_t kFirstSegment = 16;

}  // namespace

Exerciser::Exerciser(Choose choose, const Options& options)
    : choose_(std::move(choose)), options_(options), memory_(processor_) {
  plan_.groups = options.groups;
  for (unsigned group = 0; group < options.groups; ++group) {
    plan_.areas[group] = {kFirst + group * kGroupStride, options.group_bytes};
  }
  plan_.segment_table = kTable;
  plan_.first_segment = kFirstSegment;
  plan_.records = kRecords;
  plan_.pieces = kPieces;
  plan_.pools = options.pools;
  memory_.init(plan_);
}

void Exerciser::require(bool condition, const char* what) const {
  if (!condition) throw Mismatch(what);
}

uint64_t Exerciser::some_bytes() {
  switch (choose_(8)) {
    case 0:
      return 1 + choose_(64);
    case 1:
    case 2:
    case 3:
      return 1 + choose_(4096);
    case 4:
      return 1 + choose_(kLargeBytes);
    case 5:
      return kLargeBytes - 128 + choose_(256);
    case 6:
      return 1 + choose_(8 * kBlockBytes);
    default:
      return uint64_t{64} << choose_(12);
  }
}

void Exerciser::check_new(const Range& range, uint64_t bytes, Usage usage, uint8_t context) {
  require(range.bytes == bytes && range.usage == usage && range.context == context,
          "an allocation is not what was asked for");
  require(range.physical % kLineBytes == 0, "an allocation is not aligned");
  const auto& area = plan_.areas[range.group];
  require(range.physical >= area.base && range.physical + bytes <= area.base + area.bytes,
          "an allocation lies outside");
  const auto after = owned_.lower_bound(range.physical);
  require(after == owned_.end() || after->first >= range.physical + bytes,
          "an allocation overlaps the one behind it");
  require(after == owned_.begin() ||
              std::prev(after)->first + std::prev(after)->second.range.bytes <= range.physical,
          "an allocation overlaps the one before it");
  const bool pages = processor_.mapped(range.physical) && processor_.mapped(range.physical + bytes - 1);
  require(pages == (usage != Usage::kCpe), "pages are not mapped as the usage says");
  const uint16_t number = segment::number(range.pointer);
  require((number == protocol::kPageSegment) == (usage == Usage::kMpe),
          "the pointer is not of the kind that the usage says");
  if (usage == Usage::kMpe) {
    require(segment::offset(range.pointer) == range.physical,
            "the pointer does not tell the physical address");
    return;
  }
  const uint64_t word = processor_.load(kTable + number * sizeof(uint64_t));
  require(segment::is_valid(word), "the segment is not valid");
  const segment::Entry entry = segment::decode(word);
  require(entry.base + segment::offset(range.pointer) == range.physical,
          "pointer and physical address differ");
  require(segment::offset(range.pointer) + bytes <= entry.size, "the segment is too small");
  require(entry.owner == context && entry.permissions == (segment::kRead | segment::kWrite),
          "the segment is somebody else's");
}

void Exerciser::allocate() {
  const uint64_t bytes = some_bytes();
  const auto usage = static_cast<Usage>(choose_(3));
  const auto context = static_cast<uint8_t>(1 + choose_(kContexts));
  const auto group = static_cast<unsigned>(choose_(options_.groups + 1));
  const Allocation got =
      memory_.allocate(bytes, usage, group == options_.groups ? protocol::kAnyGroup : group, context);
  if (got.status == Status::kNoMemory) return;
  if (got.status == Status::kAgain) {
    clear_some(1 + choose_(64));
    return;
  }
  require(got.status == Status::kOk, "an allocation was refused");
  check_new(got.range, bytes, usage, context);
  require(processor_.nothing_of_others(got.range.physical, bytes, context),
          "somebody else's bytes are there");
  const uint64_t number = choose_(~uint64_t{0});
  processor_.overwrite(got.range.physical, number, context);
  owned_[got.range.physical] = {got.range, number};
  asked_ += bytes;
  uint64_t free = 0;
  uint64_t total = 0;
  for (unsigned i = 0; i < options_.groups; ++i) {
    free += memory_.info(i).free;
    total += memory_.info(i).total;
  }
  const double used = static_cast<double>(total - free);
  if (used / static_cast<double>(total) > peak_) {
    peak_ = used / static_cast<double>(total);
    asked_share_ = static_cast<double>(asked_) / used;
  }
}

std::map<uint64_t, Exerciser::Owned>::iterator Exerciser::some_range() {
  auto found =
      owned_.lower_bound(kFirst + choose_(options_.groups) * kGroupStride + choose_(options_.group_bytes));
  return found == owned_.end() ? owned_.begin() : found;
}

void Exerciser::free_one() {
  if (owned_.empty()) return;
  const auto found = some_range();
  const Range range = found->second.range;
  check_untouched(found->second);
  const uint8_t stranger = range.context == 1 ? 2 : 1;
  require(memory_.free(range.pointer, stranger) == Status::kBadPointer, "a stranger could free");
  const Status status = memory_.free(range.pointer, range.context);
  owned_.erase(found);
  require(status == Status::kOk, "something could not be freed");
  require(memory_.free(range.pointer, range.context) == Status::kBadPointer,
          "something could be freed twice");
  asked_ -= range.bytes;
}

void Exerciser::look_up() {
  if (owned_.empty()) return;
  const Range range = some_range()->second.range;
  const Range found = memory_.find(range.pointer + choose_(range.bytes), range.context);
  require(found.bytes != 0 && found.physical <= range.physical &&
              found.physical + found.bytes >= range.physical + range.bytes,
          "an address inside an allocation is not found");
  require(memory_.find(range.pointer, range.context == 1 ? 2 : 1).bytes == 0,
          "a stranger finds an allocation");
}

void Exerciser::misuse() {
  const auto context = static_cast<uint8_t>(1 + choose_(kContexts));
  const uint64_t pointers[] = {
      0, ~uint64_t{0}, segment::pointer(protocol::kPageSegment, choose_(uint64_t{1} << 40)),
      segment::pointer(static_cast<uint16_t>(choose_(0x10000)), choose_(64 * kBlockBytes)), kTable};
  const uint64_t pointer = pointers[choose_(std::size(pointers))];
  const bool mine =
      std::ranges::any_of(owned_, [&](const auto& entry) { return entry.second.range.pointer == pointer; });
  if (!mine)
    require(memory_.free(pointer, context) == Status::kBadPointer, "a pointer from nowhere could be freed");
  if (owned_.empty()) return;
  const Range range = some_range()->second.range;
  const uint64_t inside = 1 + choose_(std::max<uint64_t>(range.bytes, 2) - 1);
  require(memory_.free(range.pointer + inside, range.context) == Status::kBadPointer,
          "the middle of an allocation could be freed");
}

void Exerciser::clear_some(unsigned steps) {
  memory_.end_period();
  for (unsigned i = 0; i < steps; ++i) {
    const Row row = memory_.take_to_clear();
    if (row.blocks == 0) return;
    for (const auto& [physical, owned] : owned_) {
      const uint64_t at = memory_.physical_of(row.index);
      require(physical + owned.range.bytes <= at || physical >= at + row.blocks * kBlockBytes,
              "what somebody has is to be cleared");
    }
    processor_.clear(memory_.physical_of(row.index), row.blocks * kBlockBytes);
    memory_.cleared(row.blocks);
  }
}

// Nobody but the memory knows what was there.
void Exerciser::reset() {
  processor_.reset();
  owned_.clear();
  asked_ = 0;
  memory_.init(plan_);
}

void Exerciser::leave() {
  const auto context = static_cast<uint8_t>(1 + choose_(kContexts));
  for (const auto& [physical, owned] : owned_) {
    if (owned.range.context == context) check_untouched(owned);
  }
  while (!memory_.free_some(context, 4)) {
  }
  require(memory_.count_of(context) == 0 && memory_.bytes_of(context) == 0, "a client that left has memory");
  for (auto entry = owned_.begin(); entry != owned_.end();) {
    if (entry->second.range.context == context) {
      asked_ -= entry->second.range.bytes;
      entry = owned_.erase(entry);
    } else {
      ++entry;
    }
  }
}

// Anywhere in the memory that the hardware lets it reach.
void Exerciser::vandalise() {
  if (owned_.empty()) return;
  const Range range = some_range()->second.range;
  if (range.context != kVandal) return;
  const Range reach = memory_.find(range.pointer, kVandal);
  for (unsigned i = 0; i < 64; ++i) {
    const uint64_t near = choose_(2) == 0 ? range.physical - reach.physical : 0;
    const uint64_t at = (near + choose_(reach.bytes - near)) & ~uint64_t{7};
    if (at + sizeof(uint64_t) > reach.bytes) continue;
    processor_.overwrite(reach.physical + at, choose_(2) == 0 ? choose_(~uint64_t{0}) : choose_(0x10000),
                         kVandal);
  }
}

void Exerciser::check_untouched(const Owned& owned) const {
  if (options_.vandal && owned.range.context == kVandal) return;
  require(processor_.word(owned.range.physical) == owned.number, "somebody else has written there");
}

void Exerciser::step() {
  const uint64_t choice = choose_(64);
  if (choice < 30) {
    allocate();
  } else if (choice < 56) {
    free_one();
  } else if (choice < 60) {
    look_up();
  } else if (choice < 63) {
    misuse();
    if (options_.vandal) vandalise();
  } else if (choose_(32) == 0) {
    leave();
  } else if (choose_(64) == 0) {
    clear_some(4);
  } else if (choose_(256) == 0) {
    reset();
  }
}

void Exerciser::finish() {
  uint64_t counted = 0;
  for (uint8_t context = 1; context <= kContexts; ++context) counted += memory_.count_of(context);
  require(counted == owned_.size(), "the accounts are wrong");
  while (!owned_.empty()) free_one();
  for (uint8_t context = 1; context <= kContexts; ++context)
    require(memory_.bytes_of(context) == 0, "bytes are accounted to somebody who freed all");
  // Neighbours that are free have grown together, up to whole blocks.
  for (unsigned group = 0; group < options_.groups; ++group) {
    // Somebody wants all that there is, and gets it in the end.
    const uint64_t all = memory_.info(group).total;
    Allocation got = memory_.allocate(all, Usage::kCpe, group, kContexts + 1);
    for (unsigned i = 0; got.status == Status::kAgain; ++i) {
      require(i < 1000, "the memory that was left is never cleared");
      clear_some(1 + choose_(64));
      got = memory_.allocate(all, Usage::kCpe, group, kContexts + 1);
    }
    require(got.status == Status::kOk, "not all memory can be had");
    check_new(got.range, all, Usage::kCpe, kContexts + 1);
    require(processor_.nothing_of_others(got.range.physical, all, kContexts + 1),
            "something was not cleared");
    require(memory_.free(got.range.pointer, kContexts + 1) == Status::kOk, "it could not be freed");
    const Info info = memory_.info(group);
    require(info.free == info.total, "not all memory is free again");
  }
  require(processor_.pages() == 0, "pages stay mapped");
}

}  // namespace swai::memory
