// SPDX-License-Identifier: Apache-2.0
#include "host/daemon/shared/shared_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace swai::write {

using models::Token;

void SharedText::generate(std::span<const Token> tokens, uint64_t most, std::span<const Token>,
                          const Got& got) {
  if (tokens.size() > room_ - text_.size()) {
    throw std::length_error(fmt::format("the text would have {} tokens; there is room for {}",
                                        text_.size() + tokens.size(), room_));
  }
  text_.insert(text_.end(), tokens.begin(), tokens.end());
  const SharedModel::Wish wish = {.tokens = text_,
                                  .most = std::min<uint64_t>(most, room_ - text_.size() + 1)};
  std::vector<Token> made;
  waits_(true);
  const auto taken = model_.write({&wish, 1}, sampling_,
                                  {.begins = [this](size_t) { waits_(false); },
                                   .got =
                                       [&](size_t, Token token) {
                                         made.push_back(token);
                                         return got(token);
                                       }});
  taken_.tokens += taken.tokens;
  taken_.beside += taken.beside;
  taken_.kv_bytes = taken.kv_bytes;
  // The last one has been chosen, and is no part of the text.
  if (!made.empty()) text_.insert(text_.end(), made.begin(), made.end() - 1);
}

}  // namespace swai::write
