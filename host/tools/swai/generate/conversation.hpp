// SPDX-License-Identifier: Apache-2.0
// A text, or messages and answers, as they are printed.
#pragma once

#include <string>
#include <vector>

#include "host/models/text/answer.hpp"
#include "host/tools/cli/cli.hpp"
#include "host/tools/swai/generate/question.hpp"

namespace swai::cli {

class Conversation {
 public:
  // `longer`: what makes room for longer ones, for messages; empty where nothing does.
  Conversation(const Cli& cli, const TextWish& wish, const Question& question, generate::AnyText& text,
               std::string longer)
      : cli_(cli), wish_(wish), question_(question), text_(text), longer_(std::move(longer)) {}

  // One answer, or, without machines in mind, what is printed of it.
  generate::Answer answer(const std::vector<models::Token>& prompt);
  // Messages from standard input, a line each.
  void talk();

 private:
  const Cli& cli_;
  const TextWish& wish_;
  const Question& question_;
  generate::AnyText& text_;
  const std::string longer_;
};

}  // namespace swai::cli
