// SPDX-License-Identifier: Apache-2.0
// What commands ask the daemon (swai serve).
#pragma once

#include "host/tools/cli/json.hpp"

namespace swai::cli {

// Throws Error when there is none, or when it refuses.
Json ask_daemon(const Json& request);

}  // namespace swai::cli
