#include "verif/graph/evaluate.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <stdexcept>

namespace swai::graph {
namespace {

Matrix elementwise(const Matrix& x, const std::function<double(double)>& f) {
  Matrix y = x;
  for (double& number : y.numbers) number = f(number);
  return y;
}

Matrix pairwise(const Matrix& a, const Matrix& b, const std::function<double(double, double)>& f) {
  Matrix y = a;
  for (size_t i = 0; i < y.numbers.size(); ++i) y.numbers[i] = f(a.numbers[i], b.numbers[i]);
  return y;
}

Matrix norm(const Matrix& x, const Matrix& gamma, const Matrix* beta, double epsilon) {
  Matrix y = x;
  for (size_t row = 0; row < x.rows; ++row) {
    double mean = 0, square = 0;
    for (size_t i = 0; i < x.columns; ++i) mean += beta ? x.at(row, i) / static_cast<double>(x.columns) : 0;
    for (size_t i = 0; i < x.columns; ++i)
      square += std::pow(x.at(row, i) - mean, 2) / static_cast<double>(x.columns);
    for (size_t i = 0; i < x.columns; ++i) {
      y.at(row, i) = (x.at(row, i) - mean) / std::sqrt(square + epsilon) * gamma.numbers[i] +
                     (beta ? beta->numbers[i] : 0);
    }
  }
  return y;
}

Matrix log_softmax(const Matrix& x) {
  Matrix y = x;
  for (size_t row = 0; row < x.rows; ++row) {
    double most = x.at(row, 0), sum = 0;
    for (size_t i = 0; i < x.columns; ++i) most = std::max(most, x.at(row, i));
    for (size_t i = 0; i < x.columns; ++i) sum += std::exp(x.at(row, i) - most);
    for (size_t i = 0; i < x.columns; ++i) y.at(row, i) = x.at(row, i) - most - std::log(sum);
  }
  return y;
}

Matrix some_rows(const Matrix& x, size_t first, size_t count) {
  const auto begin = x.numbers.begin() + static_cast<std::ptrdiff_t>(first * x.columns);
  return {count, x.columns, {begin, begin + static_cast<std::ptrdiff_t>(count * x.columns)}};
}

class Evaluation {
 public:
  Evaluation(const Graph& graph, const std::map<std::string, int64_t>& symbols,
             std::map<ValueId, Matrix>& values)
      : graph_(graph), values_(values) {
    for (const auto& [name, value] : symbols) symbols_[name] = {value, value};
  }

  void run(const Node& node) {
    const auto x = [&](size_t index) -> const Matrix& { return values_.at(*node.operands[index]); };
    const auto size = [&](const char* name) {
      return static_cast<size_t>(std::get<Size>(node.settings.at(name)).range(symbols_).most);
    };
    const std::string& what = node.operation;
    Matrix& y = values_[node.results[0]];
    if (what == "add") {
      y = pairwise(x(0), x(1), std::plus<>());
    } else if (what == "multiply") {
      y = pairwise(x(0), x(1), std::multiplies<>());
    } else if (what == "relu") {
      y = elementwise(x(0), [](double v) { return std::max(v, 0.0); });
    } else if (what == "silu") {
      y = elementwise(x(0), [](double v) { return v / (1 + std::exp(-v)); });
    } else if (what == "gelu" && std::get<std::string>(node.settings.at("form")) == "erf") {
      y = elementwise(x(0), [](double v) { return v * (1 + std::erf(v / std::sqrt(2.0))) / 2; });
    } else if (what == "gelu") {
      y = elementwise(x(0), [](double v) {
        return v * (1 + std::tanh(std::sqrt(2 / M_PI) * (v + 0.044715 * v * v * v))) / 2;
      });
    } else if (what == "layer_norm") {
      y = norm(x(0), x(1), &x(2), std::get<double>(node.settings.at("epsilon")));
    } else if (what == "rms_norm") {
      y = norm(x(0), x(1), nullptr, std::get<double>(node.settings.at("epsilon")));
    } else if (what == "softmax") {
      y = elementwise(log_softmax(x(0)), [](double v) { return std::exp(v); });
    } else if (what == "log_softmax") {
      y = log_softmax(x(0));
    } else if (what == "copy") {
      y = x(0);
    } else if (what == "slice") {
      y = some_rows(x(0), size("first"), size("rows"));
    } else if (what == "concat") {
      Matrix joined = x(0);
      joined.rows += x(1).rows;
      joined.numbers.insert(joined.numbers.end(), x(1).numbers.begin(), x(1).numbers.end());
      y = joined;
    } else if (what == "extend") {
      Matrix& state = values_.at(graph_.values[node.results[0]].storage);
      std::ranges::copy(x(1).numbers,
                        state.numbers.begin() + static_cast<std::ptrdiff_t>(size("at") * state.columns));
      y = some_rows(state, 0, size("at") + x(1).rows);
    } else {
      throw std::logic_error("no rule for " + what);
    }
  }

 private:
  const Graph& graph_;
  std::map<ValueId, Matrix>& values_;
  std::map<std::string, Range> symbols_;
};

}  // namespace

void evaluate(const Graph& graph, const std::map<std::string, int64_t>& symbols,
              std::map<ValueId, Matrix>& values) {
  Evaluation evaluation(graph, symbols, values);
  for (const Node& node : graph.nodes) evaluation.run(node);
}

}  // namespace swai::graph
