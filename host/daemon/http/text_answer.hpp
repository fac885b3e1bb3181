// SPDX-License-Identifier: Apache-2.0
// A text on its way from a model to who asked for it.
#pragma once

#include <exception>
#include <string_view>

#include "host/daemon/http/text_request.hpp"
#include "host/models/text/answer.hpp"

namespace swai::http {

class TextAnswer {
 public:
  explicit TextAnswer(TextRequest request) : request_(std::move(request)) {}
  virtual ~TextAnswer() = default;
  TextAnswer(const TextAnswer&) = delete;
  TextAnswer& operator=(const TextAnswer&) = delete;

  const TextRequest& request() const { return request_; }
  // False: nobody listens any more.
  virtual bool is_wanted() const = 0;

  // The model has been given so many tokens, and begins to write. So many bytes of the card's memory keep
  // keys and values of this text.
  virtual void begin(size_t prompt_tokens, size_t kept_bytes) = 0;
  // Each token, the one that ends the text, too. `texts` had one made in the same step.
  virtual void hear(models::Token token, size_t texts) = 0;
  // What tokens say, when it is complete. False: that was enough.
  virtual bool say(std::string_view piece) = 0;
  // Either of them, at the end.
  virtual void finish(const generate::Answer& answer) = 0;
  virtual void fail(const std::exception& error) = 0;

 private:
  const TextRequest request_;
};

}  // namespace swai::http
