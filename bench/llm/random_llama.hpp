// SPDX-License-Identifier: Apache-2.0
// Language models of known shapes, without weights: where counts and cycles are the point, any will do.
#pragma once

#include <string>
#include <vector>

#include "host/models/files/decoder/card.hpp"

namespace swai::cli::bench {

// "qwen-1.8b" and others.
std::vector<std::string> llama_shape_names();
// In W4A8: all matrices of the blocks in four bits, the output of the model in eight. `blocks`: so many; 0:
// as the shape has.
models::CardDecoder random_llama(const std::string& shape, uint32_t blocks);

}  // namespace swai::cli::bench
