// SPDX-License-Identifier: Apache-2.0
// How matrices are stored on the card: one format for each kind of matrix, the same in all layers.
#pragma once

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/models/files/four_bits.hpp"
#include "host/models/files/json_file.hpp"
#include "host/models/files/precision.hpp"
#include "host/models/graph/graph.hpp"

namespace swai::models {

enum class WeightFormat : uint8_t {
  kFp32,
  kInt8,        // a scale for each row of the matrix
  kInt4,        // each group has a scale and a zero
  kInt4Minima,  // the same, and a minimum: what GGUF's Q4_0 and Q4_1 say, number by number
};

const char* to_text(WeightFormat format);

// The name of a matrix without its layer: "attention.query", "decoder.cross.key", "head".
struct MatrixKind {
  std::string name;
  bool sensitive = false;  // four bits cost much here (models/studies)
};

// By the names of kinds.
using WeightFormats = std::map<std::string, WeightFormat, std::less<>>;

// With kW4A8: four bits for kinds that are not sensitive.
WeightFormats weight_formats(std::span<const MatrixKind> kinds, Precision precision);

// As packed files have them.
inline constexpr const char* kWeightFormats = "weight_formats";
nlohmann::json json_of(const WeightFormats& formats);
// Throws InputError unless each kind has a format that goes with the precision.
WeightFormats weight_formats_in(const JsonFile& numbers, std::span<const MatrixKind> kinds,
                                Precision precision);

// Of the matrix in a graph.
graph::Type weight_type(WeightFormat format, uint32_t rows, uint32_t columns);

// Takes the contents of the weight that a graph knows by this name.
using Put = std::function<void(const std::string& name, std::span<const uint8_t> contents)>;

template <typename T>
std::span<const uint8_t> bytes_of(const std::vector<T>& numbers) {
  return {reinterpret_cast<const uint8_t*>(numbers.data()), numbers.size() * sizeof(T)};
}

// The numbers of a tensor of the file at `path`. Throws InputError when one of them is not finite.
std::vector<float> finite_floats(const std::string& path, const Tensor& tensor);
// Packs a matrix, whose rows have `depth` numbers: NAME and, for few bits, NAME.scale.
void put_matrix(const Put& put, const std::string& name, WeightFormat format, std::span<const float> numbers,
                size_t depth);
void put_matrix(const Put& put, const std::string& name, const FourBits& packed);

}  // namespace swai::models
