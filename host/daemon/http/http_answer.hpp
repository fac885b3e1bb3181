// SPDX-License-Identifier: Apache-2.0
// A text as OpenAI's interface sends it: whole, or as events.
#pragma once

#include <memory>
#include <string>

#include "host/daemon/http/exchange.hpp"
#include "host/daemon/http/stop_text.hpp"
#include "host/daemon/http/text_answer.hpp"
#include "host/daemon/http/text_reply.hpp"

namespace swai::http {

class HttpAnswer : public TextAnswer {
 public:
  // `number`, `created`: as TextReply takes them.
  HttpAnswer(std::shared_ptr<Exchange> exchange, TextRequest request, std::string_view number,
             int64_t created);

  bool is_wanted() const override { return !exchange_->is_gone(); }
  void begin(size_t prompt_tokens, size_t kept_bytes) override;
  void hear(models::Token, size_t) override {}
  bool say(std::string_view piece) override;
  void finish(const generate::Answer& answer) override;
  void fail(const std::exception& error) override;

 private:
  void add(const std::string& said);

  const std::shared_ptr<Exchange> exchange_;
  const TextReply reply_;
  StopText stops_;
  bool streams_ = false;
  size_t prompt_tokens_ = 0;
  std::string text_;  // unless it streams
};

}  // namespace swai::http
