// SPDX-License-Identifier: Apache-2.0
// The weights of a Whisper model as the card's operators read them.
#pragma once

#include "host/models/files/packed_file.hpp"
#include "host/models/speech/card_whisper.hpp"

namespace swai::transcribe {

using models::Put;

// Those of encoder_graph and decoder_graph, one after the other, so that one alone is in memory at a time.
void pack_encoder(const models::Model& model, const CardWhisper& card, const Put& put);
void pack_decoder(const models::Model& model, const CardWhisper& card, const Put& put);

}  // namespace swai::transcribe
