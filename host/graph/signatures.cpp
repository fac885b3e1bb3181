#include "host/graph/signatures.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace swai::graph {
namespace {

using Kind = Parameter::Kind;
using Types = std::vector<Type>;

constexpr std::array kFloat = {Element::kF32};
constexpr std::array kFloats = {Element::kF16, Element::kF32};
constexpr std::array kActivations = {Element::kI8, Element::kF32};
constexpr std::array kWeights = {Element::kI4, Element::kI8, Element::kF32};
constexpr std::array kRows = {Element::kI8, Element::kF16, Element::kF32};
constexpr std::array kNumbers = {Element::kI32};
constexpr std::array kBytes = {Element::kI8};
constexpr std::array kAll = {Element::kI4, Element::kI8, Element::kI32, Element::kF16, Element::kF32};

Parameter tensor(const char* name) { return {name, Kind::kTensor, true, ""}; }
Parameter maybe(const char* name) { return {name, Kind::kTensor, false, ""}; }
Parameter size(const char* name) { return {name, Kind::kSize, true, ""}; }
Parameter size_or(const char* name, const char* standard) { return {name, Kind::kSize, false, standard}; }
Parameter real_or(const char* name, const char* standard) { return {name, Kind::kReal, false, standard}; }
Parameter word_or(const char* name, const char* standard, std::vector<std::string> words) {
  return {name, Kind::kWord, false, standard, std::move(words)};
}

Type of(Element element, std::vector<Size> dimensions) { return {element, std::move(dimensions), {}}; }

// A vector of fp32 with a member for each of `count`.
void vector_for(const Use& use, const char* name, const Size& count) {
  if (!use.has(name)) return;
  use.same(use.tensor(name, 1, kFloat).dimensions[0], count, fmt::format("the length of {}", name));
}

Types as_operand(const Use& use) { return {use.tensor("x", 2, kFloat)}; }

Types embedding(const Use& use) {
  const Type& tokens = use.tensor("tokens", 1, kNumbers);
  const Type& table = use.tensor("table", 2, kRows);
  vector_for(use, "scale", table.dimensions[0]);
  if ((table.element == Element::kI8) != use.has("scale"))
    use.fail("a table of i8 has a scale, no other has");
  return {of(Element::kF32, {tokens.dimensions[0], table.dimensions[1]})};
}

Types linear(const Use& use) {
  const Type& x = use.tensor("x", 2, kActivations);
  const Type& weight = use.tensor("weight", 2, kWeights);
  use.same(x.dimensions[1], weight.dimensions[1], "the depth of x and weight");
  const Size rows = x.dimensions[0], columns = weight.dimensions[0];
  vector_for(use, "bias", columns);
  vector_for(use, "x_scale", rows);
  if ((x.element == Element::kI8) != use.has("x_scale"))
    use.fail("x has an x_scale when it is i8, and only then");
  if (weight.element == Element::kI8) vector_for(use, "scale", columns);
  if (weight.element == Element::kI4) {
    const Type& scale = use.tensor("scale", 2, kFloats);
    use.same(scale.dimensions[0], columns, "the rows of scale");
    use.same(scale.dimensions[1], weight.dimensions[1] / use.count("group"), "the groups in a row of scale");
  }
  if ((weight.element != Element::kF32) != use.has("scale")) use.fail("weight has a scale unless it is f32");
  if (use.has("residual")) {
    const Type& residual = use.tensor("residual", 2, kFloat);
    use.same(residual.dimensions[0], rows, "the rows of x and residual");
    use.same(residual.dimensions[1], columns, "the columns of weight and residual");
  }
  return {of(Element::kF32, {rows, columns})};
}

Types norm(const Use& use) {
  const Type& x = use.tensor("x", 2, kFloat);
  vector_for(use, "weight", x.dimensions[1]);
  vector_for(use, "bias", x.dimensions[1]);
  return {x};
}

Types rotary(const Use& use) {
  const Type& x = use.tensor("x", 2, kFloat);
  use.same(x.dimensions[1] / (2 * use.count("heads")) * (2 * use.count("heads")), x.dimensions[1],
           "the width of x, and heads of an even width");
  return {x};
}

Types attention(const Use& use) {
  const Type& q = use.tensor("q", 2, kActivations);
  const Type& k = use.tensor("k", 2, kRows);
  const Type& v = use.tensor("v", 2, kRows);
  const int64_t heads = use.count("heads");
  const int64_t kv_heads = use.size("kv_heads") == Size(0) ? heads : use.count("kv_heads");
  if (heads % kv_heads != 0)
    use.fail(fmt::format("{} heads cannot share {} kv_heads evenly", heads, kv_heads));
  use.same(k.dimensions[0], v.dimensions[0], "the rows of k and v");
  use.same(k.dimensions[1] * (heads / kv_heads), q.dimensions[1], "the width of q, and of k for its heads");
  use.same(q.dimensions[1] / heads * heads, q.dimensions[1], "the width of q, and of its heads together");
  if (use.word("causal") == "yes") {
    use.same(use.size("past") + q.dimensions[0], k.dimensions[0],
             "past and the rows of q together, and the rows of k");
  }
  const Size width = v.dimensions[1] * (heads / kv_heads);
  return {of(Element::kF32, {q.dimensions[0], width})};
}

Types extend(const Use& use) {
  const Type& state = use.tensor("state", 2, kRows);
  const Type& rows = use.tensor("rows", 2, kRows);
  use.same(rows.dimensions[1], state.dimensions[1], "the width of state and rows");
  const Size end = use.size("at") + rows.dimensions[0];
  use.at_most(0, use.size("at"), "at");
  use.at_most(end, state.dimensions[0], "the last row that is written");
  return {of(state.element, {end, state.dimensions[1]})};
}

Types pairwise(const Use& use) {
  const Type& a = use.tensor("a", 2, kFloat);
  const Type& b = use.tensor("b", 2, kFloat);
  use.same(a.dimensions[0], b.dimensions[0], "the rows of a and b");
  use.same(a.dimensions[1], b.dimensions[1], "the width of a and b");
  return {a};
}

Types argmax(const Use& use) { return {of(Element::kI32, {use.tensor("x", 2, kFloat).dimensions[0]})}; }

Types top_k(const Use& use) {
  const Type& x = use.tensor("x", 2, kFloat);
  const Size count = use.count("count");
  use.at_most(count, x.dimensions[1], "count");
  return {of(Element::kF32, {x.dimensions[0], count}), of(Element::kI32, {x.dimensions[0], count})};
}

// Rows are moments in time.
Types convolution(const Use& use) {
  const Type& x = use.tensor("x", 2, kActivations);
  const Type& weight = use.tensor("weight", 3, kWeights);
  use.same(x.dimensions[1], weight.dimensions[1], "the channels of x and weight");
  vector_for(use, "bias", weight.dimensions[0]);
  const Size covered = x.dimensions[0] + use.size("padding") * 2 - weight.dimensions[2];
  use.at_most(0, covered, "the kernel's length less than x with its padding: the rest");
  return {of(Element::kF32, {covered / use.count("stride") + 1, weight.dimensions[0]})};
}

Types transpose(const Use& use) {
  const Type& x = use.tensor("x", 2, kAll);
  return {of(x.element, {x.dimensions[1], x.dimensions[0]})};
}

Types concat(const Use& use) {
  const Type& a = use.tensor("a", 2, kAll);
  const Type& b = use.tensor("b", 2, kAll);
  if (a.element != b.element) use.fail("a and b have different elements");
  use.same(a.dimensions[1], b.dimensions[1], "the width of a and b");
  return {of(a.element, {a.dimensions[0] + b.dimensions[0], a.dimensions[1]})};
}

Types slice(const Use& use) {
  const Type& x = use.tensor("x", 2, kAll);
  use.at_most(0, use.size("first"), "first");
  use.at_most(1, use.size("rows"), "rows");
  use.at_most(use.size("first") + use.size("rows"), x.dimensions[0], "the last row");
  return {of(x.element, {use.size("rows"), x.dimensions[1]})};
}

Types quantise(const Use& use) {
  const Type& x = use.tensor("x", 2, kFloat);
  return {of(Element::kI8, x.dimensions), of(Element::kF32, {x.dimensions[0]})};
}

Types dequantise(const Use& use) {
  const Type& x = use.tensor("x", 2, kBytes);
  vector_for(use, "scale", x.dimensions[0]);
  return {of(Element::kF32, x.dimensions)};
}

const std::vector<Signature>& table() {
  static const std::vector<Signature> kTable = {
      {"embedding", "rows of a table", {tensor("tokens"), tensor("table"), maybe("scale")}, embedding},
      {"linear",
       "x times the transposed weight; bias, activation and residual on the way out",
       {tensor("x"), tensor("weight"), maybe("scale"), maybe("bias"), maybe("residual"), maybe("x_scale"),
        size_or("group", "32"), word_or("activation", "none", {"none", "gelu", "gelu_tanh", "silu", "relu"})},
       linear},
      {"layer_norm",
       "rows with mean 0 and variance 1, scaled and shifted",
       {tensor("x"), tensor("weight"), tensor("bias"), real_or("epsilon", "1e-5")},
       norm},
      {"rms_norm",
       "rows with a mean square of 1, scaled",
       {tensor("x"), tensor("weight"), real_or("epsilon", "1e-5")},
       norm},
      {"rotary",
       "turns pairs of each head by an angle that grows with the position",
       {tensor("x"), size("heads"), size_or("at", "0"), real_or("base", "10000.0")},
       rotary},
      {"attention",
       "softmax of q times k, times v, head by head",
       {tensor("q"), tensor("k"), tensor("v"), size("heads"), size_or("kv_heads", "0"), size_or("past", "0"),
        word_or("causal", "no", {"no", "yes"})},
       attention},
      {"extend",
       "writes rows into a state; what it gives are the state's rows up to them",
       {tensor("state"), tensor("rows"), size("at")},
       extend,
       true},
      {"add", "a + b", {tensor("a"), tensor("b")}, pairwise, false, true},
      {"multiply", "a * b, element by element", {tensor("a"), tensor("b")}, pairwise, false, true},
      {"gelu",
       "x * P(X <= x)",
       {tensor("x"), word_or("form", "erf", {"erf", "tanh"})},
       as_operand,
       false,
       true},
      {"silu", "x / (1 + e^-x)", {tensor("x")}, as_operand, false, true},
      {"relu", "x, or 0 when it is negative", {tensor("x")}, as_operand, false, true},
      {"softmax", "e^x over its sum, row by row", {tensor("x")}, as_operand},
      {"log_softmax", "the logarithm of softmax", {tensor("x")}, as_operand},
      {"argmax", "the number of the largest of each row", {tensor("x")}, argmax},
      {"top_k", "the largest of each row, and their numbers", {tensor("x"), size("count")}, top_k},
      {"convolution",
       "over rows; weight is [out, in, length]",
       {tensor("x"), tensor("weight"), maybe("bias"), size_or("stride", "1"), size_or("padding", "0"),
        word_or("activation", "none", {"none", "gelu", "gelu_tanh", "silu", "relu"})},
       convolution},
      {"transpose", "rows become columns", {tensor("x")}, transpose},
      {"concat", "the rows of a, then those of b", {tensor("a"), tensor("b")}, concat},
      {"slice", "some rows", {tensor("x"), size("first"), size("rows")}, slice},
      {"quantise", "x in int8, and the scale of each row", {tensor("x")}, quantise},
      {"dequantise", "x times the scale of its row", {tensor("x"), tensor("scale")}, dequantise},
      {"copy",
       "the same elsewhere",
       {tensor("x")},
       [](const Use& use) -> Types { return {use.tensor("x", 2, kAll)}; },
       false,
       true},
  };
  return kTable;
}

}  // namespace

