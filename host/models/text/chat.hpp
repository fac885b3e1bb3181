// SPDX-License-Identifier: Apache-2.0
// How a conversation becomes tokens: what chat models were trained on.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/models/files/architectures/architecture.hpp"
#include "host/models/files/tokenizer.hpp"

namespace swai::generate {

// In the format of the architecture (models::ChatFormat): ChatML, or Gemma's.
class Chat {
 public:
  // `system`: what the model is told first; empty: what its template says, which may be nothing. Throws
  // InputError, with the file's name, when the model has no template, or one of another kind.
  Chat(const std::string& path, const models::Tokenizer& tokenizer, std::string_view system);

  // What the model is given for a message: the first one of the conversation, or one behind an answer of the
  // model, whose end the model was not given.
  std::vector<models::Token> first(std::string_view message) const;
  std::vector<models::Token> next(std::string_view message) const;
  // The same for a whole conversation. What the model is told first is only said when the conversation does
  // not begin with something of that kind (kSystem).
  static constexpr std::string_view kSystem = "system", kUser = "user", kAssistant = "assistant";
  struct Message {
    std::string_view role;
    std::string text;
  };
  std::vector<models::Token> whole(std::span<const Message> conversation) const;

 private:
  void say(std::string_view role, std::string_view text, std::vector<models::Token>& tokens) const;
  void add(std::string_view text, std::vector<models::Token>& tokens) const;
  void ask(std::vector<models::Token>& tokens) const;

  const models::Tokenizer& tokenizer_;
  models::ChatFormat format_;
  models::Token start_ = 0, end_ = 0;
  std::string system_;
};

// What a ChatML template says to the model when nobody else does; empty: nothing.
std::string standard_system(std::string_view chat_template);

}  // namespace swai::generate
