// SPDX-License-Identifier: Apache-2.0
// Texts at which an answer ends, found while it comes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace swai::http {

class StopText {
 public:
  // None of them is empty.
  explicit StopText(std::vector<std::string> stops) : stops_(std::move(stops)) {}

  // What can be said now: what may be the beginning of a stop waits, what comes behind one is lost.
  std::string add(std::string_view piece);
  // What still waits when no more comes.
  std::string rest();
  bool found() const { return found_; }

 private:
  size_t maybe_begins() const;

  const std::vector<std::string> stops_;
  std::string waiting_;
  bool found_ = false;
};

}  // namespace swai::http
