// SPDX-License-Identifier: Apache-2.0
#include "host/models/files/architectures/registry.hpp"

#include <algorithm>
#include <array>

namespace swai::models {
namespace {

using Kinds = std::vector<std::string> Architecture::*;

const Architecture* architecture_in(Kinds kinds, std::string_view kind) {
  for (const Architecture* const one : architectures())
    if (std::ranges::find(one->*kinds, kind) != (one->*kinds).end()) return one;
  return nullptr;
}

// "a, b and c".
std::string list_of(Kinds kinds) {
  std::vector<std::string> all;
  for (const Architecture* const one : architectures())
    all.insert(all.end(), (one->*kinds).begin(), (one->*kinds).end());
  std::string text;
  for (size_t i = 0; i < all.size(); ++i)
    text += (i == 0 ? "" : i + 1 == all.size() ? " and " : ", ") + all[i];
  return text;
}

}  // namespace

std::span<const Architecture* const> architectures() {
  static const std::array kAll = {&llama(), &qwen2(), &qwen3(), &gemma3(), &whisper()};
  return kAll;
}

const Architecture* architecture_of_gguf(std::string_view kind) {
  return architecture_in(&Architecture::gguf, kind);
}
const Architecture* architecture_of_hugging_face(std::string_view kind) {
  return architecture_in(&Architecture::hugging_face, kind);
}
const Architecture* architecture_named(std::string_view name) {
  const auto all = architectures();
  const auto found = std::ranges::find(all, name, [](const Architecture* one) { return one->name; });
  return found == all.end() ? nullptr : *found;
}
std::string gguf_kinds() { return list_of(&Architecture::gguf); }
std::string hugging_face_kinds() { return list_of(&Architecture::hugging_face); }

const ChatFormat* chat_format_of(std::string_view chat_template) {
  for (const Architecture* const one : architectures()) {
    if (one->decoder && one->decoder->chat &&
        chat_template.find(one->decoder->chat->start) != std::string::npos)
      return &*one->decoder->chat;
  }
  return nullptr;
}

}  // namespace swai::models
