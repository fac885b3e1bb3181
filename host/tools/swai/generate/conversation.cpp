// SPDX-License-Identifier: Apache-2.0
#include "host/tools/swai/generate/conversation.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <iostream>

#include "host/tools/cli/error.hpp"
#include "host/tools/swai/words.hpp"

namespace swai::cli {

using models::Token;

generate::Answer Conversation::answer(const std::vector<Token>& prompt) {
  const bool json = cli_.options().json;
  const generate::Say say = [&](std::string_view text) {
    if (!json) write_words(text);
    return true;
  };
  generate::Answer answer =
      generate::answer(text_, question_.speaker.tokenizer(), prompt, wish_.most, !question_.chat, say);
  say("\n");
  if (answer.end == generate::End::kRoom && !cli_.options().quiet) {
    fmt::print(stderr, "swai: the text has {} tokens; there is room for no more{}\n", text_.length(),
               longer_.empty() ? "" : " (" + longer_ + ")");
  }
  return answer;
}

void Conversation::talk() {
  const bool terminal = ::isatty(STDIN_FILENO) == 1;
  bool first = true;
  std::string message;
  while (true) {
    if (terminal) fmt::print(stderr, "> ");
    if (!std::getline(std::cin, message)) break;
    if (message.empty()) continue;
    check_text(message);
    const std::vector<Token> prompt = first ? question_.chat->first(message) : question_.chat->next(message);
    if (text_.length() + prompt.size() > text_.room()) {
      throw Error(kFailed, fmt::format("the conversation has {} tokens, this message {} more; there is room "
                                       "for {}: begin a new one{}",
                                       text_.length(), prompt.size(), text_.room(),
                                       longer_.empty() ? "" : ", or give a larger " + longer_));
    }
    answer(prompt);
    first = false;
  }
}

}  // namespace swai::cli
