// SPDX-License-Identifier: Apache-2.0
// Tokenizers against those of others, on the texts of verif/host/models/files/data/tokens.json.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <random>

#include "host/lib/elf.hpp"
#include "host/lib/utf8.hpp"
#include "host/models/files/loaders.hpp"
#include "host/models/files/make_tokenizer.hpp"
#include "host/models/files/space_sign.hpp"
#include "verif/host/models/files/mutation.hpp"
#include "verif/host/models/files/samples.hpp"
#include "verif/kit/doctest_main.hpp"

using namespace swai;
using namespace swai::models;

namespace {

SharedBytes file(const std::string& path) { return FileBytes::hold(path, contents_of(path)); }

std::unique_ptr<Tokenizer> stories() {
  return make_tokenizer("tokens", read_llama2c_tokens(*file("models/stories260K/tokenizer.bin"), 512));
}

constexpr uint32_t kBpeTokens = 1000;

Vocabulary bpe() {
  return read_tokenizer_json(*file("verif/host/models/files/data/tiny-bpe.json"), kBpeTokens);
}

void check_against(const Tokenizer& tokenizer, const char* whose) {
  const nlohmann::json vectors = facts("tokens");
  for (size_t i = 0; i < vectors["texts"].size(); ++i) {
    const std::string text = vectors["texts"][i];
    CAPTURE(text);
    const std::vector<Token> tokens = tokenizer.encode(text);
    CHECK(tokens == vectors[whose][i].get<std::vector<Token>>());
    CHECK(with_spaces(tokenizer.decode(tokens)) == with_spaces(text));
  }
}

std::string random_text(std::mt19937_64& random) {
  static const std::string kPieces[] = {" ",
                                        "  ",
                                        "a",
                                        "the",
                                        "\n",
                                        "7",
                                        "\xC3\xA9",
                                        "\xE4\xBD\xA0",
                                        "\xF0\x9F\x98\x80",
                                        "'s",
                                        "!",
                                        "\xFF",
                                        "\xE4\xBD",
                                        "\xC3",
                                        "\xED\xA0\x80",
                                        "<s>",
                                        "\x80",
                                        "Z"};
  std::string text;
  for (size_t left = random() % 24; left > 0; --left) text += kPieces[random() % std::size(kPieces)];
  return text;
}

}  // namespace

TEST_CASE("SentencePiece: tokens of stories260K") { check_against(*stories(), "stories260K"); }

TEST_CASE("byte-level pieces with merges: GPT-2 and Whisper") {
  check_against(*make_tokenizer("bpe", bpe()), "gpt2");
}

TEST_CASE("byte-level pieces with digits one by one: SmolLM2") {
  Vocabulary words = bpe();
  words.splitter = Splitter::kGpt2Digits;
  check_against(*make_tokenizer("bpe", std::move(words)), "gpt2_digits");
}

TEST_CASE("byte-level pieces without merges: whisper.cpp's files") {
  Vocabulary words = bpe();
  words.merges.clear();
  check_against(*make_tokenizer("bpe", std::move(words)), "gpt2_by_rank");
}

TEST_CASE("no byte of any text is lost, and a stream never cuts a character") {
  std::mt19937_64 random(test_seed());
  const auto sentence_piece = stories();
  const auto byte_level = make_tokenizer("bpe", bpe());
  for (int i = 0; i < 2000; ++i) {
    const std::string text = random_text(random);
    CAPTURE(text);
    for (const Tokenizer* const tokenizer : {sentence_piece.get(), byte_level.get()}) {
      const std::vector<Token> tokens = tokenizer->encode(text);
      REQUIRE(tokenizer->decode(tokens) == text);
      StreamingDecoder stream(*tokenizer);
      std::string whole;
      const auto take = [&](const std::string& piece) {
        for (size_t at = 0; at < piece.size();) {
          const common::Character one = common::character_at(piece, at);
          REQUIRE(one.code != common::kNoCharacter);
          at += one.bytes;
        }
        whole += piece;
      };
      for (const Token token : tokens) take(stream.add(token));
      take(stream.finish());
      // Python's own decoder, errors="replace", does the same; where the text is right, nothing is replaced.
      if (text.find_first_of("\xFF\x80\xED") == std::string::npos &&
          text.find("\xE4\xBD") == std::string::npos && text.find("\xC3") == std::string::npos)
        REQUIRE(whole == text);
    }
  }
}

