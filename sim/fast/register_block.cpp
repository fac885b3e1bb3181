// SPDX-License-Identifier: Apache-2.0
#include "sim/fast/register_block.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace swai::fast {

Lanes::Lanes(uint64_t address, unsigned size)
    : offset(address & ~uint64_t{7}),
      shift(static_cast<unsigned>(8 * (address % 8))),
      mask((size == 8 ? ~uint64_t{0} : (uint64_t{1} << (8 * size)) - 1) << shift) {}

RegisterBlock::RegisterBlock(std::string_view device) {
  for (const regs::RegisterInfo& info : regs::kRegisters) {
    if (device == info.device) add(info, info.offset);
  }
  if (registers_.empty()) throw std::logic_error("no such device: " + std::string(device));
}

void RegisterBlock::add(const regs::RegisterInfo& info, uint64_t offset) {
  index_.resize(std::max<size_t>(index_.size(), offset / 8 + 1), kNone);
  index_[offset / 8] = static_cast<int>(registers_.size());
  registers_.push_back({.info = &info, .value = info.reset});
}

void RegisterBlock::repeat(uint64_t offset, uint64_t count) {
  const regs::RegisterInfo& info = *find(offset)->info;
  for (uint64_t i = 1; i < count; ++i) add(info, offset + 8 * i);
}

RegisterBlock::Register* RegisterBlock::find(uint64_t offset) {
  const uint64_t word = offset / 8;
  if (word >= index_.size() || index_[word] == kNone) return nullptr;
  return &registers_[static_cast<size_t>(index_[word])];
}

bool RegisterBlock::read(uint64_t offset, unsigned size, uint64_t& value) {
  const Register* found = find(offset);
  if (found == nullptr) return false;
  const Lanes lanes(offset, size);
  value = lanes.take(load(lanes.offset, found->value));
  return true;
}

bool RegisterBlock::write(uint64_t offset, unsigned size, uint64_t value) {
  Register* const found = find(offset);
  if (found == nullptr) return false;
  const Lanes lanes(offset, size);
  const uint64_t data = lanes.place(value);
  found->value = merge(found->value, data, lanes.mask & found->info->rw) & ~(data & found->info->w1c);
  stored(lanes.offset, data, lanes.mask);
  return true;
}

void RegisterBlock::reset(bool power_on) {
  for (Register& one : registers_) {
    if (power_on || !one.info->sticky) one.value = one.info->reset;
  }
}

}  // namespace swai::fast
