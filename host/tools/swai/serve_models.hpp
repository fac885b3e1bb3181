// SPDX-License-Identifier: Apache-2.0
// Models that `swai serve` has on its card for all who ask it: programs at its control socket, and, with
// --http, clients over HTTP.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/daemon/http/card_speech_model.hpp"
#include "host/daemon/http/card_text_model.hpp"
#include "host/daemon/http/service.hpp"
#include "host/daemon/shared/daemon_texts.hpp"
#include "host/lib/argument_text.hpp"
#include "host/tools/cli/cli.hpp"
#include "host/tools/cli/module_file.hpp"

namespace swai::cli {

struct ModelWish {
  std::string address;  // for HTTP; empty: nobody listens
  std::vector<std::string> models;
  std::string precision;
  std::string key_file;
  uint32_t context = 2048;
  uint32_t sound_seconds = 30 * 60;  // over HTTP
};

void add_model_options(CLI::App& command, ModelWish& wish);

// Everything that needs no card, so that what is wrong with it is found before one is started.
class ModelFiles {
 public:
  // Throws Error, common::InputError.
  explicit ModelFiles(const ModelWish& wish);

 private:
  friend class ServedModels;
  struct Model {
    std::string name;
    // One of the two.
    std::unique_ptr<http::TextFile> text;
    std::unique_ptr<transcribe::WhisperFile> speech;
  };
  static Model open(const std::string& name, const std::string& path, const ModelWish& wish);

  std::string key_;
  uint32_t sound_seconds_;
  std::vector<Model> models_;
  std::optional<http::ListeningSocket> socket_;
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

// On the card that the runtime library finds; answers HTTP from now on.
class ServedModels {
 public:
  using Log = std::function<void(const std::string&)>;
  // Throws walk::CardError, std::runtime_error.
  ServedModels(ModelFiles& files, bool quiet, const Log& log);

  // For the control socket.
  write::DaemonTexts& texts() { return *texts_; }

 private:
  walk::Walker walker_;
  walk::Decoder decoder_;
  http::Models models_;
  http::Line line_;
  std::optional<write::DaemonTexts> texts_;
  std::optional<http::Service> service_;
};

}  // namespace swai::cli
