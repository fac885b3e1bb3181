// SPDX-License-Identifier: Apache-2.0
// Shape inference: a rule for each operator, over sizes with symbols.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "host/models/onnx/evaluate.hpp"
#include "host/models/onnx/passes.hpp"
#include "host/models/onnx/rewrite.hpp"
#include "host/models/onnx/sizes.hpp"

namespace swai::onnx {
namespace {

constexpr int64_t kMaxContents = 64;

// A size that is not known; the value gets a symbol of its own for it.
using Dim = std::optional<Size>;
using Dims = std::vector<Dim>;
using Contents = std::optional<std::vector<Size>>;

Dims known(const Shape& shape) { return {shape.begin(), shape.end()}; }

std::string text_of(const Dim& dim) { return dim ? dim->text() : "?"; }

// Access to one node for its rule.
class Context {
 public:
  Context(Graph& graph, Node& node) : graph_(graph), node_(node) {}

  Node& node() { return node_; }
  [[noreturn]] void fail(const std::string& what) const { refuse(graph_, node_, what); }
  size_t changes() const { return changes_; }

  bool has(size_t index) const { return node_.input(index) != kNone; }
  const Value& in(size_t index) const {
    if (!has(index)) fail(fmt::format("input {} is absent", index));
    return graph_.values[node_.inputs[index]];
  }
  std::optional<Element> element(size_t index) const { return in(index).element; }
  std::optional<Dims> shape(size_t index) const {
    const Value& value = in(index);
    return value.shape ? std::optional(known(*value.shape)) : std::nullopt;
  }
  // The elements of a scalar or of one dimension of integers.
  Contents contents(size_t index) const {
    if (!has(index)) return std::nullopt;
    const Value& value = in(index);
    if (!value.constant) return value.contents;
    const Tensor& tensor = *value.constant;
    if (tensor.shape.size() > 1 || tensor.count() > kMaxContents || is_float(tensor.element) ||
        bits_of(tensor.element) < 8)
      return std::nullopt;
    const auto numbers = int64s(tensor);
    return std::vector<Size>(numbers.begin(), numbers.end());
  }
  std::optional<std::vector<int64_t>> integers(size_t index) const {
    const Contents sizes = contents(index);
    if (!sizes) return std::nullopt;
    std::vector<int64_t> numbers;
    for (const Size& size : *sizes) {
      if (!size.constant()) return std::nullopt;
      numbers.push_back(*size.constant());
    }
    return numbers;
  }
  size_t axis(int64_t axis, size_t rank) const {
    const auto signed_rank = static_cast<int64_t>(rank);
    if (axis < -signed_rank || axis >= signed_rank)
      fail(fmt::format("axis {} is outside of {} dimensions", axis, rank));
    return static_cast<size_t>(axis < 0 ? axis + signed_rank : axis);
  }

  void set(size_t output, std::optional<Element> element, const std::optional<Dims>& dims) {
    if (output >= node_.outputs.size() || node_.outputs[output] == kNone) return;
    set_type(graph_.values[node_.outputs[output]], element, dims);
  }
  void set_contents(Contents contents) {
    if (node_.outputs.empty() || node_.outputs[0] == kNone) return;
    Value& value = graph_.values[node_.outputs[0]];
    if (!contents || contents->size() > kMaxContents || value.contents == contents) return;
    value.contents = std::move(contents);
    ++changes_;
  }
  void set_type(Value& value, std::optional<Element> element, const std::optional<Dims>& dims) {
    if (element && value.element != element) {
      if (value.element)
        fail(fmt::format("result '{}' is declared as {}, and is {}", value.name, to_text(*value.element),
                         to_text(*element)));
      value.element = element;
      ++changes_;
    }
    if (!dims) return;
    if (dims->size() > kMaxRank)
      fail(fmt::format("the result has {} dimensions; at most {} are supported", dims->size(), kMaxRank));
    if (value.shape && value.shape->size() != dims->size())
      fail(fmt::format("result '{}' is declared with {} dimensions, and has {}", value.name,
                       value.shape->size(), dims->size()));
    Shape shape;
    for (size_t i = 0; i < dims->size(); ++i) {
      const Dim declared = value.shape ? Dim((*value.shape)[i]) : std::nullopt;
      const Dim& is = (*dims)[i];
      const auto number = is ? is->constant() : std::nullopt,
                 said = declared ? declared->constant() : std::nullopt;
      if (number && said && *number != *said)
        fail(fmt::format("dimension {} of result '{}' is declared as {}, and is {}", i, value.name, *said,
                         *number));
      if (number && (*number < 0 || *number > kMaxSize))
        fail(
            fmt::format("dimension {} of the result is {}, which is not from 0 to {}", i, *number, kMaxSize));
      if (is && !(said && !number))
        shape.push_back(*is);
      else
        shape.push_back(declared ? *declared : own_symbol(value.name, i));
    }
    if (value.shape == shape) return;
    value.shape = std::move(shape);
    ++changes_;
  }

