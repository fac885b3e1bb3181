// SPDX-License-Identifier: Apache-2.0
#include "host/daemon/http/card_text_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "host/daemon/http/problem.hpp"
#include "host/lib/elf.hpp"

namespace swai::http {
namespace {

using models::Token;

// That are written at once. Each has a row of the products, and memory when it begins.
constexpr uint32_t kTexts = 8;

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
      programs(speaker.model().card, kTexts, std::min(context, speaker.context()), true) {}

CardTextModel::CardTextModel(std::unique_ptr<TextFile> file, walk::Walker& walker, walk::Decoder& decoder)
    : file_(std::move(file)),
      loaded_(file_->speaker.model(), file_->programs.next.pattern, file_->programs.positions()),
      batch_(walker, &decoder, loaded_, file_->programs) {}

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
  if (tokens.size() > batch_.room()) {
    throw bad_request(fmt::format("'{}' has {} tokens; there is room for {}, of which the answer takes some",
                                  name, tokens.size(), batch_.room()),
                      name, "context_length_exceeded");
  }
  return tokens;
}

// Those that are written now.
class CardTextModel::Texts {
 public:
  Texts(CardTextModel& model, const WaitingTexts& waiting)
      : model_(model), waiting_(waiting), texts_(kTexts) {}

  void write() {
    const std::vector<Token> ends = generate::controls_of(model_.file_->speaker.tokenizer().vocabulary());
    try {
      while (take_in()) model_.batch_.go_on(ends, ears());
      model_.batch_.forget_all();
    } catch (const std::exception& error) {
      model_.batch_.forget_all();
      for (const auto& text : texts_)
        if (text) text->answer->fail(error);
      if (late_) late_->fail(error);
    }
  }

 private:
  struct Text {
    std::shared_ptr<TextAnswer> answer;
    uint64_t most;
    generate::Listener listener;
    bool has_begun = false;
  };

  // As many as there are places, until one does not begin: to read its prompt has taken time, and others may
  // send such ones for ever. False: there is none.
  bool take_in() {
    if (late_ && !late_->is_wanted()) late_.reset();
    while (model_.batch_.has_place()) {
      const std::shared_ptr<TextAnswer> answer = late_ ? std::exchange(late_, nullptr) : waiting_.next();
      if (!answer) break;
      const size_t before = model_.batch_.size();
      begin(answer);
      if (model_.batch_.size() == before) break;
    }
    return model_.batch_.size() != 0;
  }

  void begin(const std::shared_ptr<TextAnswer>& answer) {
    const TextRequest& request = answer->request();
    try {
      const std::vector<Token> prompt = model_.prompt_of(request);
      Text text = {answer, request.most.value_or(model_.batch_.room()),
                   generate::Listener(model_.file_->speaker.tokenizer(), prompt, false,
                                      [answer](std::string_view piece) { return answer->say(piece); })};
      const size_t number = model_.batch_.begin(prompt, text.most, request.sampling);
      texts_[number].emplace(std::move(text));
      answer->begin(prompt.size(), model_.batch_.bytes_of(number));
    } catch (const walk::CardError& error) {
      // There may be memory when others have ended.
      if (model_.batch_.size() == 0) return answer->fail(error);
      late_ = answer;
    } catch (const std::exception& error) {
      answer->fail(error);
    }
  }

  // False: no more of it is wanted. What goes wrong with a text is no other one's business.
  bool hear(size_t number, Token token) {
    Text& text = *texts_[number];
    try {
      // The first token is made when the prompt has been read, by itself.
      text.answer->hear(token, text.has_begun ? model_.batch_.size() : 1);
      text.has_begun = true;
      return text.listener.hear(token);
    } catch (const std::exception& error) {
      text.answer->fail(error);
      return false;
    }
  }
  bool wants(size_t number) {
    const bool wanted = texts_[number]->answer->is_wanted();
    if (!wanted) texts_[number]->listener.stop();
    return wanted;
  }
  void end(size_t number) {
    Text& text = *texts_[number];
    text.answer->finish(text.listener.finish(text.most));
    texts_[number].reset();
    has_ended_ = true;
  }
  bool should_pause() const {
    if (late_) return has_ended_ || !late_->is_wanted();
    return model_.batch_.has_place() && waiting_.any();
  }

  generate::Batch::Ears ears() {
    has_ended_ = false;
    return {.got = [this](size_t number, Token token) { return hear(number, token); },
            .ended = [this](size_t number) { end(number); },
            .wants = [this](size_t number) { return wants(number); },
            .pause = [this] { return should_pause(); }};
  }

  CardTextModel& model_;
  const WaitingTexts& waiting_;
  std::vector<std::optional<Text>> texts_;  // by their numbers in the batch
  std::shared_ptr<TextAnswer> late_;        // for which the card has no memory while others are written
  bool has_ended_ = false;                  // one of them, since they went on
};

void CardTextModel::answer(const WaitingTexts& waiting) { Texts(*this, waiting).write(); }

}  // namespace swai::http
