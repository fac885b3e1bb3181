// SPDX-License-Identifier: Apache-2.0
#include "host/models/files/decoder/weights.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace swai::models {
namespace {

// For each row or column of the card the file's; none: zeros.
using Channels = std::vector<std::optional<uint32_t>>;

Channels all(uint32_t count) {
  Channels channels(count);
  for (uint32_t i = 0; i < count; ++i) channels[i] = i;
  return channels;
}

class Packer {
 public:
  Packer(const Model& model, const CardDecoder& card, const Put& put)
      : model_(model), card_(card), put_(put) {}

  void whole() {
    for (const Expected& one : expected_tensors(*card_.architecture, card_.shape)) {
      const TensorName& row = row_of(*card_.architecture, one.name);
      if (row.name == "embedding") {
        embedding();
      } else if (row.name == "head") {
        head(row);
      } else if (row.name == "rotary.factors") {
        continue;  // they are in the rotary table
      } else if (one.name.ends_with(".bias")) {
        const std::string kind = kind_of(one.name);
        if (card_.biased.contains(kind.substr(0, kind.rfind('.')))) vector(one.name, channels(row.shape[0]));
      } else if (row.shape.size() == 1) {
        vector(one.name, channels(row.shape[0]));
      } else {
        matrix(model_.at(one.name), one.name, channels(row.shape[0]), channels(row.shape[1]));
      }
    }
  }

 private:
  Channels channels(Axis axis) const {
    const DecoderShape& shape = card_.shape;
    switch (axis) {
      case Axis::kInner:
        return all(shape.inner);
      case Axis::kVocabulary:
        return all(shape.vocabulary);
      case Axis::kQueries:
        return turned(shape.heads);
      case Axis::kKeys:
        return turned(shape.kv_heads);
      case Axis::kHead:
        return turned(1);
      case Axis::kValues:
        return heads(shape.kv_heads);
      case Axis::kMixed:
        return heads(shape.heads);
      default:
        return all(shape.width);
    }
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
    const bool halves = card_.shape.rotation == Rotation::kHalves;
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
    const std::vector<float> table = floats(model_.at("embedding"));
    if (card_.precision == Precision::kFp32) return put_("embedding", bytes_of(table));
    put_("embedding", bytes_of(halves_of(table)));
  }

  void head(const TensorName& row) {
    if (card_.tied) return;
    const Tensor* const own = model_.find("head");
    matrix(own == nullptr ? model_.at("embedding") : *own, "head", channels(row.shape[0]),
           channels(row.shape[1]));
  }

  void vector(const std::string& name, const Channels& channels) {
    const Tensor* const tensor = model_.find(name);
    std::vector<float> numbers(channels.size());
    if (tensor != nullptr) {
      const std::vector<float> file = floats(*tensor);
      std::ranges::transform(channels, numbers.begin(),
                             [&](const auto& from) { return from ? file[*from] : 0; });
    }
    put_(graph_name(name), bytes_of(numbers));
  }

  void matrix(const Tensor& tensor, const std::string& name, const Channels& rows, const Channels& columns) {
    const std::vector<float> file = finite_floats(card_.path, tensor);
    const WeightFormat format = card_.formats.at(kind_of(name));
    if (format == WeightFormat::kInt4Minima)
      return put_matrix(put_, graph_name(name), four_bits_of(tensor, rows));
    put_matrix(put_, graph_name(name), format, chosen(file, tensor.shape.back(), rows, columns),
               columns.size());
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

  const Model& model_;
  const CardDecoder& card_;
  const Put& put_;
};

}  // namespace

void pack_decoder(const Model& model, const CardDecoder& card, const Put& put) {
  Packer(model, card, put).whole();
}

std::vector<float> rotary_table(const std::vector<double>& frequencies, uint32_t head_width,
                                uint32_t positions) {
  const uint32_t half = head_width / 2;
  std::vector<float> table;
  table.reserve(size_t{positions} * head_width);
  for (uint32_t position = 0; position < positions; ++position) {
    const auto angle = [&](uint32_t pair) {
      // Channels that fill a head up are zeros, whatever their angle.
      return pair < frequencies.size() ? position * frequencies[pair] : 0.0;
    };
    for (uint32_t pair = 0; pair < half; ++pair) table.push_back(static_cast<float>(std::cos(angle(pair))));
    for (uint32_t pair = 0; pair < half; ++pair) table.push_back(static_cast<float>(std::sin(angle(pair))));
  }
  return table;
}

}  // namespace swai::models
