// SPDX-License-Identifier: Apache-2.0
// A Whisper model that is ready for the card: from files of its own makers, or from one that was packed for
// the card before.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "host/models/files/packed_file.hpp"
#include "host/models/speech/card_whisper.hpp"
#include "host/models/speech/whisper_graph.hpp"

namespace swai::transcribe {

// As packed files say it.
inline constexpr const char* kArchitecture = "whisper";

struct WhisperModel {
  // Gives all weights of a graph, one after the other.
  using Weights = std::function<void(const models::Put&)>;

  CardWhisper card;
  WhisperPrograms programs;
  models::Vocabulary vocabulary;
  models::Training training;
  Weights encoder, decoder;
};

// Weights are packed whenever they are asked for. `four_bits`: as whisper_formats takes it. Throws
// InputError.
WhisperModel whisper_model(models::Model model, Precision precision,
                           std::span<const std::string> four_bits = {});

// Throws InputError for a file that is damaged, holds another model, or has it otherwise than it is wanted.
WhisperModel open_packed(const models::PackedFile& file, std::optional<Precision> wanted = std::nullopt,
                         std::span<const std::string> four_bits = {});

// Any file or folder. `precision`: that of a packed file cannot be another one; else w8a8 if none is given.
// Throws InputError.
WhisperModel open_whisper(const std::string& path, std::optional<Precision> precision,
                          std::span<const std::string> four_bits = {});

// With graphs of eager PyTorch's operators (eager_graph.hpp), for texts without timestamps. Throws
// InputError.
WhisperModel open_eager_whisper(const std::string& path);

// Whether all tensors are what was written; names the first that is not.
std::optional<std::string> damaged_tensor(const models::PackedFile& file);

// Replaces the file when all is written. Throws InputError.
void write_packed(const WhisperModel& model, const std::string& path);

}  // namespace swai::transcribe
