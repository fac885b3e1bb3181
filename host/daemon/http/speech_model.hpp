// SPDX-License-Identifier: Apache-2.0
// A model of speech that listens: what the service needs of it.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "host/daemon/http/speech_request.hpp"

namespace swai::http {

struct Transcript {
  std::vector<transcribe::Said> said;
  std::string language;
  double seconds = 0;
};

class SpeechModel {
 public:
  virtual ~SpeechModel() = default;

  // `file`: any that can be heard. `go_on` is asked before each step; when it says no, the rest is left out.
  // Throws Problem, or whatever a card that is lost throws.
  virtual Transcript transcribe(std::string_view file, const SpeechRequest& request,
                                const std::function<bool()>& go_on) = 0;
};

}  // namespace swai::http
