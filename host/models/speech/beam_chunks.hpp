// SPDX-License-Identifier: Apache-2.0
// Where keys and values of texts lie that have their beginnings in common: in chunks of rows, which texts
// share.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace swai::transcribe {

class BeamChunks {
 public:
  // For texts of so many tokens, so many at once.
  BeamChunks(uint32_t texts, uint32_t tokens);

  // That are enough, whatever texts share.
  uint32_t count() const { return texts_most_ * (of_each_ + 1); }
  uint32_t of_each() const { return of_each_; }

  // One text with so many tokens, whose rows lie in order from the first chunk on.
  void begin(uint32_t tokens);

  // Rows from the begin of one chunk to that of another.
  struct Copy {
    uint32_t from, to, rows;
  };
  // There are new texts: for each the one that it goes on from, with a token more. What has to be copied
  // before a row of that token is written.
  std::vector<Copy> grow(std::span<const size_t> parents);

  uint32_t tokens() const { return tokens_; }
  // Chunks of a text, in the order of its rows.
  std::span<const uint32_t> of(size_t text) const { return texts_[text]; }

 private:
  uint32_t free_chunk(std::span<const std::vector<uint32_t>> next) const;

  const uint32_t texts_most_;
  const uint32_t of_each_;
  uint32_t tokens_ = 0;
  std::vector<std::vector<uint32_t>> texts_;
};

}  // namespace swai::transcribe
