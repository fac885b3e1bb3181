// SPDX-License-Identifier: Apache-2.0
// What `swai generate` is asked for.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "host/models/text/sampling.hpp"
#include "host/tools/swai/launch_wish.hpp"

namespace swai::cli {

struct TextWish {
  std::string model;
  std::string tokens;
  std::vector<std::string> prompts;
  LaunchWish launch;
  std::string precision;  // empty: a packed file's, else fp32
  std::string system;
  generate::Sampling sampling;
  uint64_t most = 256;
  uint32_t context = 0;
  bool chat = false;
  bool score = false;
  bool stats = false;
  bool own = false;

  bool interactive() const { return chat && prompts.empty(); }
  // Of the only text.
  std::string prompt() const { return prompts.empty() ? "" : prompts.front(); }
};

void add_text_options(CLI::App& command, TextWish& wish);

}  // namespace swai::cli
