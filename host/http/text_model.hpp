// A language model that answers: what the service needs of it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "host/generate/answer.hpp"
#include "host/http/text_request.hpp"

namespace swai::http {

class TextModel {
 public:
  virtual ~TextModel() = default;

  // What the model is given. Throws Problem: it is too long, or no conversation for this model.
  virtual std::vector<models::Token> prompt_of(const TextRequest& request) const = 0;
  // Goes on behind it. `say` and `go_on`: as generate::answer takes them. Throws Problem, or whatever a card
  // that is lost throws.
  virtual generate::Answer answer(std::span<const models::Token> prompt, const TextRequest& request,
                                  const generate::Say& say, const generate::Session::GoOn& go_on) = 0;
};

}  // namespace swai::http