  // A size for a dimension of the first result: the smaller of this one and a number.
  Size minimum(const Size& size, size_t dimension) {
    const Size symbol = own_symbol(graph_.values[node_.outputs[0]].name, dimension);
    graph_.minima.insert_or_assign(symbol.text(), size);
    return symbol;
  }
  bool is_minimum(const Size& minimum, const Size& size) const {
    const auto found = graph_.minima.find(minimum.text());
    return found != graph_.minima.end() && found->second == size;
  }

  Dim broadcast(const Dim& a, const Dim& b) const {
    if (a && b && *a == *b) return a;
    const auto left = a ? a->constant() : std::nullopt, right = b ? b->constant() : std::nullopt;
    if (left == 1) return b;
    if (right == 1) return a;
    // The smaller of n and 512 fits n where it is n.
    if (a && b && is_minimum(*a, *b)) return b;
    if (a && b && is_minimum(*b, *a)) return a;
    if (left && right) fail(fmt::format("sizes {} and {} do not fit", *left, *right));
    if (left || right) return left ? a : b;
    return std::nullopt;
  }
  std::optional<Dims> broadcast(const std::optional<Dims>& a, const std::optional<Dims>& b) const {
    if (!a || !b) return std::nullopt;
    Dims result(std::max(a->size(), b->size()));
    for (size_t i = 0; i < result.size(); ++i) {
      const auto at = [&](const Dims& dims) -> Dim {
        const size_t missing = result.size() - dims.size();
        return i < missing ? Dim(1) : dims[i - missing];
      };
      result[i] = broadcast(at(*a), at(*b));
    }
    return result;
  }

