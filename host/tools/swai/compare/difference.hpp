// SPDX-License-Identifier: Apache-2.0
// The first difference between what two runs of a program got to know of their cards.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "host/tools/swai/compare/record_file.hpp"

namespace swai::cli {

// One value for each run.
template <typename T>
using Both = std::array<T, 2>;

// A result, by its number among those of its source, from 1 on.
struct Numbered {
  uint64_t number = 0;
  sdaa::record::Result result = {};
};

struct Difference {
  enum class Kind {
    kContents,  // of a copy, or a message
    kEnd,       // one failed, or failed in another way
    kCommand,   // the program did something else
    kMissing,   // one has no such result
  };
  struct Bytes {
    uint64_t offset = 0;  // of the first that differs, or of a piece in which it is
    uint64_t behind = 0;  // the piece's end; 0: the offset is exact
    uint64_t from = 0;    // of the neighbours
    Both<std::vector<uint8_t>> neighbours = {};
  };

  Kind kind = Kind::kContents;
  std::string source = {};
  uint64_t number = 0;
  Both<std::optional<sdaa::record::Result>> results = {};
  Bytes bytes = {};
  std::vector<Numbered> launches = {};  // the last ones before it
};

// Of one process on both sides. Between results of different sources there is no order. What one run knows
// and the other does not, because its program ended first, is no difference; nor is what comes behind a
// failure.
class Comparison {
 public:
  explicit Comparison(const Both<std::string>& paths) : files_{RecordFile(paths[0]), RecordFile(paths[1])} {}

  // Reads all, or up to the first difference. Throws Error, and Interrupted.
  std::optional<Difference> run();

  // That were compared, and how many bytes they had.
  uint64_t results() const { return results_; }
  uint64_t bytes() const { return bytes_; }
  // Results of those whose contents one of both does not know.
  uint64_t unknown() const { return unknown_; }
  const Both<RecordFile>& files() const { return files_; }

 private:
  struct Source {
    Both<std::deque<sdaa::record::Result>> waiting = {};
    uint64_t number = 0;
    bool over = false;  // it has failed
  };
  std::optional<Difference> compare(Source& source, const std::string& name);
  std::optional<Difference> first_missing() const;
  Difference describe(Difference::Kind kind, const std::string& name, uint64_t number,
                      Both<std::optional<sdaa::record::Result>> results) const;
  Difference::Bytes find_bytes(const Both<sdaa::record::Result>& results) const;

  Both<RecordFile> files_;
  std::map<std::string, Source> sources_;
  std::deque<Numbered> launches_;
  uint64_t results_ = 0;
  uint64_t bytes_ = 0;
  uint64_t unknown_ = 0;
};

}  // namespace swai::cli