std::span<const Signature> signatures() { return table(); }

const Signature* find_signature(const std::string& name) {
  const auto found = std::ranges::find(table(), name, &Signature::name);
  return found == table().end() ? nullptr : &*found;
}

std::optional<ValueId> Use::operand(const std::string& name) const {
  const auto found = std::ranges::find(signature_.parameters, name, &Parameter::name);
  // A rule may serve operators that do not all take it.
  if (found == signature_.parameters.end()) return std::nullopt;
  return node_.operands[static_cast<size_t>(found - signature_.parameters.begin())];
}

bool Use::has(const std::string& name) const { return operand(name).has_value(); }

const Type& Use::tensor(const std::string& name, size_t dimensions, std::span<const Element> elements) const {
  const std::optional<ValueId> value = operand(name);
  if (!value) fail(fmt::format("{} is missing", name));
  const Type& type = graph_.values[*value].type;
  if (type.dimensions.size() != dimensions) {
    fail(fmt::format("{} is {}; it should have {} dimension{}", name, type.text(), dimensions,
                     dimensions == 1 ? "" : "s"));
  }
  if (std::ranges::find(elements, type.element) == elements.end()) {
    std::vector<std::string> names;
    for (const Element element : elements) names.emplace_back(to_text(element));
    fail(fmt::format("{} is {}; its elements should be {}", name, type.text(), fmt::join(names, " or ")));
  }
  return type;
}

Size Use::size(const std::string& name) const { return std::get<Size>(node_.settings.at(name)); }
std::string Use::word(const std::string& name) const {
  return std::get<std::string>(node_.settings.at(name));
}

int64_t Use::count(const std::string& name) const {
  const std::optional<int64_t> known = size(name).constant();
  if (!known || *known < 1) {
    fail(fmt::format("{} is {}; it has to be a number, 1 or more", name, size(name).text()));
  }
  return *known;
}

void Use::same(const Size& a, const Size& b, const std::string& what) const {
  if (!(a == b)) fail(fmt::format("{} differ: {} and {}", what, a.text(), b.text()));
}

void Use::at_most(const Size& a, const Size& b, const std::string& what) const {
  if ((b - a).range(graph_.symbols).least < 0) {
    fail(fmt::format("{} must stay within bounds: {} may be more than {}", what, a.text(), b.text()));
  }
}

void Use::fail(const std::string& message) const {
  throw GraphError(node_.place, fmt::format("{}{}: {}", signature_.name, node_.context, message));
}

}  // namespace swai::graph
