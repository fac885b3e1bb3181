// A text on its way from a model to who asked for it: whole, or as events.
#pragma once

#include <memory>
#include <string>

#include "host/generate/answer.hpp"
#include "host/http/exchange.hpp"
#include "host/http/stop_text.hpp"
#include "host/http/text_reply.hpp"

namespace swai::http {

class TextAnswer {
 public:
  // `number`, `created`: as TextReply takes them.
  TextAnswer(std::shared_ptr<Exchange> exchange, TextRequest request, std::string_view number,
             int64_t created);

  const TextRequest& request() const { return request_; }
  // False: nobody listens any more.
  bool is_wanted() const { return !exchange_->is_gone(); }

  // The model has been given so many tokens, and begins to write.
  void begin(size_t prompt_tokens);
  // False: that was enough.
  bool say(std::string_view piece);
  // Either of them, at the end.
  void finish(const generate::Answer& answer);
  void fail(const std::exception& error);

 private:
  void hear(const std::string& said);

  const std::shared_ptr<Exchange> exchange_;
  const TextRequest request_;
  const TextReply reply_;
  StopText stops_;
  bool streams_ = false;
  size_t prompt_tokens_ = 0;
  std::string text_;  // unless it streams
};

}  // namespace swai::http
