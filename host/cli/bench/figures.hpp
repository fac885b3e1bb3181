// Measurements in the manner of the SDAA paper's figures (docs/swai.md): simulated time on the card that is
// in use.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace swai::cli::bench {

struct Point {
  uint64_t bytes = 0;  // 0: the figure has no sizes
  double ns = 0;
};
struct Series {
  std::string name;
  bool baseline = false;  // the slow way, beside which the others stand
  std::vector<Point> points;
};
// What the paper has as a number in its text, and the same of ours.
struct Published {
  std::string what;
  std::string value;
  double ours = 0;
};
struct Figure {
  unsigned number = 0;
  std::string title;
  bool rates = false;  // drawn as bytes per ns, not as ns
  std::vector<Series> series;
  std::vector<Published> published;
};

struct Plan {
  std::vector<uint64_t> sizes;
  std::vector<unsigned> figures;
  std::string module;  // with the empty kernel
};

// About how many cycles of the card that takes.
double cost(const Plan& plan);
// `done` hears how many of these are over. Throws cli::Error.
std::vector<Figure> measure(const Plan& plan, const std::function<void(double)>& done);

}  // namespace swai::cli::bench
