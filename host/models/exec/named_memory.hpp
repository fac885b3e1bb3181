// SPDX-License-Identifier: Apache-2.0
// Memory of the card for all values of a kind that a program knows by their names.
#pragma once

#include <set>
#include <string>

#include "host/models/exec/card_memory.hpp"
#include "host/models/graph/layout.hpp"

namespace swai::walk {

class NamedMemory {
 public:
  // `what` it is for is in messages.
  NamedMemory(std::string what, const graph::Template& pattern, graph::ValueKind kind,
              const graph::Layout::Wanted& wanted = {}, CardMemory::Reach reach = CardMemory::kCores);

  size_t bytes() const { return memory_.bytes(); }
  cpe::GlobalPtr<void> address(const std::string& name) const;
  // All of it; both throw std::logic_error unless there is one of this name and size.
  void put(const std::string& name, std::span<const uint8_t> contents);
  void get(const std::string& name, std::span<uint8_t> contents) const;
  // Some of it, from a byte on. Throws std::logic_error unless there is so much.
  void write(const std::string& name, std::span<const uint8_t> contents, size_t at);
  // Some of it, to another place in it. Throws std::logic_error unless there is so much.
  void copy(const std::string& name, size_t from, size_t to, size_t bytes);
  // Throws std::logic_error unless each has been put.
  void require_all() const;

 private:
  // In all of the memory.
  size_t place_of_all(const std::string& name, size_t bytes) const;
  size_t place_in(const std::string& name, size_t at, size_t bytes) const;

  graph::Layout layout_;
  CardMemory memory_;
  std::set<std::string> put_;
};

}  // namespace swai::walk
