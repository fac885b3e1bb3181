// SPDX-License-Identifier: Apache-2.0
// Reads ONNX files: opset 11 to 23, weights inside or in files of the model's folder.
#pragma once

#include <string>

#include "host/models/files/file_bytes.hpp"
#include "host/models/onnx/graph.hpp"

namespace swai::onnx {

inline constexpr int64_t kMinOpset = 11;
inline constexpr int64_t kMaxOpset = 23;

struct Model {
  std::string path;
  std::string producer;
  int64_t opset = 0;
  // Nodes have the form of the newest opset: axes are inputs, Constant nodes are values.
  Graph graph;
};

// Throws InputError, whose message names file, node and cause.
Model read(const std::string& path);
// External data is looked for below `folder`; an empty name means that the model may have none.
Model read(const models::FileBytes& file, const std::string& folder);

}  // namespace swai::onnx
