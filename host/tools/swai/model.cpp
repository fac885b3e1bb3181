// SPDX-License-Identifier: Apache-2.0
// swai model: what a file or folder with a model holds; models packed for the card, or written for
// whisper.cpp. No card is needed.
#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <memory>

#include "host/models/audio/mel.hpp"
#include "host/models/files/architectures/architecture.hpp"
#include "host/models/files/ggml_writer.hpp"
#include "host/models/files/load.hpp"
#include "host/models/files/make_tokenizer.hpp"
#include "host/models/text/packed_model.hpp"
#include "host/tools/cli/progress.hpp"
#include "host/tools/cli/table.hpp"
#include "host/tools/swai/any_model.hpp"
#include "host/tools/swai/commands.hpp"
#include "host/tools/swai/onnx.hpp"

namespace swai::cli {
namespace {

using models::DecoderShape;
using models::Model;
using models::Tensor;
using models::WhisperShape;

constexpr const char* kExamples =
    R"(FILE: GGUF, llama2.c or whisper.cpp, or ONNX (info only); or the folder of a Hugging Face or CTranslate2 (faster-whisper) model.

Examples:
  swai model info models/stories260K/stories260K.bin
  swai model info SmolLM2-135M-Instruct.Q4_1.gguf --tensors
  swai --json model info whisper-tiny.en
  swai model import SmolLM2-135M-Instruct.Q4_1.gguf --precision w8a8 -o smollm2.packed
  swai model verify smollm2.packed
  swai model export -m whisper-tiny.en -o ggml-tiny.en.bin)";

struct Wish {
  std::string path;
  std::string tokens;
  bool tensors = false;
  std::string output;
  std::string precision;  // empty: fp32 of language, w8a8 of speech
  std::vector<std::string> four_bits;
  std::string weights = "f16";
};

// The model's numbers, in the order in which they are shown.
Json numbers(const DecoderShape& is) {
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
                 {"architecture", model.architecture->name},
                 {"numbers", std::visit([](const auto& shape) { return numbers(shape); }, model.shape)},
                 {"parameters", sums.all.values},
                 {"weight_bytes", sums.all.bytes},
                 {"types", Json::object()},
                 {"tokenizer", tokenizer_name(model.vocabulary)},
                 {"chat_template", !model.vocabulary.chat_template.empty()}};
  if (model.is_decoder()) report["tied_output"] = model.find("head") == nullptr;
  for (const auto& [name, sum] : sums.types)
    report["types"][name] = {{"tensors", sum.tensors}, {"parameters", sum.values}, {"bytes", sum.bytes}};
  if (!with_tensors) return report;
  report["tensors"] = Json::array();
  for (const Tensor& tensor : model.tensors)
    report["tensors"].push_back(
        {{"name", tensor.name}, {"type", models::info(tensor.element).name}, {"shape", tensor.shape}});
  return report;
}

// What was packed says less: its tensors are the card's.
Json numbers(const models::CardDecoder& card) {
  return {{"width", card.shape.width},       {"inner_width", card.shape.inner},
          {"layers", card.shape.layers},     {"heads", card.shape.heads},
          {"kv_heads", card.shape.kv_heads}, {"vocabulary", card.shape.vocabulary},
          {"context", card.shape.context}};
}

Json numbers(const transcribe::CardWhisper& card) {
  Json report = numbers(card.shape);
  report["four_bits"] = Json::array();
  for (const auto& [kind, format] : card.formats)
    if (format == models::WeightFormat::kInt4) report["four_bits"].push_back(kind);
  return report;
}

Json describe(const AnyModel& model, const models::PackedFile& file) {
  const models::Vocabulary& words = vocabulary_of(model);
  Json report = {{"path", file.path()},
                 {"format", "packed for the card"},
                 {"architecture", file.architecture()},
                 {"precision", models::to_text(precision_of(model))}};
  report.update(std::visit([](const auto& one) { return numbers(one.card); }, model));
  report["tokenizer"] = tokenizer_name(words);
  report["chat_template"] = !words.chat_template.empty();
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
  if (is_onnx(wish.path)) return show_onnx_model(cli, wish.path);
  const std::optional<models::PackedFile> packed = models::PackedFile::open(wish.path);
  const Json report = packed ? describe(open_packed_model(*packed), *packed)
                             : describe(models::load(wish.path, wish.tokens), wish.tensors);
  if (cli.options().json) {
    cli.print(report);
  } else if (packed) {
    for (const auto& [name, value] : report.items()) {
      fmt::print("  {:<16}{}\n", name, value.is_string() ? value.get<std::string>() : value.dump());
    }
  } else {
    print_words(report);
  }
  return kDone;
}

