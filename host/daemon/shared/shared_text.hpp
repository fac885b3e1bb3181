// SPDX-License-Identifier: Apache-2.0
// One text of a model that a daemon has on its card.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "host/daemon/shared/shared_model.hpp"
#include "host/models/text/any_text.hpp"

namespace swai::write {

class SharedText : public generate::AnyText {
 public:
  // `room`: no more than the model has. The model stays as long as this. `waits` is told when a text waits
  // for its turn, and when it no longer does.
  SharedText(const SharedModel& model, const generate::Sampling& sampling, uint32_t room,
             std::function<void(bool)> waits)
      : model_(model), sampling_(sampling), room_(room), waits_(std::move(waits)) {}

  // The daemon keeps nothing: what there was is read again. It ends a text at each token that controls the
  // model.
  void generate(std::span<const models::Token> tokens, uint64_t most, std::span<const models::Token>,
                const Got& got) override;
  uint32_t length() const override { return static_cast<uint32_t>(text_.size()); }
  uint32_t room() const override { return room_; }
  const SharedModel::Taken& taken() const { return taken_; }

 private:
  const SharedModel& model_;
  const generate::Sampling sampling_;
  const uint32_t room_;
  const std::function<void(bool)> waits_;
  std::vector<models::Token> text_;
  SharedModel::Taken taken_;
};

}  // namespace swai::write
