// SPDX-License-Identifier: Apache-2.0
// Graph texts of Whisper with a node for each operator that eager PyTorch issues, in the same order
// (bench/paper/eager_operators.hpp): what two-tier launching is compared with.
//
// Weights are fp32 and cast where they are used, activations have 16 bits, products of all heads are one
// node. Products compute in fp32, as the card has none of 16 bits. A first pass takes all directions
// (CardWhisper::eager_rows), then each takes a token. What differs from PyTorch's list:
// - The sound's keys and values are made by the encoder's graph, not by the first pass.
// - `cat` writes the new row into a state, and copies no others.
// - Of the decoder's last ten operators, each on one number, `index` is top_k of the log-probabilities, `mul`
//   and `add_` are themselves, and what compares or moves a number copies one.
#pragma once

#include <string>
#include <vector>

#include "host/models/speech/card_whisper.hpp"

namespace swai::transcribe {

std::string eager_encoder_graph(const CardWhisper& model);
// `first`: of a window's first pass, at the beginning of its text; else of a token behind `past` others.
// Inputs beside those of decoder_graph: what is added to scores, `causal` of the first pass, `unmasked`
// (zeros) of others.
std::string eager_decoder_graph(const CardWhisper& model, bool first);

// The contents of `causal`, whose rows are those of each head: -infinity where a token would see a later one.
std::vector<float> causal_mask(uint32_t heads, uint32_t rows);

}  // namespace swai::transcribe
