// SPDX-License-Identifier: Apache-2.0
#include "host/models/speech/whisper_file.hpp"

#include "host/models/files/make_tokenizer.hpp"

namespace swai::transcribe {

WhisperFile::WhisperFile(WhisperModel ready)
    : model(std::move(ready)),
      tokenizer(models::make_tokenizer(model.card.path, model.vocabulary)),
      special(special_tokens(model.card.path, model.card.shape.vocabulary)) {}

Forbidden WhisperFile::forbidden() const {
  return {suppressed_tokens(*tokenizer, special), blank_tokens(*tokenizer, special)};
}

}  // namespace swai::transcribe
