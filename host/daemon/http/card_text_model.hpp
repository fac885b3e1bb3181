// SPDX-License-Identifier: Apache-2.0
// A language model on a card, which stays there between requests.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "host/daemon/http/text_model.hpp"
#include "host/models/text/batch.hpp"
#include "host/models/text/speaker.hpp"

namespace swai::http {

// As far as it needs no card.
struct TextFile {
  // `context`: tokens that a prompt and its answer may have together; less when the model was trained on
  // less. Throws InputError.
  TextFile(generate::CardModel model, uint32_t context);

  generate::Speaker speaker;
  std::optional<generate::Chat> chat;  // none: it was not trained to talk
  generate::BatchPrograms programs;
};

class CardTextModel : public TextModel {
 public:
  // Throws walk::CardError when the card has not so much memory. `decoder` may be shared: one of those who
  // share it works at a time.
  CardTextModel(std::unique_ptr<TextFile> file, walk::Walker& walker, walk::Decoder& decoder);

  void answer(const WaitingTexts& waiting) override;
  // Tokens that a prompt and its answer may have together.
  uint32_t room() const { return batch_.room(); }
  size_t weight_bytes() const { return loaded_.weight_bytes(); }

 private:
  class Texts;
  // What the model is given. Throws Problem: it is too long, or no conversation for this model.
  std::vector<models::Token> prompt_of(const TextRequest& request) const;
  std::vector<models::Token> tokens_of(const TextRequest& request) const;

  const std::unique_ptr<TextFile> file_;
  const generate::LoadedModel loaded_;
  generate::Batch batch_;
};

}  // namespace swai::http
