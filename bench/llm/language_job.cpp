// SPDX-License-Identifier: Apache-2.0
#include "bench/llm/language_job.hpp"

#include <algorithm>
#include <utility>

#include "bench/llm/published.hpp"
#include "bench/llm/random_llama.hpp"

namespace swai::cli::bench {
namespace {

constexpr size_t kSeveral = 0, kOne = 1;

void add(Stage& stage, uint32_t tokens, std::vector<graph::NodeDemand> nodes) {
  stage.tokens += tokens;
  for (graph::NodeDemand& node : nodes) {
    graph::Demand& sum = stage.needs[static_cast<size_t>(node.part)];
    sum.products += node.needs.products;
    sum.slots += node.needs.slots;
    sum.bytes += node.needs.bytes;
    stage.nodes.push_back(std::move(node));
  }
}

std::array<graph::Program, 2> programs_of(const models::CardDecoder& model, const LanguageWish& wish) {
  generate::Programs made(model, std::max(wish.prompt, wish.past + 1));
  return {std::move(made.several), std::move(made.one)};
}

}  // namespace

double Stage::least(const graph::Limits& limits) const {
  double cycles = 0;
  for (const graph::NodeDemand& node : nodes) cycles += node.cycles(limits);
  return cycles;
}

LanguageJob::LanguageJob(const LanguageWish& wish)
    : wish_(wish), model_(random_llama(wish.shape, wish.blocks)), programs_(programs_of(model_, wish)) {
  for (uint32_t past = 0; past < wish_.prompt; past += generate::Programs::kChunk) {
    const uint32_t rows = std::min(generate::Programs::kChunk, wish_.prompt - past);
    chunks_.push_back({{"past", past}, {"rows", rows}});
    add(prefill_, rows, graph::demand_of(programs_[kSeveral].pattern, chunks_.back()));
  }
  add(decode_, 1, graph::demand_of(programs_[kOne].pattern, {{"past", wish_.past}}));
}

uint32_t LanguageJob::whole_layers() const { return random_llama(wish_.shape, 0).shape.layers; }

bool LanguageJob::is_published() const {
  return wish_.shape == published::kShape && model_.shape.layers == whole_layers() &&
         wish_.prompt == published::kPrompt && wish_.past == published::kPast;
}

void LanguageJob::measure(walk::Walker& walker, const std::function<void(double)>& done) {
  TimedPrograms timed(walker, programs_);
  timed.put("settings", walk::bytes_of(std::array{generate::settings_of({})}));
  // What comes second has its code in the caches, as every token but a text's first.
  constexpr int kRuns = 2;
  const double all = static_cast<double>(chunks_.size()) + kRuns;
  double over = 0;
  for (const Sizes& chunk : chunks_) {
    prefill_.nanoseconds += static_cast<double>(timed.nanoseconds(kSeveral, chunk));
    done(++over / all);
  }
  for (int run = 0; run < kRuns; ++run) {
    decode_.nanoseconds = static_cast<double>(timed.nanoseconds(kOne, {{"past", wish_.past}}));
    done(++over / all);
  }
}

}  // namespace swai::cli::bench
