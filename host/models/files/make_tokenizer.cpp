// SPDX-License-Identifier: Apache-2.0
#include "host/models/files/make_tokenizer.hpp"

#include <utility>

#include "host/models/files/byte_level.hpp"
#include "host/models/files/file_bytes.hpp"
#include "host/models/files/sentence_piece.hpp"

namespace swai::models {

std::unique_ptr<Tokenizer> make_tokenizer(const std::string& path, Vocabulary vocabulary) {
  switch (vocabulary.how) {
    case Pieces::kSentencePiece:
      return std::make_unique<SentencePiece>(path, std::move(vocabulary));
    case Pieces::kByteLevel:
      return std::make_unique<ByteLevel>(path, std::move(vocabulary));
    case Pieces::kNone:
      break;
  }
  refuse(path, "has no tokenizer; put tokenizer.json or tokenizer.bin beside it");
}

}  // namespace swai::models