int import(const Cli& cli, const Wish& wish) {
  const AnyModel model =
      open_any_model(wish.path, wish.tokens, models::precision_named(wish.precision), wish.four_bits);
  // Throws here if the tokenizer is missing or damaged: none can be added to a packed file later.
  models::make_tokenizer(wish.path, vocabulary_of(model));
  const std::string precision = models::to_text(precision_of(model));
  {
    const Progress progress(!cli.options().quiet, wish.output);
    std::visit([&](const auto& one) { write_packed(one, wish.output); }, model);
  }
  const uint64_t bytes = std::filesystem::file_size(wish.output);
  if (cli.options().json) {
    cli.print({{"path", wish.output}, {"precision", precision}, {"bytes", bytes}});
  } else {
    fmt::print("{}: {:.1f} MB, packed as {}\n", wish.output, static_cast<double>(bytes) / 1e6, precision);
  }
  return kDone;
}

int export_for_whisper_cpp(const Cli& cli, const Wish& wish) {
  const Model model = models::load(wish.path, wish.tokens);
  {
    const Progress progress(!cli.options().quiet, wish.output);
    std::vector<float> filters;
    if (!model.is_decoder()) filters = audio::mel_filters(model.whisper().mels);
    const auto weights = wish.weights == "f32" ? models::GgmlWeights::kF32 : models::GgmlWeights::kF16;
    models::write_ggml(model, filters, weights, wish.output);
  }
  const uint64_t bytes = std::filesystem::file_size(wish.output);
  if (cli.options().json) {
    cli.print({{"path", wish.output}, {"format", "whisper.cpp"}, {"bytes", bytes}});
  } else {
    fmt::print("{}: {:.1f} MB, in whisper.cpp's format\n", wish.output, static_cast<double>(bytes) / 1e6);
  }
  return kDone;
}

int verify(const Cli& cli, const Wish& wish) {
  const std::optional<models::PackedFile> file = models::PackedFile::open(wish.path);
  if (!file) throw Error(kBadInput, wish.path + ": is no packed model; `swai model import` makes one");
  const bool speech = file->architecture() == transcribe::kArchitecture;
  const auto damaged = speech ? transcribe::damaged_tensor(*file) : generate::damaged_tensor(*file);
  if (damaged) {
    throw Error(kFailed,
                fmt::format("{}: {} is not what was packed; fetch the file again, or pack the model again",
                            wish.path, *damaged));
  }
  if (cli.options().json) {
    cli.print({{"path", wish.path}, {"good", true}});
  } else {
    fmt::print("{}: all is as it was packed\n", wish.path);
  }
  return kDone;
}

}  // namespace

void add_model(Cli& cli) {
  const auto wish = std::make_shared<Wish>();
  // The subcommand that was given is what is done.
  const auto action = std::make_shared<int (*)(const Cli&, const Wish&)>(show);
  CLI::App* const command = cli.add(
      "model",
      "files with models: model info FILE, model import FILE -o PACKED, model verify PACKED, model export -m "
      "MODEL "
      "-o FILE",
      [&cli, wish, action] { return (*action)(cli, *wish); }, kExamples);
  command->require_subcommand(1);
  const auto add = [&](const char* name, const char* what, const char* option, const char* file,
                       int (*does)(const Cli&, const Wish&)) {
    CLI::App* const one = command->add_subcommand(name, what);
    one->fallthrough();
    one->add_option(option, wish->path, file)->required();
    one->callback([action, does] { *action = does; });
    return one;
  };
  const auto add_tokenizer = [&](CLI::App* one) {
    one->add_option("--tokenizer", wish->tokens,
                    "llama2.c's file of tokens (default: tokenizer.bin beside the model)")
        ->type_name("FILE");
  };
  CLI::App* const info =
      add("info", "what it is, its numbers, its weights", "FILE", "file or folder of a model", show);
  add_tokenizer(info);
  info->add_flag("--tensors", wish->tensors, "each tensor with type and shape");
  const auto add_output = [&](CLI::App* one, const char* file) {
    one->add_option("-o,--output", wish->output, file)->required()->type_name("FILE");
  };
  CLI::App* const import_one =
      add("import", "packs it for the card, into one file", "FILE", "file or folder of a model", import);
  add_tokenizer(import_one);
  add_output(import_one, "the packed file");
  import_one
      ->add_option("--precision", wish->precision,
                   "how weights are stored: fp32, w8a8, w4a8 (default: fp32 of language, w8a8 of speech)")
      ->check(CLI::IsMember(models::precision_names()))
      ->type_name("NAME");
  add_four_bits(*import_one, wish->four_bits);
  add("verify", "whether a packed file is what was written", "FILE", "packed file", verify);
  CLI::App* const export_one = add("export", "writes it in whisper.cpp's format", "-m,--model",
                                   "file or folder of a Whisper model", export_for_whisper_cpp);
  add_output(export_one, "the file");
  export_one->add_option("--weights", wish->weights, "how matrices are stored: f16 (the default), f32")
      ->check(CLI::IsMember({"f16", "f32"}))
      ->type_name("NAME");
}

}  // namespace swai::cli
