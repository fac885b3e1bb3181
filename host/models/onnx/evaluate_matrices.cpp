// SPDX-License-Identifier: Apache-2.0
// Operators of the evaluator that multiply matrices, quantise, attend or rotate.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "host/models/onnx/operators.hpp"

namespace swai::onnx {
namespace {

using Results = std::vector<Tensor>;

// Matrices of two inputs, repeated where shapes are broadcast; vectors are rows or columns.
struct Product {
  Sizes shape;  // of the result
  Sizes batch, a_strides, b_strides;
  int64_t rows = 0, depth = 0, columns = 0;
};

Product product_of(const Call& call, Sizes a, Sizes b) {
  if (a.empty() || b.empty()) throw EvaluationError("an input is a scalar");
  const bool is_row = a.size() == 1, is_column = b.size() == 1;
  if (is_row) a.insert(a.begin(), 1);
  if (is_column) b.push_back(1);
  Product product;
  product.rows = a[a.size() - 2];
  product.depth = a.back();
  product.columns = b.back();
  if (b[b.size() - 2] != product.depth)
    throw EvaluationError(fmt::format("{} and {} cannot be multiplied", shape_text(a), shape_text(b)));
  const Sizes a_batch(a.begin(), a.end() - 2), b_batch(b.begin(), b.end() - 2);
  product.batch = broadcast(a_batch, b_batch);
  product.a_strides = broadcast_strides(a_batch, product.batch);
  product.b_strides = broadcast_strides(b_batch, product.batch);
  product.shape = product.batch;
  if (!is_row) product.shape.push_back(product.rows);
  if (!is_column) product.shape.push_back(product.columns);
  call.check_work(call.count(product.shape), std::max<int64_t>(product.depth, 1));
  return product;
}

template <typename T>
std::vector<T> multiply(const Product& is, const std::vector<T>& a, const std::vector<T>& b) {
  std::vector<T> result;
  walk<2>(is.batch, {is.a_strides, is.b_strides}, [&](const auto& at) {
    const T* const left = a.data() + at[0] * is.rows * is.depth;
    const T* const right = b.data() + at[1] * is.depth * is.columns;
    for (int64_t row = 0; row < is.rows; ++row) {
      std::vector<T> sums(static_cast<size_t>(is.columns));
      for (int64_t k = 0; k < is.depth; ++k)
        for (int64_t column = 0; column < is.columns; ++column)
          sums[static_cast<size_t>(column)] += left[row * is.depth + k] * right[k * is.columns + column];
      result.insert(result.end(), sums.begin(), sums.end());
    }
  });
  return result;
}

Results mat_mul(const Call& call) {
  const Tensor &a = call.in(0), &b = call.in(1);
  if (a.element != b.element) throw EvaluationError("the inputs differ in type");
  if (!is_float(a.element)) throw TooLarge{};
  const Product product = product_of(call, a.shape, b.shape);
  return {reals(a.element, product.shape, multiply(product, doubles(a), doubles(b)))};
}

Results gemm(const Call& call) {
  const auto matrix = [&](size_t index, const char* attribute) {
    const Tensor& x = call.in(index);
    if (x.shape.size() != 2) throw EvaluationError("an input is no matrix");
    if (call.node.number(attribute, 0) == 0) return x;
    const Sizes strides = strides_of(x.shape);
    return strided(x, {x.shape[1], x.shape[0]}, {strides[1], strides[0]});
  };
  const Tensor a = matrix(0, "transA"), b = matrix(1, "transB");
  if (!is_float(a.element) || a.element != b.element) throw TooLarge{};
  const Product product = product_of(call, a.shape, b.shape);
  std::vector<double> values = multiply(product, doubles(a), doubles(b));
  for (double& value : values) value *= call.node.real("alpha", 1);
  if (const Tensor* const c = call.maybe(2)) {
    const std::vector<double> added = doubles(*c);
    size_t i = 0;
    walk<1>(product.shape, {broadcast_strides(c->shape, product.shape)}, [&](const auto& at) {
      values[i++] += call.node.real("beta", 1) * added[static_cast<size_t>(at[0])];
    });
  }
  return {reals(a.element, product.shape, values)};
}

// Integers less their zero points, which are one for the tensor or one for each slice along the axis.
Sizes without_zero(const Tensor& x, const Tensor* zero, size_t axis) {
  Sizes values = int64s(x);
  if (zero == nullptr) return values;
  const Sizes zeros = int64s(*zero);
  if (zeros.size() != 1 && (axis >= x.shape.size() || static_cast<int64_t>(zeros.size()) != x.shape[axis]))
    throw EvaluationError("there is no zero point for each slice");
  const int64_t inner = zeros.size() == 1 ? 1 : strides_of(x.shape)[axis];
  for (size_t i = 0; i < values.size(); ++i)
    values[i] -= zeros[static_cast<size_t>(static_cast<int64_t>(i) / inner) % zeros.size()];
  return values;
}

bool is_eight_bits(const Tensor& x) { return x.element == Element::kU8 || x.element == Element::kI8; }

// Zero points of the first matrix are one or one for each row, of the second one or one for each column.
Sizes integer_product(const Call& call, const Product& product, const Tensor* a_zero, const Tensor* b_zero) {
  const Tensor &a = call.in(0), &b = call.in(1);
  if (!is_eight_bits(a) || !is_eight_bits(b)) throw EvaluationError("the inputs are not of eight bits");
  return multiply(product, without_zero(a, a_zero, std::max<size_t>(a.shape.size(), 2) - 2),
                  without_zero(b, b_zero, b.shape.size() - 1));
}

Results mat_mul_integer(const Call& call) {
  const Product product = product_of(call, call.in(0).shape, call.in(1).shape);
  return {wholes(Element::kI32, product.shape, integer_product(call, product, call.maybe(2), call.maybe(3)))};
}

// Inputs: a, b, scale of a, scale of b, zero of a, zero of b, bias.
Results mat_mul_integer_to_float(const Call& call) {
  const Product product = product_of(call, call.in(0).shape, call.in(1).shape);
  const Sizes sums = integer_product(call, product, call.maybe(4), call.maybe(5));
  const std::vector<double> a_scale = doubles(call.in(2)), b_scale = doubles(call.in(3));
  const auto columns = static_cast<size_t>(product.columns);
  if (a_scale.size() != 1 || (b_scale.size() != 1 && b_scale.size() != columns))
    throw EvaluationError("the scales are not one, or one for each column");
  std::vector<double> values;
  for (size_t i = 0; i < sums.size(); ++i)
    values.push_back(static_cast<double>(sums[i]) * a_scale[0] * b_scale[i % columns % b_scale.size()]);
  if (const Tensor* const bias = call.maybe(6)) {
    const std::vector<double> added = doubles(*bias);
    if (added.size() != columns) throw EvaluationError("there is no bias for each column");
    for (size_t i = 0; i < values.size(); ++i) values[i] += added[i % columns];
  }
  return {reals(call.in(2).element, product.shape, values)};
}

struct Limits {
  double low, high;
};

Limits limits_of(Element element) {
  switch (element) {
    case Element::kU8:
      return {0, 255};
    case Element::kI8:
      return {-128, 127};
    case Element::kU16:
      return {0, 65535};
    case Element::kI16:
      return {-32768, 32767};
    default:
      throw TooLarge{};
  }
}

// In single precision, as the format says: halfway cases depend on it.
int64_t quantized(float x, float scale, int64_t zero, Limits limits) {
  const double value = static_cast<double>(std::nearbyint(x / scale)) + static_cast<double>(zero);
  return std::isnan(value) ? zero : static_cast<int64_t>(std::clamp(value, limits.low, limits.high));
}

// Which scale belongs to each element: one for all, or one for each slice along the axis.
struct Scales {
  std::vector<double> scales;
  Sizes zeros;
  int64_t inner = 1;
  size_t index(size_t i) const {
    return static_cast<size_t>(static_cast<int64_t>(i) / inner) % scales.size();
  }
};

Scales scales_of(const Call& call) {
  if (call.node.number("block_size", 0) != 0) throw TooLarge{};
  const Tensor& x = call.in(0);
  Scales is{doubles(call.in(1)), {}};
  is.zeros.resize(is.scales.size());
  if (const Tensor* const zero = call.maybe(2)) is.zeros = int64s(*zero);
  if (is.zeros.size() != is.scales.size()) throw EvaluationError("scales and zero points differ in number");
  if (is.scales.size() == 1) return is;
  const size_t axis = axis_of(call.node.number("axis", 1), x.shape.size());
  if (static_cast<int64_t>(is.scales.size()) != x.shape[axis])
    throw EvaluationError("there is no scale for each slice");
  is.inner = strides_of(x.shape)[axis];
  return is;
}

Results quantize_linear(const Call& call) {
  const Tensor& x = call.in(0);
  if (x.element != Element::kF32) throw TooLarge{};
  const Scales is = scales_of(call);
  const auto named = element_of(call.node.number("output_dtype", static_cast<int64_t>(Element::kU8)));
  const Element element = call.maybe(2) != nullptr ? call.in(2).element : named.value_or(Element::kF32);
  const Limits limits = limits_of(element);
  const std::vector<double> values = doubles(x);
  Sizes result;
  for (size_t i = 0; i < values.size(); ++i)
    result.push_back(quantized(static_cast<float>(values[i]), static_cast<float>(is.scales[is.index(i)]),
                               is.zeros[is.index(i)], limits));
  return {wholes(element, x.shape, result)};
}

Results dequantize_linear(const Call& call) {
  const Tensor& x = call.in(0);
  if (is_float(x.element)) throw EvaluationError("the input is floating point");
  const Scales is = scales_of(call);
  const Sizes values = int64s(x);
  std::vector<double> result;
  for (size_t i = 0; i < values.size(); ++i)
    result.push_back(static_cast<double>(values[i] - is.zeros[is.index(i)]) * is.scales[is.index(i)]);
  return {reals(call.in(1).element, x.shape, result)};
}

Results dynamic_quantize_linear(const Call& call) {
  const Tensor& x = call.in(0);
  if (x.element != Element::kF32) throw EvaluationError("the input is not f32");
  const std::vector<double> values = doubles(x);
  float low = 0, high = 0;
  for (const double value : values) {
    low = std::min(low, static_cast<float>(value));
    high = std::max(high, static_cast<float>(value));
  }
  const float scale = high > low ? (high - low) / 255 : 1;
  const int64_t zero = quantized(-low, scale, 0, {0, 255});
  Sizes result;
  for (const double value : values)
    result.push_back(quantized(static_cast<float>(value), scale, zero, {0, 255}));
  return {wholes(Element::kU8, x.shape, result), reals(Element::kF32, {}, {{scale}}),
          wholes(Element::kU8, {}, {{zero}})};
}

// Heads of an input: (batch, heads, sequence, width), or (batch, sequence, heads * width) as a view of that.
struct Heads {
  int64_t batch = 0, heads = 0, length = 0, width = 0;
  Sizes strides;
  std::vector<double> values;
};

Heads heads_of(const Tensor& x, int64_t heads) {
  const Sizes& is = x.shape;
  if (is.size() == 4) return {is[0], is[1], is[2], is[3], strides_of(is), doubles(x)};
  if (is.size() != 3 || heads < 1 || is[2] % heads != 0)
    throw EvaluationError(fmt::format("{} does not have {} heads", shape_text(is), heads));
  const int64_t width = is[2] / heads;
  return {is[0], heads, is[1], width, {is[1] * is[2], width, is[2], 1}, doubles(x)};
}

// Of opset 23, without past keys.
Results attention(const Call& call) {
  const Tensor& queries = call.in(0);
  if (call.inputs.size() > 4 || call.node.outputs.size() > 1 || call.node.number("is_causal", 0) != 0 ||
      call.node.real("softcap", 0) != 0 || !is_float(queries.element))
    throw TooLarge{};
  const Heads q = heads_of(queries, call.node.number("q_num_heads", 0));
  const Heads k = heads_of(call.in(1), call.node.number("kv_num_heads", 0));
  const Heads v = heads_of(call.in(2), call.node.number("kv_num_heads", 0));
  if (k.width != q.width || k.batch != q.batch || v.batch != q.batch || k.heads != v.heads ||
      k.length != v.length || k.heads < 1 || q.heads % k.heads != 0)
    throw EvaluationError("queries, keys and values do not fit");
  const double scale = call.node.real("scale", 1 / std::sqrt(static_cast<double>(q.width)));
  Sizes mask_strides(4);
  std::vector<double> mask = {0};
  if (const Tensor* const given = call.maybe(3)) {
    mask_strides = broadcast_strides(given->shape, {q.batch, q.heads, q.length, k.length});
    mask = doubles(*given);
    if (given->element == Element::kBool)
      for (double& value : mask) value = value != 0 ? 0 : -std::numeric_limits<double>::infinity();
  }
  const Sizes shape = queries.shape.size() == 4 ? Sizes{q.batch, q.heads, q.length, v.width}
                                                : Sizes{q.batch, q.length, q.heads * v.width};
  call.check_work(call.count(shape), k.length);
  call.check_work(call.count({q.batch, q.heads, q.length, k.length}), q.width);
  const Sizes to = queries.shape.size() == 4
                       ? strides_of(shape)
                       : Sizes{q.length * q.heads * v.width, v.width, q.heads * v.width, 1};
  std::vector<double> result(static_cast<size_t>(*count_of(shape)));
  std::vector<double> row(static_cast<size_t>(k.length));
  walk<2>({q.batch, q.heads, q.length},
          {Sizes(q.strides.begin(), q.strides.end() - 1), Sizes(to.begin(), to.end() - 1)},
          [&, batch = int64_t{0}, head = int64_t{0}, place = int64_t{0}](const auto& at) mutable {
            const int64_t own = head / (q.heads / k.heads);
            const double* const keys = k.values.data() + batch * k.strides[0] + own * k.strides[1];
            const double* const all = v.values.data() + batch * v.strides[0] + own * v.strides[1];
            double most = -std::numeric_limits<double>::infinity(), sum = 0;
            for (int64_t i = 0; i < k.length; ++i) {
              double score = 0;
              for (int64_t c = 0; c < q.width; ++c)
                score += q.values[static_cast<size_t>(at[0] + c)] * keys[i * k.strides[2] + c];
              score =
                  score * scale + mask[static_cast<size_t>(batch * mask_strides[0] + head * mask_strides[1] +
                                                           place * mask_strides[2] + i * mask_strides[3])];
              row[static_cast<size_t>(i)] = score;
              most = std::max(most, score);
            }
            for (double& value : row) sum += value = std::exp(value - most);
            for (int64_t i = 0; i < k.length; ++i)
              for (int64_t c = 0; c < v.width; ++c)
                result[static_cast<size_t>(at[1] + c)] +=
                    row[static_cast<size_t>(i)] / sum * all[i * v.strides[2] + c];
            if (++place == q.length) {
              place = 0;
              if (++head == q.heads) {
                head = 0;
                ++batch;
              }
            }
          });
  return {reals(queries.element, shape, result)};
}

// Of opset 23, without position numbers: the caches have a row for each position.
Results rotary_embedding(const Call& call) {
  const Tensor& x = call.in(0);
  if (call.maybe(3) != nullptr || call.node.number("rotary_embedding_dim", 0) != 0 || !is_float(x.element))
    throw TooLarge{};
  const Heads is = heads_of(x, call.node.number("num_heads", 0));
  const Tensor &cosines = call.in(1), &sines = call.in(2);
  const Sizes cache = {is.batch, is.length, is.width / 2};
  if (is.width % 2 != 0 || cosines.shape != sines.shape)
    throw EvaluationError("the width is odd, or the caches differ in shape");
  const Sizes strides = broadcast_strides(cosines.shape, cache);
  const std::vector<double> cos = doubles(cosines), sin = doubles(sines);
  const bool neighbours = call.node.number("interleaved", 0) != 0;
  std::vector<double> result = is.values;
  call.count(x.shape);
  for (int64_t batch = 0; batch < is.batch; ++batch) {
    for (int64_t head = 0; head < is.heads; ++head) {
      for (int64_t place = 0; place < is.length; ++place) {
        const int64_t first = batch * is.strides[0] + head * is.strides[1] + place * is.strides[2];
        for (int64_t i = 0; i < is.width / 2; ++i) {
          const auto one = static_cast<size_t>(first + (neighbours ? 2 * i : i));
          const auto other = static_cast<size_t>(first + (neighbours ? 2 * i + 1 : i + is.width / 2));
          const auto at = static_cast<size_t>(batch * strides[0] + place * strides[1] + i * strides[2]);
          result[one] = is.values[one] * cos[at] - is.values[other] * sin[at];
          result[other] = is.values[one] * sin[at] + is.values[other] * cos[at];
        }
      }
    }
  }
  return {reals(x.element, x.shape, result)};
}

// Over any number of dimensions: x is (batch, channels, sizes), w is (outputs, channels / group, sizes).
Results conv(const Call& call) {
  const Tensor &x = call.in(0), &w = call.in(1);
  const size_t rank = x.shape.size();
  if (!is_float(x.element) || call.node.text("auto_pad", "NOTSET") != "NOTSET") throw TooLarge{};
  const int64_t group = call.node.number("group", 1);
  if (rank < 3 || w.shape.size() != rank || group < 1 || w.shape[1] > kMaxSize / group ||
      w.shape[1] * group != x.shape[1] || w.shape[0] % group != 0)
    throw EvaluationError(fmt::format("{} and {} do not fit", shape_text(x.shape), shape_text(w.shape)));
  const auto setting = [&](const char* name, size_t count, int64_t otherwise, int64_t least) {
    Sizes values = call.node.numbers(name);
    if (values.empty()) values.assign(count, otherwise);
    if (values.size() != count ||
        std::ranges::any_of(values, [&](int64_t value) { return value < least || value > kMaxSize; }))
      throw EvaluationError(fmt::format("{} is {}", name, shape_text(values)));
    return values;
  };
  const size_t spatial = rank - 2;
  const Sizes strides = setting("strides", spatial, 1, 1), dilations = setting("dilations", spatial, 1, 1);
  const Sizes pads = setting("pads", 2 * spatial, 0, 0);
  Sizes shape = {x.shape[0], w.shape[0]};
  for (size_t i = 0; i < spatial; ++i) {
    const int64_t reach = dilations[i] * (w.shape[2 + i] - 1) + 1;
    const int64_t places = x.shape[2 + i] + pads[i] + pads[spatial + i] - reach;
    shape.push_back(places < 0 ? 0 : places / strides[i] + 1);
  }
  const Sizes kernel(w.shape.begin() + 1, w.shape.end());
  call.check_work(call.count(shape), std::max<int64_t>(1, *count_of(kernel)));
  const std::vector<double> values = doubles(x), weights = doubles(w);
  const std::vector<double> bias =
      call.maybe(2) != nullptr ? doubles(call.in(2)) : std::vector<double>(static_cast<size_t>(w.shape[0]));
  if (static_cast<int64_t>(bias.size()) != w.shape[0])
    throw EvaluationError("there is no bias for each output");
  const Sizes own = strides_of(x.shape);
  std::vector<double> result;
  Sizes at(rank), within(kernel.size());
  for (int64_t i = 0; i < *count_of(shape); ++i) {
    for (size_t k = rank, rest = static_cast<size_t>(i); k-- > 0; rest /= static_cast<size_t>(shape[k]))
      at[k] = static_cast<int64_t>(rest % static_cast<size_t>(shape[k]));
    double sum = bias[static_cast<size_t>(at[1])];
    const int64_t first_channel = at[1] / (w.shape[0] / group) * w.shape[1];
    for (int64_t j = 0; j < *count_of(kernel); ++j) {
      for (size_t k = kernel.size(), rest = static_cast<size_t>(j); k-- > 0;
           rest /= static_cast<size_t>(kernel[k]))
        within[k] = static_cast<int64_t>(rest % static_cast<size_t>(kernel[k]));
      int64_t from = at[0] * own[0] + (first_channel + within[0]) * own[1];
      bool is_inside = true;
      for (size_t k = 0; k < spatial; ++k) {
        const int64_t place = at[2 + k] * strides[k] + within[1 + k] * dilations[k] - pads[k];
        is_inside = is_inside && place >= 0 && place < x.shape[2 + k];
        if (is_inside) from += place * own[2 + k];
      }
      if (is_inside)
        sum +=
            values[static_cast<size_t>(from)] * weights[static_cast<size_t>(at[1] * *count_of(kernel) + j)];
    }
    result.push_back(sum);
  }
  return {reals(x.element, shape, result)};
}

}  // namespace

const Operators& matrix_operators() {
  static const Operators all = {
      {"MatMul", mat_mul},
      {"Gemm", gemm},
      {"MatMulInteger", mat_mul_integer},
      {"MatMulIntegerToFloat", mat_mul_integer_to_float},
      {"QuantizeLinear", quantize_linear},
      {"DequantizeLinear", dequantize_linear},
      {"DynamicQuantizeLinear", dynamic_quantize_linear},
      {"Attention", attention},
      {"RotaryEmbedding", rotary_embedding},
      {"Conv", conv},
  };
  return all;
}

}  // namespace swai::onnx
