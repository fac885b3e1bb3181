// SPDX-License-Identifier: Apache-2.0
// What was said, for machines.
#pragma once

#include <nlohmann/json.hpp>

#include "host/models/speech/output.hpp"

namespace swai::transcribe {

// With the names that OpenAI's program gives. `number`: of the segment, from 0 on.
nlohmann::ordered_json segment_json(const Said& said, size_t number);

}  // namespace swai::transcribe
