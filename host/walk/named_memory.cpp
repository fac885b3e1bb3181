#include "host/walk/named_memory.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace swai::walk {

NamedMemory::NamedMemory(std::string what, const graph::Template& pattern, graph::ValueKind kind,
                         const graph::Layout::Wanted& wanted, CardMemory::Reach reach)
    : layout_(pattern, kind, wanted), memory_(std::move(what), layout_.bytes, reach) {}

cpe::GlobalPtr<void> NamedMemory::address(const std::string& name) const {
  return memory_.address().plus_bytes(static_cast<int64_t>(layout_.extents.at(name).offset));
}

void NamedMemory::put(const std::string& name, std::span<const uint8_t> contents) {
  const auto found = layout_.extents.find(name);
  const size_t bytes = found == layout_.extents.end() ? 0 : found->second.bytes;
  if (contents.size() != bytes)
    throw std::logic_error(fmt::format("{}: {} bytes for {}", name, contents.size(), bytes));
  memory_.put(contents, found->second.offset);
  put_.insert(name);
}

void NamedMemory::write(const std::string& name, std::span<const uint8_t> contents, size_t at) {
  const graph::Extent& extent = layout_.extents.at(name);
  if (at > extent.bytes || contents.size() > extent.bytes - at)
    throw std::logic_error(fmt::format("{}: {} bytes at {} of {}", name, contents.size(), at, extent.bytes));
  memory_.put(contents, extent.offset + at);
}

void NamedMemory::require_all() const {
  if (put_.size() != layout_.extents.size())
    throw std::logic_error(fmt::format("{} of {} are there", put_.size(), layout_.extents.size()));
}

}  // namespace swai::walk
