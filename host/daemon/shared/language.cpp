// SPDX-License-Identifier: Apache-2.0
#include "host/daemon/shared/language.hpp"

#include <limits>

#include "cpe-kernels/operators/logits/plan.hpp"
#include "host/daemon/http/fields.hpp"
#include "host/daemon/http/problem.hpp"

namespace swai::write {
namespace {

using http::Fields, http::Parsed, http::bad_request;
using models::Token;

constexpr uint64_t kMostTokens = 1 << 24;

std::vector<Token> tokens_in(const Parsed* list) {
  const auto refuse = [] {
    throw bad_request("'tokens' must be a list of at least one token", "tokens", "invalid_type");
  };
  if (list == nullptr || !list->is_array() || list->empty()) refuse();
  std::vector<Token> tokens;
  for (const Parsed& one : *list) {
    // What is in no vocabulary is told apart when the model is known.
    if (!one.is_number_unsigned() || one.get<uint64_t>() > std::numeric_limits<Token>::max()) refuse();
    tokens.push_back(one.get<Token>());
  }
  return tokens;
}

float number_in(Fields& fields, std::string_view name, double low, double high, float otherwise) {
  return static_cast<float>(fields.number(name, low, high).value_or(otherwise));
}

generate::Sampling sampling_in(Fields& fields) {
  constexpr double kMost = 1024;  // as the card's operators have it
  generate::Sampling sampling;
  sampling.temperature = number_in(fields, "temperature", 0, kMost, sampling.temperature);
  sampling.top_k = static_cast<uint32_t>(
      fields.whole("top_k", 0, std::numeric_limits<uint32_t>::max()).value_or(sampling.top_k));
  sampling.top_p = number_in(fields, "top_p", 0, 1, sampling.top_p);
  sampling.seed = fields.whole("seed", 0, std::numeric_limits<uint64_t>::max()).value_or(sampling.seed);
  sampling.repetition = number_in(fields, "repetition", 0, kMost, sampling.repetition);
  sampling.frequency = number_in(fields, "frequency", -kMost, kMost, sampling.frequency);
  sampling.presence = number_in(fields, "presence", -kMost, kMost, sampling.presence);
  const operators::SampleSettings settings = generate::settings_of(sampling);
  if (!operators::can_sample(settings))
    throw bad_request("'temperature' is 0, or from 0.001 to 1024; 'top_p' from 0.000001 to 1", "temperature");
  if (!operators::can_penalise(settings))
    throw bad_request("'repetition' is from 0.001 to 1024", "repetition");
  return sampling;
}

}  // namespace

Json request_of(const Text& text) {
  return {{"version", link::kControlVersion},
          {"command", "write"},
          {"model", text.model},
          {"tokens", text.tokens},
          {"most", text.most},
          {"temperature", text.sampling.temperature},
          {"top_k", text.sampling.top_k},
          {"top_p", text.sampling.top_p},
          {"seed", text.sampling.seed},
          {"repetition", text.sampling.repetition},
          {"frequency", text.sampling.frequency},
          {"presence", text.sampling.presence}};
}

Text text_in(const Json& request) {
  const Parsed parsed = request;
  Fields fields(parsed);
  fields.ignore({"version", "command"});
  Text text;
  const auto model = fields.text("model");
  const auto most = fields.whole("most", 1, kMostTokens);
  if (!model || !most) throw bad_request("there is no 'model', or no 'most'");
  text.model = *model;
  text.most = *most;
  text.tokens = tokens_in(fields.any("tokens"));
  text.sampling = sampling_in(fields);
  fields.refuse_others();
  return text;
}

Json to_json(const OnCard& model) {
  return {{"name", model.name},
          {"identity", model.identity},
          {"room", model.room},
          {"weight_bytes", model.weight_bytes}};
}

OnCard on_card_in(const Json& model) {
  const Parsed parsed = model;
  Fields fields(parsed);
  const auto name = fields.text("name"), identity = fields.text("identity");
  const auto room = fields.whole("room", 1, kMostTokens);
  const auto bytes = fields.whole("weight_bytes", 0, std::numeric_limits<uint64_t>::max());
  if (!name || !identity || !room || !bytes) throw bad_request("this is no model on a card");
  return {*name, *identity, static_cast<uint32_t>(*room), *bytes};
}

}  // namespace swai::write
