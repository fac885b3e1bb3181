// SPDX-License-Identifier: Apache-2.0
// ONNX files for `swai model info`.
#pragma once

#include <string>

#include "host/tools/cli/cli.hpp"

namespace swai::cli {

bool is_onnx(const std::string& path);
// What the file holds, printed. Returns the exit code.
int show_onnx_model(const Cli& cli, const std::string& path);

}  // namespace swai::cli
