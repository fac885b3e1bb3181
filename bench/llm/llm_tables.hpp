// SPDX-License-Identifier: Apache-2.0
// Tables of section V of the paper on language models. Its values of the machine and of gains always stand
// beside ours, those of a model where the shape is the paper's.
#pragma once

#include <string>
#include <vector>

#include "bench/llm/gains.hpp"
#include "bench/llm/language_job.hpp"
#include "bench/paper_table.hpp"

namespace swai::cli::bench {

// What a card reaches at most, and what operators made of it.
struct Machine {
  graph::Limits limits;
  // In a cycle: bytes by copies, products by a product of bytes, products of fp32 numbers.
  double copied = 0, products = 0, fp32_products = 0;
};

PaperTable machine_table(const Machine& machine);
PaperTable operations_table(const LanguageJob& job);
PaperTable bytes_table(const LanguageJob& job);
PaperTable intensity_table(const LanguageJob& job);
PaperTable throughput_table(const LanguageJob& job, const graph::Limits& limits);
PaperTable gain_table(const std::vector<Gain>& gains);

}  // namespace swai::cli::bench
