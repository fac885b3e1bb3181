// SPDX-License-Identifier: Apache-2.0
#include "verif/host/models/graph/evaluate.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "host/models/graph/signatures.hpp"
#include "host/models/graph/use.hpp"

namespace swai::graph {
namespace {

Matrix elementwise(const Matrix& x, const std::function<double(double)>& f) {
  Matrix y = x;
  for (double& number : y.numbers) number = f(number);
  return y;
}

// `b` may be one row for all.
Matrix pairwise(const Matrix& a, const Matrix& b, const std::function<double(double, double)>& f) {
  Matrix y = a;
  for (size_t row = 0; row < y.rows; ++row)
    for (size_t i = 0; i < y.columns; ++i) y.at(row, i) = f(a.at(row, i), b.at(b.rows == 1 ? 0 : row, i));
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

// The node that is computed: operands by their names, and where its results go.
class Computed {
 public:
  Computed(const Graph& graph, const Node& node, const std::map<std::string, Range>& symbols,
           std::map<ValueId, Matrix>& values)
      : use_(*find_signature(node.operation), graph, node), symbols_(symbols), values_(values) {}

  const Matrix& operator[](const std::string& name) const { return values_.at(*use_.operand(name)); }
  const Matrix* maybe(const std::string& name) const {
    return use_.has(name) ? &values_.at(*use_.operand(name)) : nullptr;
  }
  const Type& type(const std::string& name) const { return use_.graph().values[*use_.operand(name)].type; }
  size_t size(const std::string& name) const {
    return static_cast<size_t>(use_.size(name).range(symbols_).most);
  }
  double real(const std::string& name) const { return use_.real(name); }
  std::string word(const std::string& name) const { return use_.word(name); }
  Matrix& result(size_t index) { return values_[use_.node().results[index]]; }
  Matrix& storage() { return values_.at(use_.graph().values[use_.node().results[0]].storage); }

 private:
  Use use_;
  const std::map<std::string, Range>& symbols_;
  std::map<ValueId, Matrix>& values_;
};

double gelu(double v) { return v * (1 + std::erf(v / std::sqrt(2.0))) / 2; }
double gelu_tanh(double v) {
  return v * (1 + std::tanh(std::sqrt(2 / M_PI) * (v + 0.044715 * v * v * v))) / 2;
}
double silu(double v) { return v / (1 + std::exp(-v)); }
double relu(double v) { return std::max(v, 0.0); }

Matrix scaled(Matrix x, double by) {
  return elementwise(x, [=](double v) { return v * by; });
}

// Of a row in its text.
std::optional<size_t> position(const Computed& call, size_t row) {
  const Matrix* const positions = call.maybe("positions");
  return positions ? std::optional(static_cast<size_t>(positions->numbers[row])) : std::nullopt;
}
// Where row `at` of the text lies that a row belongs to.
size_t in_chunks(const Computed& call, size_t row, size_t at) {
  const Matrix* const chunks = call.maybe("chunks");
  if (!chunks) return at;
  return static_cast<size_t>(chunks->at(chunks->rows == 1 ? 0 : row, at / 64)) * 64 + at % 64;
}

Matrix embedding(const Computed& call) {
  const Matrix &tokens = call["tokens"], &table = call["table"];
  const Matrix *const scale = call.maybe("scale"), *const positions = call.maybe("positions");
  const size_t some = call.size("rows");
  Matrix y = {some != 0 ? some : tokens.numbers.size(), table.columns, {}};
  for (size_t row = 0; row < y.rows; ++row) {
    const auto token = static_cast<size_t>(tokens.numbers[call.size("first") + row]);
    for (size_t i = 0; i < y.columns; ++i) {
      const double number = table.at(token, i) * (scale ? scale->numbers[token] : call.real("factor"));
      y.numbers.push_back(number + (positions ? positions->at(call.size("at") + row, i) : 0));
    }
  }
  return y;
}

Matrix rotary(const Computed& call) {
  const Matrix &x = call["x"], &table = call["table"];
  const size_t width = table.columns, half = width / 2;
  Matrix y = x;
  for (size_t row = 0; row < x.rows; ++row) {
    const size_t at = position(call, row).value_or(call.size("at") + row);
    for (size_t i = 0; i < x.columns; ++i) {
      const size_t in_head = i % width, pair = in_head % half;
      const double cosine = table.at(at, pair);
      const double sine = table.at(at, half + pair);
      const double other = in_head < half ? -x.at(row, i + half) : x.at(row, i - half);
      y.at(row, i) = x.at(row, i) * cosine + other * sine;
    }
  }
  return y;
}

// A scale for each group of columns, group by group; of whole rows when there is no group.
void quantise(const Matrix& x, size_t group, Matrix& y, Matrix& scales) {
  group = group == 0 ? x.columns : group;
  y = x;
  scales = {(x.columns + group - 1) / group, x.rows, {}};
  for (size_t first = 0; first < x.columns; first += group) {
    const size_t end = std::min(first + group, x.columns);
    for (size_t row = 0; row < x.rows; ++row) {
      double most = 0;
      for (size_t i = first; i < end; ++i) most = std::max(most, std::abs(x.at(row, i)));
      scales.numbers.push_back(most / 127);
      for (size_t i = first; i < end; ++i)
        y.at(row, i) = most == 0 ? 0 : std::nearbyint(x.at(row, i) / (most / 127));
    }
  }
}

Matrix dequantise(const Matrix& x, const Matrix& scales) {
  const size_t groups = scales.numbers.size() / x.rows;
  const size_t group = groups == 1 ? x.columns : 128;  // the only one that tests have
  Matrix y = x;
  for (size_t row = 0; row < x.rows; ++row) {
    for (size_t i = 0; i < x.columns; ++i) y.at(row, i) *= scales.numbers[i / group * x.rows + row];
  }
  return y;
}

// What products do on the way out.
Matrix ended(const Computed& call, Matrix y) {
  static const std::map<std::string, double (*)(double)> kFunctions = {
      {"none", nullptr}, {"gelu", gelu}, {"gelu_tanh", gelu_tanh}, {"silu", silu}, {"relu", relu}};
  double (*const function)(double) = kFunctions.at(call.word("activation"));
  const Matrix* const bias = call.maybe("bias");
  const Matrix* const residual = call.maybe("residual");
  for (size_t row = 0; row < y.rows; ++row) {
    for (size_t column = 0; column < y.columns; ++column) {
      const double sum = y.at(row, column) + (bias ? bias->numbers[column] : 0);
      y.at(row, column) = (function ? function(sum) : sum) +
                          (residual ? residual->at(residual->rows == 1 ? 0 : row, column) : 0);
    }
  }
  return y;
}

Matrix linear(const Computed& call) {
  const Matrix& weight = call["weight"];
  Matrix x = call["x"];
  if (const Matrix* const gamma = call.maybe("norm"))
    x = norm(x, *gamma, call.maybe("norm_bias"), call.real("epsilon"));
  if (const Matrix* const scales = call.maybe("x_scale")) x = dequantise(x, *scales);
  if (call.type("weight").packed && !call.maybe("x_scale")) {
    Matrix whole, scales;
    quantise(x, call.type("weight").packed->tiles != 0 ? 0 : call.size("x_group"), whole, scales);
    x = dequantise(whole, scales);
  }
  const Matrix* const scale = call.maybe("scale");
  Matrix y = {x.rows, weight.rows, {}};
  for (size_t row = 0; row < y.rows; ++row) {
    for (size_t column = 0; column < y.columns; ++column) {
      double sum = 0;
      for (size_t k = 0; k < x.columns; ++k) sum += x.at(row, k) * weight.at(column, k);
      y.numbers.push_back(sum * (scale ? scale->numbers[column] : 1));
    }
  }
  return ended(call, std::move(y));
}

Matrix matmul(const Computed& call) {
  const Matrix &a = call["a"], &b = call["b"];
  const size_t products = call.size("products");
  struct One {
    size_t rows, columns;
    bool beside;
    double& of(Matrix& all, size_t product, size_t row, size_t column) const {
      return all.at(row + (beside ? 0 : product * rows), column + (beside ? product * columns : 0));
    }
    double of(const Matrix& all, size_t product, size_t row, size_t column) const {
      return all.at(row + (beside ? 0 : product * rows), column + (beside ? product * columns : 0));
    }
  };
  const auto one = [&](const Matrix& all, const char* place) {
    const bool beside = call.word(place) == "columns";
    return One{beside ? all.rows : all.rows / products, beside ? all.columns / products : all.columns,
               beside};
  };
  const bool transposed = call.word("transposed") == "yes", beside = call.word("to_by") == "columns";
  const One of_a = one(a, "a_by"), of_b = one(b, "b_by");
  const One of_y = {of_a.rows, transposed ? of_b.rows : of_b.columns, beside};
  Matrix y = {of_y.rows * (beside ? 1 : products), of_y.columns * (beside ? products : 1), {}};
  y.numbers.resize(y.rows * y.columns);
  for (size_t product = 0; product < products; ++product)
    for (size_t row = 0; row < of_y.rows; ++row)
      for (size_t column = 0; column < of_y.columns; ++column)
        for (size_t k = 0; k < of_a.columns; ++k)
          of_y.of(y, product, row, column) +=
              of_a.of(a, product, row, k) *
              (transposed ? of_b.of(b, product, column, k) : of_b.of(b, product, k, column));
  return y;
}

Matrix convolution(const Computed& call) {
  const Matrix &x = call["x"], &weight = call["weight"];
  const auto outputs = static_cast<size_t>(*call.type("weight").dimensions[0].constant());
  const size_t length = weight.rows / outputs;
  Matrix y = {(x.rows - length) / call.size("stride") + 1, outputs, {}};
  for (size_t row = 0; row < y.rows; ++row) {
    for (size_t column = 0; column < y.columns; ++column) {
      double sum = 0;
      for (size_t moment = 0; moment < length; ++moment)
        for (size_t i = 0; i < x.columns; ++i)
          sum += x.at(row * call.size("stride") + moment, i) * weight.at(column * length + moment, i);
      y.numbers.push_back(sum);
    }
  }
  return ended(call, std::move(y));
}

Matrix attention(const Computed& call) {
  const auto stored = [&](const char* name, const char* scale) {
    const Matrix* const scales = call.maybe(scale);
    return scales ? dequantise(call[name], *scales) : call[name];
  };
  const Matrix &q = call["q"], k = stored("k", "k_scale"), v = stored("v", "v_scale");
  const size_t heads = call.size("heads"), width = q.columns / heads, shared = q.columns / k.columns;
  const double scale =
      call.real("scale") != 0 ? call.real("scale") : 1 / std::sqrt(static_cast<double>(width));
  Matrix y = {q.rows, q.columns, std::vector<double>(q.rows * q.columns)};
  for (size_t row = 0; row < q.rows; ++row) {
    const std::optional<size_t> at = position(call, row);
    const size_t keys = at ? *at + 1 : call.word("causal") == "yes" ? k.rows - q.rows + row + 1 : k.rows;
    for (size_t head = 0; head < heads; ++head) {
      const size_t of_head = head * width, of_keys = head / shared * width;
      Matrix scores = {1, keys, {}};
      for (size_t key = 0; key < keys; ++key) {
        double sum = 0;
        for (size_t i = 0; i < width; ++i)
          sum += q.at(row, of_head + i) * k.at(in_chunks(call, row, key), of_keys + i);
        scores.numbers.push_back(sum * scale);
      }
      const Matrix weights = log_softmax(scores);
      for (size_t key = 0; key < keys; ++key) {
        for (size_t i = 0; i < width; ++i)
          y.at(row, of_head + i) +=
              std::exp(weights.at(0, key)) * v.at(in_chunks(call, row, key), of_keys + i);
      }
    }
  }
  return y;
}

Matrix transpose(const Matrix& x) {
  Matrix y = {x.columns, x.rows, {}};
  for (size_t i = 0; i < x.columns; ++i) {
    for (size_t row = 0; row < x.rows; ++row) y.numbers.push_back(x.at(row, i));
  }
  return y;
}

Matrix argmax(const Matrix& x) {
  Matrix y = {1, x.rows, {}};
  for (size_t row = 0; row < x.rows; ++row) {
    size_t best = 0;
    for (size_t i = 1; i < x.columns; ++i) best = x.at(row, i) > x.at(row, best) ? i : best;
    y.numbers.push_back(static_cast<double>(best));
  }
  return y;
}

Matrix concat(const Matrix& a, const Matrix& b) {
  Matrix joined = a;
  joined.rows += b.rows;
  joined.numbers.insert(joined.numbers.end(), b.numbers.begin(), b.numbers.end());
  return joined;
}

// Rows of a state that are changed where they are.
Matrix changed(Computed& call, Matrix rows) {
  std::ranges::copy(rows.numbers, call.storage().numbers.begin());
  return rows;
}

Matrix mask(Computed& call) {
  const Matrix *const bits = call.maybe("bits"), *const ranges = call.maybe("ranges"),
                      *const of = call.maybe("of");
  Matrix y = of ? *of : call["x"];
  const auto word = [](const Matrix& words, size_t row, size_t i) {
    return static_cast<uint32_t>(static_cast<int64_t>(words.at(words.rows == 1 ? 0 : row, i)));
  };
  for (size_t row = 0; row < y.rows; ++row) {
    for (size_t i = 0; i < y.columns; ++i) {
      bool hidden = bits && (word(*bits, row, i / 32) >> (i % 32) & 1) != 0;
      for (size_t range = 0; ranges && range < ranges->columns / 2; ++range)
        hidden = hidden || (i >= word(*ranges, row, 2 * range) && i < word(*ranges, row, 2 * range + 1));
      if (hidden) y.at(row, i) = -INFINITY;
    }
  }
  return changed(call, std::move(y));
}

// By the only settings that tests have (Walked::fill).
Matrix penalise(Computed& call) {
  constexpr double kRepetition = 1.5, kFrequency = 0.25, kPresence = 0.125;
  const Matrix& tokens = call["tokens"];
  Matrix y = call["x"];
  for (size_t row = 0; row < y.rows; ++row) {
    std::map<size_t, int> counts;
    for (size_t i = 0; i < tokens.columns; ++i) {
      const double token = tokens.at(tokens.rows == 1 ? 0 : row, i);
      if (token >= 0 && token < static_cast<double>(y.columns)) ++counts[static_cast<size_t>(token)];
    }
    for (const auto& [column, count] : counts) {
      double& x = y.at(row, column);
      x = (x < 0 ? x * kRepetition : x / kRepetition) - count * kFrequency - kPresence;
    }
  }
  return changed(call, std::move(y));
}

Matrix prefer_group(Computed& call) {
  Matrix y = call["x"];
  const size_t first = call.size("first");
  for (size_t row = 0; row < y.rows; ++row) {
    double largest = -INFINITY, most = -INFINITY, sum = 0;
    for (size_t i = 0; i < y.columns; ++i) most = std::max(most, y.at(row, i));
    for (size_t i = 0; i < first; ++i) largest = std::max(largest, y.at(row, i));
    for (size_t i = first; i < y.columns; ++i) sum += std::exp(y.at(row, i) - most);
    if (sum > std::exp(largest - most))
      for (size_t i = 0; i < first; ++i) y.at(row, i) = -INFINITY;
  }
  return changed(call, std::move(y));
}

Matrix extend(Computed& call) {
  Matrix& state = call.storage();
  const Matrix& rows = call["rows"];
  if (call.type("state").dimensions.size() == 1) {
    const auto at = static_cast<std::ptrdiff_t>(call.size("at"));
    std::ranges::copy(rows.numbers, state.numbers.begin() + at);
    const auto end = state.numbers.begin() + at + static_cast<std::ptrdiff_t>(rows.columns);
    return {1, call.size("at") + rows.columns, {state.numbers.begin(), end}};
  }
  std::ranges::copy(rows.numbers,
                    state.numbers.begin() + static_cast<std::ptrdiff_t>(call.size("at") * state.columns));
  return some_rows(state, 0, call.size("at") + rows.rows);
}

Matrix place(Computed& call) {
  Matrix& state = call.storage();
  const Matrix& rows = call["rows"];
  for (size_t row = 0; row < rows.rows; ++row) {
    for (size_t i = 0; i < rows.columns; ++i)
      state.at(in_chunks(call, row, *position(call, row)), i) = rows.at(row, i);
  }
  return state;
}

using Rule = Matrix (*)(Computed&);
const std::map<std::string, Rule>& rules() {
  static const std::map<std::string, Rule> kRules = {
      {"embedding", [](Computed& call) { return embedding(call); }},
      {"linear", [](Computed& call) { return linear(call); }},
      {"linear_row", [](Computed& call) { return linear(call); }},
      {"penalise", penalise},
      {"mask", mask},
      {"prefer_group", prefer_group},
      {"convolution", [](Computed& call) { return convolution(call); }},
      {"matmul", [](Computed& call) { return matmul(call); }},
      {"cast", [](Computed& call) { return call["x"]; }},
      {"attention", [](Computed& call) { return attention(call); }},
      {"rotary", [](Computed& call) { return rotary(call); }},
      {"add", [](Computed& call) { return pairwise(call["a"], call["b"], std::plus<>()); }},
      {"multiply", [](Computed& call) { return pairwise(call["a"], call["b"], std::multiplies<>()); }},
      {"relu", [](Computed& call) { return elementwise(call["x"], relu); }},
      {"silu", [](Computed& call) { return elementwise(call["x"], silu); }},
      {"gelu",
       [](Computed& call) { return elementwise(call["x"], call.word("form") == "erf" ? gelu : gelu_tanh); }},
      {"layer_norm",
       [](Computed& call) { return norm(call["x"], call["weight"], &call["bias"], call.real("epsilon")); }},
      {"rms_norm",
       [](Computed& call) {
         const Matrix& x = call["x"];
         const size_t heads = call.size("heads");
         Matrix y = norm({x.rows * heads, x.columns / heads, x.numbers}, call["weight"], nullptr,
                         call.real("epsilon"));
         return Matrix{x.rows, x.columns, std::move(y.numbers)};
       }},
      {"softmax",
       [](Computed& call) {
         return elementwise(log_softmax(scaled(call["x"], call.real("scale"))),
                            [](double v) { return std::exp(v); });
       }},
      {"log_softmax", [](Computed& call) { return log_softmax(scaled(call["x"], call.real("scale"))); }},
      {"argmax", [](Computed& call) { return argmax(call["x"]); }},
      {"sample",
       [](Computed& call) {
         const Matrix& logits = call["logits"];
         const Matrix best = argmax(logits), all = log_softmax(logits);
         Matrix& likely = call.result(1) = {1, logits.rows, {}};
         for (size_t row = 0; row < logits.rows; ++row)
           likely.numbers.push_back(all.at(row, static_cast<size_t>(best.numbers[row])));
         return best;
       }},
      {"top_k",
       [](Computed& call) {
         const Matrix& x = call["x"];
         const auto count = static_cast<size_t>(call.size("count"));
         Matrix values = {x.rows, count, {}};
         Matrix& numbers = call.result(1) = values;
         for (size_t row = 0; row < x.rows; ++row) {
           std::vector<size_t> order(x.columns);
           std::iota(order.begin(), order.end(), 0);
           std::ranges::stable_sort(order, [&](size_t a, size_t b) { return x.at(row, a) > x.at(row, b); });
           for (size_t i = 0; i < count; ++i) {
             values.numbers.push_back(x.at(row, order[i]));
             numbers.numbers.push_back(static_cast<double>(order[i]));
           }
         }
         return values;
       }},
      {"transpose", [](Computed& call) { return transpose(call["x"]); }},
      {"quantise",
       [](Computed& call) {
         Matrix y;
         quantise(call["x"], call.size("group"), y, call.result(1));
         return y;
       }},
      {"dequantise", [](Computed& call) { return dequantise(call["x"], call["scale"]); }},
      {"copy", [](Computed& call) { return call["x"]; }},
      {"slice", [](Computed& call) { return some_rows(call["x"], call.size("first"), call.size("rows")); }},
      {"concat", [](Computed& call) { return concat(call["a"], call["b"]); }},
      {"extend", extend},
      {"place", place},
  };
  return kRules;
}

}  // namespace

void evaluate(const Graph& graph, const std::map<std::string, int64_t>& symbols,
              std::map<ValueId, Matrix>& values) {
  std::map<std::string, Range> ranges;
  for (const auto& [name, value] : symbols) ranges[name] = {value, value};
  for (const Node& node : graph.nodes) {
    Computed call(graph, node, ranges, values);
    call.result(0) = rules().at(node.operation)(call);
  }
}

}  // namespace swai::graph
