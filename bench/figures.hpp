// SPDX-License-Identifier: Apache-2.0
// Measurements in the manner of the SDAA paper's figures (docs/measurements/sdaa-paper.md): simulated time on
// the card that is in use.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/on_processor.hpp"
#include "bench/plan.hpp"
#include "bench/series.hpp"

namespace swai::cli::bench {

// What the paper has as a number in its text, and the same of ours.
struct Published {
  enum class Kind { kTime, kFactor };  // ns, on the figure's axis, less is better; a factor, more is better

  std::string what;
  std::string value;  // as the paper has it
  double ours = 0;
  double number = 0;  // the paper's: its least, where it has a range
  Kind kind = Kind::kFactor;
  std::string why = {};  // ours would be the worse one

  bool worse() const { return kind == Kind::kTime ? ours > number : ours < number; }
};
// In words, with ours; and the reason, if ours is worse.
std::string text(const Published& one);
struct Figure {
  unsigned number = 0;  // 0: it has none
  std::string title;
  bool rates = false;  // drawn as bytes per ns, not as ns
  std::vector<Series> series;
  std::vector<Published> published;
  std::vector<std::string> notes;  // what is missing, and why
  std::string unit = "ns";         // of points without a size
  std::string axis = "time, ns";   // what they are
};

// Whether something is measured on the card that is in use.
bool needs_card(const Plan& plan);
// About how many cycles the plan takes in all.
double cost(const Plan& plan);
// Throws cli::Error, sdaa::Failure, link::Error.
std::vector<Figure> measure(const Plan& plan, const OnProcessor& on_processor, const Done& done);

// --- The figures, one by one.

Figure allocators(const Plan& plan, const Done& done, const OnProcessor& on_processor);
Figure allocations(const Plan& plan, const Done& done, const OnProcessor& on_processor);
Figure models(const Plan& plan, const Done& done, const OnProcessor& on_processor);
Figure on_card(const Plan& plan, const Done& done, const OnProcessor& on_processor);
Figure copies(const Plan& plan, const Done& done, const OnProcessor& on_processor);
Figure launches(const Plan& plan, const Done& done, const OnProcessor& on_processor);

}  // namespace swai::cli::bench
