// Models that `swai serve` answers with over HTTP.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "abi/argument_text.hpp"
#include "host/cli/cli.hpp"
#include "host/cli/module_file.hpp"
#include "host/http/card_speech_model.hpp"
#include "host/http/card_text_model.hpp"
#include "host/http/service.hpp"

namespace swai::cli {

struct HttpWish {
  std::string address;  // empty: nobody listens
  std::vector<std::string> models;
  std::string precision;
  std::string key_file;
  uint32_t context = 2048;
};

void add_http_options(CLI::App& command, HttpWish& wish);

// Everything that needs no card, so that what is wrong with it is found before one is started.
class HttpFiles {
 public:
  // Throws Error, common::InputError.
  explicit HttpFiles(const HttpWish& wish);

 private:
  friend class HttpModels;
  struct Model {
    std::string name;
    // One of the two.
    std::unique_ptr<http::TextFile> text;
    std::unique_ptr<transcribe::WhisperFile> speech;
  };
  static Model open(const std::string& name, const std::string& path, const HttpWish& wish);

  std::string key_;
  std::vector<Model> models_;
  http::ListeningSocket socket_;
  // A program for the card's management processor.
  struct Program {
    explicit Program(std::string file) : name(std::move(file)), bytes(kernel_run::read_file(name)) {}
    std::string name;
    std::vector<uint8_t> bytes;
  };
  const std::string module_name_;
  const ModuleFile operators_;
  const Program decode_, listen_;
};

// On the card that the runtime library finds; answers from now on.
class HttpModels {
 public:
  using Log = std::function<void(const std::string&)>;
  // Throws walk::CardError, std::runtime_error.
  HttpModels(HttpFiles& files, bool quiet, const Log& log);

 private:
  walk::Walker walker_;
  walk::Decoder decoder_;
  std::optional<http::Service> service_;
};

}  // namespace swai::cli
