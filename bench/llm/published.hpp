// SPDX-License-Identifier: Apache-2.0
// Values of section V of the paper on language models ("Blazingly Fast LLM Inference Framework on Arm
// Devices"), as they are printed: Qwen 1.8B, 560 tokens of prompt, a token behind 585.
#pragma once

#include <cstdint>

namespace swai::cli::bench::published {

inline constexpr const char* kShape = "qwen-1.8b";
inline constexpr uint32_t kPrompt = 560;
inline constexpr uint32_t kPast = 585;

// Of the machine: STREAM, MegPeak.
inline constexpr double kGigabytes = 99.274;
inline constexpr double kIntegerGflops = 2784;
inline constexpr double kFloatGflops = 352;

struct Stages {
  double prefill;
  double decode;
};
// Billions of operations, and of bytes.
inline constexpr Stages kLinearOperations = {1591.13, 2.84};
inline constexpr Stages kLinearBytes = {1.74, 0.71};
inline constexpr Stages kAttentionOperations = {57.57, 0.11};
inline constexpr Stages kAttentionBytes = {0.58, 0.21};
inline constexpr Stages kOtherBytes = {10.2539, 0.01831};
// Operations for each byte.
inline constexpr Stages kLinearIntensity = {914.44, 3.83};
inline constexpr Stages kAttentionIntensity = {99.26, 0.52};

// Tokens a second.
inline constexpr Stages kPeak = {668.31, 105.26};
inline constexpr Stages kReached = {638.03, 99.31};

// More tokens a second, in percent.
inline constexpr Stages kFusedAttention = {34.62, 300.54};
inline constexpr Stages kConverted = {10.91, 113.66};
inline constexpr Stages kTransposed = {12.02, 7.5};

}  // namespace swai::cli::bench::published
