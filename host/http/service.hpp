// What is asked for, and who answers it: OpenAI's calls, with models that one card computes, a request after
// the other.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "host/http/line.hpp"
#include "host/http/server.hpp"
#include "host/http/text_model.hpp"

namespace swai::http {

class Service {
 public:
  struct Options {
    std::string key;      // who asks has to know it; empty: nobody has to
    size_t waiting = 16;  // requests
    Server::Limits server;
  };
  using Models = std::map<std::string, std::unique_ptr<TextModel>, std::less<>>;

  Service(const ListeningSocket& socket, Models models, Options options);

 private:
  size_t admit(const Request& request) const;
  void check_who_asks(const Request& request) const;
  void answer(const std::shared_ptr<Exchange>& exchange);
  Reply list() const;
  Reply one_of_list(const std::string& name) const;
  TextModel& model_of(const std::string& name) const;
  void speak(Exchange& exchange, const TextRequest& request, TextModel& model);

  const Models models_;
  const Options options_;
  const bool loopback_;
  const int64_t created_;
  uint64_t answers_ = 0;  // of the line's thread
  Line line_;
  Server server_;  // ends first: then nobody listens to what is being said, and so it ends
};

}  // namespace swai::http
