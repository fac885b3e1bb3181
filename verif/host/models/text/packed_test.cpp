// SPDX-License-Identifier: Apache-2.0
// Packed models: whole they are what was packed, damaged they are refused, or harmless.
#include "verif/host/models/files/packed.hpp"

#include <doctest/doctest.h>

#include <random>

#include "host/models/files/decoder/graph.hpp"
#include "host/models/text/packed_model.hpp"
#include "verif/kit/doctest_main.hpp"

using namespace swai;
using models::Bytes;

namespace {

generate::CardModel sample_model(generate::Precision precision) {
  return generate::card_model(models::load(models::sample("tiny-llama-q.gguf")), precision);
}

Bytes packed(const generate::CardModel& model) {
  return models::written([&](const std::string& path) { generate::write_packed(model, path); });
}

// As swai generate does, up to where a card is needed.
void open(const models::PackedFile& packed) {
  const generate::CardModel model = generate::open_packed(packed);
  models::decoder_program(model.card, {64, 100});
  models::weights_of(model.weights);
  generate::damaged_tensor(packed);
}

}  // namespace

TEST_CASE("what was packed comes back, in every precision") {
  for (const auto precision :
       {generate::Precision::kFp32, generate::Precision::kW8A8, generate::Precision::kW4A8}) {
    const generate::CardModel model = sample_model(precision);
    const models::PackedFile file = models::opened(packed(model));
    const generate::CardModel again = generate::open_packed(file);
    CHECK(generate::damaged_tensor(file) == std::nullopt);
    CHECK(models::weights_of(again.weights) == models::weights_of(model.weights));
    CHECK(again.card.formats == model.card.formats);
    CHECK(again.card.frequencies == model.card.frequencies);
    CHECK(again.vocabulary.pieces == model.vocabulary.pieces);
  }
}

TEST_CASE("cut off anywhere it is refused") {
  std::mt19937_64 random(test_seed());
  models::check_cut(packed(sample_model(generate::Precision::kW4A8)), 100, random, open);
}

TEST_CASE("damaged it is refused, or harmless") {
  std::mt19937_64 random(test_seed());
  for (const auto precision : {generate::Precision::kFp32, generate::Precision::kW4A8})
    models::check_damaged(packed(sample_model(precision)), 200, random, open);
}
