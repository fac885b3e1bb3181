// SPDX-License-Identifier: Apache-2.0
// Transcription of a sound by a model with random weights, in all ways to launch it; and how many launches
// each takes.
#pragma once

#include <cstdint>
#include <string>

#include "abi/building.hpp"
#include "host/tools/cli/options.hpp"

namespace swai::cli::bench {

struct SpeechJob {
  std::string shape;
  unsigned seconds = 0;
  unsigned tokens = 0;  // said in each window, neither more nor less
  uint32_t width = 0;   // instead of the shape's own; 0: that
};

struct SpeechLaunches {
  uint64_t layers = 0;  // of the encoder, and of the decoder
  uint64_t windows = 0;
  // Of the host, over the link.
  uint64_t operators = 0;  // each operator by itself
  uint64_t lists = 0;      // an encoder's pass, or a step of the decoder, at once
  uint64_t programs = 0;   // the whole job at once
  // By the program, on the card.
  uint64_t inside = 0;
  // What it took to build lists: while others ran, and before they were run.
  building::Work async = {}, sync = {};
  uint64_t host_copying = 0;  // cycles, between host and card, by the program
  double least = 0;           // cycles that the shape's operators would take at the card's limits
  uint64_t copying = 0;       // cycles, between memory of its own and the cores' (the first two share it)
};

// On the card that is in use. Throws cli::Error, link::Error, walk::CardError.
SpeechLaunches count_launches(const Options& options, const SpeechJob& job);

}  // namespace swai::cli::bench
