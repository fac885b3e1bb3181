// SPDX-License-Identifier: Apache-2.0
#include "sim/iss/cpe/footprint.hpp"

#include <algorithm>

#include "sim/iss/cpe/fault.hpp"

namespace swai::iss::cpe {

void LdmBytes::add(int64_t at, int64_t bytes) {
  const int64_t first = std::max<int64_t>(at, 0);
  const int64_t behind = std::min<int64_t>(at + bytes, kLdmBytes);
  if (first >= behind) return;
  const auto begin = static_cast<uint32_t>(first);
  const auto end = static_cast<uint32_t>(behind);
  if (!spans_.empty()) {
    Span& last = spans_.back();
    if (begin >= last.begin && begin <= last.end) {
      last.end = std::max(last.end, end);
      return;
    }
    sorted_ = sorted_ && begin > last.end;
  }
  spans_.push_back({begin, end});
}

const std::vector<Span>& LdmBytes::sorted() const {
  if (sorted_) return spans_;
  std::ranges::sort(spans_, {}, &Span::begin);
  size_t kept = 0;
  for (const Span& span : spans_) {
    if (kept != 0 && span.begin <= spans_[kept - 1].end) {
      spans_[kept - 1].end = std::max(spans_[kept - 1].end, span.end);
    } else {
      spans_[kept++] = span;
    }
  }
  spans_.resize(kept);
  sorted_ = true;
  return spans_;
}

std::optional<Span> LdmBytes::common(Span span) const {
  const std::vector<Span>& spans = sorted();
  const auto first = std::ranges::upper_bound(spans, span.begin, {}, &Span::end);
  if (first == spans.end() || first->begin >= span.end) return std::nullopt;
  return Span{std::max(first->begin, span.begin), std::min(first->end, span.end)};
}

std::optional<Span> LdmBytes::common(const LdmBytes& other) const {
  const std::vector<Span>& a = sorted();
  const std::vector<Span>& b = other.sorted();
  for (size_t i = 0, k = 0; i < a.size() && k < b.size();) {
    const Span both{std::max(a[i].begin, b[k].begin), std::min(a[i].end, b[k].end)};
    if (both.begin < both.end) return both;
    (a[i].end < b[k].end ? i : k) += 1;
  }
  return std::nullopt;
}

}  // namespace swai::iss::cpe
