// SPDX-License-Identifier: Apache-2.0
#include "host/daemon/http/stop_text.hpp"

#include <algorithm>
#include <utility>

namespace swai::http {

// Where the longest end of what waits is that a stop may begin with.
size_t StopText::maybe_begins() const {
  const std::string_view text = waiting_;
  size_t longest = 0;
  for (const std::string& stop : stops_) {
    for (size_t length = std::min(stop.size() - 1, text.size()); length > longest; --length) {
      if (text.substr(text.size() - length) == std::string_view(stop).substr(0, length)) longest = length;
    }
  }
  return text.size() - longest;
}

std::string StopText::add(std::string_view piece) {
  if (found_) return {};
  waiting_ += piece;
  size_t end = std::string::npos;
  for (const std::string& stop : stops_) end = std::min(end, waiting_.find(stop));
  found_ = end != std::string::npos;
  if (!found_) end = maybe_begins();
  std::string said = waiting_.substr(0, end);
  waiting_.erase(0, found_ ? std::string::npos : end);
  return said;
}

std::string StopText::rest() { return std::exchange(waiting_, {}); }

}  // namespace swai::http
