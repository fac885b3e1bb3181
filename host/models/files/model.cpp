// SPDX-License-Identifier: Apache-2.0
#include "host/models/files/model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace swai::models {
namespace {

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

void check_shape(const std::string& path, const DecoderShape& shape) {
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
