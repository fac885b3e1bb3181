// SPDX-License-Identifier: Apache-2.0
#include "host/models/graph/signatures.hpp"

#include <algorithm>

#include "host/models/graph/rules.hpp"
#include "host/models/graph/writers.hpp"

namespace swai::graph {
namespace {

using Kind = Parameter::Kind;

Parameter tensor(const char* name) { return {name, Kind::kTensor, true, ""}; }
Parameter maybe(const char* name) { return {name, Kind::kTensor, false, ""}; }
Parameter size(const char* name) { return {name, Kind::kSize, true, ""}; }
Parameter size_or(const char* name, const char* standard) { return {name, Kind::kSize, false, standard}; }
Parameter real_or(const char* name, const char* standard) { return {name, Kind::kReal, false, standard}; }
Parameter word_or(const char* name, const char* standard, std::vector<std::string> words) {
  return {name, Kind::kWord, false, standard, std::move(words)};
}
Parameter element_or(const char* standard) { return word_or("to", standard, {"f16", "f32"}); }
// How the matrices of several products lie in a tensor.
Parameter by(const char* name) { return word_or(name, "rows", {"rows", "columns"}); }
// Which no position is.
constexpr const char* kNoPosition = "-1";
Parameter activation() {
  return word_or("activation", "none", {"none", "gelu", "gelu_tanh", "silu", "relu"});
}

const std::vector<Signature>& table() {
  static const std::vector<Signature> kTable = {
      {.name = "embedding",
       .what = "rows of a table, and of positions from `at` on; rows 0: of all tokens, else of so many from "
               "`first` on. Without scales rows are multiplied by factor",
       .parameters = {tensor("tokens"), tensor("table"), maybe("scale"), maybe("positions"),
                      real_or("factor", "1.0"), size_or("at", "0"), size_or("first", "0"),
                      size_or("rows", "0")},
       .results = rules::embedding,
       .write = writers::embedding,
       .by_rows = true},
      {.name = "linear",
       .what =
           "x times the transposed weight; bias, activation and residual (rows, or one for all) on the way "
           "out",
       .parameters = {tensor("x"), tensor("weight"), maybe("scale"), maybe("bias"), maybe("residual"),
                      maybe("x_scale"), size_or("x_group", "128"), activation(), element_or("f32")},
       .results = rules::linear,
       .write = writers::linear,
       .by_rows = true},
      {.name = "linear_row",
       .what = "linear of one row with a weight of i8, and before it layer_norm (norm, norm_bias), rms_norm "
               "(norm) or none, in one node. linear becomes it by itself where that takes less time",
       .parameters = {tensor("x"), tensor("weight"), tensor("scale"), maybe("bias"), maybe("residual"),
                      maybe("norm"), maybe("norm_bias"), real_or("epsilon", "1e-5"),
                      size_or("x_group", "128"), activation()},
       .results = rules::linear_row,
       .write = writers::linear_row,
       .by_rows = true},
      {.name = "matmul",
       .what =
           "a times b, for several products at once, whose matrices lie one below the other (rows) or side "
           "by side (columns); transposed: b is columns x depth",
       .parameters = {tensor("a"), tensor("b"), size_or("products", "1"), by("a_by"), by("b_by"), by("to_by"),
                      word_or("transposed", "no", {"no", "yes"}), element_or("f32")},
       .results = rules::matmul,
       .write = writers::matmul},
      {.name = "layer_norm",
       .what = "rows with mean 0 and variance 1, scaled and shifted",
       .parameters = {tensor("x"), tensor("weight"), tensor("bias"), real_or("epsilon", "1e-5")},
       .results = rules::norm,
       .write = writers::layer_norm,
       .by_rows = true},
      {.name = "rms_norm",
       .what = "rows with a mean square of 1, scaled; with heads each of the equal parts of a row by itself",
       .parameters = {tensor("x"), tensor("weight"), real_or("epsilon", "1e-5"), size_or("heads", "1")},
       .results = rules::rms_norm,
       .write = writers::rms_norm,
       .by_rows = true},
      {.name = "rotary",
       .what = "turns channels i and i + half of each head by what the table's rows from `at` on say, or "
               "those at the rows' positions",
       .parameters = {tensor("x"), tensor("table"), maybe("positions"), size("heads"), size_or("at", "0")},
       .results = rules::rotary,
       .write = writers::rotary,
       .by_rows = true},
      {.name = "attention",
       .what = "softmax of scale times q times k, times v, head by head; scale 0: 1 / sqrt(width of a head). "
               "Rows with positions, `past` at most, are of texts of their own, whose keys chunks name",
       .parameters = {tensor("q"), tensor("k"), tensor("v"), maybe("k_scale"), maybe("v_scale"),
                      maybe("positions"), maybe("chunks"), size("heads"), size_or("kv_heads", "0"),
                      size_or("past", "0"), word_or("causal", "no", {"no", "yes"}), real_or("scale", "0.0"),
                      word_or("products", "f32", {"f32", "i8"})},
       .results = rules::attention,
       .write = writers::attention,
       .workspace = writers::attention_workspace},
      {.name = "extend",
       .what = "writes rows into a state, or elements into one that is a vector; gives the state up to them. "
               "copied: by a node of its own, even where the one that makes the rows could",
       .parameters = {tensor("state"), tensor("rows"), size("at"), word_or("copied", "no", {"no", "yes"})},
       .results = rules::extend,
       .write = writers::extend,
       .in_place = true},
      {.name = "place",
       .what = "writes each row into a state, where its position is, in the chunks of 64 rows that its text "
               "has; gives the state",
       .parameters = {tensor("state"), tensor("rows"), tensor("positions"), maybe("chunks")},
       .results = rules::place,
       .write = writers::place,
       .in_place = true},
      {.name = "add",
       .what = "a + b; b has as many rows, or one for all",
       .parameters = {tensor("a"), tensor("b")},
       .results = rules::pairwise,
       .write = writers::add,
       .elementwise = true,
       .by_rows = true},
      {.name = "multiply",
       .what = "a * b, element by element; b has as many rows, or one for all",
       .parameters = {tensor("a"), tensor("b")},
       .results = rules::pairwise,
       .write = writers::multiply,
       .elementwise = true,
       .by_rows = true},
      {.name = "gelu",
       .what = "x * P(X <= x)",
       .parameters = {tensor("x"), word_or("form", "erf", {"erf", "tanh"})},
       .results = rules::as_operand,
       .write = writers::gelu,
       .elementwise = true,
       .by_rows = true},
      {.name = "silu",
       .what = "x / (1 + e^-x)",
       .parameters = {tensor("x")},
       .results = rules::as_operand,
       .write = writers::silu,
       .elementwise = true,
       .by_rows = true},
      {.name = "relu",
       .what = "x, or 0 when it is negative",
       .parameters = {tensor("x")},
       .results = rules::as_operand,
       .write = writers::relu,
       .elementwise = true,
       .by_rows = true},
      {.name = "softmax",
       .what = "e^(scale x) over its sum, row by row",
       .parameters = {tensor("x"), real_or("scale", "1.0")},
       .results = rules::as_operand,
       .write = writers::softmax,
       .workspace = writers::softmax_workspace,
       .by_rows = true},
      {.name = "log_softmax",
       .what = "the logarithm of softmax",
       .parameters = {tensor("x"), real_or("scale", "1.0")},
       .results = rules::as_operand,
       .write = writers::log_softmax,
       .workspace = writers::softmax_workspace,
       .by_rows = true},
      {.name = "argmax",
       .what = "the number of the largest of each row",
       .parameters = {tensor("x")},
       .results = rules::argmax,
       .write = writers::argmax,
       .workspace = writers::argmax_workspace},
      {.name = "sample",
       .what = "a token of each row, as settings say (SampleSettings), and the logarithm of its "
               "probability; position, or each row's, counts the generator",
       .parameters = {tensor("logits"), tensor("settings"), maybe("positions"),
                      size_or("position", kNoPosition)},
       .results = rules::sample,
       .write = writers::sample,
       .workspace = writers::sample_workspace},
      {.name = "penalise",
       .what = "less of the columns that tokens name, as settings say (SampleSettings); rows of a state, in "
               "place",
       .parameters = {tensor("x"), tensor("tokens"), tensor("settings")},
       .results = rules::penalise,
       .write = writers::penalise,
       .in_place = true},
      {.name = "mask",
       .what = "-infinity where a bit is set, and in ranges of columns (first, end); rows of a state, in "
               "place, or of what is to be there (of)",
       .parameters = {tensor("x"), maybe("bits"), maybe("ranges"), maybe("of")},
       .results = rules::mask,
       .write = writers::mask,
       .in_place = true},
      {.name = "prefer_group",
       .what = "only columns from the first one on where they are more probable together than each one "
               "before; rows "
               "of a state, in place",
       .parameters = {tensor("x"), size("first")},
       .results = rules::prefer_group,
       .write = writers::prefer_group,
       .workspace = writers::prefer_group_workspace,
       .in_place = true},
      {.name = "top_k",
       .what = "the largest of each row, and their numbers",
       .parameters = {tensor("x"), size("count")},
       .results = rules::top_k,
       .write = writers::top_k,
       .workspace = writers::top_k_workspace},
      {.name = "convolution",
       .what = "over rows; weight is [out, length, in]",
       .parameters = {tensor("x"), tensor("weight"), maybe("bias"), maybe("residual"), size_or("stride", "1"),
                      size_or("padding", "0"), activation(), element_or("f32")},
       .results = rules::convolution,
       .write = writers::convolution,
       .by_rows = true},
      {.name = "transpose",
       .what = "rows become columns",
       .parameters = {tensor("x")},
       .results = rules::transpose,
       .write = writers::transpose},
      {.name = "concat",
       .what = "the rows of a, then those of b",
       .parameters = {tensor("a"), tensor("b")},
       .results = rules::concat,
       .write = writers::concat},
      {.name = "slice",
       .what = "some rows",
       .parameters = {tensor("x"), size("first"), size("rows")},
       .results = rules::slice,
       .write = writers::slice},
      {.name = "quantise",
       .what =
           "x in i8, and its scales: one for each row, or for each `group` of its columns, group by group",
       .parameters = {tensor("x"), size_or("group", "0")},
       .results = rules::quantise,
       .write = writers::quantise},
      {.name = "dequantise",
       .what = "x times its scales, as quantise makes them",
       .parameters = {tensor("x"), tensor("scale"), size_or("group", "0")},
       .results = rules::dequantise,
       .write = writers::dequantise},
      {.name = "cast",
       .what = "x with other elements",
       .parameters = {tensor("x"), element_or("f16")},
       .results = rules::cast,
       .write = writers::cast,
       .by_rows = true},
      {.name = "copy",
       .what = "the same elsewhere",
       .parameters = {tensor("x")},
       .results = rules::copy,
       .write = writers::copy,
       .elementwise = true},
  };
  return kTable;
}

}  // namespace

Setting standard_of(const Parameter& parameter) {
  if (parameter.kind == Kind::kSize) return Size(std::stoll(parameter.standard));
  if (parameter.kind == Kind::kReal) return std::stod(parameter.standard);
  return parameter.standard;
}

std::span<const Signature> signatures() { return table(); }

const Signature* find_signature(const std::string& name) {
  const auto found = std::ranges::find(table(), name, &Signature::name);
  return found == table().end() ? nullptr : &*found;
}

}  // namespace swai::graph
