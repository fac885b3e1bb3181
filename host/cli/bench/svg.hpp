// A figure as an SVG picture: logarithmic axes, or bars when it has no sizes; for light and dark pages.
#pragma once

#include <string>

#include "host/cli/bench/figures.hpp"

namespace swai::cli::bench {

std::string svg(const Figure& figure);

// As it is drawn: ns, or bytes per ns.
double value_of(const Figure& figure, const Point& point);

}  // namespace swai::cli::bench
