// SPDX-License-Identifier: Apache-2.0
// What the models compute, in double precision, as plainly as it can be written: what every faster way is
// measured by.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "host/models/files/model.hpp"

namespace swai::models {

// Rows of numbers.
struct Matrix {
  size_t rows = 0;
  size_t columns = 0;
  std::vector<double> values;

  Matrix() = default;
  Matrix(size_t r, size_t c) : rows(r), columns(c), values(r * c) {}
  std::span<double> row(size_t i) { return std::span(values).subspan(i * columns, columns); }
  std::span<const double> row(size_t i) const { return std::span(values).subspan(i * columns, columns); }
  void append(std::span<const double> row);
};

// The weights of a model in double precision.
class ReferenceWeights {
 public:
  explicit ReferenceWeights(const Model& model);
  bool has(const std::string& name) const { return all_.contains(name); }
  const std::vector<double>& operator[](const std::string& name) const { return all_.at(name); }
  // x times the matrix's transpose, plus the bias if there is one.
  Matrix linear(const Matrix& x, const std::string& name) const;

 private:
  std::map<std::string, std::vector<double>> all_;
};

// Decoder only. Keeps keys and values of all tokens so far.
class LlamaReference {
 public:
  explicit LlamaReference(const Model& model);
  // The logits behind the token, which comes after all those before it. Throws std::length_error beyond the
  // context.
  std::vector<double> step(uint32_t token);

 private:
  void rotate(std::span<double> head, size_t layer) const;
  void feed_forward(const std::string& name, Matrix& x) const;
  // What a layer adds to x, normalised where the model has a norm for it.
  void add_normalised(const Matrix& y, const std::string& norm, Matrix& x) const;
  void attend(const std::string& name, size_t layer, Matrix& x);

  DecoderShape shape_;
  ReferenceWeights weights_;
  bool gemma_;
  std::vector<double> frequencies_, local_frequencies_;
  struct Past {
    Matrix keys, values;
  };
  std::vector<Past> past_;
  size_t position_ = 0;
};

class WhisperReference {
 public:
  explicit WhisperReference(const Model& model);
  // `mel` is bands x twice the audio context; gives context x width.
  Matrix encode(const Matrix& mel) const;
  // The logits behind each of the tokens, which are the whole text so far.
  Matrix decode(const Matrix& sound, std::span<const uint32_t> tokens) const;

  class Text;

 private:
  struct KeysAndValues {
    Matrix keys, values;
  };

  Matrix norm(const Matrix& x, const std::string& name) const;
  Matrix convolve(const Matrix& x, const std::string& name, size_t stride) const;
  KeysAndValues keys_and_values(const Matrix& x, const std::string& name) const;
  // Each row of x sees all keys.
  Matrix attend(const Matrix& x, const KeysAndValues& past, const std::string& name, size_t heads) const;
  void feed_forward(Matrix& x, const std::string& name) const;

  WhisperShape shape_;
  ReferenceWeights weights_;
};

// What the decoder says to a sound. Keeps keys and values of all tokens so far.
class WhisperReference::Text {
 public:
  // `model` stays as long as this.
  Text(const WhisperReference& model, const Matrix& sound);
  // The logits behind the token, which comes after all those before it. Throws std::length_error beyond the
  // context.
  std::vector<double> step(uint32_t token);

 private:
  const WhisperReference& model_;
  std::vector<KeysAndValues> sound_, past_;  // of each layer
  size_t position_ = 0;
};

}  // namespace swai::models
