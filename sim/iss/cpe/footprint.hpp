// SPDX-License-Identifier: Apache-2.0
// What a command to a unit uses of local memory from when it is taken until it is complete.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace swai::iss::cpe {

// Bytes of local memory, counted from its start.
struct Span {
  uint32_t begin = 0;
  uint32_t end = 0;  // behind the last one

  bool operator==(const Span&) const = default;
};

// A set of them.
class LdmBytes {
 public:
  // What lies outside of local memory is left out.
  void add(int64_t at, int64_t bytes);
  // The first bytes that both have, as far as they follow each other.
  std::optional<Span> common(const LdmBytes& other) const;
  std::optional<Span> common(Span span) const;

 private:
  // In order, and apart from each other, whenever somebody looks.
  const std::vector<Span>& sorted() const;

  mutable std::vector<Span> spans_;
  mutable bool sorted_ = true;
};

struct Footprint {
  LdmBytes reads;
  LdmBytes writes;
  // Written at any time, also behind the results of later runs: reductions of the vector unit.
  LdmBytes late_writes;
  // What it must not write itself, because it reads there later, or may.
  LdmBytes reads_late;
};

}  // namespace swai::iss::cpe
