// SPDX-License-Identifier: Apache-2.0
// A figure as an SVG picture: logarithmic axes, or bars when it has no sizes; for light and dark pages. Words
// never lie upon words (verif/host/tools/swai/picture.py).
#pragma once

#include <string>

#include "bench/figures.hpp"

namespace swai::cli::bench {

// `made`: commit and configuration that were measured.
std::string svg(const Figure& figure, const std::string& made);

// As it is drawn: ns, or bytes per ns.
double value_of(const Figure& figure, const Point& point);

}  // namespace swai::cli::bench
