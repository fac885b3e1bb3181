// SPDX-License-Identifier: Apache-2.0
#include "host/daemon/http/text_request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "host/daemon/http/problem.hpp"

namespace swai::http {
namespace {

using generate::Chat;

constexpr uint64_t kMostTokens = 1 << 24;
constexpr size_t kMostMessages = 1024;
constexpr size_t kMostStops = 4;
constexpr size_t kMostStopBytes = 256;
// What OpenAI's interface says when the request does not.
constexpr uint64_t kCompletionTokens = 16;

std::string required_text(Fields& fields, std::string_view name) {
  std::optional<std::string> text = fields.text(name);
  if (!text) throw bad_request(fmt::format("'{}' is missing", fields.path_of(name)), fields.path_of(name));
  return *std::move(text);
}

void read_sampling(Fields& fields, generate::Sampling& sampling, uint64_t seed) {
  sampling.temperature = static_cast<float>(fields.number("temperature", 0, 2).value_or(1));
  sampling.top_p = static_cast<float>(fields.number("top_p", 0, 1).value_or(1));
  sampling.top_k =
      static_cast<uint32_t>(fields.whole("top_k", 0, std::numeric_limits<uint32_t>::max()).value_or(0));
  sampling.seed = seed;
  // A seed may be negative.
  if (const Parsed* const given = fields.any("seed")) {
    if (!given->is_number_integer()) throw bad_request("'seed' must be an integer", "seed", "invalid_type");
    sampling.seed =
        given->is_number_unsigned() ? given->get<uint64_t>() : static_cast<uint64_t>(given->get<int64_t>());
  }
  const auto penalty = [&](std::string_view name) {
    return static_cast<float>(fields.number(name, -2, 2).value_or(0));
  };
  sampling.frequency = penalty("frequency_penalty");
  sampling.presence = penalty("presence_penalty");
  sampling.repetition = static_cast<float>(fields.number("repetition_penalty", 0.001, 1024).value_or(1));
  // The likeliest token alone.
  if (sampling.top_p == 0) {
    sampling.top_p = 1;
    sampling.temperature = 0;
  }
  if (!operators::can_sample(generate::settings_of(sampling)))
    throw bad_request("'temperature' is 0, or from 0.001 to 2; 'top_p' 0, or from 0.000001 to 1",
                      "temperature", "invalid_value");
}

std::vector<std::string> read_stops(Fields& fields) {
  const Parsed* const given = fields.any("stop");
  if (given == nullptr) return {};
  std::vector<std::string> stops;
  const auto add = [&](const Parsed& one) {
    const bool fits = one.is_string() && !one.get_ref<const std::string&>().empty() &&
                      one.get_ref<const std::string&>().size() <= kMostStopBytes;
    if (!fits || stops.size() == kMostStops) {
      throw bad_request(fmt::format("'stop' must be a string, or at most {}, each with 1 to {} bytes",
                                    kMostStops, kMostStopBytes),
                        "stop", "invalid_value");
    }
    stops.push_back(one.get<std::string>());
  };
  if (given->is_array()) {
    for (const Parsed& one : *given) add(one);
  } else {
    add(*given);
  }
  return stops;
}

void read_stream(Fields& fields, TextRequest& request) {
  request.stream = fields.flag("stream").value_or(false);
  const Parsed* const options = fields.any("stream_options");
  if (options == nullptr) return;
  if (!request.stream)
    throw bad_request("'stream_options' needs 'stream': true", "stream_options", "invalid_value");
  Fields inner(*options, "stream_options.");
  request.stream_usage = inner.flag("include_usage").value_or(false);
  inner.ignore({"include_obfuscation"});
  inner.refuse_others();
}

// What both calls have.
void read_common(Fields& fields, TextRequest& request, uint64_t seed) {
  request.model = required_text(fields, "model");
  read_sampling(fields, request.sampling, seed);
  request.stops = read_stops(fields);
  read_stream(fields, request);
  fields.only("n", {1});
  fields.only("min_p", {0});
  fields.only("logit_bias", {Parsed::object()});
  // About the client, or about what somebody keeps.
  fields.ignore({"user", "metadata", "store", "service_tier", "safety_identifier", "prompt_cache_key"});
}

bool are_tokens(const Parsed& list) {
  return list.is_array() && !list.empty() &&
         std::ranges::all_of(list, [](const Parsed& one) { return one.is_number_unsigned(); });
}

void read_prompt(const Parsed& given, TextRequest& request) {
  if (given.is_string()) {
    request.prompt = given.get<std::string>();
  } else if (are_tokens(given)) {
    TextRequest::Tokens tokens;
    for (const Parsed& one : given) {
      // What is in no vocabulary is told apart when the model is known.
      tokens.push_back(static_cast<models::Token>(
          std::min<uint64_t>(one.get<uint64_t>(), std::numeric_limits<models::Token>::max())));
    }
    request.prompt = std::move(tokens);
  } else if (given.is_array() && given.size() == 1 && !given[0].is_number()) {
    // A list of prompts, with one.
    const Parsed& only = given[0];
    if (!only.is_string() && !are_tokens(only))
      throw bad_request("'prompt' must be a string, or a list of tokens", "prompt", "invalid_type");
    read_prompt(only, request);
  } else {
    throw bad_request("'prompt' must be one string, or one list of tokens", "prompt", "invalid_type");
  }
}

std::string text_of_parts(const Parsed& content, const std::string& path) {
  std::string text;
  for (size_t i = 0; i < content.size(); ++i) {
    Fields part(content[i], fmt::format("{}[{}].", path, i));
    const std::string type = required_text(part, "type");
    if (type != "text") {
      throw bad_request(
          fmt::format("'{}' must be text: the models here read nothing else", part.path_of("type")),
          part.path_of("type"), "unsupported_value");
    }
    text += required_text(part, "text");
    part.refuse_others();
  }
  return text;
}

Chat::Message read_message(const Parsed& given, const std::string& path) {
  Fields fields(given, path + ".");
  const std::string role = required_text(fields, "role");
  Chat::Message message;
  if (role == "system" || role == "developer") {
    message.role = Chat::kSystem;
  } else if (role == "user") {
    message.role = Chat::kUser;
  } else if (role == "assistant") {
    message.role = Chat::kAssistant;
  } else {
    throw bad_request(
        fmt::format("'{}' must be system, developer, user or assistant", fields.path_of("role")),
        fields.path_of("role"), "invalid_value");
  }
  const Parsed* const content = fields.any("content");
  if (content != nullptr && content->is_string()) {
    message.text = content->get<std::string>();
  } else if (content != nullptr && content->is_array()) {
    message.text = text_of_parts(*content, fields.path_of("content"));
  } else {
    throw bad_request(fmt::format("'{}' must be a string, or a list of texts", fields.path_of("content")),
                      fields.path_of("content"), "invalid_type");
  }
  fields.only("name", {});
  fields.only("tool_calls", {Parsed::array()});
  fields.only("function_call", {});
  fields.only("audio", {});
  fields.only("refusal", {});
  fields.ignore({"annotations"});
  fields.refuse_others();
  return message;
}

}  // namespace

TextRequest completion_request(const Parsed& body, uint64_t seed) {
  Fields fields(body);
  TextRequest request;
  read_common(fields, request, seed);
  const Parsed* const prompt = fields.any("prompt");
  if (prompt == nullptr) {
    request.prompt = std::string();
  } else {
    read_prompt(*prompt, request);
  }
  request.most = fields.whole("max_tokens", 1, kMostTokens).value_or(kCompletionTokens);
  fields.only("best_of", {1});
  fields.only("echo", {false});
  fields.only("logprobs", {});
  fields.only("suffix", {""});
  fields.refuse_others();
  return request;
}

TextRequest chat_request(const Parsed& body, uint64_t seed) {
  Fields fields(body);
  TextRequest request;
  read_common(fields, request, seed);
  const Parsed* const messages = fields.any("messages");
  if (messages == nullptr || !messages->is_array() || messages->empty() || messages->size() > kMostMessages) {
    throw bad_request(fmt::format("'messages' must be a list of 1 to {} messages", kMostMessages), "messages",
                      "invalid_type");
  }
  TextRequest::Conversation conversation;
  for (size_t i = 0; i < messages->size(); ++i)
    conversation.push_back(read_message((*messages)[i], fmt::format("messages[{}]", i)));
  request.prompt = std::move(conversation);
  request.most = fields.whole("max_completion_tokens", 1, kMostTokens);
  const auto older = fields.whole("max_tokens", 1, kMostTokens);
  if (request.most && older && *older != *request.most) {
    throw bad_request("'max_tokens' and 'max_completion_tokens' mean the same, and differ", "max_tokens",
                      "invalid_value");
  }
  if (older) request.most = older;
  fields.only("logprobs", {false});
  fields.only("top_logprobs", {0});
  fields.only("tools", {Parsed::array()});
  fields.only("tool_choice", {"none", "auto"});
  fields.only("functions", {Parsed::array()});
  fields.only("function_call", {"none", "auto"});
  fields.only("response_format", {Parsed{{"type", "text"}}});
  fields.only("modalities", {Parsed::array({"text"})});
  fields.only("audio", {});
  fields.only("prediction", {});
  fields.only("web_search_options", {});
  fields.only("reasoning_effort", {"none"});
  fields.only("verbosity", {"medium"});
  fields.ignore({"parallel_tool_calls"});
  fields.refuse_others();
  return request;
}

}  // namespace swai::http