TEST_CASE("what is no character is shown as one each") {
  const auto tokenizer = make_tokenizer("bpe", bpe());
  const auto shown = [&](const std::string& text) {
    StreamingDecoder stream(*tokenizer);
    std::string whole;
    for (const Token token : tokenizer->encode(text)) whole += stream.add(token);
    return whole + stream.finish();
  };
  const std::string sign = "\xEF\xBF\xBD";
  CHECK(shown("a\xFF"
              "b") == "a" + sign + "b");
  CHECK(shown("a\xE4\xBD") == "a" + sign);
  CHECK(shown("\xE4\xBD\xE4\xBD\xA0") == sign + "\xE4\xBD\xA0");
  CHECK(shown("\xED\xA0\x80") == sign + sign + sign);
  CHECK(shown("\xF0\x9F\x98\x80") == "\xF0\x9F\x98\x80");
}

TEST_CASE("a character in several tokens comes when it is whole") {
  const auto tokenizer = stories();
  // No piece of its own: four tokens of a byte each, behind the space.
  const std::vector<Token> tokens = tokenizer->encode("\xF0\x9F\x98\x80");
  REQUIRE(tokens.size() == 5);
  StreamingDecoder stream(*tokenizer);
  for (size_t i = 0; i < 4; ++i) CHECK(stream.add(tokens[i]) == "");
  CHECK(stream.add(tokens[4]) == "\xF0\x9F\x98\x80");
}

TEST_CASE("long texts without spaces take no long time") {
  const auto tokenizer = make_tokenizer("bpe", bpe());
  const std::string text(300000, 'a');
  CHECK(tokenizer->decode(tokenizer->encode(text)) == text);
}

TEST_CASE("many added tokens do not take long") {
  // Each is in the vocabulary, too, written as text rather than as letters for bytes.
  constexpr uint32_t kCount = 100'000;
  std::string vocabulary, added;
  for (uint32_t i = 0; i < kCount; ++i) {
    const char* const comma = i == 0 ? "" : ",";
    vocabulary += fmt::format(R"({}"a {}":{})", comma, i, i);
    added += fmt::format(R"({}{{"id":{},"content":"a {}"}})", comma, i, i);
  }
  const std::string text = fmt::format(
      R"({{"model":{{"vocab":{{{}}},"merges":[]}},"pre_tokenizer":{{"type":"ByteLevel","add_prefix_space":false}},"added_tokens":[{}]}})",
      vocabulary, added);
  const Vocabulary words =
      read_tokenizer_json(*FileBytes::hold("tokenizer.json", {text.begin(), text.end()}), kCount);
  CHECK(words.pieces[kCount - 1] == "a 99999");
  CHECK(words.kinds[0] == PieceKind::kUserDefined);
}

TEST_CASE("SentencePiece: pieces that users defined are cut out of the text first, the longest one") {
  Vocabulary words;
  words.how = Pieces::kSentencePiece;
  for (const char* const piece : {"a", "b", "ab", " ", "\n", "\n\n", "a\n", "aab", "ba"}) {
    words.pieces.emplace_back(piece);
    words.kinds.push_back(PieceKind::kNormal);
    words.scores.push_back(-static_cast<float>(words.pieces.size()));
  }
  for (const size_t token : {4, 5, 7}) words.kinds[token] = PieceKind::kUserDefined;
  const auto tokenizer = make_tokenizer("pieces", words);
  using Tokens = std::vector<Token>;
  CHECK(tokenizer->encode("ab\n\n\nb") == Tokens{2, 5, 4, 1});
  // "a\n" is a piece of the vocabulary, but its end is cut out first.
  CHECK(tokenizer->encode("a\naab") == Tokens{0, 4, 7});
  CHECK(tokenizer->encode("aaab") == Tokens{0, 7});
  CHECK(tokenizer->encode("bab") == Tokens{1, 2});
}

