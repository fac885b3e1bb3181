// SPDX-License-Identifier: Apache-2.0
#include "verif/host/models/files/reference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <stdexcept>

#include "host/models/files/architectures/architecture.hpp"

namespace swai::models {
namespace {

// Not one addition behind the other, which would take most of the time.
double dot(std::span<const double> a, std::span<const double> b) {
  return std::transform_reduce(a.begin(), a.end(), b.begin(), 0.0);
}

void softmax(std::span<double> x) {
  const double highest = *std::max_element(x.begin(), x.end());
  double sum = 0;
  for (double& one : x) sum += one = std::exp(one - highest);
  for (double& one : x) one /= sum;
}

double gelu_tanh(double x) {
  return 0.5 * x * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
}
double silu(double x) { return x / (1 + std::exp(-x)); }
double gelu(double x) { return 0.5 * x * (1 + std::erf(x / std::numbers::sqrt2)); }

void add_to(Matrix& x, const Matrix& y) {
  for (size_t i = 0; i < x.values.size(); ++i) x.values[i] += y.values[i];
}

// One query of a head against the first `count` keys.
void attend_one(std::span<const double> query, const Matrix& keys, const Matrix& values, size_t first,
                size_t count, std::span<double> out) {
  const size_t width = query.size();
  std::vector<double> scores;
  for (size_t j = 0; j < count; ++j)
    scores.push_back(dot(query, keys.row(j).subspan(first, width)) / std::sqrt(static_cast<double>(width)));
  softmax(scores);
  for (size_t j = 0; j < count; ++j)
    for (size_t c = 0; c < width; ++c) out[c] += scores[j] * values.row(j)[first + c];
}

Matrix rms_norm(const Matrix& x, const std::vector<double>& weight, double epsilon) {
  Matrix y = x;
  for (size_t i = 0; i < y.rows; ++i) {
    const auto row = y.row(i);
    const double mean = dot(row, row) / static_cast<double>(row.size());
    for (size_t c = 0; c < row.size(); ++c) row[c] *= weight[c] / std::sqrt(mean + epsilon);
  }
  return y;
}

// Long waves are stretched by the factor, short ones stay, those between are mixed.
double scaled(double frequency, const RotaryScaling& scaling) {
  if (scaling.kind == RotaryScaling::kLinear) return frequency / scaling.factor;
  if (scaling.kind == RotaryScaling::kNone) return frequency;
  const double turns = scaling.original_context * frequency / (2 * std::numbers::pi);
  const double smooth = std::clamp((turns - scaling.low) / (scaling.high - scaling.low), 0.0, 1.0);
  return (1 - smooth) * frequency / scaling.factor + smooth * frequency;
}

}  // namespace

void Matrix::append(std::span<const double> row) {
  columns = row.size();
  values.insert(values.end(), row.begin(), row.end());
  ++rows;
}

ReferenceWeights::ReferenceWeights(const Model& model) {
  for (const Tensor& tensor : model.tensors) {
    const std::vector<float> values = floats(tensor);
    all_[tensor.name].assign(values.begin(), values.end());
  }
}

Matrix ReferenceWeights::linear(const Matrix& x, const std::string& name) const {
  const std::span<const double> weight = all_.at(name);
  const bool biased = has(name + ".bias");
  const std::span<const double> bias =
      biased ? std::span<const double>(all_.at(name + ".bias")) : std::span<const double>();
  Matrix y(x.rows, weight.size() / x.columns);
  for (size_t i = 0; i < y.rows; ++i)
    for (size_t o = 0; o < y.columns; ++o)
      y.row(i)[o] = dot(x.row(i), weight.subspan(o * x.columns, x.columns)) + (biased ? bias[o] : 0);
  return y;
}

// --- Llama

LlamaReference::LlamaReference(const Model& model)
    : shape_(model.decoder()),
      weights_(model),
      gemma_(model.architecture->name == "gemma3"),
      past_(shape_.layers) {
  for (uint32_t pair = 0; pair < shape_.head_width / 2; ++pair) {
    const double part = -2.0 * pair / shape_.head_width;
    double frequency = scaled(std::pow(shape_.rope_theta, part), shape_.scaling);
    if (weights_.has("rotary.factors")) frequency /= weights_["rotary.factors"][pair];
    frequencies_.push_back(frequency);
    local_frequencies_.push_back(std::pow(10'000, part));
  }
}

// Five of six layers of Gemma 3 have a base of their own.
void LlamaReference::rotate(std::span<double> head, size_t layer) const {
  const size_t half = head.size() / 2;
  const bool local = gemma_ && layer % 6 != 5;
  for (size_t pair = 0; pair < half; ++pair) {
    const bool halves = shape_.rotation == Rotation::kHalves;
    double& a = head[halves ? pair : 2 * pair];
    double& b = head[halves ? pair + half : 2 * pair + 1];
    const double angle = static_cast<double>(position_) * (local ? local_frequencies_ : frequencies_)[pair];
    const double turned = a * std::cos(angle) - b * std::sin(angle);
    b = a * std::sin(angle) + b * std::cos(angle);
    a = turned;
  }
}

void LlamaReference::add_normalised(const Matrix& y, const std::string& norm, Matrix& x) const {
  add_to(x, weights_.has(norm) ? rms_norm(y, weights_[norm], shape_.epsilon) : y);
}

void LlamaReference::attend(const std::string& name, size_t layer, Matrix& x) {
  const Matrix h = rms_norm(x, weights_[name + ".norm"], shape_.epsilon);
  Matrix query = weights_.linear(h, name + ".query");
  Matrix key = weights_.linear(h, name + ".key");
  const size_t width = shape_.head_width;
  for (const auto& [turned, norm] : {std::pair(&query, ".query_norm"), std::pair(&key, ".key_norm")}) {
    if (weights_.has(name + norm)) {
      Matrix heads(turned->columns / width, width);
      heads.values = turned->values;
      turned->values = rms_norm(heads, weights_[name + norm], shape_.epsilon).values;
    }
    for (size_t first = 0; first < turned->columns; first += width)
      rotate(turned->row(0).subspan(first, width), layer);
  }
  Past& past = past_[layer];
  past.keys.append(key.row(0));
  past.values.append(weights_.linear(h, name + ".value").row(0));
  Matrix mixed(1, query.columns);
  const size_t shared = shape_.heads / shape_.kv_heads;
  for (size_t head = 0; head < shape_.heads; ++head)
    attend_one(query.row(0).subspan(head * width, width), past.keys, past.values, head / shared * width,
               past.keys.rows, mixed.row(0).subspan(head * width, width));
  add_normalised(weights_.linear(mixed, name + ".output"), name + ".post_norm", x);
}

void LlamaReference::feed_forward(const std::string& name, Matrix& x) const {
  const Matrix h = rms_norm(x, weights_[name + ".norm"], shape_.epsilon);
  Matrix inner = weights_.linear(h, name + ".gate");
  const Matrix up = weights_.linear(h, name + ".up");
  for (size_t c = 0; c < inner.columns; ++c)
    inner.values[c] = (gemma_ ? gelu_tanh : silu)(inner.values[c]) * up.values[c];
  add_normalised(weights_.linear(inner, name + ".down"), name + ".post_norm", x);
}

std::vector<double> LlamaReference::step(uint32_t token) {
  if (position_ >= shape_.context) throw std::length_error("the model's context is full");
  Matrix x(1, shape_.width);
  std::copy_n(weights_["embedding"].begin() + static_cast<ptrdiff_t>(size_t{token} * shape_.width),
              shape_.width, x.values.begin());
  if (gemma_)
    for (double& one : x.values) one *= std::sqrt(shape_.width);
  for (uint32_t i = 0; i < shape_.layers; ++i) {
    attend(fmt::format("layer.{}.attention", i), i, x);
    feed_forward(fmt::format("layer.{}.feed_forward", i), x);
  }
  ++position_;
  const Matrix last = rms_norm(x, weights_["norm"], shape_.epsilon);
  return weights_.linear(last, weights_.has("head") ? "head" : "embedding").values;
}

// --- Whisper

WhisperReference::WhisperReference(const Model& model) : shape_(model.whisper()), weights_(model) {}

Matrix WhisperReference::norm(const Matrix& x, const std::string& name) const {
  constexpr double kEpsilon = 1e-5;
  Matrix y = x;
  for (size_t i = 0; i < y.rows; ++i) {
    const auto row = y.row(i);
    const auto count = static_cast<double>(row.size());
    double mean = 0;
    for (const double one : row) mean += one / count;
    for (double& one : row) one -= mean;
    const double spread = std::sqrt(dot(row, row) / count + kEpsilon);
    for (size_t c = 0; c < row.size(); ++c)
      row[c] = row[c] / spread * weights_[name][c] + weights_[name + ".bias"][c];
  }
  return y;
}

// Three frames to one, with a frame of zeros at both ends. Rows are frames.
Matrix WhisperReference::convolve(const Matrix& x, const std::string& name, size_t stride) const {
  Matrix windows((x.rows + stride - 1) / stride, 3 * x.columns);
  for (size_t i = 0; i < windows.rows; ++i)
    for (size_t c = 0; c < x.columns; ++c)
      for (size_t tap = 0; tap < 3; ++tap) {
        const size_t frame = i * stride + tap;  // of those with one of zeros in front
        windows.row(i)[3 * c + tap] = frame == 0 || frame > x.rows ? 0 : x.row(frame - 1)[c];
      }
  Matrix y = weights_.linear(windows, name);
  for (double& one : y.values) one = gelu(one);
  return y;
}

WhisperReference::KeysAndValues WhisperReference::keys_and_values(const Matrix& x,
                                                                  const std::string& name) const {
  return {weights_.linear(x, name + ".key"), weights_.linear(x, name + ".value")};
}

Matrix WhisperReference::attend(const Matrix& x, const KeysAndValues& past, const std::string& name,
                                size_t heads) const {
  const Matrix query = weights_.linear(x, name + ".query");
  const size_t width = x.columns / heads;
  Matrix mixed(x.rows, x.columns);
  for (size_t i = 0; i < x.rows; ++i)
    for (size_t first = 0; first < x.columns; first += width)
      attend_one(query.row(i).subspan(first, width), past.keys, past.values, first, past.keys.rows,
                 mixed.row(i).subspan(first, width));
  return weights_.linear(mixed, name + ".output");
}

void WhisperReference::feed_forward(Matrix& x, const std::string& name) const {
  Matrix inner = weights_.linear(norm(x, name + ".norm"), name + ".up");
  for (double& one : inner.values) one = gelu(one);
  add_to(x, weights_.linear(inner, name + ".down"));
}

Matrix WhisperReference::encode(const Matrix& mel) const {
  if (mel.rows != shape_.mels || mel.columns != 2 * size_t{shape_.audio_context})
    throw std::length_error("the mel spectrogram is not as long as the model's context");
  Matrix frames(mel.columns, mel.rows);
  for (size_t i = 0; i < frames.rows; ++i)
    for (size_t c = 0; c < frames.columns; ++c) frames.row(i)[c] = mel.row(c)[i];
  Matrix x = convolve(convolve(frames, "encoder.conv1", 1), "encoder.conv2", 2);
  for (size_t i = 0; i < x.values.size(); ++i) x.values[i] += weights_["encoder.positions"][i];
  for (uint32_t i = 0; i < shape_.audio_layers; ++i) {
    const std::string layer = fmt::format("encoder.layer.{}", i);
    const Matrix h = norm(x, layer + ".attention.norm");
    const std::string attention = layer + ".attention";
    add_to(x, attend(h, keys_and_values(h, attention), attention, shape_.audio_heads));
    feed_forward(x, layer + ".feed_forward");
  }
  return norm(x, "encoder.norm");
}

Matrix WhisperReference::decode(const Matrix& sound, std::span<const uint32_t> tokens) const {
  Text text(*this, sound);
  Matrix logits;
  for (const uint32_t token : tokens) logits.append(text.step(token));
  return logits;
}

WhisperReference::Text::Text(const WhisperReference& model, const Matrix& sound)
    : model_(model), past_(model.shape_.text_layers) {
  for (uint32_t i = 0; i < model_.shape_.text_layers; ++i)
    sound_.push_back(model_.keys_and_values(sound, fmt::format("decoder.layer.{}.cross", i)));
}

std::vector<double> WhisperReference::Text::step(uint32_t token) {
  const WhisperShape& shape = model_.shape_;
  if (position_ >= shape.text_context) throw std::length_error("the model's context is full");
  Matrix x(1, shape.width);
  for (size_t c = 0; c < x.columns; ++c)
    x.values[c] = model_.weights_["decoder.embedding"][token * x.columns + c] +
                  model_.weights_["decoder.positions"][position_ * x.columns + c];
  for (uint32_t i = 0; i < shape.text_layers; ++i) {
    const std::string layer = fmt::format("decoder.layer.{}", i), own = layer + ".attention",
                      cross = layer + ".cross";
    const Matrix h = model_.norm(x, own + ".norm");
    const KeysAndValues now = model_.keys_and_values(h, own);
    past_[i].keys.append(now.keys.row(0));
    past_[i].values.append(now.values.row(0));
    add_to(x, model_.attend(h, past_[i], own, shape.text_heads));
    add_to(x, model_.attend(model_.norm(x, cross + ".norm"), sound_[i], cross, shape.text_heads));
    model_.feed_forward(x, layer + ".feed_forward");
  }
  ++position_;
  return model_.weights_.linear(model_.norm(x, "decoder.norm"), "decoder.embedding").values;
}

}  // namespace swai::models
