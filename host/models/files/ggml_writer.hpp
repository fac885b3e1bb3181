// SPDX-License-Identifier: Apache-2.0
// Writes Whisper models in whisper.cpp's format, exactly as its loader reads it.
#pragma once

#include <span>
#include <string>

#include "host/models/files/model.hpp"

namespace swai::models {

// How matrices and filters of convolutions are stored; all else is fp32. The numbers are the format's.
enum class GgmlWeights : uint32_t { kF32 = 0, kF16 = 1 };

// `filters`: of the mel bands, as many as the model has. Replaces the file when all is written. Throws
// InputError for a model that the format cannot hold.
void write_ggml(const Model& model, std::span<const float> filters, GgmlWeights weights,
                const std::string& path);

}  // namespace swai::models
