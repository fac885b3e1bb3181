#include "host/transcribe/whisper_file.hpp"

namespace swai::transcribe {

WhisperFile::WhisperFile(models::Model loaded, Precision precision, std::span<const std::string> four_bits)
    : model(std::move(loaded)),
      card(card_whisper(model, precision, four_bits)),
      tokenizer(models::make_tokenizer(model.path, model.vocabulary)),
      special(special_tokens(model)),
      programs(whisper_programs(card)) {}

Forbidden WhisperFile::forbidden() const {
  return {suppressed_tokens(*tokenizer, special), blank_tokens(*tokenizer, special)};
}

}  // namespace swai::transcribe
