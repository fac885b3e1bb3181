// SPDX-License-Identifier: Apache-2.0
// The options that all subcommands of `swai` share.
#pragma once

#include <string>

namespace swai::cli {

struct Options {
  std::string card;    // sockets; empty: SWAI_CARD, else one that is served, else one is started
  std::string config;  // empty: none was asked for
  std::string config_or_default() const { return config.empty() ? "cg1" : config; }
  std::string tier = "rtl";  // or "fast"
  bool json = false;
  bool quiet = false;
};

}  // namespace swai::cli
