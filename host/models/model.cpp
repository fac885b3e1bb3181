// SPDX-License-Identifier: Apache-2.0
#include "host/models/model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace swai::models {
namespace {

class List {
 public:
  void add(std::string name, Shape shape, bool optional = false) {
    all_.push_back({std::move(name), std::move(shape), optional});
  }
  void linear(const std::string& name, uint64_t outputs, uint64_t inputs, bool bias_optional) {
    add(name, {outputs, inputs});
    add(name + ".bias", {outputs}, bias_optional);
  }
  void layer_norm(const std::string& name, uint64_t width) {
    add(name, {width});
    add(name + ".bias", {width});
  }
  void attention(const std::string& name, uint64_t width) {
    layer_norm(name + ".norm", width);
    linear(name + ".query", width, width, false);
    // Whisper's keys have no bias; some files hold one of zeros.
    linear(name + ".key", width, width, true);
    linear(name + ".value", width, width, false);
    linear(name + ".output", width, width, false);
  }
  void feed_forward(const std::string& name, uint64_t width, uint64_t inner) {
    layer_norm(name + ".norm", width);
    linear(name + ".up", inner, width, false);
    linear(name + ".down", width, inner, false);
  }
  std::vector<Expected> take() { return std::move(all_); }

 private:
  std::vector<Expected> all_;
};

void check_divides(const std::string& path, const char* of, uint32_t heads, uint32_t all) {
  if (all % heads != 0)
    refuse(path, fmt::format("{} {} are not shared evenly by {} heads; the file is damaged", all, of, heads));
}

}  // namespace

const Tensor* Model::find(std::string_view name) const {
  const auto found =
      std::find_if(tensors.begin(), tensors.end(), [&](const Tensor& t) { return t.name == name; });
  return found == tensors.end() ? nullptr : &*found;
}

const Tensor& Model::at(std::string_view name) const {
  const Tensor* const found = find(name);
  if (found == nullptr) throw std::out_of_range(fmt::format("no tensor {}", name));
  return *found;
}

std::vector<Expected> expected_tensors(const LlamaShape& shape) {
  List list;
  const uint64_t queries = uint64_t{shape.heads} * shape.head_width;
  const uint64_t keys = uint64_t{shape.kv_heads} * shape.head_width;
  list.add("embedding", {shape.vocabulary, shape.width});
  for (uint32_t i = 0; i < shape.layers; ++i) {
    const std::string attention = fmt::format("layer.{}.attention", i);
    list.add(attention + ".norm", {shape.width});
    list.linear(attention + ".query", queries, shape.width, true);
    list.linear(attention + ".key", keys, shape.width, true);
    list.linear(attention + ".value", keys, shape.width, true);
    list.linear(attention + ".output", shape.width, queries, true);
    const std::string inner = fmt::format("layer.{}.feed_forward", i);
    list.add(inner + ".norm", {shape.width});
    list.add(inner + ".gate", {shape.inner, shape.width});
    list.add(inner + ".up", {shape.inner, shape.width});
    list.add(inner + ".down", {shape.width, shape.inner});
  }
  list.add("norm", {shape.width});
  // Without it the embedding is the output, too.
  list.add("head", {shape.vocabulary, shape.width}, true);
  // By which each frequency of the rotary embedding is divided.
  list.add("rotary.factors", {shape.head_width / 2}, true);
  return list.take();
}

std::vector<Expected> expected_tensors(const WhisperShape& shape) {
  List list;
  const uint64_t width = shape.width;
  list.add("encoder.conv1", {width, shape.mels, 3});
  list.add("encoder.conv1.bias", {width});
  list.add("encoder.conv2", {width, width, 3});
  list.add("encoder.conv2.bias", {width});
  list.add("encoder.positions", {shape.audio_context, width});
  for (uint32_t i = 0; i < shape.audio_layers; ++i) {
    const std::string layer = fmt::format("encoder.layer.{}", i);
    list.attention(layer + ".attention", width);
    list.feed_forward(layer + ".feed_forward", width, shape.inner);
  }
  list.layer_norm("encoder.norm", width);
  list.add("decoder.embedding", {shape.vocabulary, width});
  list.add("decoder.positions", {shape.text_context, width});
  for (uint32_t i = 0; i < shape.text_layers; ++i) {
    const std::string layer = fmt::format("decoder.layer.{}", i);
    list.attention(layer + ".attention", width);
    list.attention(layer + ".cross", width);
    list.feed_forward(layer + ".feed_forward", width, shape.inner);
  }
  list.layer_norm("decoder.norm", width);
  return list.take();
}

void check_shape(const std::string& path, const LlamaShape& shape) {
  check_divides(path, "heads of queries", shape.kv_heads, shape.heads);
  if (shape.head_width % 2 != 0)
    refuse(path,
           fmt::format("heads of {} channels cannot rotate in pairs; the file is damaged", shape.head_width));
}

void check_shape(const std::string& path, const WhisperShape& shape) {
  check_divides(path, "channels of the encoder", shape.audio_heads, shape.width);
  check_divides(path, "channels of the decoder", shape.text_heads, shape.width);
}

}  // namespace swai::models
