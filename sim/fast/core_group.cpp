// SPDX-License-Identifier: Apache-2.0
#include "sim/fast/core_group.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "card_regs.hpp"
#include "sim/common/archive.hpp"
#include "sim/fast/data_cache.hpp"
#include "sim/fast/mistakes.hpp"
#include "sim/iss/cpe/group_unit.hpp"

namespace swai::fast {
namespace {

using iss::cpe::MemoryStatus;

// The memory of this tier is never damaged, and nobody counts what its controller would do: these read 0.
bool of_memory_controller(uint64_t offset) {
  return offset >= regs::cg::poison::kOffset && offset < regs::cg::hbm_busy::kOffset + 8 &&
         (offset < regs::cg::poison_reads::kOffset + 8 || offset >= regs::cg::hbm_reads::kOffset);
}

}  // namespace

// What a core's requests reach over the ring: memory in any pieces, devices by the register.
class CoreGroup::Lines final : public iss::cpe::Memory {
 public:
  Lines(const Options& options, CardMemory& memory, Outside& outside)
      : group_(options.number),
        memory_(memory),
        outside_(outside),
        cache_(options.cache),
        allocations_(options.allocations) {}

  MemoryStatus read(uint64_t address, std::span<uint8_t> bytes) override {
    if (const uint8_t* const from = memory_.at(address, bytes.size())) {
      std::memcpy(bytes.data(), from, bytes.size());
      return MemoryStatus::kOk;
    }
    uint64_t value = 0;
    if (!is_register(address, bytes.size()) || !outside_.read(address, size_of(bytes), value)) {
      return MemoryStatus::kNobody;
    }
    std::memcpy(bytes.data(), &value, bytes.size());
    return MemoryStatus::kOk;
  }

  // A device says no only when it is written to, which must not be tried.
  MemoryStatus may_write(uint64_t address, uint64_t bytes) override {
    const bool there = memory_.at(address, bytes) != nullptr || is_register(address, bytes);
    return there ? MemoryStatus::kOk : MemoryStatus::kNobody;
  }

  bool is_memory(uint64_t address, uint64_t bytes) const override {
    return memory_.at(address, bytes) != nullptr;
  }

  uint8_t* plain(uint64_t address, uint64_t bytes) const override { return memory_.at(address, bytes); }

  // Processor and endpoint are two more nodes of the ring, side by side.
  unsigned hops(uint64_t address) const override {
    if (memory_.hbm(address, 1) == nullptr) return 0;
    const auto other = static_cast<unsigned>((address - iss::cpe::kHbmBase) / CardMemory::kGroupBytes);
    const unsigned apart = std::max(group_, other) - std::min(group_, other);
    return std::min(apart, memory_.groups() + 2 - apart);
  }

  std::optional<Dirty> dirty(uint64_t address, uint64_t bytes) const override {
    return cache_ == nullptr ? std::nullopt : cache_->dirty(address, bytes);
  }

  const iss::cpe::Allocations* allocations() const override { return allocations_; }

  MemoryStatus write(uint64_t address, std::span<const uint8_t> bytes) override {
    if (uint8_t* const into = memory_.at(address, bytes.size())) {
      std::memcpy(into, bytes.data(), bytes.size());
      return MemoryStatus::kOk;
    }
    if (!is_register(address, bytes.size())) return MemoryStatus::kNobody;
    uint64_t value = 0;
    std::memcpy(&value, bytes.data(), bytes.size());
    return outside_.write(address, size_of(bytes), value) ? MemoryStatus::kOk : MemoryStatus::kNobody;
  }

 private:
  static bool is_register(uint64_t address, uint64_t bytes) {
    return regs::kCardRegion.contains(address) && bytes <= 8 && std::has_single_bit(bytes) &&
           address % bytes == 0;
  }
  static unsigned size_of(std::span<const uint8_t> bytes) { return static_cast<unsigned>(bytes.size()); }

  const unsigned group_;
  CardMemory& memory_;
  Outside& outside_;
  const DataCache* cache_;
  const iss::cpe::Allocations* allocations_;
};

CoreGroup::CoreGroup(const Options& options, CardMemory& memory, Outside outside)
    : outside_(std::move(outside)),
      lines_(std::make_unique<Lines>(options, memory, outside_)),
      unit_(make_unit(options, *lines_, outside_)) {}

std::unique_ptr<iss::cpe::GroupUnit> CoreGroup::make_unit(const Options& options, Lines& lines,
                                                          const Outside& outside) {
  iss::cpe::GroupUnit::Outside around{.done = outside.done, .fault = outside.fault};
  if (options.mistakes != nullptr) {
    around.mistakes = [mistakes = options.mistakes, card = options.card, number = options.number](
                          iss::cpe::Group& group, const std::vector<iss::cpe::Finding>& findings) {
      mistakes->tell({.card = card, .group = number, .running = group}, findings);
    };
  }
  return std::make_unique<iss::cpe::GroupUnit>(
      options.rows, options.columns, lines,
      iss::cpe::GroupUnit::Options{.number = options.number,
                                   .hbm_kib = static_cast<uint32_t>(CardMemory::kGroupBytes >> 10),
                                   .workers = options.workers},
      std::move(around));
}

CoreGroup::~CoreGroup() = default;

bool CoreGroup::busy() const { return unit_->busy(); }
void CoreGroup::run(uint64_t cycles) { unit_->run(cycles); }
void CoreGroup::reset() { unit_->reset(); }
void CoreGroup::visit(Archive& archive) { archive(*unit_); }

bool CoreGroup::read(uint64_t offset, unsigned size, uint64_t& value) {
  value = 0;
  if (offset >= regs::kCgAccess)
    return unit_->read_window(offset, {reinterpret_cast<uint8_t*>(&value), size});
  return of_memory_controller(offset) || unit_->read(offset, size, value);
}

bool CoreGroup::write(uint64_t offset, unsigned size, uint64_t value) {
  if (offset >= regs::kCgAccess) {
    return unit_->write_window(offset, {reinterpret_cast<const uint8_t*>(&value), size});
  }
  return of_memory_controller(offset) || unit_->write(offset, size, value);
}

}  // namespace swai::fast
