// SPDX-License-Identifier: Apache-2.0
// All architectures.
#pragma once

#include <span>

#include "host/models/files/architectures/architecture.hpp"

namespace swai::models {

std::span<const Architecture* const> architectures();

// By what files call them, or by our name; null: it is not known.
const Architecture* architecture_of_gguf(std::string_view kind);
const Architecture* architecture_of_hugging_face(std::string_view kind);
const Architecture* architecture_named(std::string_view name);
// For messages: "llama and qwen2".
std::string gguf_kinds();
std::string hugging_face_kinds();

// What a model's template writes conversations in; null: it is not known.
const ChatFormat* chat_format_of(std::string_view chat_template);

// One function for each file in this folder.
const Architecture& gemma3();
const Architecture& llama();
const Architecture& qwen2();
const Architecture& qwen3();
const Architecture& whisper();

}  // namespace swai::models
