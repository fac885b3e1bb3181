#include "host/http/text_answer.hpp"

namespace swai::http {

TextAnswer::TextAnswer(std::shared_ptr<Exchange> exchange, TextRequest request, std::string_view number,
                       int64_t created)
    : exchange_(std::move(exchange)),
      request_(std::move(request)),
      reply_(request_, number, created),
      stops_(request_.stops) {}

void TextAnswer::begin(size_t prompt_tokens) {
  prompt_tokens_ = prompt_tokens;
  streams_ = request_.stream;
  if (!streams_) return;
  exchange_->begin_events();
  exchange_->write(reply_.begin());
}

void TextAnswer::hear(const std::string& said) {
  if (said.empty()) return;
  if (streams_) {
    exchange_->write(reply_.piece(said));
  } else {
    text_ += said;
  }
}

bool TextAnswer::say(std::string_view piece) {
  hear(stops_.add(piece));
  return !stops_.found() && is_wanted();
}

void TextAnswer::finish(const generate::Answer& answer) {
  if (!stops_.found()) hear(stops_.rest());
  const Finish finish =
      stops_.found() || answer.end == generate::End::kModel ? Finish::kStop : Finish::kLength;
  const Usage usage = {prompt_tokens_, answer.tokens.size()};
  if (!streams_) return exchange_->answer(json_reply(reply_.whole(text_, finish, usage)));
  exchange_->write(reply_.end(finish, usage));
  exchange_->end();
}

void TextAnswer::fail(const std::exception& error) {
  const auto* const known = dynamic_cast<const Problem*>(&error);
  const Problem problem = known != nullptr ? *known : Problem(500, error.what());
  if (!streams_) return exchange_->answer(reply_of(problem));
  exchange_->write(TextReply::broken_off(problem));
  exchange_->end();
}

}  // namespace swai::http
