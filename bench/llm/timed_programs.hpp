// SPDX-License-Identifier: Apache-2.0
// Graphs on a card for the time they take: what they compute does not matter.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "host/models/graph/program.hpp"
#include "host/models/exec/list.hpp"

namespace swai::cli::bench {

class TimedPrograms {
 public:
  // What has the same name is the same memory. Weights are numbers that are neither large nor none,
  // everything else is zeros. Programs stay as long as this. Throws walk::CardError when the card has not so
  // much memory.
  TimedPrograms(walk::Walker& walker, std::span<const graph::Program> programs);

  // Other numbers for what has this name.
  void put(const std::string& name, std::span<const uint8_t> contents);
  // Of the card, for one launch of a program's list.
  uint64_t nanoseconds(size_t program, const std::map<std::string, int64_t>& sizes);

 private:
  struct Place {
    size_t offset = 0;
    size_t bytes = 0;
    bool weight = false;
  };

  void fill();

  walk::Walker& walker_;
  std::map<std::string, Place> places_;
  std::unique_ptr<walk::CardMemory> memory_;
  std::vector<walk::List> lists_;
};

}  // namespace swai::cli::bench
