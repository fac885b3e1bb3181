// SPDX-License-Identifier: Apache-2.0
#include "host/models/graph/rules.hpp"

#include <fmt/format.h>

#include <array>

#include "cpe-kernels/operators/common/places.hpp"
#include "cpe-kernels/operators/sample/settings.hpp"

namespace swai::graph::rules {
namespace {

constexpr std::array kFloat = {Element::kF32};
constexpr std::array kFloats = {Element::kF16, Element::kF32};
constexpr std::array kActivations = {Element::kI8, Element::kF16, Element::kF32};
constexpr std::array kWeights = {Element::kI4, Element::kI8, Element::kF16, Element::kF32};
constexpr std::array kBytes = {Element::kI8};
constexpr std::array kRows = {Element::kI8, Element::kF16, Element::kF32};
constexpr std::array kNumbers = {Element::kI32};
constexpr std::array kWhole = {Element::kI8, Element::kI32};
constexpr int64_t kSettingsWords = sizeof(operators::SampleSettings) / sizeof(uint32_t);
constexpr std::array kAll = {Element::kI4, Element::kI8, Element::kI32, Element::kF16, Element::kF32};

Type of(Element element, std::vector<Size> dimensions) {
  Type type;
  type.element = element;
  type.dimensions = std::move(dimensions);
  return type;
}

// A vector of fp32 with a member for each of `count`.
void vector_for(const Use& use, const char* name, const Size& count) {
  if (!use.has(name)) return;
  use.same(use.tensor(name, 1, kFloat).dimensions[0], count, fmt::format("the length of {}", name));
}

// Rows from `at` on, one for each of `count`.
void rows_within(const Use& use, const Size& count, const Type& table) {
  use.at_most(0, use.size("at"), "at");
  use.at_most(use.size("at") + count, table.dimensions[0], "the last row of the table that is read");
}

Size groups(const Type& x, int64_t group) { return (x.dimensions[1] + (group - 1)) / group; }

void scales_of_groups(const Use& use, const char* name, const Size& count, const Type& x) {
  const Type& scales = use.tensor(name, 2, kFloat);
  use.same(scales.dimensions[0], count, fmt::format("the rows of {}, and the groups of x", name));
  use.same(scales.dimensions[1], x.dimensions[0], fmt::format("the width of {}, and the rows of x", name));
}

// As quantise makes them: a vector for whole rows, or a row for each group with one for each row of x.
void scales_of_rows(const Use& use, const char* name, const char* group, const Type& x) {
  const size_t dimensions = use.graph().values[*use.operand(name)].type.dimensions.size();
  if (dimensions == 1) return vector_for(use, name, x.dimensions[0]);
  scales_of_groups(use, name, groups(x, use.count(group)), x);
}

// A row for each of x, or one for all.
void one_or_same(const Use& use, const char* name, const Type& type, const Type& x) {
  if (!(type.dimensions[0] == Size(1)))
    use.same(type.dimensions[0], x.dimensions[0], std::string("the rows of ") + name + " and x");
}

// True: rows are of texts of their own.
bool have_positions(const Use& use, const Size& rows) {
  if (!use.has("positions")) return false;
  use.same(use.tensor("positions", 1, kNumbers).dimensions[0], rows, "the length of positions, and the rows");
  return true;
}

// Rows of x that a text can have: in chunks, of which each row of `of` has a list, or all have one.
Size room_of_text(const Use& use, const Type& x, const Type& of) {
  if (!use.has("chunks")) return x.dimensions[0];
  const Type& chunks = use.tensor("chunks", 2, kNumbers);
  one_or_same(use, "chunks", chunks, of);
  return chunks.dimensions[1] * Size(operators::kChunkRows);
}

// As the setting `to` has it.
Element wanted(const Use& use) { return *element_of(use.word("to")); }

// What a product gives, if what is added at its end has the same shape, or is one row for all.
Type product(const Use& use, const Size& rows, const Size& columns) {
  Type made = of(Element::kF32, {rows, columns});
  if (use.has("residual")) {
    const Type& residual = use.tensor("residual", 2, kFloats);
    if (!(residual.dimensions[0] == Size(1)))
      use.same(residual.dimensions[0], rows, "the rows of the result and of residual");
    use.same(residual.dimensions[1], columns, "the columns of weight and residual");
  }
  return made;
}

}  // namespace

std::vector<Type> as_operand(const Use& use) { return {use.tensor("x", 2, kFloats)}; }

std::vector<Type> cast(const Use& use) {
  const Type& x = use.graph().values[*use.operand("x")].type;
  return {of(wanted(use), use.tensor("x", x.dimensions.size(), kFloats).dimensions)};
}

std::vector<Type> embedding(const Use& use) {
  const Type& tokens = use.tensor("tokens", 1, kNumbers);
  const Type& table = use.tensor("table", 2, kRows);
  vector_for(use, "scale", table.dimensions[0]);
  if ((table.element == Element::kI8) != use.has("scale"))
    use.fail("a table of i8 has a scale, no other has");
  if (use.has("scale") && use.real("factor") != 1) use.fail("a table with scales has no factor");
  Size rows = use.size("rows");
  if (rows == Size(0)) {
    rows = tokens.dimensions[0];
    use.same(use.size("first"), Size(0), "first without rows, and 0");
  } else {
    use.at_most(0, use.size("first"), "first");
    use.at_most(1, rows, "rows");
    use.at_most(use.size("first") + rows, tokens.dimensions[0], "the last token");
  }
  if (use.has("positions")) {
    const Type& positions = use.tensor("positions", 2, kFloat);
    use.same(positions.dimensions[1], table.dimensions[1], "the width of table and positions");
    rows_within(use, rows, positions);
  }
  return {of(Element::kF32, {rows, table.dimensions[1]})};
}

// Columns of x that share a scale, where the card makes scales: all of a row, or a number.
void group_is_known(const Use& use) {
  if (!(use.size("x_group") == Size(0))) use.count("x_group");
}

std::vector<Type> linear(const Use& use) {
  const Type& x = use.tensor("x", 2, kRows);
  const Type& weight = use.packed_weight("weight", kWeights);
  use.same(x.dimensions[1], weight.dimensions[1], "the depth of x and weight");
  const Size rows = x.dimensions[0], columns = weight.dimensions[0];
  const bool whole = weight.element == Element::kF32 || weight.element == Element::kF16;
  if (whole && x.element == Element::kI8) use.fail("x is i8; it may be so when weight is i8 or i4");
  vector_for(use, "bias", columns);
  if ((x.element == Element::kI8) != use.has("x_scale"))
    use.fail("x has an x_scale when it is i8, and only then");
  if (use.has("x_scale")) {
    if (weight.packed && weight.packed->tiles != 0) {
      vector_for(use, "x_scale", rows);
    } else {
      scales_of_rows(use, "x_scale", "x_group", x);
    }
  }
  group_is_known(use);
  vector_for(use, "scale", columns);
  if (whole == use.has("scale")) use.fail("weight has a scale unless it is f32 or f16");
  Type made = product(use, rows, columns);
  made.element = wanted(use);
  return {made};
}

namespace {

// Of one of several matrices that lie in a tensor.
std::array<Size, 2> of_one(const Use& use, const Type& all, const char* place, int64_t products) {
  const bool beside = use.word(place) == "columns";
  std::array<Size, 2> one = {all.dimensions[0], all.dimensions[1]};
  Size& shared = one[beside ? 1 : 0];
  shared = shared / products;
  use.same(shared * products, all.dimensions[beside ? 1 : 0],
           fmt::format("the {} of a tensor, and those of its {} matrices", use.word(place), products));
  return one;
}

}  // namespace

std::vector<Type> matmul(const Use& use) {
  const int64_t products = use.count("products");
  const std::array<Size, 2> a = of_one(use, use.tensor("a", 2, kFloats), "a_by", products);
  std::array<Size, 2> b = of_one(use, use.tensor("b", 2, kFloats), "b_by", products);
  if (use.word("transposed") == "yes") std::swap(b[0], b[1]);
  use.same(a[1], b[0], "the columns of a and the depth of b");
  const bool beside = use.word("to_by") == "columns";
  return {of(wanted(use), {a[0] * (beside ? 1 : products), b[1] * (beside ? products : 1)})};
}

std::vector<Type> linear_row(const Use& use) {
  const Type& x = use.tensor("x", 2, kFloat);
  const Type& weight = use.packed_weight("weight", kBytes);
  if (weight.packed->tiles != 0) use.fail("the weight is sparse, which only linear takes");
  use.same(x.dimensions[0], 1, "the rows of x, and 1");
  use.same(x.dimensions[1], weight.dimensions[1], "the depth of x and weight");
  group_is_known(use);
  const Size columns = weight.dimensions[0];
  vector_for(use, "scale", columns);
  vector_for(use, "bias", columns);
  vector_for(use, "norm", x.dimensions[1]);
  vector_for(use, "norm_bias", x.dimensions[1]);
  if (use.has("norm_bias") && !use.has("norm")) use.fail("norm_bias is there without norm");
  return {product(use, 1, columns)};
}

std::vector<Type> norm(const Use& use) {
  const Type& x = use.tensor("x", 2, kFloat);
  vector_for(use, "weight", x.dimensions[1]);
  vector_for(use, "bias", x.dimensions[1]);
  return {x};
}

std::vector<Type> rms_norm(const Use& use) {
  const Type& x = use.tensor("x", 2, kFloat);
  const int64_t heads = use.count("heads");
  const Size width = x.dimensions[1] / heads;
  use.same(width * heads, x.dimensions[1], "the width of heads together, and of x");
  vector_for(use, "weight", width);
  return {x};
}

std::vector<Type> rotary(const Use& use) {
  const Type& x = use.tensor("x", 2, kFloat);
  const Type& table = use.tensor("table", 2, kFloat);
  use.same(table.dimensions[1] * use.count("heads"), x.dimensions[1],
           "the width of table times heads, and the width of x");
  if (have_positions(use, x.dimensions[0])) {
    use.same(use.size("at"), Size(0), "at beside positions, and 0");
  } else {
    rows_within(use, x.dimensions[0], table);
  }
  return {x};
}

std::vector<Type> attention(const Use& use) {
  const Type& q = use.tensor("q", 2, kFloats);
  const Type& k = use.tensor("k", 2, kRows);
  const Type& v = use.tensor("v", 2, kRows);
  if (k.element != v.element) use.fail("k and v have different elements");
  const int64_t heads = use.count("heads");
  const int64_t kv_heads = use.size("kv_heads") == Size(0) ? heads : use.count("kv_heads");
  if (heads % kv_heads != 0)
    use.fail(fmt::format("{} heads cannot share {} kv_heads evenly", heads, kv_heads));
  use.same(k.dimensions[0], v.dimensions[0], "the rows of k and v");
  use.same(k.dimensions[1] * (heads / kv_heads), q.dimensions[1], "the width of q, and of k for its heads");
  use.same(q.dimensions[1] / heads * heads, q.dimensions[1], "the width of q, and of its heads together");
  if (have_positions(use, q.dimensions[0])) {
    if (use.word("causal") != "yes" || use.word("products") != "f32")
      use.fail("rows have positions with causal: yes and products: f32 only");
    use.at_most(0, use.size("past"), "past");
    use.at_most(use.size("past") + 1, room_of_text(use, k, q), "the last key that a row sees");
  } else if (use.has("chunks")) {
    use.fail("chunks come with positions");
  } else if (use.word("causal") == "yes") {
    use.same(use.size("past") + q.dimensions[0], k.dimensions[0],
             "past and the rows of q together, and the rows of k");
  }
  use.same(k.dimensions[1], v.dimensions[1], "the width of k and v");
  const bool bytes = k.element == Element::kI8;
  if (bytes && use.word("products") != "i8") use.fail("k and v are i8; they may be so with products: i8");
  for (const auto& [name, rows] : {std::pair("k_scale", &k), std::pair("v_scale", &v)}) {
    if (bytes != use.has(name))
      use.fail(fmt::format("k and v have a {} when they are i8, and only then", name));
    if (bytes) scales_of_groups(use, name, kv_heads, *rows);
  }
  return {of(Element::kF32, q.dimensions)};
}

// A vector grows by elements.
std::vector<Type> extend_vector(const Use& use) {
  const Type& state = use.tensor("state", 1, kNumbers);
  const Size end = use.size("at") + use.tensor("rows", 1, kNumbers).dimensions[0];
  use.at_most(0, use.size("at"), "at");
  use.at_most(end, state.dimensions[0], "the last element that is written");
  return {of(state.element, {end})};
}

std::vector<Type> extend(const Use& use) {
  if (use.graph().values[*use.operand("state")].type.dimensions.size() == 1) return extend_vector(use);
  const Type& state = use.tensor("state", 2, kRows);
  const Type& rows = use.tensor("rows", 2, kRows);
  use.same(rows.dimensions[1], state.dimensions[1], "the width of state and rows");
  const Size end = use.size("at") + rows.dimensions[0];
  use.at_most(0, use.size("at"), "at");
  use.at_most(end, state.dimensions[0], "the last row that is written");
  return {of(state.element, {end, state.dimensions[1]})};
}

std::vector<Type> place(const Use& use) {
  const Type& state = use.tensor("state", 2, kRows);
  const Type& rows = use.tensor("rows", 2, kRows);
  use.same(rows.dimensions[1], state.dimensions[1], "the width of state and rows");
  have_positions(use, rows.dimensions[0]);
  room_of_text(use, state, rows);
  return {state};
}

std::vector<Type> pairwise(const Use& use) {
  const Type& a = use.tensor("a", 2, kFloats);
  const Type& b = use.tensor("b", 2, kFloats);
  if (!(b.dimensions[0] == Size(1))) use.same(a.dimensions[0], b.dimensions[0], "the rows of a and b");
  use.same(a.dimensions[1], b.dimensions[1], "the width of a and b");
  return {of(a.element == b.element ? a.element : Element::kF32, a.dimensions)};
}

std::vector<Type> argmax(const Use& use) {
  return {of(Element::kI32, {use.tensor("x", 2, kFloat).dimensions[0]})};
}

std::vector<Type> sample(const Use& use) {
  const Type& logits = use.tensor("logits", 2, kFloat);
  const Type& settings = use.tensor("settings", 2, kNumbers);
  const Size rows = logits.dimensions[0];
  one_or_same(use, "settings", settings, logits);
  use.same(settings.dimensions[1], kSettingsWords, "the width of settings, and what a row's settings take");
  const bool has_position = !(use.size("position") == Size(-1));
  if (have_positions(use, rows) == has_position) use.fail("takes position or positions, one of both");
  if (has_position) use.at_most(0, use.size("position"), "position");
  return {of(Element::kI32, {rows}), of(Element::kF32, {rows})};
}

std::vector<Type> penalise(const Use& use) {
  const Type& x = use.tensor("x", 2, kFloat);
  const Type& settings = use.tensor("settings", 2, kNumbers);
  const bool for_all = use.graph().values[*use.operand("tokens")].type.dimensions.size() == 1;
  const Type& tokens = use.tensor("tokens", for_all ? 1 : 2, kNumbers);
  if (!for_all) one_or_same(use, "tokens", tokens, x);
  one_or_same(use, "settings", settings, x);
  use.same(settings.dimensions[1], kSettingsWords, "the width of settings, and what a row's settings take");
  return {x};
}

std::vector<Type> mask(const Use& use) {
  const Type& x = use.tensor("x", 2, kFloat);
  if (!use.has("bits") && !use.has("ranges")) use.fail("there are neither bits nor ranges");
  if (use.has("bits")) {
    const Type& bits = use.tensor("bits", 2, kNumbers);
    one_or_same(use, "bits", bits, x);
    use.same(bits.dimensions[1], (x.dimensions[1] + 31) / 32,
             "the words of bits, and those that x has columns for");
  }
  if (use.has("ranges")) {
    const Type& ranges = use.tensor("ranges", 2, kNumbers);
    one_or_same(use, "ranges", ranges, x);
    use.same(ranges.dimensions[1] / 2 * 2, ranges.dimensions[1], "two words a range and the width of ranges");
  }
  if (use.has("of")) {
    const Type& of = use.tensor("of", 2, kFloat);
    for (size_t i = 0; i < 2; ++i) use.same(of.dimensions[i], x.dimensions[i], "of, and x");
  }
  return {x};
}

std::vector<Type> prefer_group(const Use& use) {
  const Type& x = use.tensor("x", 2, kFloat);
  use.at_most(1, use.size("first"), "1, and first");
  use.at_most(use.size("first") + 1, x.dimensions[1], "first");
  return {x};
}

std::vector<Type> top_k(const Use& use) {
  const Type& x = use.tensor("x", 2, kFloat);
  const Size count = use.count("count");
  use.at_most(count, x.dimensions[1], "count");
  return {of(Element::kF32, {x.dimensions[0], count}), of(Element::kI32, {x.dimensions[0], count})};
}

// Rows are moments in time.
std::vector<Type> convolution(const Use& use) {
  const Type& x = use.tensor("x", 2, kActivations);
  const Type& weight = use.tensor("weight", 3, kWeights);
  use.same(x.dimensions[1], weight.dimensions[2], "the channels of x and weight");
  vector_for(use, "bias", weight.dimensions[0]);
  const Size covered = x.dimensions[0] + use.size("padding") * 2 - weight.dimensions[1];
  use.at_most(0, covered, "the kernel's length less than x with its padding: the rest");
  Type made = product(use, covered / use.count("stride") + 1, weight.dimensions[0]);
  made.element = wanted(use);
  return {made};
}

std::vector<Type> transpose(const Use& use) {
  const Type& x = use.tensor("x", 2, kAll);
  return {of(x.element, {x.dimensions[1], x.dimensions[0]})};
}

std::vector<Type> concat(const Use& use) {
  const Type& a = use.tensor("a", 2, kAll);
  const Type& b = use.tensor("b", 2, kAll);
  if (a.element != b.element) use.fail("a and b have different elements");
  use.same(a.dimensions[1], b.dimensions[1], "the width of a and b");
  return {of(a.element, {a.dimensions[0] + b.dimensions[0], a.dimensions[1]})};
}

std::vector<Type> slice(const Use& use) {
  const Type& x = use.tensor("x", 2, kAll);
  use.at_most(0, use.size("first"), "first");
  use.at_most(1, use.size("rows"), "rows");
  use.at_most(use.size("first") + use.size("rows"), x.dimensions[0], "the last row");
  return {of(x.element, {use.size("rows"), x.dimensions[1]})};
}

std::vector<Type> quantise(const Use& use) {
  const Type& x = use.tensor("x", 2, kFloats);
  std::vector<Size> scales = {x.dimensions[0]};
  if (use.size("group") != Size(0)) scales.insert(scales.begin(), groups(x, use.count("group")));
  return {of(Element::kI8, x.dimensions), of(Element::kF32, scales)};
}

std::vector<Type> dequantise(const Use& use) {
  const Type& x = use.tensor("x", 2, kWhole);
  scales_of_rows(use, "scale", "group", x);
  return {of(Element::kF32, x.dimensions)};
}

std::vector<Type> copy(const Use& use) { return {use.tensor("x", 2, kAll)}; }

}  // namespace swai::graph::rules
