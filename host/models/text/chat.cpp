// SPDX-License-Identifier: Apache-2.0
#include "host/models/text/chat.hpp"

#include <utility>

#include "host/models/files/architectures/registry.hpp"
#include "host/models/files/file_bytes.hpp"

namespace swai::generate {
namespace {

using models::Token;

}  // namespace

std::string standard_system(std::string_view chat_template) {
  // In the template it is a text between quotation marks, in which a new line may be written as \n.
  std::string plain;
  for (size_t at = 0; at < chat_template.size(); ++at) {
    const bool line_end = chat_template.substr(at).starts_with("\\n");
    plain += line_end ? '\n' : chat_template[at];
    at += line_end;
  }
  constexpr std::string_view kSystem = "<|im_start|>system\n", kEnd = "<|im_end|>";
  const size_t begin = plain.find(kSystem);
  if (begin == std::string::npos) return {};
  const std::string rest = plain.substr(begin + kSystem.size());
  const size_t end = rest.find(kEnd);
  // With a quotation mark it is put together from parts.
  if (end == std::string::npos || rest.find_first_of("'\"") < end) return {};
  return rest.substr(0, end);
}

Chat::Chat(const std::string& path, const models::Tokenizer& tokenizer, std::string_view system)
    : tokenizer_(tokenizer), system_(system) {
  const std::string& format = tokenizer.vocabulary().chat_template;
  if (format.empty())
    models::refuse(path,
                   "has no chat template, so it was not trained to talk; leave out --chat and --system");
  const models::ChatFormat* const known = models::chat_format_of(format);
  const auto start = known == nullptr ? std::nullopt : tokenizer.control(known->start);
  const auto end = known == nullptr ? std::nullopt : tokenizer.control(known->end);
  if (!start || !end) {
    models::refuse(path,
                   "has a chat template that is neither ChatML nor Gemma's, which are known here; write the "
                   "conversation into the prompt, and leave out --chat and --system");
  }
  format_ = *known;
  start_ = *start;
  end_ = *end;
  if (system_.empty()) system_ = standard_system(format);
}

void Chat::add(std::string_view text, std::vector<Token>& tokens) const {
  const std::vector<Token> more = tokenizer_.encode(text);
  tokens.insert(tokens.end(), more.begin(), more.end());
}

void Chat::say(std::string_view role, std::string_view text, std::vector<Token>& tokens) const {
  tokens.push_back(start_);
  add((role == kAssistant ? format_.assistant : std::string(role)) + "\n" + std::string(text), tokens);
  tokens.push_back(end_);
  add("\n", tokens);
}

// It is the model's turn.
void Chat::ask(std::vector<Token>& tokens) const {
  tokens.push_back(start_);
  add(format_.assistant + "\n", tokens);
}

std::vector<Token> Chat::whole(std::span<const Message> conversation) const {
  std::vector<Token> tokens;
  const bool told = !conversation.empty() && conversation.front().role == kSystem;
  std::string system = told ? conversation.front().text : system_;
  for (const Message& message : conversation.subspan(told ? 1 : 0)) {
    if (!system.empty()) {
      if (format_.has_system) {
        say(kSystem, system, tokens);
      } else if (message.role == kUser) {
        say(kUser, std::exchange(system, "") + "\n\n" + message.text, tokens);
        continue;
      }
      system.clear();
    }
    say(message.role, message.text, tokens);
  }
  ask(tokens);
  return tokens;
}

std::vector<Token> Chat::first(std::string_view message) const {
  const Message only = {kUser, std::string(message)};
  return whole({&only, 1});
}

std::vector<Token> Chat::next(std::string_view message) const {
  std::vector<Token> tokens = {end_};
  add("\n", tokens);
  say(kUser, message, tokens);
  ask(tokens);
  return tokens;
}

}  // namespace swai::generate
