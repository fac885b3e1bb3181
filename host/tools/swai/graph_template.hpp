// SPDX-License-Identifier: Apache-2.0
// Templates of lists on the command line: written, and explained.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "host/models/graph/list.hpp"
#include "host/tools/cli/cli.hpp"

namespace swai::cli {

void write_template(const Cli& cli, const graph::Template& pattern, const std::string& path);
// Throws Error when the bytes make no template.
void show_template(const Cli& cli, const std::string& path, std::span<const uint8_t> bytes);

}  // namespace swai::cli
