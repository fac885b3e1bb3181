// SPDX-License-Identifier: Apache-2.0
#include "host/models/exec/named_memory.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace swai::walk {

NamedMemory::NamedMemory(std::string what, const graph::Template& pattern, graph::ValueKind kind,
                         const graph::Layout::Wanted& wanted, CardMemory::Reach reach)
    : layout_(pattern, kind, wanted), memory_(std::move(what), layout_.bytes, reach) {}

cpe::GlobalPtr<void> NamedMemory::address(const std::string& name) const {
  return memory_.address().plus_bytes(static_cast<int64_t>(layout_.extents.at(name).offset));
}

size_t NamedMemory::place_of_all(const std::string& name, size_t bytes) const {
  const auto found = layout_.extents.find(name);
  if (found == layout_.extents.end()) throw std::logic_error(name + ": nothing has this name");
  if (bytes != found->second.bytes)
    throw std::logic_error(fmt::format("{}: {} bytes for {}", name, bytes, found->second.bytes));
  return found->second.offset;
}

size_t NamedMemory::place_in(const std::string& name, size_t at, size_t bytes) const {
  const graph::Extent& extent = layout_.extents.at(name);
  if (at > extent.bytes || bytes > extent.bytes - at)
    throw std::logic_error(fmt::format("{}: {} bytes at {} of {}", name, bytes, at, extent.bytes));
  return extent.offset + at;
}

void NamedMemory::put(const std::string& name, std::span<const uint8_t> contents) {
  memory_.put(contents, place_of_all(name, contents.size()));
  put_.insert(name);
}

void NamedMemory::get(const std::string& name, std::span<uint8_t> contents) const {
  memory_.get(contents, place_of_all(name, contents.size()));
}

void NamedMemory::write(const std::string& name, std::span<const uint8_t> contents, size_t at) {
  memory_.put(contents, place_in(name, at, contents.size()));
}

void NamedMemory::copy(const std::string& name, size_t from, size_t to, size_t bytes) {
  memory_.copy(memory_, place_in(name, from, bytes), place_in(name, to, bytes), bytes);
}

void NamedMemory::require_all() const {
  if (put_.size() != layout_.extents.size())
    throw std::logic_error(fmt::format("{} of {} are there", put_.size(), layout_.extents.size()));
}

}  // namespace swai::walk
