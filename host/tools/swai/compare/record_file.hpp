// SPDX-License-Identifier: Apache-2.0
// Reads what a program got to know of its cards (host/runtime/record.hpp), result by result.
#pragma once

#include <cstdint>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "host/runtime/record.hpp"

namespace swai::cli {

class RecordFile {
 public:
  // Of a process that used no card there is no file: it has no results, and has ended well.
  explicit RecordFile(std::string path);

  // Nothing: there are no more. Throws Error when a line is none of a record.
  std::optional<sdaa::record::Result> next();
  // Once all were read: the process ended in order, so nothing is missing.
  bool is_whole() const { return whole_; }
  // The file had become too long.
  bool is_cut() const { return cut_; }
  // So many bytes of a copy, from `offset` on; fewer where they were not kept.
  std::vector<uint8_t> contents(const sdaa::record::Result& result, uint64_t offset, uint64_t bytes) const;

 private:
  const std::string path_;
  std::ifstream in_;
  bool whole_ = false;
  bool cut_ = false;
};

}  // namespace swai::cli
