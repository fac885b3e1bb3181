// SPDX-License-Identifier: Apache-2.0
// What is said about models and texts on a daemon's control socket (host/daemon/cards/control.hpp):
//
//   {"version": 1, "command": "models"}
//     -> {"models": [{"name": "m", "identity": "5b...", "room": 2048, "weight_bytes": 1000}], "version": 1}
//   {"version": 1, "command": "write", "model": "5b...", "tokens": [1, 2], "most": 3, "temperature": 0, ...}
//     -> {"begins": 2, "kv_bytes": 100}, then {"token": 7} for each, then {"end": "limit", "beside": 2, ...}
//
// Instead of any line of the answer, the last one may come: {"error": "why", "version": 1}. When it was the
// card that failed, "card_error" is the number of its sdaaError_t.
#pragma once

#include <string>
#include <vector>

#include "host/daemon/cards/lines.hpp"
#include "host/daemon/http/text_request.hpp"
#include "host/models/text/sampling.hpp"

namespace swai::write {

using serve::Json;

struct Text {
  std::string model;  // its identity, as packed files have it
  std::vector<models::Token> tokens;
  uint64_t most = 0;  // tokens that follow
  generate::Sampling sampling;
};

// With the daemon's version.
Json request_of(const Text& text);
// Throws http::Problem, which names what is wrong.
Text text_in(const Json& request);

// A model that a daemon has on its card.
struct OnCard {
  std::string name;
  std::string identity;
  uint32_t room = 0;  // tokens that a text may have
  uint64_t weight_bytes = 0;
};
Json to_json(const OnCard& model);
// Throws when it is nothing of the kind.
OnCard on_card_in(const Json& model);

}  // namespace swai::write
