// SPDX-License-Identifier: Apache-2.0
// The word that was probably meant.
#pragma once

#include <string>
#include <vector>

namespace swai::cli {

// " (did you mean 'info'?)", or nothing when none of the words is near.
std::string did_you_mean(const std::string& word, const std::vector<std::string>& words);

}  // namespace swai::cli
