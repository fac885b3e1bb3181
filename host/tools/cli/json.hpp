// SPDX-License-Identifier: Apache-2.0
// What `swai` prints with --json, and asks the daemon with.
#pragma once

#include <nlohmann/json.hpp>

namespace swai::cli {

using Json = nlohmann::ordered_json;

}  // namespace swai::cli
