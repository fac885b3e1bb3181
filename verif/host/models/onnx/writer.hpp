// SPDX-License-Identifier: Apache-2.0
// Writes a graph as an ONNX file, for tests of the reader and for other programs to run.
#pragma once

#include "host/models/onnx/graph.hpp"
#include "host/models/onnx/onnx.pb.h"

namespace swai::onnx {

file::Model message_of(const Graph& graph, int64_t opset);
std::vector<uint8_t> bytes_of(const file::Model& message);

}  // namespace swai::onnx
