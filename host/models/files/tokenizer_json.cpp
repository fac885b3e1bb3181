// SPDX-License-Identifier: Apache-2.0
// Hugging Face's tokenizer.json, as far as byte-level pieces go: GPT-2, Whisper, SmolLM2.
#include <fmt/format.h>

#include <set>
#include <tuple>

#include "host/models/files/byte_letters.hpp"
#include "host/models/files/json_file.hpp"
#include "host/models/files/loaders.hpp"

namespace swai::models {
namespace {

using nlohmann::json;

[[noreturn]] void unsupported(const std::string& path, const std::string& what) {
  refuse(path,
         fmt::format("{}; supported are byte-level pieces as GPT-2, Whisper and SmolLM2 have them", what));
}

// How the text is cut before pieces are joined.
Splitter splitter_of(const JsonFile& file) {
  const auto cut = file.object("pre_tokenizer");
  if (!cut) unsupported(file.path(), "has no pre_tokenizer");
  const auto check_bytes = [&](const JsonFile& one) {
    if (one.text_or("type", "") != "ByteLevel" || one.flag_or("add_prefix_space", true) ||
        !one.flag_or("use_regex", true))
      unsupported(file.path(), "cuts text in a way that is not known");
  };
  if (cut->text_or("type", "") != "Sequence") {
    check_bytes(*cut);
    return Splitter::kGpt2;
  }
  const auto list = cut->root().find("pretokenizers");
  if (list == cut->root().end() || !list->is_array() || list->size() != 2)
    unsupported(file.path(), "cuts text in a way that is not known");
  const auto part = [&](size_t i) {
    const std::string text = (*list)[i].dump();
    return JsonFile(file.path(), std::string_view(text));
  };
  const JsonFile digits = part(0);
  if (digits.text_or("type", "") != "Digits" || !digits.flag_or("individual_digits", false))
    unsupported(file.path(), "cuts text in a way that is not known");
  check_bytes(part(1));
  return Splitter::kGpt2Digits;
}

class PieceList {
 public:
  PieceList(const JsonFile& file, uint32_t most, Vocabulary& words)
      : file_(file), most_(most), words_(words) {
    words_.pieces.resize(most);
    words_.kinds.assign(most, PieceKind::kUnused);
  }

  void add(const json& number, std::string piece, PieceKind kind) {
    if (!number.is_number_unsigned() || number.get<uint64_t>() >= most_)
      refuse(file_.path(),
             fmt::format("gives a token the number {}, and the model has {}; it is another model's",
                         number.is_number() ? number.dump() : "of a kind that is none", most_));
    const size_t id = number.get<size_t>();
    words_.pieces[id] = std::move(piece);
    words_.kinds[id] = kind;
  }

 private:
  const JsonFile& file_;
  uint32_t most_;
  Vocabulary& words_;
};

std::string bytes_of_piece(const JsonFile& file, const std::string& piece) {
  auto bytes = bytes_of_letters(piece);
  if (!bytes)
    unsupported(file.path(), fmt::format("has the token {}, which is not written in letters for bytes",
                                         json(piece).dump()));
  return std::move(*bytes);
}

void read_merges(const JsonFile& file, const json& list, Vocabulary& words) {
  for (const json& one : list) {
    std::string left;
    std::string right;
    if (one.is_string()) {
      const auto& both = one.get_ref<const std::string&>();
      const size_t space = both.find(' ');
      if (space != std::string::npos)
        std::tie(left, right) = std::pair(both.substr(0, space), both.substr(space + 1));
    } else if (one.is_array() && one.size() == 2 && one[0].is_string() && one[1].is_string()) {
      left = one[0].get<std::string>();
      right = one[1].get<std::string>();
    }
    if (left.empty() || right.empty())
      refuse(file.path(), "has a merge that is no pair of texts; the file is damaged");
    words.merges.emplace_back(bytes_of_piece(file, left), bytes_of_piece(file, right));
  }
}

// The list of added tokens, each an object with id and content.
const json& added_tokens(const JsonFile& file) {
  static const json kNone = json::array();
  const auto found = file.root().find("added_tokens");
  if (found == file.root().end() || !found->is_array()) return kNone;
  for (const json& one : *found)
    if (!one.is_object() || !one.contains("id") || !one.contains("content") || !one["content"].is_string())
      refuse(file.path(), "has an added token without id and content; the file is damaged");
  return *found;
}

}  // namespace

Vocabulary read_tokenizer_json(const FileBytes& bytes, uint32_t most) {
  const JsonFile file(bytes.path(), bytes.text());
  const auto model = file.object("model");
  if (!model || model->text_or("type", "BPE") != "BPE") unsupported(file.path(), "is no byte pair encoding");
  if (file.object("normalizer")) unsupported(file.path(), "changes the text before it is cut");
  const auto vocabulary = model->object("vocab");
  if (!vocabulary) refuse(file.path(), "has no vocabulary; fetch it again");
  Vocabulary words;
  words.how = Pieces::kByteLevel;
  words.splitter = splitter_of(file);
  PieceList pieces(file, most, words);
  const json& added = added_tokens(file);
  // Added tokens are texts; some stand in the vocabulary, too.
  std::set<json> added_numbers;
  for (const json& one : added) added_numbers.insert(one["id"]);
  for (const auto& [piece, number] : vocabulary->root().items()) {
    if (auto plain = bytes_of_letters(piece)) {
      pieces.add(number, std::move(*plain), PieceKind::kNormal);
    } else if (!added_numbers.contains(number)) {
      bytes_of_piece(file, piece);  // throws
    }
  }
  const auto merges = model->root().find("merges");
  if (merges == model->root().end() || !merges->is_array())
    refuse(file.path(), "has no merges; fetch it again");
  read_merges(file, *merges, words);
  for (const json& one : added) {
    const bool special = one.contains("special") && one["special"] == true;
    pieces.add(one["id"], one["content"].get<std::string>(),
               special ? PieceKind::kControl : PieceKind::kUserDefined);
  }
  return words;
}

}  // namespace swai::models
