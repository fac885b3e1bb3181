// SPDX-License-Identifier: Apache-2.0
// Who launches what a model needs, and by how much at once: options of the commands that run models.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "abi/building.hpp"

namespace swai::cli {

struct LaunchWish {
  std::string by = "three-tier";
  std::string graph = "full";
  double host_us = 0;  // what the host's software takes for each launch

  // It is asked once, and launches each step itself.
  bool by_card() const { return by == "three-tier"; }
  building::Launches launches() const {
    return graph == "full" ? building::Launches::kList : building::Launches::kNodes;
  }
  // Operators are those that eager PyTorch issues.
  bool is_eager() const { return graph == "eager"; }
  bool is_standard() const { return by_card() && launches() == building::Launches::kList; }
};

// Throws Error unless the options go together.
void check(const LaunchWish& wish);

// `with_eager`: --graph eager is one of its graphs.
void add_launch_options(CLI::App& command, LaunchWish& wish, bool with_eager = false);

}  // namespace swai::cli
