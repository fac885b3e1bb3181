// Memory of the card for all values of a kind that a program knows by their names.
#pragma once

#include <set>
#include <string>

#include "host/graph/layout.hpp"
#include "host/walk/card_memory.hpp"

namespace swai::walk {

class NamedMemory {
 public:
  // `what` it is for is in messages.
  NamedMemory(std::string what, const graph::Template& pattern, graph::ValueKind kind,
              const graph::Layout::Wanted& wanted = {}, CardMemory::Reach reach = CardMemory::kCores);

  size_t bytes() const { return memory_.bytes(); }
  cpe::GlobalPtr<void> address(const std::string& name) const;
  // All of it. Throws std::logic_error unless there is one of this name and size.
  void put(const std::string& name, std::span<const uint8_t> contents);
  // Some of it, from a byte on. Throws std::logic_error unless there is so much.
  void write(const std::string& name, std::span<const uint8_t> contents, size_t at);
  // Throws std::logic_error unless each has been put.
  void require_all() const;

 private:
  graph::Layout layout_;
  CardMemory memory_;
  std::set<std::string> put_;
};

}  // namespace swai::walk
