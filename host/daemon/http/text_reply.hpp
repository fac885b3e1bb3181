// SPDX-License-Identifier: Apache-2.0
// What a language model says, as OpenAI's interface writes it: whole, or piece by piece as events.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "host/daemon/http/problem.hpp"
#include "host/daemon/http/text_request.hpp"

namespace swai::http {

enum class Finish : uint8_t { kStop, kLength };

struct Usage {
  uint64_t prompt = 0;
  uint64_t answer = 0;
};

class TextReply {
 public:
  // `number`: another one for each answer; `created`: seconds since 1970.
  TextReply(const TextRequest& request, std::string_view number, int64_t created);

  std::string whole(std::string_view text, Finish finish, const Usage& usage) const;

  // Events: the first one (of chats alone; else empty), a piece of text, the last ones.
  std::string begin() const;
  std::string piece(std::string_view text) const;
  std::string end(Finish finish, const Usage& usage) const;
  // In the place of the last ones.
  static std::string broken_off(const Problem& problem);

 private:
  Json head(const char* object) const;
  std::string event(Json choices, const Usage* usage = nullptr) const;
  Json choice(Json delta, Json finish) const;

  const bool chat_;
  const bool usage_;
  const std::string model_;
  const std::string id_;
  const int64_t created_;
};

}  // namespace swai::http
