// SPDX-License-Identifier: Apache-2.0
// Conversations as tokens, and what the template of a file says.
#include "host/models/text/chat.hpp"

#include <doctest/doctest.h>

#include "host/lib/elf.hpp"
#include "host/models/files/make_tokenizer.hpp"

using namespace swai;
using models::Token;

namespace {

// SmolLM2's; its GGUF file has new lines for \n.
constexpr const char* kSmolLm2 =
    R"({% for message in messages %}{% if loop.first and messages[0]['role'] != 'system' %}{{ '<|im_start|>system\nYou are a helpful AI assistant named SmolLM, trained by Hugging Face<|im_end|>\n' }}{% endif %}{{'<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + '\n'}}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %})";

// A token for each byte, and three that control.
models::Vocabulary vocabulary(const std::string& chat_template, const std::string& start = "<|im_start|>",
                              const std::string& end = "<|im_end|>") {
  models::Vocabulary words;
  words.how = models::Pieces::kByteLevel;
  for (int byte = 0; byte < 256; ++byte) words.pieces.emplace_back(1, static_cast<char>(byte));
  words.kinds.assign(256, models::PieceKind::kNormal);
  for (const std::string& piece : {start, end}) {
    words.pieces.push_back(piece);
    words.kinds.push_back(models::PieceKind::kControl);
  }
  words.chat_template = chat_template;
  return words;
}

// Control tokens as { and }.
std::string shown(const std::vector<Token>& tokens) {
  std::string text;
  for (const Token token : tokens) text += token == 256 ? '{' : token == 257 ? '}' : static_cast<char>(token);
  return text;
}

}  // namespace

TEST_CASE("a conversation in ChatML") {
  const auto tokenizer = models::make_tokenizer("test", vocabulary(kSmolLm2));
  const generate::Chat chat("test", *tokenizer, "Be brief.");
  CHECK(shown(chat.first("Hi!")) == "{system\nBe brief.}\n{user\nHi!}\n{assistant\n");
  CHECK(shown(chat.next("And you?")) == "}\n{user\nAnd you?}\n{assistant\n");
  const generate::Chat plain("test", *tokenizer, "");
  CHECK(shown(plain.first("Hi!")) ==
        "{system\nYou are a helpful AI assistant named SmolLM, trained by Hugging Face}\n{user\nHi!}\n"
        "{assistant\n");
}

TEST_CASE("a whole conversation") {
  const auto tokenizer = models::make_tokenizer("test", vocabulary(kSmolLm2));
  const generate::Chat chat("test", *tokenizer, "Be brief.");
  using Message = generate::Chat::Message;
  std::vector<Message> said = {{"user", "Hi!"}, {"assistant", "Yes?"}, {"user", "And you?"}};
  CHECK(shown(chat.whole(said)) ==
        "{system\nBe brief.}\n{user\nHi!}\n{assistant\nYes?}\n{user\nAnd you?}\n{assistant\n");
  // Message by message it is the same, with the answer between them.
  CHECK(shown(chat.first("Hi!")) + "Yes?" + shown(chat.next("And you?")) == shown(chat.whole(said)));
  said.insert(said.begin(), {"system", "Be polite."});
  CHECK(shown(chat.whole(said)) ==
        "{system\nBe polite.}\n{user\nHi!}\n{assistant\nYes?}\n{user\nAnd you?}\n{assistant\n");
}

TEST_CASE("a conversation with Gemma: the model has its own name, and what it is told first is the user's") {
  const auto tokenizer = models::make_tokenizer(
      "test", vocabulary("{{ bos_token }}<start_of_turn>...", "<start_of_turn>", "<end_of_turn>"));
  const generate::Chat chat("test", *tokenizer, "Be brief.");
  CHECK(shown(chat.first("Hi!")) == "{user\nBe brief.\n\nHi!}\n{model\n");
  CHECK(shown(chat.next("And you?")) == "}\n{user\nAnd you?}\n{model\n");
  const std::vector<generate::Chat::Message> said = {{"user", "Hi!"}, {"assistant", "Yes?"}, {"user", "So?"}};
  CHECK(shown(chat.whole(said)) == "{user\nBe brief.\n\nHi!}\n{model\nYes?}\n{user\nSo?}\n{model\n");
}

TEST_CASE("text that looks like control tokens stays text") {
  const auto tokenizer = models::make_tokenizer("test", vocabulary(kSmolLm2));
  const generate::Chat chat("test", *tokenizer, "a<|im_end|>");
  CHECK(shown(chat.first("<|im_start|>")) == "{system\na<|im_end|>}\n{user\n<|im_start|>}\n{assistant\n");
}

TEST_CASE("what a template says to the model by itself") {
  CHECK(generate::standard_system(kSmolLm2) ==
        "You are a helpful AI assistant named SmolLM, trained by Hugging Face");
  CHECK(generate::standard_system(R"({{ '<|im_start|>system\nOne.\nTwo.<|im_end|>\n' }})") == "One.\nTwo.");
  CHECK(generate::standard_system("{{ '<|im_start|>system\nOne.\nTwo.<|im_end|>\n' }}") == "One.\nTwo.");
  CHECK(generate::standard_system("{{ '<|im_start|>' + message['role'] }}").empty());
  CHECK(generate::standard_system(R"({{ '<|im_start|>system\n' + messages[0]['content'] + '<|im_end|>\n' }})")
            .empty());
  CHECK(generate::standard_system(R"({{ '<|im_start|>system\nno end)").empty());
}

TEST_CASE("models that were not trained to talk like this are refused") {
  const auto refusal = [](const models::Vocabulary& words) -> std::string {
    const auto tokenizer = models::make_tokenizer("file", words);
    try {
      generate::Chat("file", *tokenizer, "");
    } catch (const common::InputError& error) {
      return error.what();
    }
    return "";
  };
  CHECK(refusal(vocabulary("")).find("file: has no chat template") == 0);
  CHECK(refusal(vocabulary("[INST] {{ content }} [/INST]")).find("is neither ChatML") != std::string::npos);
  models::Vocabulary without = vocabulary(kSmolLm2);
  without.kinds.back() = models::PieceKind::kNormal;
  CHECK(refusal(without).find("is neither ChatML") != std::string::npos);
}
