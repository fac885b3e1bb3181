#include "host/cli/bench/svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "host/cli/table.hpp"

namespace swai::cli::bench {
namespace {

constexpr double kWidth = 760;
constexpr double kLeft = 70;
constexpr double kTop = 40;
constexpr double kPlotWidth = 660;
constexpr double kPlotHeight = 300;
constexpr double kLine = 20;  // of the legend, and between bars
constexpr size_t kColours = 7;

// Colours by `color`: not all that shows pictures knows variables.
constexpr const char* kStyle = R"(<style>
  text { font: 13px sans-serif; fill: #222 } .small { font-size: 11px } .frame, .grid { stroke: #bbb; fill: none }
  .c0 { color: #1b6ca8 } .c1 { color: #c2571a } .c2 { color: #2b8a3e } .c3 { color: #9c36b5 } .c4 { color: #b8860b }
  .c5 { color: #555 } .c6 { color: #c2255c }
  .line { stroke: currentColor; fill: none; stroke-width: 2 } .dot { fill: currentColor } .baseline { stroke-dasharray: 6 4 }
  @media (prefers-color-scheme: dark) { text { fill: #ddd } .frame, .grid { stroke: #555 }
    .c0 { color: #6db3e8 } .c1 { color: #f0a070 } .c2 { color: #7bd88f } .c3 { color: #d8a0e8 } .c4 { color: #e8c860 }
    .c5 { color: #aaa } .c6 { color: #f783ac } }
</style>
)";

struct Range {
  double low = 0;
  double high = 1;  // exponents
  double part(double value) const { return (std::log10(value) - low) / (high - low); }
};
// Whole powers of ten around all that is drawn.
Range range_of(const Figure& figure) {
  Range range{1e9, -1e9};
  for (const Series& series : figure.series) {
    for (const Point& point : series.points) {
      const double value = value_of(figure, point);
      if (value <= 0) continue;
      range.low = std::min(range.low, std::floor(std::log10(value)));
      range.high = std::max(range.high, std::ceil(std::log10(value)));
    }
  }
  if (range.high <= range.low) range.high = range.low + 1;
  return range;
}

std::string text(double x, double y, const std::string& words, const char* anchor = "start",
                 const char* kind = "") {
  return fmt::format("<text class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", kind, x,
                     y, anchor, words);
}

// What the paper has beside ours, and what is missing.
std::vector<std::string> remarks(const Figure& figure) {
  std::vector<std::string> lines;
  for (const Published& one : figure.published)
    lines.push_back(fmt::format("The paper, {}: {}; here {:.4g}", one.what, one.value, one.ours));
  lines.insert(lines.end(), figure.notes.begin(), figure.notes.end());
  return lines;
}

std::string lines(const Figure& figure) {
  const Range y = range_of(figure);
  const auto& first = figure.series.front().points;
  const Range x{std::log10(static_cast<double>(first.front().bytes)) - 0.1,
                std::log10(static_cast<double>(first.back().bytes)) + 0.1};
  const auto at_x = [&](uint64_t bytes) { return kLeft + kPlotWidth * x.part(static_cast<double>(bytes)); };
  const auto at_y = [&](double value) { return kTop + kPlotHeight * (1 - y.part(value)); };
  std::string out = fmt::format("<rect class=\"frame\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>\n",
                                kLeft, kTop, kPlotWidth, kPlotHeight);
  for (double power = y.low; power <= y.high; ++power) {
    const double value = std::pow(10, power);
    out += fmt::format("<path class=\"grid\" d=\"M{} {:.1f}h{}\"/>\n", kLeft, at_y(value), kPlotWidth);
    out += text(kLeft - 6, at_y(value) + 4, fmt::format("{:g}", value), "end");
  }
  for (const Point& point : first)
    out += text(at_x(point.bytes), kTop + kPlotHeight + 18, size_text(point.bytes), "middle");
  for (size_t i = 0; i < figure.series.size(); ++i) {
    const Series& series = figure.series[i];
    std::string points;
    std::string dots;
    for (const Point& point : series.points) {
      const double value = value_of(figure, point);
      if (value <= 0) continue;
      points += fmt::format("{:.1f},{:.1f} ", at_x(point.bytes), at_y(value));
      dots += fmt::format("<circle class=\"dot\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\"/>", at_x(point.bytes),
                          at_y(value));
    }
    const double legend = kTop + kPlotHeight + 44 + kLine * static_cast<double>(i);
    out += fmt::format(
        "<g class=\"c{}\"><polyline class=\"line{}\" points=\"{}\"/>{}<path class=\"line{}\" d=\"M{} "
        "{}h30\"/></g>\n",
        i % kColours, series.baseline ? " baseline" : "", points, dots, series.baseline ? " baseline" : "",
        kLeft, legend - 4);
    out += text(kLeft + 38, legend, series.name);
  }
  return out;
}

std::string bars(const Figure& figure) {
  double largest = 1;
  for (const Series& series : figure.series) largest = std::max(largest, series.points.front().ns);
  std::string out;
  for (size_t i = 0; i < figure.series.size(); ++i) {
    const Series& series = figure.series[i];
    const double ns = series.points.front().ns;
    const double top = kTop + 2.4 * kLine * static_cast<double>(i);
    out += text(kLeft, top + 14, fmt::format("{}: {:.0f} ns", series.name, ns));
    out += fmt::format(
        "<g class=\"c{}\"><rect class=\"dot\" x=\"{}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"16\"/></g>\n",
        series.baseline ? 1 : 0, kLeft, top + 20, kPlotWidth * ns / largest);
  }
  return out;
}

}  // namespace

double value_of(const Figure& figure, const Point& point) {
  return figure.rates ? static_cast<double>(point.bytes) / point.ns : point.ns;
}

std::string svg(const Figure& figure) {
  const bool sizes = figure.series.front().points.front().bytes != 0;
  double height = kTop + (sizes ? kPlotHeight + 50 + kLine * static_cast<double>(figure.series.size())
                                : 2.4 * kLine * static_cast<double>(figure.series.size()) + 20);
  std::string below;
  for (const std::string& line : remarks(figure)) {
    below += text(kLeft, height, line, "start", "small");
    height += kLine;
  }
  return fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\">\n{}", kWidth, height,
                     kStyle) +
         text(kLeft, 24,
              fmt::format("Figure {}. {} ({})", figure.number, figure.title,
                          figure.rates ? "bytes per ns" : "ns")) +
         (sizes ? lines(figure) : bars(figure)) + below + "</svg>\n";
}

}  // namespace swai::cli::bench
