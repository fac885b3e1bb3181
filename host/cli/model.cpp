// swai model: what a file or folder with a model holds. No card is needed.
#include <fmt/format.h>

#include <map>
#include <memory>

#include "host/cli/commands.hpp"
#include "host/cli/table.hpp"
#include "host/models/load.hpp"

namespace swai::cli {
namespace {

using models::LlamaShape;
using models::Model;
using models::Tensor;
using models::WhisperShape;

constexpr const char* kExamples =
    R"(FILE: GGUF, llama2.c or whisper.cpp; or the folder of a Hugging Face or CTranslate2 (faster-whisper) model.

Examples:
  swai model info models/stories260K/stories260K.bin
  swai model info SmolLM2-135M-Instruct.Q4_1.gguf --tensors
  swai --json model info whisper-tiny.en)";

struct Wish {
  std::string path;
  std::string tokens;
  bool tensors = false;
};

// The model's numbers, in the order in which they are shown.
Json numbers(const LlamaShape& is) {
  static constexpr const char* kScalings[] = {"none", "linear", "llama3"};
  return {{"width", is.width},
          {"inner_width", is.inner},
          {"layers", is.layers},
          {"heads", is.heads},
          {"kv_heads", is.kv_heads},
          {"head_width", is.head_width},
          {"vocabulary", is.vocabulary},
          {"context", is.context},
          {"norm_epsilon", is.epsilon},
          {"rotary_base", is.rope_theta},
          {"rotary_pairs", is.rotation == models::Rotation::kHalves ? "halves" : "neighbours"},
          {"rotary_scaling", kScalings[is.scaling.kind]}};
}

Json numbers(const WhisperShape& is) {
  return {{"mel_bands", is.mels},
          {"width", is.width},
          {"inner_width", is.inner},
          {"audio_context", is.audio_context},
          {"audio_layers", is.audio_layers},
          {"audio_heads", is.audio_heads},
          {"text_context", is.text_context},
          {"text_layers", is.text_layers},
          {"text_heads", is.text_heads},
          {"vocabulary", is.vocabulary}};
}

const char* tokenizer_name(const models::Vocabulary& words) {
  switch (words.how) {
    case models::Pieces::kSentencePiece:
      return "SentencePiece";
    case models::Pieces::kByteLevel:
      return words.splitter == models::Splitter::kGpt2Digits ? "byte-level, digits one by one" : "byte-level";
    case models::Pieces::kNone:
      break;
  }
  return "none";
}

struct Sum {
  uint64_t tensors = 0, values = 0, bytes = 0;
  void add(const Tensor& tensor) {
    ++tensors;
    values += tensor.values();
    bytes += tensor.data.size() + tensor.scales.data.size();
  }
};

struct Sums {
  explicit Sums(const Model& model) {
    for (const Tensor& tensor : model.tensors) {
      all.add(tensor);
      types[models::info(tensor.element).name].add(tensor);
    }
  }
  Sum all;
  std::map<std::string, Sum> types;
};

Json describe(const Model& model, bool with_tensors) {
  const Sums sums(model);
  Json report = {{"path", model.path},
                 {"format", model.format},
                 {"architecture", model.is_llama() ? "llama" : "whisper"},
                 {"numbers", std::visit([](const auto& shape) { return numbers(shape); }, model.shape)},
                 {"parameters", sums.all.values},
                 {"weight_bytes", sums.all.bytes},
                 {"types", Json::object()},
                 {"tokenizer", tokenizer_name(model.vocabulary)},
                 {"chat_template", !model.vocabulary.chat_template.empty()}};
  if (model.is_llama()) report["tied_output"] = model.find("head") == nullptr;
  for (const auto& [name, sum] : sums.types)
    report["types"][name] = {{"tensors", sum.tensors}, {"parameters", sum.values}, {"bytes", sum.bytes}};
  if (!with_tensors) return report;
  report["tensors"] = Json::array();
  for (const Tensor& tensor : model.tensors)
    report["tensors"].push_back(
        {{"name", tensor.name}, {"type", models::info(tensor.element).name}, {"shape", tensor.shape}});
  return report;
}

void print_words(const Json& report) {
  const auto line = [](const std::string& name, const std::string& what) {
    fmt::print("  {:<16}{}\n", name, what);
  };
  const auto text = [](const Json& value) {
    return value.is_string() ? value.get<std::string>() : value.dump();
  };
  fmt::print("{}\n", report["path"].get<std::string>());
  line("format", text(report["format"]));
  line("architecture", text(report["architecture"]));
  line("parameters", fmt::format("{:.4g} million, {:.1f} MB", report["parameters"].get<double>() / 1e6,
                                 report["weight_bytes"].get<double>() / 1e6));
  for (const auto& [name, value] : report["numbers"].items()) line(name, text(value));
  if (report.contains("tied_output"))
    line("output", report["tied_output"] == true ? "the embedding" : "of its own");
  line("tokenizer", text(report["tokenizer"]));
  Table types({"type", ">tensors", ">parameters", ">bytes"});
  for (const auto& [name, sum] : report["types"].items())
    types.add({name, text(sum["tensors"]), text(sum["parameters"]), text(sum["bytes"])});
  fmt::print("\n{}", types.text());
  if (!report.contains("tensors")) return;
  Table tensors({"tensor", "type", "shape"});
  for (const Json& one : report["tensors"])
    tensors.add(
        {text(one["name"]), text(one["type"]), models::shape_text(one["shape"].get<models::Shape>())});
  fmt::print("\n{}", tensors.text());
}

int show(const Cli& cli, const Wish& wish) {
  const Json report = describe(models::load(wish.path, wish.tokens), wish.tensors);
  if (cli.options().json) {
    cli.print(report);
  } else {
    print_words(report);
  }
  return kDone;
}

}  // namespace

void add_model(Cli& cli) {
  const auto wish = std::make_shared<Wish>();
  CLI::App* const command = cli.add(
      "model", "files with models: model info FILE", [&cli, wish] { return show(cli, *wish); }, kExamples);
  command->require_subcommand(1);
  CLI::App* const info = command->add_subcommand("info", "what it is, its numbers, its weights");
  info->fallthrough();
  info->add_option("FILE", wish->path, "file or folder of a model")->required();
  info->add_option("--tokenizer", wish->tokens,
                   "llama2.c's file of tokens (default: tokenizer.bin beside the model)")
      ->type_name("FILE");
  info->add_flag("--tensors", wish->tensors, "each tensor with type and shape");
}

}  // namespace swai::cli
