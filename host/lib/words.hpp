// SPDX-License-Identifier: Apache-2.0
// Words of a command line as the system wants them.
#pragma once

#include <string>
#include <vector>

namespace swai::common {

class Words {
 public:
  explicit Words(std::vector<std::string> words) : words_(std::move(words)) {
    for (std::string& word : words_) pointers_.push_back(word.data());
    pointers_.push_back(nullptr);
  }
  Words(const Words&) = delete;
  Words& operator=(const Words&) = delete;
  // The last one is null. Valid as long as this.
  char* const* data() const { return pointers_.data(); }

 private:
  std::vector<std::string> words_;
  std::vector<char*> pointers_;
};

}  // namespace swai::common
