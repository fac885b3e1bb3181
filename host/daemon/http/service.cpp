// SPDX-License-Identifier: Apache-2.0
#include "host/daemon/http/service.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <random>

#include "host/daemon/http/form.hpp"
#include "host/daemon/http/http_answer.hpp"
#include "host/daemon/http/speech_reply.hpp"

namespace swai::http {
namespace {

constexpr size_t kMostText = 1 << 20;
constexpr size_t kMostSound = 25 << 20;
constexpr std::string_view kModels = "/v1/models";
constexpr std::string_view kModel = "/v1/models/";
constexpr std::string_view kCompletions = "/v1/completions";
constexpr std::string_view kChat = "/v1/chat/completions";
constexpr std::string_view kTranscriptions = "/v1/audio/transcriptions";

uint64_t random_number() {
  std::random_device device;
  return uint64_t{device()} << 32 | device();
}

// As long as the right one, whatever it is compared with.
bool is_same(std::string_view secret, std::string_view given) {
  unsigned difference = secret.size() != given.size();
  for (size_t i = 0; i < secret.size(); ++i)
    difference |= static_cast<unsigned>(secret[i] ^ (i < given.size() ? given[i] : '\0'));
  return difference == 0;
}

// A Host header as programs on this machine send it, with any port or none.
bool names_this_machine(std::string_view host) {
  return std::ranges::any_of(
      std::array<std::string_view, 3>{"localhost", "127.0.0.1", "[::1]"}, [&](auto name) {
        if (!host.starts_with(name)) return false;
        const std::string_view port = host.substr(name.size());
        return port.empty() ||
               (port.starts_with(':') && port.find_first_not_of("0123456789", 1) == port.npos);
      });
}

Json describe(const std::string& name, int64_t created) {
  return {{"id", name}, {"object", "model"}, {"created", created}, {"owned_by", "swai"}};
}

}  // namespace

Service::Service(const ListeningSocket& socket, const Models& models, Line& line, Options options)
    : models_(models),
      line_(line),
      options_(std::move(options)),
      loopback_(socket.is_loopback()),
      created_(std::time(nullptr)),
      server_(socket,
              {[this](const Request& request) { return admit(request); },
               [this](const std::shared_ptr<Exchange>& exchange) { answer(exchange); }},
              options_.server) {}

void Service::check_who_asks(const Request& request) const {
  // A page in a browser can reach this machine by a name of the page's own, which the browser sends as the
  // host.
  if (loopback_ && !names_this_machine(request.host)) {
    throw Problem(403,
                  "the Host must be localhost, 127.0.0.1 or [::1]: only programs on this machine are served");
  }
  // A browser lets a page send a form anywhere.
  if (!request.origin.empty()) throw Problem(403, "this server is not for pages in a browser");
  constexpr std::string_view kBearer = "Bearer ";
  if (options_.key.empty()) return;
  const std::string_view given = request.authorization;
  if (given.empty())
    throw Problem(401, "no API key: send the header Authorization: Bearer KEY", "", "invalid_api_key");
  if (!given.starts_with(kBearer) || !is_same(options_.key, given.substr(kBearer.size())))
    throw Problem(401, "wrong API key", "", "invalid_api_key");
}

size_t Service::admit(const Request& request) const {
  check_who_asks(request);
  const bool reads = request.path == kModels || request.path.starts_with(kModel);
  const bool hears = request.path == kTranscriptions;
  if (!reads && !hears && request.path != kCompletions && request.path != kChat) {
    throw Problem(
        404, fmt::format("no such path: {}; this server has {}, {}, {} and {}", request.path.substr(0, 80),
                         kModels, kCompletions, kChat, kTranscriptions));
  }
  const bool is_get = request.method == "GET" || request.method == "HEAD";
  if (reads != is_get || (!reads && request.method != "POST")) {
    Problem problem(405, fmt::format("{} takes {}", request.path.substr(0, 80), reads ? "GET" : "POST"));
    problem.allow = reads ? "GET, HEAD" : "POST";
    throw problem;
  }
  if (reads) return 0;
  // A page in a browser cannot send JSON to somebody who has not allowed it.
  const std::string_view type = hears ? kFormType : "application/json";
  if (request.content_type != type)
    throw Problem(415, fmt::format("{} takes Content-Type: {}", request.path, type));
  return hears ? kMostSound : kMostText;
}

void Service::answer(const std::shared_ptr<Exchange>& exchange) {
  const std::string& path = exchange->request().path;
  if (path == kModels) {
    exchange->answer(list());
  } else if (path.starts_with(kModel)) {
    exchange->answer(one_of_list(path.substr(kModel.size())));
  } else if (path == kTranscriptions) {
    answer_speech(exchange);
  } else {
    answer_text(exchange);
  }
}

void Service::answer_text(const std::shared_ptr<Exchange>& exchange) {
  const Request asked = exchange->take_request().value();
  const Parsed body = parse_json(asked.body);
  const uint64_t seed = random_number();
  auto request = asked.path == kChat ? chat_request(body, seed) : completion_request(body, seed);
  const auto model = models_.text.find(request.model);
  if (model == models_.text.end()) throw no_model(request.model, kTranscriptions);
  const std::string number = fmt::format("{:x}-{}", created_, ++answers_);
  line_.add(*model->second,
            std::make_shared<HttpAnswer>(exchange, std::move(request), number, std::time(nullptr)));
}

void Service::answer_speech(const std::shared_ptr<Exchange>& exchange) {
  auto request = speech_request(exchange->request().form);
  const auto model = models_.speech.find(request.model);
  if (model == models_.speech.end()) throw no_model(request.model, kCompletions);
  line_.add(exchange, [exchange, request = std::move(request), &model = *model->second] {
    // If the client leaves, the sound is freed while it waits in the line.
    if (const auto whole = exchange->take_request()) {
      const MappedBytes& file = whole->form.file;
      listen(*exchange, {file.data(), file.size()}, request, model);
    }
  });
}

std::vector<std::string> Service::names() const {
  std::vector<std::string> names;
  for (const auto& [name, model] : models_.text) names.push_back(name);
  for (const auto& [name, model] : models_.speech) names.push_back(name);
  return names;
}

Reply Service::list() const {
  Json models = Json::array();
  for (const std::string& name : names()) models.push_back(describe(name, created_));
  return json_reply(text_of({{"object", "list"}, {"data", std::move(models)}}));
}

Reply Service::one_of_list(const std::string& name) const {
  if (!models_.text.contains(name) && !models_.speech.contains(name)) throw no_model(name, "");
  return json_reply(text_of(describe(name, created_)));
}

// `other`: where models of the other kind answer.
Problem Service::no_model(const std::string& name, std::string_view other) const {
  if (models_.text.contains(name) || models_.speech.contains(name))
    return bad_request(fmt::format("'{}' is a model of another kind: it answers at {}", name, other), "model",
                       "unsupported_value");
  return Problem(404,
                 fmt::format("no model '{}'; available: {}", name.substr(0, 80), fmt::join(names(), ", ")),
                 "model", "model_not_found");
}

void Service::listen(Exchange& exchange, std::string_view file, const SpeechRequest& request,
                     SpeechModel& model) {
  try {
    const auto transcript = model.transcribe(file, request, [&] { return !exchange.is_gone(); });
    exchange.answer(speech_reply(transcript, request.format));
  } catch (const Problem& problem) {
    exchange.answer(reply_of(problem));
  } catch (const std::exception& error) {
    exchange.answer(reply_of(Problem(500, error.what())));
  }
}

}  // namespace swai::http
