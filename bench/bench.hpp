// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/tools/cli/cli.hpp"

namespace swai::cli {

void add_bench(Cli& cli);

}  // namespace swai::cli
