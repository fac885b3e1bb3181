// SPDX-License-Identifier: Apache-2.0
#include "host/models/speech/beam_chunks.hpp"

#include <algorithm>
#include <numeric>
#include <set>

#include "cpe-kernels/operators/common/places.hpp"

namespace swai::transcribe {
namespace {

using operators::kChunkRows;

constexpr uint32_t chunks_for(uint32_t tokens) { return (tokens + kChunkRows - 1) / kChunkRows; }

bool has(std::span<const std::vector<uint32_t>> texts, uint32_t chunk) {
  return std::ranges::any_of(texts, [&](const auto& text) { return std::ranges::count(text, chunk) != 0; });
}

}  // namespace

BeamChunks::BeamChunks(uint32_t texts, uint32_t tokens) : texts_most_(texts), of_each_(chunks_for(tokens)) {}

void BeamChunks::begin(uint32_t tokens) {
  tokens_ = tokens;
  texts_.assign(1, std::vector<uint32_t>(chunks_for(tokens)));
  std::iota(texts_.front().begin(), texts_.front().end(), 0);
}

// None of the texts before, from which rows are still copied, and none of the new ones.
uint32_t BeamChunks::free_chunk(std::span<const std::vector<uint32_t>> next) const {
  uint32_t chunk = 0;
  while (has(texts_, chunk) || has(next, chunk)) ++chunk;
  return chunk;
}

std::vector<BeamChunks::Copy> BeamChunks::grow(std::span<const size_t> parents) {
  const uint32_t rows = tokens_ % kChunkRows;  // in the last chunk
  std::vector<Copy> copies;
  std::vector<std::vector<uint32_t>> next;
  std::set<size_t> continued;
  for (const size_t parent : parents) {
    std::vector<uint32_t> text = texts_.at(parent);
    if (rows == 0) {
      text.push_back(free_chunk(next));
    } else if (!continued.insert(parent).second) {
      // The first one goes on in the last chunk itself.
      const uint32_t from = text.back();
      text.back() = free_chunk(next);
      copies.push_back({from, text.back(), rows});
    }
    next.push_back(std::move(text));
  }
  texts_ = std::move(next);
  ++tokens_;
  return copies;
}

}  // namespace swai::transcribe
