// SPDX-License-Identifier: Apache-2.0
#include "bench/svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "host/tools/cli/table.hpp"

namespace swai::cli::bench {
namespace {

constexpr double kWidth = 760;
constexpr double kLeft = 70;
constexpr double kPlotWidth = 660;
constexpr double kPlotHeight = 300;
constexpr double kLine = 20;  // of text, and of the legend
constexpr double kBar = 2.4 * kLine;
constexpr size_t kColours = 7;
constexpr double kThousands = 1000;  // values that differ by more are drawn on a logarithmic axis
// Of a letter, more than most have.
constexpr double kLetter = 7.8;
constexpr double kSmallLetter = 6.6;

// Colours by `color`: not all that shows pictures knows variables.
constexpr const char* kStyle = R"(<style>
  text { font: 13px sans-serif; fill: #222 } .small { font-size: 11px } .frame, .grid { stroke: #bbb; fill: none }
  .c0 { color: #1b6ca8 } .c1 { color: #c2571a } .c2 { color: #2b8a3e } .c3 { color: #9c36b5 } .c4 { color: #b8860b }
  .c5 { color: #555 } .c6 { color: #c2255c } .paper { color: #000 }
  .line { stroke: currentColor; fill: none; stroke-width: 2 } .dot { fill: currentColor } .baseline { stroke-dasharray: 6 4 }
  .paper .line { stroke-dasharray: 2 3 } .paper .dot { fill: none; stroke: currentColor; stroke-dasharray: 2 3 }
  @media (prefers-color-scheme: dark) { text { fill: #ddd } .frame, .grid { stroke: #555 }
    .c0 { color: #6db3e8 } .c1 { color: #f0a070 } .c2 { color: #7bd88f } .c3 { color: #d8a0e8 } .c4 { color: #e8c860 }
    .c5 { color: #aaa } .c6 { color: #f783ac } .paper { color: #fff } }
</style>
)";

// Exponents of ten.
struct Range {
  double low = 1e9;
  double high = -1e9;

  void add(double value) {
    if (value <= 0) return;
    low = std::min(low, std::floor(std::log10(value)));
    high = std::max(high, std::ceil(std::log10(value)));
  }
  void widen() {
    if (high <= low) high = low + 1;
  }
  double part(double value) const { return (std::log10(value) - low) / (high - low); }
};

std::string escaped(std::string_view words) {
  std::string out;
  for (const char letter : words) {
    if (letter == '<') {
      out += "&lt;";
    } else if (letter == '&') {
      out += "&amp;";
    } else {
      out += letter;
    }
  }
  return out;
}

std::string text(double x, double y, std::string_view words, const char* anchor = "start",
                 const char* kind = "") {
  return fmt::format("<text class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", kind, x,
                     y, anchor, escaped(words));
}

// Lines below one another, none longer than the picture is wide; `y` is moved to behind the last.
std::string paragraph(double& y, std::string_view words, const char* kind, double letter) {
  const auto most = static_cast<size_t>(kPlotWidth / letter);
  std::string out;
  while (!words.empty()) {
    size_t end = words.size();
    if (end > most) {
      const size_t space = words.rfind(' ', most);
      end = space == std::string_view::npos || space == 0 ? most : space;
    }
    out += text(kLeft, y, words.substr(0, end), "start", kind);
    y += kLine;
    words.remove_prefix(std::min(words.size(), words.find_first_not_of(' ', end)));
  }
  return out;
}

std::string axis_of(const Figure& figure) { return figure.rates ? "bytes per ns" : figure.axis; }

// The paper's own that have a place in the picture.
std::vector<const Published*> drawn(const Figure& figure) {
  std::vector<const Published*> result;
  for (const Published& one : figure.published)
    if (one.kind == Published::Kind::kTime && !figure.rates) result.push_back(&one);
  return result;
}
std::string legend_of(const Published& one) { return fmt::format("the paper: {}: {}", one.what, one.value); }

// What the paper has beside ours, and what is missing.
std::vector<std::string> remarks(const Figure& figure) {
  std::vector<std::string> lines;
  for (const Published& one : figure.published) lines.push_back(text(one));
  lines.insert(lines.end(), figure.notes.begin(), figure.notes.end());
  return lines;
}

std::string lines(const Figure& figure, double& top) {
  Range y;
  for (const Series& series : figure.series)
    for (const Point& point : series.points) y.add(value_of(figure, point));
  for (const Published* one : drawn(figure)) y.add(one->number);
  y.widen();
  const auto& first = figure.series.front().points;
  const Range x{std::log10(static_cast<double>(first.front().bytes)) - 0.1,
                std::log10(static_cast<double>(first.back().bytes)) + 0.1};
  const double plot = top;
  const double bottom = top + kPlotHeight;
  const auto at_x = [&](uint64_t bytes) { return kLeft + kPlotWidth * x.part(static_cast<double>(bytes)); };
  const auto at_y = [&](double value) { return plot + kPlotHeight * (1 - y.part(value)); };
  std::string out = fmt::format("<rect class=\"frame\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>\n",
                                kLeft, plot, kPlotWidth, kPlotHeight);
  for (double power = y.low; power <= y.high; ++power) {
    const double value = std::pow(10, power);
    out += fmt::format("<path class=\"grid\" d=\"M{} {:.1f}h{}\"/>\n", kLeft, at_y(value), kPlotWidth);
    out += text(kLeft - 6, at_y(value) + 4, fmt::format("{:g}", value), "end");
  }
  // Sizes whose words would lie upon those before have none.
  double free = 0;
  for (const Point& point : first) {
    const std::string words = size_text(point.bytes);
    const double half = kLetter * static_cast<double>(words.size()) / 2;
    if (at_x(point.bytes) - half < free) continue;
    out += text(at_x(point.bytes), bottom + 18, words, "middle");
    free = at_x(point.bytes) + half;
  }
  out += text(kLeft + kPlotWidth / 2, bottom + 38, "size", "middle");
  out +=
      fmt::format("<text text-anchor=\"middle\" transform=\"translate(14 {:.1f}) rotate(-90)\">{}</text>\n",
                  plot + kPlotHeight / 2, axis_of(figure));
  top = bottom + 66;
  const auto legend = [&](std::string_view words) {
    out += fmt::format("<path class=\"line\" d=\"M{} {}h30\"/></g>\n", kLeft, top - 4);
    out += text(kLeft + 38, top, words);
    top += kLine;
  };
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
    out += fmt::format("<g class=\"c{}{}\"><polyline class=\"line\" points=\"{}\"/>{}", i % kColours,
                       series.baseline ? " baseline" : "", points, dots);
    legend(series.name);
  }
  for (const Published* one : drawn(figure)) {
    out += fmt::format("<g class=\"paper\"><path class=\"line\" d=\"M{} {:.1f}h{}\"/>", kLeft,
                       at_y(one->number), kPlotWidth);
    legend(legend_of(*one));
  }
  return out;
}

struct Bar {
  std::string name;
  double ns = 0;
  const char* kind;
};

// Small ones have parts.
std::string bar_text(double value) {
  return value < 10 && value != std::floor(value) ? fmt::format("{:.3g}", value)
                                                  : fmt::format("{:.0f}", value);
}

std::string bars(const Figure& figure, double& top) {
  std::vector<Bar> all;
  for (const Series& series : figure.series)
    all.push_back({series.name, series.points.front().ns, series.baseline ? "c1" : "c0"});
  for (const Published* one : drawn(figure)) all.push_back({legend_of(*one), one->number, "paper"});
  const double least = std::ranges::min(all, {}, &Bar::ns).ns;
  const double most = std::ranges::max(all, {}, &Bar::ns).ns;
  const bool logarithmic = least > 0 && most > kThousands * least;
  Range range;
  for (const Bar& bar : all) range.add(bar.ns);
  range.widen();
  const auto part = [&](double ns) {
    if (!logarithmic) return ns / std::max(1.0, most);
    return ns <= 0 ? 0 : range.part(ns);
  };
  const double bottom = top + kBar * static_cast<double>(all.size());
  std::string out;
  const auto tick = [&](double value) {
    out += fmt::format("<path class=\"grid\" d=\"M{:.1f} {}V{}\"/>\n", kLeft + kPlotWidth * part(value), top,
                       bottom);
    out += text(kLeft + kPlotWidth * part(value), bottom + 18, fmt::format("{:g}", value), "middle");
  };
  if (logarithmic) {
    // What is as long as the least power of ten would have no bar.
    range.low -= 1;
    for (double power = range.low; power <= range.high; ++power) tick(std::pow(10, power));
  } else {
    const double step = std::pow(10, std::floor(std::log10(std::max(1.0, most))));
    for (double value = 0; value <= most; value += step) tick(value);
  }
  for (const Bar& bar : all) {
    out +=
        text(kLeft, top + 14,
             fmt::format("{}{} {}", bar.name,
                         bar.kind == std::string_view("paper") ? "" : ": " + bar_text(bar.ns), figure.unit));
    out += fmt::format(
        "<g class=\"{}\"><rect class=\"dot\" x=\"{}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"16\"/></g>\n",
        bar.kind, kLeft, top + 20, kPlotWidth * part(bar.ns));
    top += kBar;
  }
  out += text(kLeft + kPlotWidth / 2, bottom + 38,
              fmt::format("{}{}", axis_of(figure), logarithmic ? ", logarithmic" : ""), "middle");
  top = bottom + 66;
  return out;
}

}  // namespace

std::string text(const Published& one) {
  std::string words = fmt::format("The paper, {}: {}; here {:.4g}", one.what, one.value, one.ours);
  if (one.worse()) words += fmt::format(". Ours is worse: {}", one.why);
  return words;
}

double value_of(const Figure& figure, const Point& point) {
  return figure.rates ? static_cast<double>(point.bytes) / point.ns : point.ns;
}

std::string svg(const Figure& figure, const std::string& made) {
  const bool sizes = figure.series.front().points.front().bytes != 0;
  double y = 24;
  const std::string title =
      figure.number == 0 ? figure.title : fmt::format("Figure {}. {}", figure.number, figure.title);
  std::string body = paragraph(y, title, "", kLetter);
  y += 4;
  body += sizes ? lines(figure, y) : bars(figure, y);
  for (const std::string& line : remarks(figure)) body += paragraph(y, line, "small", kSmallLetter);
  body += paragraph(y, made, "small", kSmallLetter);
  return fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\">\n{}{}</svg>\n", kWidth,
                     y, kStyle, body);
}

}  // namespace swai::cli::bench
