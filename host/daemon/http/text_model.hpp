// SPDX-License-Identifier: Apache-2.0
// A language model that answers: what the service needs of it.
#pragma once

#include <functional>
#include <memory>

#include "host/daemon/http/text_answer.hpp"

namespace swai::http {

// Texts of one model that wait, in their order.
struct WaitingTexts {
  std::function<bool()> any;
  std::function<std::shared_ptr<TextAnswer>()> next;  // null: there is none
};

class TextModel {
 public:
  virtual ~TextModel() = default;

  // Writes texts, one or several at once, until none waits: each is finished, or fails.
  virtual void answer(const WaitingTexts& waiting) = 0;
};

}  // namespace swai::http
