// SPDX-License-Identifier: Apache-2.0
// How well a model foretells a text.
#pragma once

#include "host/models/exec/list.hpp"
#include "host/models/files/decoder/graph.hpp"
#include "host/models/files/tokenizer.hpp"
#include "host/models/text/loaded_model.hpp"

namespace swai::generate {

class Judge {
 public:
  // Most tokens of a launch.
  static constexpr uint32_t kChunk = 64;

  // `program`: of a step that judges, with kChunk rows and room for texts and a chunk more.
  Judge(walk::Walker& walker, const LoadedModel& model, const graph::Program& program);

  // The sum of the logarithms of what each token but the first had as a probability, behind those before it.
  double judge(std::span<const models::Token> text);

 private:
  cpe::GlobalPtr<void> address(const graph::Template::Base& base) const;

  walk::Walker& walker_;
  const LoadedModel& model_;
  walk::NamedMemory states_;
  walk::CardMemory logits_, between_;
  walk::List list_;
};

}  // namespace swai::generate
