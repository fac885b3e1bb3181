// SPDX-License-Identifier: Apache-2.0
// Lists of a small Whisper, walked on the functional model of a core group and computed on the host by the
// goldens of operators: all memory that they name is the same afterwards, to the bit. The block between nodes
// is not compared: operators have their workspaces there.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "cpe-kernels/operators/sample/settings.hpp"
#include "host/models/speech/eager_graph.hpp"
#include "host/models/speech/whisper_graph.hpp"
#include "host/models/speech/whisper_weights.hpp"
#include "verif/cpe-kernels/operators/golden/golden.hpp"
#include "verif/cpe-kernels/operators/shapes.hpp"
#include "verif/host/models/files/samples.hpp"
#include "verif/host/models/speech/tiny_card.hpp"
#include "verif/kit/doctest_main.hpp"

namespace swai::transcribe {
namespace {

using graph::Template, graph::ValueKind;
using operators::test::Tensor;

class BothCards {
 public:
  BothCards(const models::Model& model, const CardWhisper& card, uint64_t seed)
      : model_(card), random_(seed), group_(random_, 2, 4) {
    const auto keep = [&](const char* part) {
      return [&weights = weights_, part](const std::string& name, std::span<const uint8_t> contents) {
        weights[part + name].assign(contents.begin(), contents.end());
      };
    };
    pack_encoder(model, card, keep("encoder."));
    pack_decoder(model, card, keep("decoder."));
  }

  void run(const std::string& part, const Template& pattern, const std::map<std::string, int64_t>& sizes) {
    CAPTURE(pattern.name);
    std::vector<cpe::GlobalPtr<void>> bases;
    for (const Template::Base& base : pattern.bases) {
      Tensor& tensor = tensor_of(part, base, pattern);
      if (base.kind == ValueKind::kInput) fill(base.name, tensor, sizes);
      bases.push_back(tensor.at());
    }
    std::vector<Tensor*> all;
    for (auto& [name, tensor] : tensors_) all.push_back(&tensor);
    const std::vector<node::Node> list = graph::list_of(pattern, bases);
    const std::vector<uint64_t> parameters = graph::parameters_of(pattern, sizes);
    const auto result = group_.walk(list, operators::test::some_mask(random_, group_.all()), all, parameters);
    REQUIRE_MESSAGE(result.ok(), group_.describe(result));
    operators::golden::walk(list, parameters, operators::test::memory_of(all));
    for (auto& entry : tensors_) {
      CAPTURE(entry.first);
      if (entry.first.starts_with(kBetween)) {
        group_.take(entry.second);
      } else {
        REQUIRE(group_.difference(entry.second) == "");
      }
    }
  }

 private:
  static constexpr std::string_view kBetween = "between ";

  // What lists share has the same name and size in all of them.
  Tensor& tensor_of(const std::string& part, const Template::Base& base, const Template& pattern) {
    const auto bytes = static_cast<uint32_t>(base.bytes.range(pattern.symbols).most);
    const bool is_weight = base.kind == ValueKind::kWeight;
    const std::string name = graph::is_planned(base.kind) ? fmt::format("{}{}", kBetween, bytes)
                             : is_weight                  ? part + base.name
                                                          : fmt::format("{} {}", base.name, bytes);
    const auto found = tensors_.find(name);
    if (found != tensors_.end()) return found->second;
    Tensor tensor = group_.tensor(1, std::max(bytes, 1U), 1);
    if (is_weight) put(tensor, std::span<const uint8_t>(weights_.at(name)));
    if (base.name == "padded") put(tensor, std::vector<uint8_t>(bytes));
    return tensors_.emplace(name, std::move(tensor)).first->second;
  }

  template <typename Items>
  static void put(Tensor& tensor, const Items& items) {
    REQUIRE(items.size() * sizeof(items[0]) <= tensor.columns);
    std::memcpy(&tensor.image[tensor.offset], items.data(), items.size() * sizeof(items[0]));
  }

  void fill(const std::string& name, Tensor& tensor, const std::map<std::string, int64_t>& sizes) {
    std::vector<uint32_t> words(tensor.columns / sizeof(uint32_t));
    const auto each = [&](auto number) {
      for (uint32_t i = 0; i < words.size(); ++i) words[i] = static_cast<uint32_t>(number(i));
      put(tensor, words);
    };
    if (name == "mel") {
      each([&](uint32_t) { return std::bit_cast<uint32_t>(operators::test::some_float(random_)); });
    } else if (name == "tokens") {
      each([&](uint32_t) { return random_.below(model_.shape.vocabulary); });
    } else if (name == "forbidden") {
      each([&](uint32_t) { return random_.next() & random_.next() & random_.next(); });
    } else if (name == "ranges") {
      each([&](uint32_t i) { return i % 2 == 0 ? random_.below(20) : random_.below(20) + 5; });
    } else if (name == "settings") {
      operators::SampleSettings settings;
      settings.temperature = random_.chance(50) ? 0 : 0.6F;
      settings.seed[0] = static_cast<uint32_t>(random_.next());
      put(tensor, std::array{settings});
    } else if (name == "causal") {
      put(tensor, causal_mask(model_.shape.text_heads, model_.eager_rows));
    } else if (name == "unmasked") {
      each([](uint32_t) { return 0; });
    } else if (name == "places") {
      each([&](uint32_t) { return sizes.at("past"); });
    } else if (name == "chunks") {
      each([](uint32_t i) { return i; });
    }
  }

  const CardWhisper& model_;
  verif::Random random_;
  operators::test::Card group_;
  std::map<std::string, std::vector<uint8_t>> weights_;
  std::map<std::string, Tensor> tensors_;
};

}  // namespace

TEST_CASE("whisper: lists make the same of memory on the host and on a core group") {
  const models::Model model = models::load(models::sample("tiny-whisper"));
  for (const Precision precision : {Precision::kFp32, Precision::kW8A8, Precision::kW4A8}) {
    CAPTURE(std::string(to_text(precision)));
    const CardWhisper card = tiny_card(model, precision);
    BothCards both(model, card, test_seed());
    const WhisperPrograms programs = whisper_programs(card);
    both.run("encoder.", programs.encoder.pattern, {});
    int64_t past = 0;
    for (const int64_t rows : {3, 1, 2, 1}) {
      std::map<std::string, int64_t> sizes = {{"past", past}, {"begun", past == 0 ? 0 : 1}};
      if (rows > 1) sizes["rows"] = rows;
      both.run("decoder.", (rows > 1 ? programs.several : programs.one).pattern, sizes);
      past += rows;
    }
    const graph::Program beams = beams_program(card, 3);
    for (past = 0; past < 3; ++past)
      both.run("decoder.", beams.pattern, {{"past", past}, {"begun", past == 0 ? 0 : 1}});
  }
}

TEST_CASE("whisper: the lists of eager PyTorch make the same of memory on the host and on a core group") {
  const models::Model model = models::load(models::sample("tiny-whisper"));
  CardWhisper card = tiny_card(model, Precision::kFp32);
  card.eager_rows = 3;
  BothCards both(model, card, test_seed());
  const WhisperPrograms programs = whisper_programs(card);
  both.run("encoder.", programs.encoder.pattern, {});
  both.run("decoder.", programs.several.pattern, {{"begun", 0}});
  for (const int64_t past : {3, 4, 5})
    both.run("decoder.", programs.one.pattern, {{"past", past}, {"begun", 1}});
}

}  // namespace swai::transcribe