TEST_CASE("llama2.c's tokens: byte tokens are recognised by their text") {
  // As llama2.c's tokenizer.py writes a vocabulary of characters without tokens for bytes, which begin at 3
  // elsewhere.
  std::vector<std::string> pieces = {"<unk>", "\n<s>\n", "\n</s>\n"};
  const auto tokens_of = [](const std::vector<std::string>& all) {
    Bytes bytes(sizeof(int32_t));
    const auto add = [&](const auto value) {
      const auto* const from = reinterpret_cast<const uint8_t*>(&value);
      bytes.insert(bytes.end(), from, from + sizeof value);
    };
    for (size_t i = 0; i < all.size(); ++i) {
      add(-static_cast<float>(i));
      add(static_cast<int32_t>(all[i].size()));
      bytes.insert(bytes.end(), all[i].begin(), all[i].end());
    }
    return make_tokenizer("tokens", read_llama2c_tokens(*FileBytes::hold("tokenizer.bin", bytes),
                                                        static_cast<uint32_t>(all.size())));
  };
  for (const std::string piece : {" ", "\xE4\xBD\xA0", "\xE5\xA5\xBD", "\xE4\xBD\xA0\xE5\xA5\xBD", "a"})
    pieces.push_back(piece);
  const auto characters = tokens_of(pieces);
  const std::string hello = "a\xE4\xBD\xA0\xE5\xA5\xBD";
  CHECK(characters->encode(hello) == std::vector<Token>{3, 7, 6});
  CHECK(characters->decode(characters->encode(hello)) == hello);
  // A character with neither a token nor byte tokens is unknown.
  CHECK(characters->encode("\xE5\x90\x97") == std::vector<Token>{3, 0});

  pieces.insert(pieces.begin() + 4, {"<0xE5>", "<0x90>", "<0x97>", "<0x9>"});
  const auto with_bytes = tokens_of(pieces);
  CHECK(with_bytes->encode("\xE5\x90\x97") == std::vector<Token>{3, 4, 5, 6});
  CHECK(with_bytes->decode(std::vector<Token>{4, 5, 6}) == "\xE5\x90\x97");
  CHECK(with_bytes->decode(std::vector<Token>{7}) == "<0x9>");
}

TEST_CASE("tokenizers that are damaged are refused") {
  const auto refused = [](Vocabulary words) {
    CHECK_THROWS_AS(make_tokenizer("words", std::move(words)), common::InputError);
  };
  refused({});
  Vocabulary words = bpe();
  words.merges.emplace_back("qqq", "zzz");
  refused(words);
  words = bpe();
  words.kinds.pop_back();
  refused(words);
  words = read_llama2c_tokens(*file("models/stories260K/tokenizer.bin"), 512);
  words.scores[300] = std::nanf("");
  refused(words);
  CHECK_THROWS_AS(read_llama2c_tokens(*file("models/stories260K/tokenizer.bin"), 511), common::InputError);
  CHECK_THROWS_AS(read_llama2c_tokens(*file("models/stories260K/tokenizer.bin"), 513), common::InputError);
  CHECK_THROWS_AS(read_tokenizer_json(*file("verif/host/models/files/data/tiny-bpe.json"), kBpeTokens - 1),
                  common::InputError);
}

TEST_CASE("damaged files of tokens are refused, or harmless") {
  std::mt19937_64 random(test_seed());
  for (int i = 0; i < 300; ++i) {
    const bool json = i % 2 == 0;
    const SharedBytes good =
        file(json ? "verif/host/models/files/data/tiny-bpe.json" : "models/stories260K/tokenizer.bin");
    Bytes bytes(good->bytes().begin(), good->bytes().end());
    mutate(bytes, random);
    CAPTURE(i);
    try {
      const SharedBytes damaged = FileBytes::hold("damaged", bytes);
      const auto tokenizer = make_tokenizer(
          "damaged", json ? read_tokenizer_json(*damaged, kBpeTokens) : read_llama2c_tokens(*damaged, 512));
      tokenizer->decode(tokenizer->encode("Once upon a time, there were 3 \xC3\xA9\xFF."));
    } catch (const common::InputError&) {
    }
  }
}
