// SPDX-License-Identifier: Apache-2.0
// A model that a daemon has on its card, for a program that wants texts of it.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "host/daemon/shared/language.hpp"

namespace swai::write {

class SharedModel {
 public:
  // None: no daemon listens at that control socket for this user, or it does not have this model.
  static std::optional<SharedModel> find(const std::string& control, const std::string& identity);

  const OnCard& is() const { return is_; }
  const std::string& control() const { return control_; }

  struct Wish {
    std::span<const models::Token> tokens;
    uint64_t most;
  };
  // Whether the daemon takes a text like this.
  bool takes(const Wish& wish) const;

  struct Ears {
    // A text's turn has come.
    std::function<void(size_t text)> begins = [](size_t) {};
    // Tokens as they come; false: no more of this text is wanted.
    std::function<bool(size_t text, models::Token)> got;
  };
  struct Taken {
    uint64_t tokens = 0;    // given, and made
    uint64_t beside = 0;    // made in steps with other texts
    uint64_t kv_bytes = 0;  // on the card, while they were written
  };
  // As many at once as the daemon lets one program have. Throws link::Unreachable when the daemon is lost,
  // walk::CardError when its card failed, std::runtime_error with what else it says is wrong.
  Taken write(std::span<const Wish> texts, const generate::Sampling& sampling, const Ears& ears) const;

 private:
  class Writing;
  SharedModel(std::string control, OnCard is) : control_(std::move(control)), is_(std::move(is)) {}
  std::string line_for(const Wish& wish, const generate::Sampling& sampling) const;

  std::string control_;
  OnCard is_;
};

}  // namespace swai::write
