// SPDX-License-Identifier: Apache-2.0
#include "host/generate/llama_weights.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "host/models/eight_bits.hpp"
#include "host/models/four_bits.hpp"

namespace swai::generate {
namespace {

using models::Model;
using models::Tensor;

// For each row or column of the card the file's; none: zeros.
using Channels = std::vector<std::optional<uint32_t>>;

Channels all(uint32_t count) {
  Channels channels(count);
  for (uint32_t i = 0; i < count; ++i) channels[i] = i;
  return channels;
}

template <typename T>
std::span<const uint8_t> bytes_of(const std::vector<T>& numbers) {
  return {reinterpret_cast<const uint8_t*>(numbers.data()), numbers.size() * sizeof(T)};
}

class Packer {
 public:
  Packer(const Model& model, const CardLlama& card, const Put& put) : model_(model), card_(card), put_(put) {}

  void whole() {
    const models::LlamaShape& shape = card_.shape;
    embedding();
    for (uint32_t i = 0; i < shape.layers; ++i) layer(fmt::format("layer.{}.", i));
    vector("norm", all(shape.width));
    if (!card_.tied) {
      const Tensor* const head = model_.find("head");
      matrix(head == nullptr ? model_.at("embedding") : *head, "head", all(shape.vocabulary),
             all(shape.width));
    }
  }

 private:
  void layer(const std::string& name) {
    const models::LlamaShape& shape = card_.shape;
    const Channels width = all(shape.width), inner = all(shape.inner);
    const Channels turned_queries = turned(shape.heads), turned_keys = turned(shape.kv_heads);
    vector(name + "attention.norm", width);
    projection(name + "attention.query", turned_queries, width, card_.biases.query);
    projection(name + "attention.key", turned_keys, width, card_.biases.key);
    projection(name + "attention.value", heads(shape.kv_heads), width, card_.biases.value);
    projection(name + "attention.output", width, heads(shape.heads), card_.biases.output);
    vector(name + "feed_forward.norm", width);
    projection(name + "feed_forward.gate", inner, width, false);
    projection(name + "feed_forward.up", inner, width, false);
    projection(name + "feed_forward.down", width, inner, false);
  }

  // Channels of heads as they are, each head filled up.
  Channels heads(uint32_t count) const {
    Channels channels(count * card_.head_width);
    for (uint32_t head = 0; head < count; ++head)
      for (uint32_t i = 0; i < card_.shape.head_width; ++i)
        channels[head * card_.head_width + i] = head * card_.shape.head_width + i;
    return channels;
  }

  // The card rotates channel i of a head with the one half a head behind it.
  Channels turned(uint32_t count) const {
    const uint32_t pairs = card_.shape.head_width / 2, card_half = card_.head_width / 2;
    const bool halves = card_.shape.rotation == models::Rotation::kHalves;
    Channels channels(count * card_.head_width);
    for (uint32_t head = 0; head < count; ++head) {
      const uint32_t to = head * card_.head_width, from = head * card_.shape.head_width;
      for (uint32_t i = 0; i < pairs; ++i) {
        channels[to + i] = from + (halves ? i : 2 * i);
        channels[to + card_half + i] = from + (halves ? i + pairs : 2 * i + 1);
      }
    }
    return channels;
  }

  void embedding() {
    const std::vector<float> table = models::floats(model_.at("embedding"));
    if (card_.precision == Precision::kFp32) return put_("embedding", bytes_of(table));
    put_("embedding", bytes_of(models::halves_of(table)));
  }

  void vector(const std::string& name, const Channels& channels) {
    const Tensor* const tensor = model_.find(name);
    std::vector<float> numbers(channels.size());
    if (tensor != nullptr) {
      const std::vector<float> file = models::floats(*tensor);
      std::ranges::transform(channels, numbers.begin(),
                             [&](const auto& from) { return from ? file[*from] : 0; });
    }
    put_(graph_name(name), bytes_of(numbers));
  }

  void projection(const std::string& name, const Channels& rows, const Channels& columns, bool biased) {
    matrix(model_.at(name), name, rows, columns);
    if (biased) vector(name + ".bias", rows);
  }

  void matrix(const Tensor& tensor, const std::string& name, const Channels& rows, const Channels& columns) {
    const std::string known = graph_name(name);
    const Store store = card_.stores.at(name == "head" ? known : known.substr(known.find('.') + 1));
    const std::vector<float> file = models::floats(tensor);
    if (!std::ranges::all_of(file, [](float number) { return std::isfinite(number); }))
      models::refuse(card_.path,
                     fmt::format("has weights in {} that are no numbers; the file is damaged", name));
    if (store == Store::kFourMinima) return packed(known, models::four_bits_of(tensor, rows));
    const std::vector<float> numbers = chosen(file, tensor.shape.back(), rows, columns);
    switch (store) {
      case Store::kFp32:
        return put_(known, bytes_of(numbers));
      case Store::kFour:
        return packed(known, models::four_bits(numbers, columns.size()));
      default:
        return eight_bits(known, models::eight_bits(numbers, columns.size()));
    }
  }

  static std::vector<float> chosen(std::span<const float> file, size_t depth, const Channels& rows,
                                   const Channels& columns) {
    std::vector<float> numbers(rows.size() * columns.size());
    for (size_t row = 0; row < rows.size(); ++row) {
      if (!rows[row]) continue;
      const std::span<const float> from = file.subspan(*rows[row] * depth, depth);
      for (size_t column = 0; column < columns.size(); ++column)
        numbers[row * columns.size() + column] = columns[column] ? from[*columns[column]] : 0;
    }
    return numbers;
  }

  void eight_bits(const std::string& name, const models::EightBits& made) {
    put_(name, bytes_of(made.packed));
    put_(name + ".scale", bytes_of(made.scales));
  }
  void packed(const std::string& name, const models::FourBits& made) {
    put_(name, made.packed);
    put_(name + ".scale", bytes_of(made.factors));
  }

  const Model& model_;
  const CardLlama& card_;
  const Put& put_;
};

}  // namespace

void pack_llama(const Model& model, const CardLlama& card, const Put& put) {
  Packer(model, card, put).whole();
}

std::vector<float> rotary_table(const CardLlama& card, uint32_t positions) {
  const uint32_t half = card.head_width / 2;
  std::vector<float> table;
  table.reserve(size_t{positions} * card.head_width);
  for (uint32_t position = 0; position < positions; ++position) {
    const auto angle = [&](uint32_t pair) {
      // Channels that fill a head up are zeros, whatever their angle.
      return pair < card.frequencies.size() ? position * card.frequencies[pair] : 0.0;
    };
    for (uint32_t pair = 0; pair < half; ++pair) table.push_back(static_cast<float>(std::cos(angle(pair))));
    for (uint32_t pair = 0; pair < half; ++pair) table.push_back(static_cast<float>(std::sin(angle(pair))));
  }
  return table;
}

}  // namespace swai::generate
