// SPDX-License-Identifier: Apache-2.0
#include "host/daemon/shared/daemon_texts.hpp"

#include <algorithm>

#include "host/daemon/cards/control.hpp"
#include "host/daemon/http/problem.hpp"
#include "host/models/exec/card_memory.hpp"

namespace swai::write {
namespace {

// Tokens go to whoever asks as they are: he has the model's file, and so the words.
class LinesAnswer : public http::TextAnswer {
 public:
  LinesAnswer(http::TextRequest request, std::shared_ptr<serve::Lines> lines)
      : TextAnswer(std::move(request)), lines_(std::move(lines)) {}

  bool is_wanted() const override { return !lines_->is_gone(); }
  void begin(size_t prompt_tokens, size_t kept_bytes) override {
    lines_->add({{"begins", prompt_tokens}, {"kv_bytes", kept_bytes}});
  }
  void hear(models::Token token, size_t texts) override {
    beside_ += texts > 1;
    lines_->add({{"token", token}});
  }
  bool say(std::string_view) override { return is_wanted(); }
  void finish(const generate::Answer& answer) override {
    lines_->end({{"end", generate::to_text(answer.end)}, {"beside", beside_}});
  }
  void fail(const std::exception& error) override {
    const auto* const of_card = dynamic_cast<const walk::CardError*>(&error);
    if (of_card == nullptr) return lines_->fail(error.what());
    lines_->end({{"error", error.what()}, {"card_error", uint64_t{of_card->error()}}});
  }

 private:
  const std::shared_ptr<serve::Lines> lines_;
  uint64_t beside_ = 0;  // tokens that were made in steps with other texts
};

}  // namespace

DaemonTexts::DaemonTexts(std::vector<Model> models, http::Line& line)
    : models_(std::move(models)), line_(line) {
  std::erase_if(models_, [](const Model& one) { return one.is.identity.empty(); });
}

Json DaemonTexts::models() const {
  Json all = Json::array();
  for (const Model& one : models_) all.push_back(to_json(one.is));
  return {{"models", std::move(all)}};
}

void DaemonTexts::write(const Json& request, const std::shared_ptr<serve::Lines>& lines) {
  Text text = text_in(request);
  const auto found = std::ranges::find(models_, text.model, [](const Model& one) { return one.is.identity; });
  if (found == models_.end()) {
    throw http::Problem(404,
                        "the daemon has no model with this identity on its card; `models` names those "
                        "that it has");
  }
  http::TextRequest wish;
  wish.model = found->is.name;
  wish.prompt = std::move(text.tokens);
  wish.most = text.most;
  wish.sampling = text.sampling;
  try {
    line_.add(*found->writes, std::make_shared<LinesAnswer>(std::move(wish), lines));
  } catch (const http::Problem& full) {
    throw serve::Busy(full.what());
  }
}

}  // namespace swai::write
