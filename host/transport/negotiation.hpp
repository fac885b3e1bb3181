// SPDX-License-Identifier: Apache-2.0
// The VERSION message: protocol version and capabilities, which travel as JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "host/transport/vfio_user.hpp"

namespace swai::link {

struct Proposal {
  uint16_t major = vfio_user::kMajor;
  uint16_t minor = vfio_user::kMinor;
  // What was not said has its default here, and is not in `named`.
  vfio_user::Capabilities capabilities;
  std::vector<std::string> named;
};

// Reads the payload of a VERSION message or reply. Nothing: it is malformed, and `why` says how. Capabilities
// that we do not know are passed over.
std::optional<Proposal> parse_version(std::span<const uint8_t> payload, std::string& why);

// The payload, with the capabilities that `named` lists.
std::vector<uint8_t> make_version(const Proposal& proposal);

// All that we know, in the order of the specification.
const std::vector<std::string>& capability_names();

}  // namespace swai::link
