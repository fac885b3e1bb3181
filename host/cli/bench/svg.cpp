#include "host/cli/bench/svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "host/cli/table.hpp"

namespace swai::cli::bench {
namespace {

constexpr double kWidth = 760;
constexpr double kLeft = 70;
constexpr double kTop = 40;
constexpr double kPlotWidth = 660;
constexpr double kPlotHeight = 300;
constexpr double kLine = 20;  // of the legend, and between bars

constexpr const char* kStyle = R"(<style>
  text { font: 13px sans-serif; fill: #222 } .frame, .grid { stroke: #bbb; fill: none }
  .c0 { --c: #1b6ca8 } .c1 { --c: #c2571a } .c2 { --c: #2b8a3e } .c3 { --c: #9c36b5 } .c4 { --c: #b8860b }
  .line { stroke: var(--c); fill: none; stroke-width: 2 } .dot { fill: var(--c) } .baseline { stroke-dasharray: 6 4 }
  @media (prefers-color-scheme: dark) { text { fill: #ddd } .frame, .grid { stroke: #555 }
    .c0 { --c: #6db3e8 } .c1 { --c: #f0a070 } .c2 { --c: #7bd88f } .c3 { --c: #d8a0e8 } .c4 { --c: #e8c860 } }
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

std::string text(double x, double y, const std::string& words, const char* anchor = "start") {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor, words);
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
        i % 5, series.baseline ? " baseline" : "", points, dots, series.baseline ? " baseline" : "", kLeft,
        legend - 4);
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
  const double height = kTop + (sizes ? kPlotHeight + 50 + kLine * static_cast<double>(figure.series.size())
                                      : 2.4 * kLine * static_cast<double>(figure.series.size()) + 20);
  return fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\">\n{}", kWidth, height,
                     kStyle) +
         text(kLeft, 24,
              fmt::format("Figure {}. {} ({})", figure.number, figure.title,
                          figure.rates ? "bytes per ns" : "ns")) +
         (sizes ? lines(figure) : bars(figure)) + "</svg>\n";
}

}  // namespace swai::cli::bench
