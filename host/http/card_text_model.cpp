#include "host/http/card_text_model.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "abi/elf.hpp"
#include "host/http/problem.hpp"

namespace swai::http {
namespace {

using models::Token;

std::optional<generate::Chat> chat_of(const generate::Speaker& speaker) {
  try {
    return std::make_optional<generate::Chat>(speaker.model().card.path, speaker.tokenizer(), "");
  } catch (const common::InputError&) {
    return std::nullopt;
  }
}

}  // namespace

TextFile::TextFile(generate::CardModel model, uint32_t context)
    : speaker(std::move(model)),
      chat(chat_of(speaker)),
      programs(speaker.model().card, std::min(context, speaker.context()), true) {}

CardTextModel::CardTextModel(std::unique_ptr<TextFile> file, walk::Walker& walker, walk::Decoder& decoder)
    : file_(std::move(file)),
      loaded_(file_->speaker.model(), file_->programs.one.pattern, file_->programs.positions()),
      session_(walker, &decoder, loaded_, file_->programs, {}) {}

std::vector<Token> CardTextModel::tokens_of(const TextRequest& request) const {
  const generate::Speaker& speaker = file_->speaker;
  if (const auto* const said = std::get_if<TextRequest::Conversation>(&request.prompt)) {
    if (!file_->chat) {
      throw bad_request(
          fmt::format(
              "'{}' has no chat template that is known here (ChatML): /v1/completions goes on with texts",
              request.model),
          "model", "unsupported_value");
    }
    return file_->chat->whole(*said);
  }
  if (const auto* const text = std::get_if<std::string>(&request.prompt)) return speaker.tokens_of(*text);
  const auto& tokens = std::get<TextRequest::Tokens>(request.prompt);
  const size_t known = speaker.tokenizer().vocabulary().pieces.size();
  const auto unknown = std::ranges::find_if(tokens, [&](Token token) { return token >= known; });
  if (unknown != tokens.end()) {
    throw bad_request(
        fmt::format("'prompt' has the token {}; '{}' has tokens 0 to {}", *unknown, request.model, known - 1),
        "prompt", "invalid_value");
  }
  return tokens;
}

std::vector<Token> CardTextModel::prompt_of(const TextRequest& request) const {
  const std::string name = request.is_chat() ? "messages" : "prompt";
  std::vector<Token> tokens = tokens_of(request);
  if (tokens.empty())
    throw bad_request(fmt::format("'{}' needs a 'prompt' to begin with", request.model), name,
                      "invalid_value");
  if (tokens.size() > session_.room()) {
    throw bad_request(fmt::format("'{}' has {} tokens; there is room for {}, of which the answer takes some",
                                  name, tokens.size(), session_.room()),
                      name, "context_length_exceeded");
  }
  return tokens;
}

generate::Answer CardTextModel::answer(std::span<const Token> prompt, const TextRequest& request,
                                       const generate::Say& say, const generate::Session::GoOn& go_on) {
  session_.begin(request.sampling);
  const uint64_t most = request.most.value_or(session_.room());
  return generate::answer(session_, file_->speaker.tokenizer(), prompt, most, false, say, go_on);
}

}  // namespace swai::http
