// SPDX-License-Identifier: Apache-2.0
// Texts that a daemon writes for programs which ask at its control socket.
#pragma once

#include <memory>
#include <vector>

#include "host/daemon/http/line.hpp"
#include "host/daemon/shared/language.hpp"

namespace swai::write {

class DaemonTexts {
 public:
  struct Model {
    OnCard is;
    http::TextModel* writes;
  };
  // Texts wait in this line, with those of others. Models without an identity are not shared.
  DaemonTexts(std::vector<Model> models, http::Line& line);

  // The answer to "models".
  Json models() const;
  // To "write". Throws http::Problem.
  void write(const Json& request, const std::shared_ptr<serve::Lines>& lines);

 private:
  std::vector<Model> models_;
  http::Line& line_;
};

}  // namespace swai::write
