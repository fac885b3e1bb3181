// SPDX-License-Identifier: Apache-2.0
#include "host/daemon/http/text_reply.hpp"

namespace swai::http {
namespace {

Json name_of(Finish finish) { return finish == Finish::kStop ? "stop" : "length"; }

Json to_json(const Usage& usage) {
  return {{"prompt_tokens", usage.prompt},
          {"completion_tokens", usage.answer},
          {"total_tokens", usage.prompt + usage.answer}};
}

std::string framed(const std::string& text) { return "data: " + text + "\n\n"; }

constexpr const char* kDone = "[DONE]";

}  // namespace

TextReply::TextReply(const TextRequest& request, std::string_view number, int64_t created)
    : chat_(request.is_chat()),
      usage_(request.stream_usage),
      model_(request.model),
      id_((chat_ ? "chatcmpl-" : "cmpl-") + std::string(number)),
      created_(created) {}

Json TextReply::head(const char* object) const {
  return {{"id", id_}, {"object", object}, {"created", created_}, {"model", model_}};
}

std::string TextReply::whole(std::string_view text, Finish finish, const Usage& usage) const {
  Json reply = head(chat_ ? "chat.completion" : "text_completion");
  Json choice = {{"index", 0}};
  if (chat_) {
    choice["message"] = {{"role", "assistant"}, {"content", text}, {"refusal", nullptr}};
  } else {
    choice["text"] = text;
  }
  choice["logprobs"] = nullptr;
  choice["finish_reason"] = name_of(finish);
  reply["choices"] = Json::array({std::move(choice)});
  reply["usage"] = to_json(usage);
  return text_of(reply);
}

// `delta`: of a chat what is added to the message, else text.
Json TextReply::choice(Json delta, Json finish) const {
  return {{"index", 0},
          {chat_ ? "delta" : "text", std::move(delta)},
          {"logprobs", nullptr},
          {"finish_reason", std::move(finish)}};
}

std::string TextReply::event(Json choices, const Usage* usage) const {
  Json event = head(chat_ ? "chat.completion.chunk" : "text_completion");
  event["choices"] = std::move(choices);
  // Who asked for it finds it in each event, and a number in the last one.
  if (usage_) event["usage"] = usage == nullptr ? Json(nullptr) : to_json(*usage);
  return framed(text_of(event));
}

std::string TextReply::begin() const {
  if (!chat_) return {};
  return event(Json::array({choice({{"role", "assistant"}, {"content", ""}}, nullptr)}));
}

std::string TextReply::piece(std::string_view text) const {
  const Json delta = chat_ ? Json{{"content", text}} : Json(text);
  return event(Json::array({choice(delta, nullptr)}));
}

std::string TextReply::end(Finish finish, const Usage& usage) const {
  const Json nothing = chat_ ? Json::object() : Json("");
  std::string events = event(Json::array({choice(nothing, name_of(finish))}));
  if (usage_) events += event(Json::array(), &usage);
  return events + framed(kDone);
}

std::string TextReply::broken_off(const Problem& problem) {
  return framed(text_of(to_json(problem))) + framed(kDone);
}

}  // namespace swai::http
