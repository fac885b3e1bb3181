// Packed models: whole they are what was packed, damaged they are refused, or harmless. With sanitizers.
#include <doctest/doctest.h>

#include <map>

#include "abi/elf.hpp"
#include "host/generate/llama_graph.hpp"
#include "host/generate/packed_llama.hpp"
#include "verif/common/doctest_main.hpp"
#include "verif/models/mutation.hpp"

using namespace swai;
using models::Bytes;

namespace {

generate::CardModel sample_model(generate::Precision precision) {
  return generate::card_model(models::load(models::sample("tiny-llama-q.gguf")), precision);
}

Bytes packed(const generate::CardModel& model) {
  return models::written([&](const std::string& path) { generate::write_packed(model, path); });
}

std::map<std::string, Bytes> weights_of(const generate::CardModel& model) {
  std::map<std::string, Bytes> all;
  model.weights([&](const std::string& name, std::span<const uint8_t> contents) {
    all.emplace(name, Bytes(contents.begin(), contents.end()));
  });
  return all;
}

// Opens it as swai generate does, up to where a card is needed, and looks at every byte.
bool accepted(Bytes bytes) {
  try {
    const models::SharedBytes file = models::FileBytes::hold("packed", std::move(bytes));
    if (!models::is_packed(*file)) return false;
    const models::PackedFile packed(file);
    const generate::CardModel model = generate::open_packed(packed);
    generate::llama_program(model.card, {64, 100});
    weights_of(model);
    generate::damaged_tensor(packed);
    return true;
  } catch (const common::InputError&) {
    return false;
  }
}

}  // namespace

TEST_CASE("what was packed comes back, in every precision") {
  for (const auto precision :
       {generate::Precision::kFp32, generate::Precision::kW8A8, generate::Precision::kW4A8}) {
    const generate::CardModel model = sample_model(precision);
    const models::SharedBytes bytes = models::FileBytes::hold("packed", packed(model));
    REQUIRE(models::is_packed(*bytes));
    const models::PackedFile file(bytes);
    const generate::CardModel again = generate::open_packed(file);
    CHECK(generate::damaged_tensor(file) == std::nullopt);
    CHECK(weights_of(again) == weights_of(model));
    CHECK(again.card.stores == model.card.stores);
    CHECK(again.card.frequencies == model.card.frequencies);
    CHECK(again.vocabulary.pieces == model.vocabulary.pieces);
  }
}

TEST_CASE("cut off anywhere it is refused") {
  const Bytes whole = packed(sample_model(generate::Precision::kW4A8));
  std::mt19937_64 random(test_seed());
  for (int i = 0; i < 100; ++i)
    CHECK_FALSE(
        accepted(Bytes(whole.begin(), whole.begin() + static_cast<ptrdiff_t>(random() % whole.size()))));
}

TEST_CASE("damaged it is refused, or harmless") {
  std::mt19937_64 random(test_seed());
  for (const auto precision : {generate::Precision::kFp32, generate::Precision::kW4A8}) {
    const Bytes whole = packed(sample_model(precision));
    int refused = 0;
    constexpr int kTries = 200;
    for (int i = 0; i < kTries; ++i) {
      Bytes damaged = whole;
      models::mutate(damaged, random);
      CAPTURE(i);
      CHECK_NOTHROW(refused += accepted(std::move(damaged)) ? 0 : 1);
    }
    // Most changes hit the header; were it otherwise, nothing would be tried here.
    CHECK(refused > kTries / 4);
    CHECK(refused < kTries);
  }
}
