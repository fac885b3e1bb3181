// SPDX-License-Identifier: Apache-2.0
// What is asked for, and who answers it: OpenAI's calls, with models that one card computes.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "host/daemon/http/line.hpp"
#include "host/daemon/http/server.hpp"
#include "host/daemon/http/speech_model.hpp"
#include "host/daemon/http/text_model.hpp"

namespace swai::http {

// By their names, each of which is there once.
struct Models {
  std::map<std::string, std::unique_ptr<TextModel>, std::less<>> text;
  std::map<std::string, std::unique_ptr<SpeechModel>, std::less<>> speech;
};

class Service {
 public:
  struct Options {
    std::string key;  // who asks has to know it; empty: nobody has to
    Server::Limits server;
  };

  // Others may put texts into the line, too.
  Service(const ListeningSocket& socket, const Models& models, Line& line, Options options);

 private:
  size_t admit(const Request& request) const;
  void check_who_asks(const Request& request) const;
  void answer(const std::shared_ptr<Exchange>& exchange);
  Reply list() const;
  Reply one_of_list(const std::string& name) const;
  std::vector<std::string> names() const;
  Problem no_model(const std::string& name, std::string_view path) const;
  void answer_text(const std::shared_ptr<Exchange>& exchange);
  void answer_speech(const std::shared_ptr<Exchange>& exchange);
  static void listen(Exchange& exchange, std::string_view file, const SpeechRequest& request,
                     SpeechModel& model);

  const Models& models_;
  Line& line_;
  const Options options_;
  const bool loopback_;
  const int64_t created_;
  uint64_t answers_ = 0;  // of the server's thread
  Server server_;         // when it ends, nobody listens to what is being said, and so that ends, too
};

}  // namespace swai::http
