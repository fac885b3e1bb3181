// SPDX-License-Identifier: Apache-2.0
// A language model's two stages: a prompt that is read, and a token behind others.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "bench/llm/timed_programs.hpp"
#include "host/models/text/session.hpp"
#include "host/models/graph/demand.hpp"

namespace swai::cli::bench {

struct LanguageWish {
  std::string shape;
  uint32_t blocks = 0;  // 0: as the shape has
  uint32_t prompt = 0;  // tokens
  uint32_t past = 0;    // behind which a token is made
};

struct Stage {
  uint32_t tokens = 0;
  std::array<graph::Demand, graph::kParts> needs;  // by what it is for
  std::vector<graph::NodeDemand> nodes;
  double nanoseconds = 0;  // of the card; 0: not measured

  double least(const graph::Limits& limits) const;  // cycles
};

class LanguageJob {
 public:
  explicit LanguageJob(const LanguageWish& wish);

  const LanguageWish& wish() const { return wish_; }
  const models::CardDecoder& model() const { return model_; }
  // Blocks that the shape has.
  uint32_t whole_layers() const;
  // Whether the paper has values of all this.
  bool is_published() const;
  const Stage& prefill() const { return prefill_; }
  const Stage& decode() const { return decode_; }

  // On the card that is in use. `done`: hears how many of how many launches are over.
  void measure(walk::Walker& walker, const std::function<void(double)>& done);

 private:
  using Sizes = std::map<std::string, int64_t>;

  const LanguageWish wish_;
  const models::CardDecoder model_;
  std::array<graph::Program, 2> programs_;  // of several tokens, of one
  std::vector<Sizes> chunks_;
  Stage prefill_, decode_;
};

}  // namespace swai::cli::bench
