// SPDX-License-Identifier: Apache-2.0
// Damages bytes as files are damaged, and as people would who mean harm.
#pragma once

#include <random>

#include "verif/host/models/files/samples.hpp"

namespace swai::models {

// One to four changes, most of them near the beginning, where the numbers are.
void mutate(Bytes& bytes, std::mt19937_64& random);

// Loads it and looks at every weight and token of what is accepted. Throws what is no InputError.
bool accepted(const Sample& sample);

}  // namespace swai::models
