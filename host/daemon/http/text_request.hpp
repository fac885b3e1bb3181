// SPDX-License-Identifier: Apache-2.0
// What is asked of a language model: /v1/completions and /v1/chat/completions.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "host/daemon/http/fields.hpp"
#include "host/models/text/chat.hpp"
#include "host/models/text/sampling.hpp"

namespace swai::http {

struct TextRequest {
  using Conversation = std::vector<generate::Chat::Message>;
  using Tokens = std::vector<models::Token>;

  bool is_chat() const { return std::holds_alternative<Conversation>(prompt); }

  std::string model;
  std::variant<std::string, Tokens, Conversation> prompt;
  std::optional<uint64_t> most;  // tokens of the answer; none: as many as there is room for
  generate::Sampling sampling;   // with a seed, always
  std::vector<std::string> stops;
  bool stream = false;
  bool stream_usage = false;
};

// `seed`: for a request that has none. Both throw Problem.
TextRequest completion_request(const Parsed& body, uint64_t seed);
TextRequest chat_request(const Parsed& body, uint64_t seed);

}  // namespace swai::http