 private:
  Graph& graph_;
  Node& node_;
  size_t changes_ = 0;
};

using Rule = void (*)(Context&);

void like_input(Context& c) { c.set(0, c.element(0), c.shape(0)); }

void identity(Context& c) {
  like_input(c);
  c.set_contents(c.contents(0));
}

void floating(Context& c) {
  if (c.element(0) && !is_float(*c.element(0)))
    c.fail(fmt::format("the input is {}, not floating point", to_text(*c.element(0))));
  like_input(c);
}

void cast(Context& c) {
  const auto element = element_of(c.node().number("to", 0));
  if (!element) c.fail("casts to a type that is not supported");
  c.set(0, element, c.shape(0));
  // Sizes fit into 32 bits.
  if (*element == Element::kI64 || *element == Element::kI32) c.set_contents(c.contents(0));
}

// The scale may name the size of the last dimension.
void normalization(Context& c) {
  floating(c);
  if (c.node().number("axis", -1) == -1) c.set(0, c.element(0), c.broadcast(c.shape(0), c.shape(1)));
}

std::optional<Element> element_of_two(Context& c, size_t first) {
  const auto a = c.element(first), b = c.element(first + 1);
  if (a && b && *a != *b) c.fail(fmt::format("the inputs are {} and {}", to_text(*a), to_text(*b)));
  return a ? a : b;
}

Dim equality(const Size& a, const Size& b) {
  const Dim difference = calculated([&] { return a - b; });
  if (!difference) return std::nullopt;
  if (const auto number = difference->constant()) return Size(*number == 0 ? 1 : 0);
  // A size is never negative.
  const auto is_size = [](const Size& size) {
    return size.known_part() >= 0 &&
           std::ranges::all_of(size.terms(), [](const auto& term) { return term.second > 0; });
  };
  const auto is_negative = [](const Size& size) { return size.constant().value_or(0) < 0; };
  return (is_size(a) && is_negative(b)) || (is_negative(a) && is_size(b)) ? Dim(0) : std::nullopt;
}

Dim calculate(const std::string& operation, const Size& a, const Size& b) {
  const auto left = a.constant(), right = b.constant();
  if (operation == "Equal") return equality(a, b);
  if (operation == "Add") return calculated([&] { return a + b; });
  if (operation == "Sub") return calculated([&] { return a - b; });
  if (operation == "Mul") return calculated([&] { return a * b; });
  // A size that has to divide without a rest is a quotient, and others round towards 0: sizes are not
  // negative.
  if (operation == "Div" && right && *right > 0 && (!left || *left >= 0))
    return calculated([&] { return a / *right; });
  if (operation == "Div") return divided(a, b);
  if (left && right && operation == "Min") return Size(std::min(*left, *right));
  if (left && right && operation == "Max") return Size(std::max(*left, *right));
  return std::nullopt;
}

void binary(Context& c) {
  static const std::set<std::string, std::less<>> kComparisons = {"Equal", "Less", "LessOrEqual", "Greater",
                                                                  "GreaterOrEqual"};
  const std::string& is = c.node().operation;
  const auto element = is == "Pow" ? c.element(0) : element_of_two(c, 0);
  c.set(0, kComparisons.contains(is) ? Element::kBool : element, c.broadcast(c.shape(0), c.shape(1)));
  const Contents a = c.contents(0), b = c.contents(1);
  if (!a || !b || a->empty() || b->empty() || !c.shape(0) || !c.shape(1)) return;
  const size_t count = std::max(a->size(), b->size());
  if ((a->size() != count && a->size() != 1) || (b->size() != count && b->size() != 1)) return;
  std::vector<Size> result;
  for (size_t i = 0; i < count; ++i) {
    const Dim one = calculate(is, (*a)[a->size() == 1 ? 0 : i], (*b)[b->size() == 1 ? 0 : i]);
    if (!one) return;
    result.push_back(*one);
  }
  c.set_contents(result);
}

void several(Context& c) {
  std::optional<Dims> dims = c.shape(0);
  for (size_t i = 1; i < c.node().inputs.size(); ++i) dims = c.broadcast(dims, c.shape(i));
  c.set(0, c.element(0), dims);
}

void logic(Context& c) { c.set(0, Element::kBool, c.broadcast(c.shape(0), c.shape(1))); }
void boolean(Context& c) { c.set(0, Element::kBool, c.shape(0)); }

void where(Context& c) {
  c.set(0, element_of_two(c, 1), c.broadcast(c.shape(0), c.broadcast(c.shape(1), c.shape(2))));
  const Contents condition = c.contents(0), yes = c.contents(1), no = c.contents(2);
  if (!condition || !yes || !no || condition->size() != yes->size() || yes->size() != no->size()) return;
  std::vector<Size> result;
  for (size_t i = 0; i < yes->size(); ++i) {
    if (!(*condition)[i].constant()) return;
    result.push_back(*(*condition)[i].constant() != 0 ? (*yes)[i] : (*no)[i]);
  }
  c.set_contents(result);
}

void softmax_11(Context& c) {
  like_input(c);
  const auto shape = c.shape(0);
  if (!shape || shape->empty()) return;
  // Normalises over the last axis only: what later opsets mean.
  if (c.axis(c.node().number("axis", 1), shape->size()) + 1 != shape->size()) return;
  c.node().operation.resize(c.node().operation.size() - 3);
  c.node().attributes["axis"] = int64_t{-1};
}

std::optional<Dims> product_shape(Context& c) {
  auto a = c.shape(0), b = c.shape(1);
  if (!a || !b) return std::nullopt;
  if (a->empty() || b->empty()) c.fail("an input is a scalar");
  const bool is_row = a->size() == 1, is_column = b->size() == 1;
  if (is_row) a->insert(a->begin(), Size(1));
  if (is_column) b->push_back(Size(1));
  const Dim depth = a->back(), other = (*b)[b->size() - 2];
  if (depth && other && depth->constant() && other->constant() && *depth != *other)
    c.fail(fmt::format("{} columns are multiplied by {} rows", text_of(depth), text_of(other)));
  Dims shape = *c.broadcast(Dims(a->begin(), a->end() - 2), Dims(b->begin(), b->end() - 2));
  if (!is_row) shape.push_back((*a)[a->size() - 2]);
  if (!is_column) shape.push_back(b->back());
  return shape;
}

void mat_mul(Context& c) { c.set(0, element_of_two(c, 0), product_shape(c)); }
void mat_mul_integer(Context& c) { c.set(0, Element::kI32, product_shape(c)); }
void mat_mul_integer_to_float(Context& c) { c.set(0, c.element(2), product_shape(c)); }

void gemm(Context& c) {
  const auto a = c.shape(0), b = c.shape(1);
  if (a && b && (a->size() != 2 || b->size() != 2)) c.fail("an input is no matrix");
  const bool turns_a = c.node().number("transA", 0) != 0, turns_b = c.node().number("transB", 0) != 0;
  c.set(0, element_of_two(c, 0),
        Dims{a ? (*a)[turns_a ? 1 : 0] : std::nullopt, b ? (*b)[turns_b ? 0 : 1] : std::nullopt});
}

void conv(Context& c) {
  const auto x = c.shape(0), w = c.shape(1);
  if (!x || !w || c.node().text("auto_pad", "NOTSET") != "NOTSET")
    return c.set(0, c.element(0), std::nullopt);
  if (x->size() < 3 || w->size() != x->size())
    c.fail("input and weights differ in rank, or have less than 3 dimensions");
  const size_t spatial = x->size() - 2;
  const auto setting = [&](const char* name, size_t count, int64_t otherwise) {
    auto values = c.node().numbers(name);
    if (values.empty()) values.assign(count, otherwise);
    if (values.size() != count) c.fail(fmt::format("{} has {} numbers, not {}", name, values.size(), count));
    return values;
  };
  const auto strides = setting("strides", spatial, 1), dilations = setting("dilations", spatial, 1);
  const auto pads = setting("pads", 2 * spatial, 0);
  Dims shape = {(*x)[0], (*w)[0]};
  for (size_t i = 0; i < spatial; ++i) {
    const Dim &size = (*x)[2 + i], &reach = (*w)[2 + i];
    shape.push_back(!size || !reach || strides[i] < 1 ? std::nullopt : calculated([&] {
      return (*size + Size(pads[i]) + pads[spatial + i] - Size(dilations[i]) * (*reach - 1) - 1) /
                 strides[i] +
             1;
    }));
    if (const auto number = shape.back() ? shape.back()->constant() : std::nullopt; number && *number < 0)
      c.fail(fmt::format("the kernel is larger than dimension {} of the input", 2 + i));
  }
  c.set(0, element_of_two(c, 0), shape);
}

void reduce(Context& c) {
  const auto element =
      c.node().operation == "ArgMax" || c.node().operation == "ArgMin" ? Element::kI64 : c.element(0);
  const auto shape = c.shape(0);
  const bool is_arg = c.node().operation.starts_with("Arg");
  auto axes = is_arg ? std::optional(std::vector{c.node().number("axis", 0)}) : c.integers(1);
  if (!is_arg && !c.has(1)) axes = std::vector<int64_t>();
  const bool keeps = c.node().number("keepdims", 1) != 0;
  if (!shape) return c.set(0, element, std::nullopt);
  if (!axes) return c.set(0, element, keeps ? std::optional(Dims(shape->size())) : std::nullopt);
  if (axes->empty() && c.node().number("noop_with_empty_axes", 0) != 0) return c.set(0, element, shape);
  std::vector<bool> goes(shape->size(), axes->empty());
  for (const int64_t axis : *axes) goes[c.axis(axis, shape->size())] = true;
  Dims result;
  for (size_t i = 0; i < goes.size(); ++i) {
    if (!goes[i]) result.push_back((*shape)[i]);
    if (goes[i] && keeps) result.push_back(Size(1));
  }
  c.set(0, element, result);
}

void transpose(Context& c) {
  const auto shape = c.shape(0);
  if (!shape) return c.set(0, c.element(0), std::nullopt);
  auto order = c.node().numbers("perm");
  if (order.empty())
    for (size_t i = shape->size(); i-- > 0;) order.push_back(static_cast<int64_t>(i));
  if (order.size() != shape->size() || !is_order(order))
    c.fail(fmt::format("{} is no order of {} axes", shape_text(order), shape->size()));
  Dims result;
  for (const int64_t axis : order) result.push_back((*shape)[static_cast<size_t>(axis)]);
  c.set(0, c.element(0), result);
}

// The number of elements over the sizes that are known; equal ones are left out of both.
Dim open_size(Context& c, Dims from, Dims to) {
  for (auto one = to.begin(); one != to.end();) {
    const auto same =
        std::ranges::find_if(from, [&](const Dim& dim) { return dim && *one && *dim == **one; });
    if (same == from.end()) {
      ++one;
      continue;
    }
    from.erase(same);
    one = to.erase(one);
  }
  Dim above = Size(1), below = Size(1);
  for (const Dim& dim : from) above = above && dim ? calculated([&] { return *above * *dim; }) : std::nullopt;
  for (const Dim& dim : to) below = below && dim ? calculated([&] { return *below * *dim; }) : std::nullopt;
  if (!above || !below) return std::nullopt;
  const auto count = above->constant(), others = below->constant();
  if (count && others && (*others == 0 || *count % *others != 0))
    c.fail(fmt::format("{} elements do not divide by {}", *count, *others));
  return divided(*above, *below);
}

void reshape(Context& c) {
  const auto from = c.shape(0);
  const Contents to = c.contents(1);
  if (!to) {
    const auto rank = c.shape(1) && c.shape(1)->size() == 1 && (*c.shape(1))[0] ? (*c.shape(1))[0]->constant()
                                                                                : std::nullopt;
    if (rank && *rank > static_cast<int64_t>(kMaxRank))
      c.fail(fmt::format("the result has {} dimensions", *rank));
    return c.set(0, c.element(0), rank ? std::optional(Dims(static_cast<size_t>(*rank))) : std::nullopt);
  }
  Dims result(to->begin(), to->end()), others;
  std::optional<size_t> open;
  for (size_t i = 0; i < to->size(); ++i) {
    const auto number = (*to)[i].constant();
    if (number == 0 && c.node().number("allowzero", 0) == 0) {
      if (from && i >= from->size()) c.fail(fmt::format("size {} is 0, and there is none to copy", i));
      result[i] = from ? (*from)[i] : std::nullopt;
    }
    if (number && *number < -1) c.fail(fmt::format("size {} of the shape is {}", i, *number));
    if (number == -1 && open) c.fail("the shape has several sizes of -1");
    if (number == -1)
      open = i;
    else
      others.push_back(result[i]);
  }
  if (open) {
    result[*open] = from ? open_size(c, *from, others) : std::nullopt;
  } else if (from) {
    const Dim rest = open_size(c, *from, others);
    if (rest && rest->constant() && *rest->constant() != 1)
      c.fail("the shapes differ in the number of elements");
  }
  c.set(0, c.element(0), result);
}

void flatten(Context& c) {
  const auto shape = c.shape(0);
  if (!shape) return c.set(0, c.element(0), Dims(2));
  const int64_t axis = c.node().number("axis", 1);
  const size_t cut =
      axis == static_cast<int64_t>(shape->size()) ? shape->size() : c.axis(axis, shape->size());
  const auto product = [&](size_t first, size_t last) -> Dim {
    Dim all = Size(1);
    for (size_t i = first; i < last; ++i)
      all = all && (*shape)[i] ? calculated([&] { return *all * *(*shape)[i]; }) : std::nullopt;
    return all;
  };
  c.set(0, c.element(0), Dims{product(0, cut), product(cut, shape->size())});
}

void squeeze(Context& c) {
  const auto shape = c.shape(0);
  const auto axes = c.integers(1);
  c.set(0, c.element(0), std::nullopt);
  if (!shape || !axes) return;
  std::vector<bool> goes(shape->size());
  for (const int64_t axis : *axes) goes[c.axis(axis, shape->size())] = true;
  Dims result;
  for (size_t i = 0; i < goes.size(); ++i) {
    if (!goes[i]) result.push_back((*shape)[i]);
    if (goes[i] && (*shape)[i] && (*shape)[i]->constant().value_or(1) != 1)
      c.fail(fmt::format("dimension {} is {}, not 1", i, text_of((*shape)[i])));
  }
  c.set(0, c.element(0), result);
  c.set_contents(c.contents(0));
}

void unsqueeze(Context& c) {
  const auto shape = c.shape(0);
  const auto axes = c.integers(1);
  c.set(0, c.element(0), std::nullopt);
  if (!shape || !axes) return;
  const size_t rank = shape->size() + axes->size();
  std::vector<bool> is_new(rank);
  for (const int64_t axis : *axes) is_new[c.axis(axis, rank)] = true;
  if (static_cast<size_t>(std::ranges::count(is_new, true)) != axes->size()) c.fail("an axis is named twice");
  Dims result;
  for (size_t i = 0, next = 0; i < rank; ++i) result.push_back(is_new[i] ? Dim(1) : (*shape)[next++]);
  c.set(0, c.element(0), result);
  if (rank == 1) c.set_contents(c.contents(0));
}

// How many elements a slice takes.
Dim slice_size(const Size& size, int64_t start, int64_t end, int64_t step) {
  if (const auto number = size.constant()) {
    const int64_t low = step > 0 ? 0 : -1, high = step > 0 ? *number : *number - 1;
    if (*number == 0) return Size(0);
    const auto place = [&](int64_t at) { return std::clamp(at < 0 ? at + *number : at, low, high); };
    const int64_t first = std::clamp(place(start), int64_t{0}, high), last = place(end);
    const int64_t length = step > 0 ? last - first : first - last;
    return Size(length <= 0 ? 0 : (length - 1) / std::abs(step) + 1);
  }
  if (step != 1) return std::nullopt;
  if (start == 0 && end >= kMaxSize) return size;
  // From the end on, if it is as long as that: what exporters write for halves has even sizes.
  return std::nullopt;
}

void slice(Context& c) {
  auto shape = c.shape(0);
  if (!shape) return c.set(0, c.element(0), std::nullopt);
  const auto starts = c.integers(1), ends = c.integers(2), steps = c.integers(4);
  const Contents symbolic_ends = c.contents(2), symbolic_starts = c.contents(1);
  auto axes = c.integers(3);
  if (!c.has(3) && symbolic_starts) {
    axes.emplace(symbolic_starts->size());
    std::iota(axes->begin(), axes->end(), 0);
  }
  if (!axes) return c.set(0, c.element(0), Dims(shape->size()));
  if ((symbolic_starts && symbolic_starts->size() != axes->size()) ||
      (symbolic_ends && symbolic_ends->size() != axes->size()) || (steps && steps->size() != axes->size()))
    c.fail("starts, ends, axes and steps are not of one length");
  for (size_t i = 0; i < axes->size(); ++i) {
    Dim& size = (*shape)[c.axis((*axes)[i], shape->size())];
    const bool has_step = !c.has(4) || steps;
    const int64_t step = steps ? (*steps)[i] : 1;
    if (step == 0 || step == std::numeric_limits<int64_t>::min()) c.fail("a step is 0");
    const bool is_whole = size && symbolic_starts && symbolic_ends && has_step && step == 1 &&
                          (*symbolic_starts)[i] == Size(0) && (*symbolic_ends)[i] == *size;
    if (is_whole) continue;
    const bool is_beginning = size && symbolic_starts && symbolic_ends && has_step && step == 1 &&
                              (*symbolic_starts)[i] == Size(0) && !(*symbolic_ends)[i].constant();
    if (is_beginning && size->constant().value_or(0) > 1) {
      size = c.minimum((*symbolic_ends)[i], c.axis((*axes)[i], shape->size()));
      continue;
    }
    size =
        size && starts && ends && has_step ? slice_size(*size, (*starts)[i], (*ends)[i], step) : std::nullopt;
  }
  c.set(0, c.element(0), shape);
  const Contents contents = c.contents(0);
  if (!contents || !starts || !ends || shape->size() != 1 || axes->size() != 1 || (steps && (*steps)[0] != 1))
    return;
  const auto count = static_cast<int64_t>(contents->size());
  const auto place = [&](int64_t at) { return std::clamp<int64_t>(at < 0 ? at + count : at, 0, count); };
  const int64_t first = place((*starts)[0]), last = std::max(first, place((*ends)[0]));
  c.set_contents(std::vector<Size>(contents->begin() + first, contents->begin() + last));
}

void gather(Context& c) {
  const auto from = c.shape(0), which = c.shape(1);
  c.set(0, c.element(0), std::nullopt);
  if (!from || !which) return;
  const size_t axis = c.axis(c.node().number("axis", 0), from->size());
  Dims result(from->begin(), from->begin() + static_cast<ptrdiff_t>(axis));
  result.insert(result.end(), which->begin(), which->end());
  result.insert(result.end(), from->begin() + static_cast<ptrdiff_t>(axis) + 1, from->end());
  c.set(0, c.element(0), result);
  const Contents contents = c.contents(0);
  const auto indices = c.integers(1);
  if (!contents || !indices || from->size() != 1) return;
  std::vector<Size> picked;
  for (int64_t index : *indices) {
    const auto count = static_cast<int64_t>(contents->size());
    if (index < -count || index >= count) c.fail(fmt::format("index {} is outside of {}", index, count));
    picked.push_back((*contents)[static_cast<size_t>(index < 0 ? index + count : index)]);
  }
  c.set_contents(picked);
}

void gather_nd(Context& c) {
  const auto from = c.shape(0), which = c.shape(1);
  c.set(0, c.element(0), std::nullopt);
  if (!from || !which || which->empty() || !which->back() || !which->back()->constant()) return;
  const int64_t batch = c.node().number("batch_dims", 0), depth = *which->back()->constant();
  if (batch < 0 || depth < 0 || batch >= static_cast<int64_t>(which->size()) ||
      depth > static_cast<int64_t>(from->size()) - batch)
    c.fail("the indices do not fit the input");
  Dims result(which->begin(), which->end() - 1);
  result.insert(result.end(), from->begin() + batch + depth, from->end());
  c.set(0, c.element(0), result);
}

void gather_elements(Context& c) { c.set(0, c.element(0), c.shape(1)); }

void concat(Context& c) {
  std::optional<Dims> total = c.shape(0);
  std::optional<Element> element = c.element(0);
  Contents contents = c.contents(0);
  for (size_t i = 1; i < c.node().inputs.size(); ++i) {
    const auto next = c.shape(i);
    if (element && c.element(i) && *element != *c.element(i))
      c.fail(fmt::format("the inputs are {} and {}", to_text(*element), to_text(*c.element(i))));
    if (!element) element = c.element(i);
    const Contents more = c.contents(i);
    if (contents && more)
      contents->insert(contents->end(), more->begin(), more->end());
    else
      contents.reset();
    if (!total || !next) {
      total.reset();
      continue;
    }
    if (next->size() != total->size())
      c.fail(fmt::format("the inputs have {} and {} dimensions", total->size(), next->size()));
    const size_t axis = c.axis(c.node().number("axis", 0), total->size());
    for (size_t k = 0; k < total->size(); ++k) {
      Dim &sum = (*total)[k], other = (*next)[k];
      if (k == axis) {
        sum = sum && other ? calculated([&] { return *sum + *other; }) : std::nullopt;
      } else if (sum && other && sum->constant() && other->constant() && *sum != *other) {
        c.fail(fmt::format("dimension {} is {} and {}", k, text_of(sum), text_of(other)));
      } else if (!sum || (other && other->constant())) {
        sum = other;
      }
    }
  }
  if (total) c.axis(c.node().number("axis", 0), total->size());
  c.set(0, element, total);
  if (total && total->size() == 1) c.set_contents(contents);
}

void split(Context& c) {
  const auto shape = c.shape(0);
  const size_t parts = c.node().outputs.size();
  const auto lengths = c.integers(1);
  if (lengths && lengths->size() != parts)
    c.fail(fmt::format("has {} sizes for {} results", lengths->size(), parts));
  for (size_t i = 0; i < parts; ++i) {
    if (!shape) {
      c.set(i, c.element(0), std::nullopt);
      continue;
    }
    Dims part = *shape;
    Dim& size = part[c.axis(c.node().number("axis", 0), shape->size())];
    const auto whole = size ? size->constant() : std::nullopt;
    if (lengths)
      size = Size((*lengths)[i]);
    else if (!c.has(1) && size && !whole)
      size = divided(*size, Size(static_cast<int64_t>(parts)));
    else if (!c.has(1) && whole) {
      const int64_t count = static_cast<int64_t>(parts), each = (*whole + count - 1) / count;
      size = Size(std::max<int64_t>(0, std::min(each, *whole - static_cast<int64_t>(i) * each)));
    } else {
      size = std::nullopt;
    }
    c.set(i, c.element(0), part);
  }
}

std::optional<Dims> dims_of(const Contents& contents) {
  if (!contents) return std::nullopt;
  return Dims(contents->begin(), contents->end());
}

void expand(Context& c) { c.set(0, c.element(0), c.broadcast(c.shape(0), dims_of(c.contents(1)))); }

void tile(Context& c) {
  auto shape = c.shape(0);
  const Contents repeats = c.contents(1);
  if (shape && repeats && shape->size() != repeats->size())
    c.fail("there is no repeat count for each dimension");
  if (shape)
    for (size_t i = 0; i < shape->size(); ++i)
      (*shape)[i] =
          repeats && (*shape)[i] ? calculated([&] { return *(*shape)[i] * (*repeats)[i]; }) : std::nullopt;
  c.set(0, c.element(0), shape);
}

void constant_of_shape(Context& c) {
  const auto found = c.node().attributes.find("value");
  const auto* const value =
      found == c.node().attributes.end() ? nullptr : std::get_if<Tensor>(&found->second);
  const Contents shape = c.contents(0);
  c.set(0, value != nullptr ? value->element : Element::kF32, dims_of(shape));
  if (value == nullptr || is_float(value->element) || bits_of(value->element) < 8 || value->count() != 1)
    return;
  const auto length = shape && shape->size() == 1 ? (*shape)[0].constant() : std::nullopt;
  if (length && *length <= kMaxContents)
    c.set_contents(std::vector<Size>(static_cast<size_t>(*length), Size(int64s(*value)[0])));
}

void range(Context& c) {
  const Contents start = c.contents(0), limit = c.contents(1), step = c.contents(2);
  Dims shape(1);
  const bool are_scalars =
      start && limit && step && start->size() == 1 && limit->size() == 1 && step->size() == 1;
  if (are_scalars && (*step)[0] == Size(1)) shape[0] = calculated([&] { return (*limit)[0] - (*start)[0]; });
  if (shape[0] && shape[0]->constant().value_or(0) < 0) shape[0] = Size(0);
  c.set(0, c.element(0), shape);
}

void shape_of(Context& c) {
  const auto shape = c.shape(0);
  if (!shape) return c.set(0, Element::kI64, Dims(1));
  const auto rank = static_cast<int64_t>(shape->size());
  const auto bound = [&](const char* name, int64_t otherwise) {
    const int64_t at = c.node().number(name, otherwise);
    return std::clamp<int64_t>(at < 0 ? at + rank : at, 0, rank);
  };
  const int64_t first = bound("start", 0), last = std::max(first, bound("end", rank));
  std::vector<Size> sizes;
  for (int64_t i = first; i < last; ++i) sizes.push_back(*(*shape)[static_cast<size_t>(i)]);
  c.set(0, Element::kI64, Dims{Size(last - first)});
  c.set_contents(sizes);
}

void size_of(Context& c) {
  c.set(0, Element::kI64, Dims());
  const auto shape = c.shape(0);
  if (!shape) return;
  Dim total = Size(1);
  for (const Dim& dim : *shape)
    total = total && dim ? calculated([&] { return *total * *dim; }) : std::nullopt;
  if (total) c.set_contents(std::vector<Size>{*total});
}

void constant(Context& c) {
  try {
    const auto results = evaluate(c.node(), {});
    if (!results) return;
    const Tensor& tensor = (*results)[0];
    c.set(0, tensor.element, Dims(tensor.shape.begin(), tensor.shape.end()));
    if (is_float(tensor.element) || bits_of(tensor.element) < 8 || tensor.shape.size() > 1 ||
        tensor.count() > kMaxContents)
      return;
    const auto numbers = int64s(tensor);
    c.set_contents(std::vector<Size>(numbers.begin(), numbers.end()));
  } catch (const EvaluationError& error) {
    c.fail(error.what());
  }
}

void quantize(Context& c) {
  const auto named = element_of(c.node().number("output_dtype", static_cast<int64_t>(Element::kU8)));
  c.set(0, c.has(2) ? c.element(2) : named, c.shape(0));
}

void dequantize(Context& c) { c.set(0, c.element(1), c.shape(0)); }

void dynamic_quantize(Context& c) {
  c.set(0, Element::kU8, c.shape(0));
  c.set(1, Element::kF32, Dims());
  c.set(2, Element::kU8, Dims());
}

void attention(Context& c) {
  const auto q = c.shape(0), v = c.shape(2);
  if (!q || !v || q->size() != v->size() || (q->size() != 3 && q->size() != 4))
    return c.set(0, c.element(0), std::nullopt);
  Dims shape = *q;
  const int64_t heads = c.node().number("q_num_heads", 1), kv_heads = c.node().number("kv_num_heads", 1);
  shape.back() = v->back();
  if (q->size() == 3 && heads != kv_heads) {
    const Dim width = v->back() && kv_heads > 0 ? divided(*v->back(), Size(kv_heads)) : std::nullopt;
    shape.back() = width ? calculated([&] { return *width * Size(heads); }) : std::nullopt;
  }
  c.set(0, c.element(0), shape);
}

const std::map<std::string_view, Rule>& rules() {
  static const std::map<std::string_view, Rule> all = {
      {"Identity", identity},
      {"Dropout", like_input},
      {"Cast", cast},
      {"Constant", constant},
      {"Neg", like_input},
      {"Abs", like_input},
      {"Sign", like_input},
      {"Relu", like_input},
      {"Clip", like_input},
      {"Trilu", like_input},
      {"CumSum", like_input},
      {"ScatterND", like_input},
      {"ScatterElements", like_input},
      {"RotaryEmbedding", like_input},
      {"Softmax", floating},
      {"LogSoftmax", floating},
      {"Softmax-11", softmax_11},
      {"LogSoftmax-11", softmax_11},
      {"Sqrt", floating},
      {"Exp", floating},
      {"Log", floating},
      {"Erf", floating},
      {"Tanh", floating},
      {"Sin", floating},
      {"Cos", floating},
      {"Floor", floating},
      {"Ceil", floating},
      {"Round", floating},
      {"Sigmoid", floating},
      {"Reciprocal", floating},
      {"Gelu", floating},
      {"Swish", floating},
      {"LayerNormalization", normalization},
      {"RMSNormalization", normalization},
      {"Not", boolean},
      {"IsNaN", boolean},
      {"IsInf", boolean},
      {"Add", binary},
      {"Sub", binary},
      {"Mul", binary},
      {"Div", binary},
      {"Mod", binary},
      {"Pow", binary},
      {"Min", several},
      {"Max", several},
      {"Equal", binary},
      {"Less", binary},
      {"LessOrEqual", binary},
      {"Greater", binary},
      {"GreaterOrEqual", binary},
      {"And", logic},
      {"Or", logic},
      {"Xor", logic},
      {"Where", where},
      {"MatMul", mat_mul},
      {"Gemm", gemm},
      {"MatMulInteger", mat_mul_integer},
      {"MatMulIntegerToFloat", mat_mul_integer_to_float},
      {"Conv", conv},
      {"ReduceSum", reduce},
      {"ReduceMean", reduce},
      {"ReduceMax", reduce},
      {"ReduceMin", reduce},
      {"ReduceProd", reduce},
      {"ReduceL2", reduce},
      {"ReduceSumSquare", reduce},
      {"ArgMax", reduce},
      {"ArgMin", reduce},
      {"Transpose", transpose},
      {"Reshape", reshape},
      {"Flatten", flatten},
      {"Squeeze", squeeze},
      {"Unsqueeze", unsqueeze},
      {"Slice", slice},
      {"Gather", gather},
      {"GatherND", gather_nd},
      {"GatherElements", gather_elements},
      {"Concat", concat},
      {"Split", split},
      {"Expand", expand},
      {"Tile", tile},
      {"ConstantOfShape", constant_of_shape},
      {"Range", range},
      {"Shape", shape_of},
      {"Size", size_of},
      {"QuantizeLinear", quantize},
      {"DequantizeLinear", dequantize},
      {"DynamicQuantizeLinear", dynamic_quantize},
      {"Attention", attention},
  };
  return all;
}

size_t infer(Graph& graph);

// Types of a graph's captured values, and of its outputs where all branches agree.
size_t infer_within(Graph& graph, Node& node, Context& context) {
  size_t changes = 0;
  for (Subgraph& inner : node.subgraphs) {
    for (size_t i = 0; i < inner.captured.size(); ++i) {
      const Value& outside = graph.values[inner.captured[i]];
      Value& within = inner.graph->values[inner.graph->captured[i]];
      within.element = outside.element;
      within.shape = outside.shape;
      within.contents = outside.contents;
    }
    changes += infer(*inner.graph);
  }
  if (!node.is("If") || node.subgraphs.size() != 2) return changes;
  const Graph &one = *node.subgraphs[0].graph, &other = *node.subgraphs[1].graph;
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    if (i >= one.outputs.size() || i >= other.outputs.size())
      context.fail("has more results than its branches");
    const Value &a = one.values[one.outputs[i]], &b = other.values[other.outputs[i]];
    std::optional<Dims> dims;
    if (a.shape && b.shape && a.shape->size() == b.shape->size()) {
      dims.emplace();
      for (size_t k = 0; k < a.shape->size(); ++k)
        dims->push_back((*a.shape)[k] == (*b.shape)[k] ? Dim((*a.shape)[k]) : std::nullopt);
    }
    context.set(i, a.element == b.element ? a.element : std::nullopt, dims);
  }
  return changes;
}

size_t infer(Graph& graph) {
  size_t changes = 0;
  for (Node& node : graph.nodes) {
    Context context(graph, node);
    changes += infer_within(graph, node, context);
    const auto rule = rules().find(node.operation);
    if (rule != rules().end() && node.has_known_domain()) rule->second(context);
    changes += context.changes();
  }
  return changes;
}

}  // namespace

size_t infer_shapes(Graph& graph) { return infer(graph); }

}  // namespace swai::onnx
