// SPDX-License-Identifier: Apache-2.0
#include "host/daemon/http/http_answer.hpp"

namespace swai::http {

HttpAnswer::HttpAnswer(std::shared_ptr<Exchange> exchange, TextRequest request, std::string_view number,
                       int64_t created)
    : TextAnswer(std::move(request)),
      exchange_(std::move(exchange)),
      reply_(this->request(), number, created),
      stops_(this->request().stops) {}

void HttpAnswer::begin(size_t prompt_tokens, size_t) {
  prompt_tokens_ = prompt_tokens;
  streams_ = request().stream;
  if (!streams_) return;
  exchange_->begin_events();
  exchange_->write(reply_.begin());
}

void HttpAnswer::add(const std::string& said) {
  if (said.empty()) return;
  if (streams_) {
    exchange_->write(reply_.piece(said));
  } else {
    text_ += said;
  }
}

bool HttpAnswer::say(std::string_view piece) {
  add(stops_.add(piece));
  return !stops_.found() && is_wanted();
}

void HttpAnswer::finish(const generate::Answer& answer) {
  if (!stops_.found()) add(stops_.rest());
  const Finish finish =
      stops_.found() || answer.end == generate::End::kModel ? Finish::kStop : Finish::kLength;
  const Usage usage = {prompt_tokens_, answer.tokens.size()};
  if (!streams_) return exchange_->answer(json_reply(reply_.whole(text_, finish, usage)));
  exchange_->write(reply_.end(finish, usage));
  exchange_->end();
}

void HttpAnswer::fail(const std::exception& error) {
  const auto* const known = dynamic_cast<const Problem*>(&error);
  const Problem problem = known != nullptr ? *known : Problem(500, error.what());
  if (!streams_) return exchange_->answer(reply_of(problem));
  exchange_->write(TextReply::broken_off(problem));
  exchange_->end();
}

}  // namespace swai::http
