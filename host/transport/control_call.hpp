// SPDX-License-Identifier: Apache-2.0
// How a daemon is asked on its control socket: a line of JSON each way (host/daemon/cards/control.hpp).
#pragma once

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>

namespace swai::link {

using Json = nlohmann::ordered_json;

inline constexpr int kControlVersion = 1;

// There is no daemon, or it does not answer.
struct Unreachable : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Throws Unreachable; std::runtime_error with what the daemon says is wrong.
Json ask(const std::string& path, Json request);

std::string line_of(const Json& json);
// False: the other end is gone.
bool write_all(int fd, std::string_view line);

}  // namespace swai::link
