// SPDX-License-Identifier: Apache-2.0
#include "host/tools/swai/serve_models.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "host/lib/argument_text.hpp"
#include "host/models/audio/sound.hpp"
#include "host/tools/cli/error.hpp"
#include "host/tools/cli/places.hpp"
#include "host/tools/cli/progress.hpp"
#include "host/tools/swai/any_model.hpp"

namespace swai::cli {
namespace {

struct NameAndPath {
  std::string name;
  std::string path;
};

// "NAME=FILE", or a file, whose name is the model's.
NameAndPath parts_of(const std::string& model) {
  const size_t equals = model.find('=');
  if (equals != std::string::npos) return {model.substr(0, equals), model.substr(equals + 1)};
  const std::filesystem::path path = std::filesystem::path(model).lexically_normal();
  return {path.has_filename() ? path.stem().string() : path.parent_path().filename().string(), model};
}

std::string key_in(const std::string& file) {
  if (file.empty()) return {};
  std::ifstream in(file);
  std::string key;
  if (!std::getline(in, key) || key.empty())
    throw Error(kBadInput, fmt::format("--http-key {}: there is no key in its first line", file));
  return key;
}

}  // namespace

void add_model_options(CLI::App& command, ModelWish& wish) {
  CLI::Option* const http = command.add_option(
      "--http", wish.address,
      "answer OpenAI's calls at this port of this machine, or at HOST:PORT for others, too; needs --model");
  http->type_name("[HOST:]PORT");
  CLI::Option* const model = command.add_option(
      "--model", wish.models,
      "a model that is on the card for all programs (`swai generate` finds packed ones), and that HTTP calls "
      "by this name (default: the file's); may be repeated");
  model->type_name("[NAME=]FILE")->allow_extra_args(false);
  http->needs(model);
  command.add_option("--precision", wish.precision, "how weights are stored, as in `swai generate`")
      ->check(CLI::IsMember(generate::precision_names()))
      ->type_name("NAME")
      ->needs(model);
  command
      .add_option("--context", wish.context,
                  "tokens that a prompt and its answer may have together (default 2048)")
      ->check(CLI::Range(1, 1 << 24))
      ->type_name("N")
      ->needs(model);
  command.add_option("--http-key", wish.key_file, "clients have to know the first line of this file")
      ->type_name("FILE")
      ->needs(http);
  command
      .add_option("--http-sound-seconds", wish.sound_seconds,
                  "maximum length in seconds of a sound to transcribe over HTTP (default 1800)")
      ->check(CLI::Range(1u, audio::kMaxSeconds))
      ->type_name("N")
      ->needs(http);
}

ModelFiles::ModelFiles(const ModelWish& wish)
    : key_(key_in(wish.key_file)),
      sound_seconds_(wish.sound_seconds),
      socket_(wish.address.empty() ? std::nullopt : std::make_optional<http::ListeningSocket>(wish.address)),
      module_name_(places().operators),
      operators_(module_name_),
      decode_(places().decode),
      listen_(places().listen) {
  for (const std::string& model : wish.models) {
    const NameAndPath parts = parts_of(model);
    const bool twice = std::ranges::any_of(models_, [&](const Model& one) { return one.name == parts.name; });
    if (parts.name.empty() || twice) {
      throw Error(kBadInput, fmt::format("--model {}: {}; NAME=FILE gives it another one", model,
                                         twice ? "there are two of that name" : "it has no name"));
    }
    models_.push_back(open(parts.name, parts.path, wish));
    const auto& text = models_.back().text;
    if (!socket_ && (!text || text->speaker.model().identity.empty())) {
      throw Error(kBadInput, fmt::format("--model {}: without --http only `swai generate` finds models, and "
                                         "only language models that `swai model import` has packed",
                                         model));
    }
  }
}

ModelFiles::Model ModelFiles::open(const std::string& name, const std::string& path, const ModelWish& wish) {
  Model model = {.name = name, .text = nullptr, .speech = nullptr};
  AnyModel any = open_any_model(path, "", models::precision_named(wish.precision));
  if (auto* const text = std::get_if<generate::CardModel>(&any)) {
    model.text = std::make_unique<http::TextFile>(std::move(*text), wish.context);
  } else {
    model.speech =
        std::make_unique<transcribe::WhisperFile>(std::get<transcribe::WhisperModel>(std::move(any)));
  }
  return model;
}

ServedModels::ServedModels(ModelFiles& files, bool quiet, const Log& log)
    : walker_(files.module_name_, files.operators_.bytes()),
      decoder_(files.decode_.name, files.decode_.bytes, walker_) {
  std::vector<write::DaemonTexts::Model> texts;
  std::string names;
  for (ModelFiles::Model& model : files.models_) {
    const Progress progress(!quiet, fmt::format("{} goes to the card", model.name));
    names += (names.empty() ? "" : ", ") + model.name;
    if (model.text) {
      const std::string identity = model.text->speaker.model().identity;
      auto on_card = std::make_unique<http::CardTextModel>(std::move(model.text), walker_, decoder_);
      texts.push_back({{model.name, identity, on_card->room(), on_card->weight_bytes()}, on_card.get()});
      models_.text.emplace(model.name, std::move(on_card));
    } else {
      models_.speech.emplace(model.name, std::make_unique<http::CardSpeechModel>(
                                             std::move(model.speech), walker_, files.listen_.name,
                                             files.listen_.bytes, files.sound_seconds_));
    }
  }
  texts_.emplace(std::move(texts), line_);
  log(fmt::format("on the card: {}; programs of this user share what is packed", names));
  if (!files.socket_) return;
  service_.emplace(*files.socket_, models_, line_, http::Service::Options{.key = files.key_});
  log(fmt::format("{} at http://{}/v1", names, files.socket_->name()));
  if (!files.socket_->is_loopback() && files.key_.empty())
    log("whoever reaches that address may ask; with --http-key FILE only who has a key");
}

}  // namespace swai::cli
