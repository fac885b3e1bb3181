// SPDX-License-Identifier: Apache-2.0
#include "host/models/graph/writers.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "cpe-kernels/operators/argmax/plan.hpp"
#include "cpe-kernels/operators/attention/plan.hpp"
#include "cpe-kernels/operators/attention_int8/plan.hpp"
#include "cpe-kernels/operators/copy/plan.hpp"
#include "cpe-kernels/operators/elementwise/plan.hpp"
#include "cpe-kernels/operators/embedding/plan.hpp"
#include "cpe-kernels/operators/linear/plan.hpp"
#include "cpe-kernels/operators/linear_fp32/plan.hpp"
#include "cpe-kernels/operators/linear_row/plan.hpp"
#include "cpe-kernels/operators/linear_sparse/plan.hpp"
#include "cpe-kernels/operators/linear_w4/plan.hpp"
#include "cpe-kernels/operators/logits/plan.hpp"
#include "cpe-kernels/operators/matmul/plan.hpp"
#include "cpe-kernels/operators/norm/plan.hpp"
#include "cpe-kernels/operators/quantise/plan.hpp"
#include "cpe-kernels/operators/rotary/plan.hpp"
#include "cpe-kernels/operators/sample/plan.hpp"
#include "cpe-kernels/operators/softmax/plan.hpp"
#include "cpe-kernels/operators/top_k/plan.hpp"
#include "cpe-kernels/operators/transpose/plan.hpp"
#include "cpe-kernels/operators/unary/plan.hpp"

namespace swai::graph::writers {
namespace {

using namespace operators;

// Some rows of a value.
struct Rows {
  ValueId value;
  Size first = 0;
};

Arguments<CopyArgs> rows_copied(Emitter& out, const Rows& target, const Rows& source, const Size& count) {
  const auto element = [&](const Rows& rows) { return out.type(rows.value).element; };
  if (element(target) != element(source)) {
    out.use().fail(fmt::format("{} would have to be converted to {} first, by an operator of its own",
                               out.graph().values[source.value].name, to_text(element(target))));
  }
  Arguments<CopyArgs> node(out);
  node.at(&CopyArgs::to, target.value, target.first);
  node.at(&CopyArgs::from, source.value, source.first);
  node.set(&CopyArgs::row_bytes, out.type(source.value).row_bytes());
  node.set(&CopyArgs::to_stride, out.stride(target.value));
  node.set(&CopyArgs::from_stride, out.stride(source.value));
  node.set(&CopyArgs::rows, count);
  return node;
}

void copy_rows(Emitter& out, const Rows& target, const Rows& source, const Size& count) {
  rows_copied(out, target, source, count).finish(Operator::kCopy);
}

// From row to row; none where one row serves all.
Size stride_or_none(Emitter& out, ValueId id) { return out.rows(id) == Size(1) ? Size(0) : out.stride(id); }

void binary(Emitter& out, Operator what) {
  const ValueId a = out.operand("a"), b = out.operand("b"), y = out.result();
  Arguments<BinaryArgs> node(out);
  node.at(&BinaryArgs::to, y);
  node.at(&BinaryArgs::a, a);
  node.at(&BinaryArgs::b, b);
  node.set(&BinaryArgs::rows, out.rows(y));
  node.set(&BinaryArgs::columns, out.columns(y));
  node.set(&BinaryArgs::to_stride, out.stride(y));
  node.set(&BinaryArgs::a_stride, out.stride(a));
  node.set(&BinaryArgs::b_stride, stride_or_none(out, b));
  node->to_type = out.number(y);
  node->a_type = out.number(a);
  node->b_type = out.number(b);
  node.finish(what);
}

// What has one matrix on each side: all such arguments have these names. `parts`: of a row, each a row to the
// card.
template <typename Args>
Arguments<Args> matrix(Emitter& out, int64_t parts = 1) {
  const ValueId x = out.operand("x"), y = out.result();
  Arguments<Args> node(out);
  node.at(&Args::to, y);
  node.at(&Args::from, x);
  node.set(&Args::rows, out.rows(x) * parts);
  node.set(&Args::to_stride, out.stride(y) / parts);
  node.set(&Args::from_stride, out.stride(x) / parts);
  if constexpr (requires { &Args::columns; }) node.set(&Args::columns, out.columns(x) / parts);
  if constexpr (requires { &Args::to_type; }) node->to_type = out.number(y);
  if constexpr (requires { &Args::from_type; }) node->from_type = out.number(x);
  return node;
}

void unary(Emitter& out, Operator what) { matrix<UnaryArgs>(out).finish(what); }

Arguments<NormArgs> norm(Emitter& out, int64_t heads = 1) {
  Arguments<NormArgs> node = matrix<NormArgs>(out, heads);
  node.at(&NormArgs::gamma, out.operand("weight"));
  node->epsilon = static_cast<float>(out.use().real("epsilon"));
  return node;
}

void softmax(Emitter& out, Operator what) {
  Arguments<SoftmaxArgs> node = matrix<SoftmaxArgs>(out);
  if (const auto workspace = out.workspace()) node.at(&SoftmaxArgs::workspace, *workspace);
  node->scale = static_cast<float>(out.use().real("scale"));
  node.finish(what);
}

// What an operator needs for its operand's rows and columns, when these are as many as they can be.
Size workspace(const Use& use, const char* operand, uint64_t (*bytes)(uint32_t, uint32_t)) {
  const Type& x = use.graph().values[*use.operand(operand)].type;
  const auto most = [&](const Size& size) {
    return static_cast<uint32_t>(size.range(use.graph().symbols).most);
  };
  return static_cast<int64_t>(bytes(most(x.rows()), most(x.dimensions[1])));
}

// Rows of texts of their own.
template <typename Args>
void positions(Emitter& out, Arguments<Args>& node) {
  if (const auto positions = out.use().operand("positions")) node.at(&Args::positions, *positions);
}
template <typename Args>
void chunks(Emitter& out, Arguments<Args>& node) {
  const auto chunks = out.use().operand("chunks");
  if (!chunks) return;
  node.at(&Args::chunks, *chunks);
  node.set(&Args::chunks_stride, stride_or_none(out, *chunks));
}

// How many columns share a scale: `scales` is a vector when all do.
template <typename Args>
void scales(Emitter& out, Arguments<Args>& node, ValueId scales, const Size& columns, const char* group) {
  if (out.type(scales).dimensions.size() == 1) {
    node.set(&Args::group, columns);
  } else {
    const Size size = out.use().size(group);
    const bool all = out.type(scales).dimensions[0] == Size(1);
    node.set(&Args::group, all ? columns : size);
  }
}

uint16_t function_of(const std::string& activation) {
  static const std::map<std::string, Operator> kFunctions = {{"gelu", Operator::kGeluErf},
                                                             {"gelu_tanh", Operator::kGeluTanh},
                                                             {"silu", Operator::kSilu},
                                                             {"relu", Operator::kRelu}};
  const auto found = kFunctions.find(activation);
  return found == kFunctions.end() ? uint16_t{0} : static_cast<uint16_t>(found->second);
}

// What all products have: x, of which `depth` count for a row, weight, and what happens on the way out.
template <typename Args>
Arguments<Args> product_of_row(Emitter& out, const Size& depth) {
  const ValueId x = out.operand("x"), w = out.operand("weight"), y = out.result();
  Arguments<Args> node(out);
  node.at(&Args::to, y);
  node.at(&Args::x, x);
  node.at(&Args::w, w);
  if (const auto bias = out.use().operand("bias")) node.at(&Args::biases, *bias);
  if (const auto residual = out.use().operand("residual")) {
    node.at(&Args::residual, *residual);
    node->residual_type = out.number(*residual);
  }
  node.set(&Args::depth, depth);
  node.set(&Args::columns, out.columns(y));
  node->function = function_of(out.use().word("activation"));
  node->to_type = out.number(y);
  return node;
}

template <typename Args>
Arguments<Args> product(Emitter& out, const Size& depth, const Size& x_stride) {
  const ValueId y = out.result();
  Arguments<Args> node = product_of_row<Args>(out, depth);
  if (const auto residual = out.use().operand("residual"))
    node.set(&Args::residual_stride, stride_or_none(out, *residual));
  node.set(&Args::rows, out.rows(y));
  node.set(&Args::to_stride, out.stride(y));
  node.set(&Args::x_stride, x_stride);
  return node;
}

void linear_fp32(Emitter& out) {
  const ValueId x = out.operand("x"), w = out.operand("weight");
  Arguments<LinearFp32Args> node = product<LinearFp32Args>(out, out.columns(x), out.stride(x));
  node.set(&LinearFp32Args::w_stride, out.stride(w));
  node->x_type = out.number(x);
  node->w_type = out.number(w);
  node.finish(Operator::kLinearFp32);
}

// Each row of the result is the product with some rows of x, one behind the other as they lie in memory.
void convolution_fp32(Emitter& out) {
  const ValueId x = out.operand("x"), w = out.operand("weight");
  const Size depth = out.type(w).dimensions[1] * out.columns(w);
  Arguments<LinearFp32Args> node =
      product<LinearFp32Args>(out, depth, out.stride(x) * out.use().size("stride"));
  node.set(&LinearFp32Args::w_stride, depth * Size(bytes_of(out.number(w))));
  node->x_type = out.number(x);
  node->w_type = out.number(w);
  node.finish(Operator::kLinearFp32);
}

template <typename Args>
Arguments<Args> product_of_few_bits(Emitter& out) {
  const ValueId x = out.operand("x");
  Arguments<Args> node = product<Args>(out, out.columns(x), out.stride(x));
  const ValueId x_scale = out.operand("x_scale");
  node.at(&Args::x_scales, x_scale);
  node.at(&Args::w_scales, out.operand("scale"));
  node.set(&Args::x_scales_stride, out.stride(x_scale));
  scales(out, node, x_scale, out.columns(x), "x_group");
  return node;
}

void linear_w8(Emitter& out) { product_of_few_bits<LinearArgs>(out).finish(Operator::kLinear); }

void linear_w4(Emitter& out) {
  const Packing packing = *out.type(out.operand("weight")).packed;
  Arguments<LinearW4Args> node = product_of_few_bits<LinearW4Args>(out);
  node->w_group = static_cast<uint8_t>(packing.group);
  node->minima = packing.minima ? 1 : 0;
  node.finish(Operator::kLinearW4);
}

void linear_sparse(Emitter& out) {
  const ValueId x = out.operand("x");
  Arguments<LinearSparseArgs> node = product<LinearSparseArgs>(out, out.columns(x), out.stride(x));
  node.at(&LinearSparseArgs::x_scales, out.operand("x_scale"));
  node.at(&LinearSparseArgs::w_scales, out.operand("scale"));
  node->tiles = static_cast<uint8_t>(out.type(out.operand("weight")).packed->tiles);
  node.finish(Operator::kLinearSparse);
}

struct Heads {
  uint32_t count;
  uint32_t of_keys;
  uint32_t width;
};
Heads heads_of(const Use& use) {
  const Size columns = use.graph().values[*use.operand("q")].type.dimensions[1];
  const std::optional<int64_t> known = columns.constant();
  if (!known) use.fail("the width of its heads has to be known");
  const int64_t count = use.count("heads");
  const int64_t of_keys = use.size("kv_heads") == Size(0) ? count : use.count("kv_heads");
  return {static_cast<uint32_t>(count), static_cast<uint32_t>(of_keys),
          static_cast<uint32_t>(*known / count)};
}

}  // namespace

void add(Emitter& out) { binary(out, Operator::kAdd); }
void multiply(Emitter& out) { binary(out, Operator::kMul); }
void relu(Emitter& out) { unary(out, Operator::kRelu); }
void silu(Emitter& out) { unary(out, Operator::kSilu); }
void gelu(Emitter& out) {
  unary(out, out.use().word("form") == "erf" ? Operator::kGeluErf : Operator::kGeluTanh);
}
void cast(Emitter& out) { unary(out, Operator::kCast); }
void rms_norm(Emitter& out) { norm(out, out.use().count("heads")).finish(Operator::kRmsNorm); }
void layer_norm(Emitter& out) {
  Arguments<NormArgs> node = norm(out);
  node.at(&NormArgs::beta, out.operand("bias"));
  node.finish(Operator::kLayerNorm);
}
void softmax(Emitter& out) { softmax(out, Operator::kSoftmax); }
void log_softmax(Emitter& out) { softmax(out, Operator::kLogSoftmax); }

void embedding(Emitter& out) {
  const ValueId table = out.operand("table"), y = out.result();
  Arguments<EmbeddingArgs> node(out);
  node.at(&EmbeddingArgs::to, y);
  node.at(&EmbeddingArgs::table, table);
  node.at_word(&EmbeddingArgs::tokens, out.operand("tokens"), out.use().size("first"));
  if (const auto scale = out.use().operand("scale")) node.at(&EmbeddingArgs::scales, *scale);
  if (const auto positions = out.use().operand("positions")) {
    node.at(&EmbeddingArgs::positions, *positions, out.use().size("at"));
    node.set(&EmbeddingArgs::positions_stride, out.stride(*positions));
  }
  node.set(&EmbeddingArgs::rows, out.rows(y));
  node.set(&EmbeddingArgs::columns, out.columns(y));
  node.set(&EmbeddingArgs::vocabulary, out.rows(table));
  node.set(&EmbeddingArgs::to_stride, out.stride(y));
  node.set(&EmbeddingArgs::table_stride, out.stride(table));
  node->to_type = out.number(y);
  node->factor = static_cast<float>(out.use().real("factor"));
  node->table_type = out.number(table);
  node.finish(Operator::kEmbedding);
}

void rotary(Emitter& out) {
  const ValueId table = out.operand("table");
  Arguments<RotaryArgs> node = matrix<RotaryArgs>(out);
  node.at(&RotaryArgs::table, table, out.use().size("at"));
  node.set(&RotaryArgs::heads, out.use().size("heads"));
  node.set(&RotaryArgs::width, out.columns(table));
  node.set(&RotaryArgs::table_stride, out.stride(table));
  positions(out, node);
  node.finish(Operator::kRotary);
}

void linear(Emitter& out) {
  switch (out.type(out.operand("weight")).element) {
    case Element::kI8:
      return out.type(out.operand("weight")).packed->tiles != 0 ? linear_sparse(out) : linear_w8(out);
    case Element::kI4:
      return linear_w4(out);
    default:
      return linear_fp32(out);
  }
}

void matmul(Emitter& out) {
  const ValueId a = out.operand("a"), b = out.operand("b"), y = out.result();
  const int64_t products = out.use().count("products");
  const bool transposed = out.use().word("transposed") == "yes";
  // Of a matrix of those in a value, and how far the next one is.
  const auto beside = [&](const char* place) { return out.use().word(place) == "columns"; };
  const auto rows = [&](ValueId id, const char* place) {
    return beside(place) ? out.rows(id) : out.rows(id) / products;
  };
  const auto columns = [&](ValueId id, const char* place) {
    return beside(place) ? out.columns(id) / products : out.columns(id);
  };
  const auto step = [&](ValueId id, const char* place) {
    if (products == 1) return Size(0);
    return beside(place) ? columns(id, place) * Size(bytes_of(out.number(id)))
                         : rows(id, place) * out.stride(id);
  };
  Arguments<MatmulArgs> node(out);
  node.at(&MatmulArgs::to, y);
  node.at(&MatmulArgs::a, a);
  node.at(&MatmulArgs::b, b);
  node->products = static_cast<uint32_t>(products);
  node.set(&MatmulArgs::rows, rows(a, "a_by"));
  node.set(&MatmulArgs::depth, columns(a, "a_by"));
  node.set(&MatmulArgs::columns, columns(y, "to_by"));
  node.set(&MatmulArgs::to_stride, out.stride(y));
  node.set(&MatmulArgs::a_stride, out.stride(a));
  node.set(&MatmulArgs::b_stride, out.stride(b));
  node.set(&MatmulArgs::to_step, step(y, "to_by"));
  node.set(&MatmulArgs::a_step, step(a, "a_by"));
  node.set(&MatmulArgs::b_step, step(b, "b_by"));
  node->to_type = out.number(y);
  node->a_type = out.number(a);
  node->b_type = out.number(b);
  node->transposed = transposed ? 1 : 0;
  node.finish(Operator::kMatmul);
}

void linear_row(Emitter& out) {
  const Size depth = out.columns(out.operand("x"));
  Arguments<LinearRowArgs> node = product_of_row<LinearRowArgs>(out, depth);
  node.at(&LinearRowArgs::w_scales, out.operand("scale"));
  if (const auto norm = out.use().operand("norm")) node.at(&LinearRowArgs::gamma, *norm);
  if (const auto bias = out.use().operand("norm_bias")) node.at(&LinearRowArgs::beta, *bias);
  node->epsilon = static_cast<float>(out.use().real("epsilon"));
  const Size group = out.use().size("x_group");
  const bool all = group == Size(0) || depth.range(out.graph().symbols).most <= group.range({}).most;
  node.set(&LinearRowArgs::group, all ? depth : group);
  node.finish(Operator::kLinearRow);
}

void convolution(Emitter& out) {
  const Use& use = out.use();
  if (!(use.size("padding") == Size(0)))
    use.fail(
        "the card has no rows beside x: put rows of zeros there (extend writes into a state) instead of "
        "padding");
  const Element element = out.type(out.operand("weight")).element;
  if (element != Element::kF32 && element != Element::kF16)
    use.fail("the card has no convolutions with weights of i8 or i4 yet");
  convolution_fp32(out);
}

// Each row has its own number of keys, or there are as many as k has rows.
Size keys_of(const Use& use) {
  if (use.has("positions")) return use.size("past") + 1;
  return use.graph().values[*use.operand("k")].type.rows();
}

// What attention has in common, whatever computes its products.
template <typename Args>
Arguments<Args> attention_of(Emitter& out) {
  const Heads heads = heads_of(out.use());
  const ValueId q = out.operand("q"), k = out.operand("k"), v = out.operand("v"), y = out.result();
  const auto same_stride = [&](ValueId a, ValueId b, const char* what) {
    if (!(out.stride(a) == out.stride(b)))
      out.use().fail(fmt::format("the rows of {} lie differently far apart", what));
    return out.stride(a);
  };
  Arguments<Args> node(out);
  node.at(&Args::to, y);
  node.at(&Args::q, q);
  node.at(&Args::k, k);
  node.at(&Args::v, v);
  node.set(&Args::rows, out.rows(q));
  node.set(&Args::keys, keys_of(out.use()));
  node.set(&Args::to_stride, out.stride(y));
  node.set(&Args::q_stride, out.stride(q));
  node.set(&Args::kv_stride, same_stride(k, v, "k and v"));
  if (out.use().has("k_scale")) {
    const ValueId k_scale = out.operand("k_scale"), v_scale = out.operand("v_scale");
    node.at(&Args::k_scales, k_scale);
    node.at(&Args::v_scales, v_scale);
    node.set(&Args::scales_stride, same_stride(k_scale, v_scale, "k_scale and v_scale"));
  }
  node->heads = heads.count;
  node->kv_heads = heads.of_keys;
  node->width = heads.width;
  const double scale = out.use().real("scale");
  node->scale = static_cast<float>(scale != 0 ? scale : 1 / std::sqrt(heads.width));
  node->causal = out.use().word("causal") == "yes" ? 1 : 0;
  node->to_type = out.number(y);
  node->q_type = out.number(q);
  return node;
}

void attention(Emitter& out) {
  if (out.use().word("products") == "i8")
    return attention_of<AttentionInt8Args>(out).finish(Operator::kAttentionInt8);
  Arguments<AttentionArgs> node = attention_of<AttentionArgs>(out);
  if (const auto workspace = out.workspace()) node.at(&AttentionArgs::workspace, *workspace);
  node->kv_type = out.number(out.operand("k"));
  positions(out, node);
  chunks(out, node);
  node.finish(Operator::kAttention);
}

Size attention_workspace(const Use& use) {
  if (use.word("products") == "i8") return 0;
  const Heads heads = heads_of(use);
  const auto most = [&](const Size& size) {
    return static_cast<uint32_t>(size.range(use.graph().symbols).most);
  };
  const Size rows = use.graph().values[*use.operand("q")].type.rows();
  return static_cast<int64_t>(
      attention_workspace_bytes(most(rows), heads.count, heads.of_keys, heads.width, most(keys_of(use))));
}

void quantise(Emitter& out) {
  const ValueId scale = out.result(1);
  Arguments<QuantiseArgs> node = matrix<QuantiseArgs>(out);
  node.at(&QuantiseArgs::scales, scale);
  node.set(&QuantiseArgs::scales_stride, out.stride(scale));
  scales(out, node, scale, out.columns(out.operand("x")), "group");
  node.finish(Operator::kQuantise);
}

void dequantise(Emitter& out) {
  const ValueId scale = out.operand("scale");
  Arguments<DequantiseArgs> node = matrix<DequantiseArgs>(out);
  node.at(&DequantiseArgs::scales, scale);
  node.set(&DequantiseArgs::scales_stride, out.stride(scale));
  scales(out, node, scale, out.columns(out.operand("x")), "group");
  node.finish(Operator::kDequantise);
}

void transpose(Emitter& out) {
  Arguments<TransposeArgs> node = matrix<TransposeArgs>(out);
  node->element_bytes = bytes_of(out.number(out.result()));
  node.finish(Operator::kTranspose);
}

void argmax(Emitter& out) {
  const ValueId x = out.operand("x");
  Arguments<ArgmaxArgs> node(out);
  node.at(&ArgmaxArgs::to, out.result());
  node.at(&ArgmaxArgs::from, x);
  node.at(&ArgmaxArgs::workspace, out.result(1));
  node.set(&ArgmaxArgs::rows, out.rows(x));
  node.set(&ArgmaxArgs::columns, out.columns(x));
  node.set(&ArgmaxArgs::from_stride, out.stride(x));
  node.finish(Operator::kArgmax);
}

void sample(Emitter& out) {
  const ValueId x = out.operand("logits"), settings = out.operand("settings");
  Arguments<SampleArgs> node(out);
  node.at(&SampleArgs::to, out.result(0));
  node.at(&SampleArgs::log_probabilities, out.result(1));
  node.at(&SampleArgs::workspace, out.result(2));
  node.at(&SampleArgs::from, x);
  node.at(&SampleArgs::settings, settings);
  node.set(&SampleArgs::rows, out.rows(x));
  node.set(&SampleArgs::columns, out.columns(x));
  node.set(&SampleArgs::from_stride, out.stride(x));
  node.set(&SampleArgs::settings_stride, stride_or_none(out, settings));
  if (out.use().has("positions")) {
    positions(out, node);
  } else {
    node.set(&SampleArgs::position, out.use().size("position"));
  }
  node.finish(Operator::kSample);
}

// What changes rows of x where they are.
template <typename Args>
Arguments<Args> in_place(Emitter& out) {
  const ValueId x = out.operand("x");
  Arguments<Args> node(out);
  node.at(&Args::to, x);
  node.set(&Args::rows, out.rows(x));
  node.set(&Args::columns, out.columns(x));
  node.set(&Args::to_stride, out.stride(x));
  return node;
}

void penalise(Emitter& out) {
  const ValueId tokens = out.operand("tokens"), settings = out.operand("settings");
  Arguments<PenaliseArgs> node = in_place<PenaliseArgs>(out);
  node.at(&PenaliseArgs::tokens, tokens);
  node.at(&PenaliseArgs::settings, settings);
  node.set(&PenaliseArgs::count, out.columns(tokens));
  node.set(&PenaliseArgs::tokens_stride, stride_or_none(out, tokens));
  node.set(&PenaliseArgs::settings_stride, stride_or_none(out, settings));
  node.finish(Operator::kPenalise);
}

void mask(Emitter& out) {
  Arguments<MaskArgs> node = in_place<MaskArgs>(out);
  if (const auto of = out.use().operand("of")) {
    node.at(&MaskArgs::from, *of);
    node.set(&MaskArgs::from_stride, out.stride(*of));
  }
  if (const auto bits = out.use().operand("bits")) {
    node.at(&MaskArgs::bits, *bits);
    node.set(&MaskArgs::bits_stride, stride_or_none(out, *bits));
  }
  if (const auto ranges = out.use().operand("ranges")) {
    node.at(&MaskArgs::ranges, *ranges);
    node.set(&MaskArgs::ranges_stride, stride_or_none(out, *ranges));
    node.set(&MaskArgs::range_count, out.columns(*ranges) / 2);
  }
  node.finish(Operator::kMask);
}

void prefer_group(Emitter& out) {
  Arguments<PreferGroupArgs> node = in_place<PreferGroupArgs>(out);
  if (const auto workspace = out.workspace()) node.at(&PreferGroupArgs::workspace, *workspace);
  node.set(&PreferGroupArgs::first, out.use().size("first"));
  node.finish(Operator::kPreferGroup);
}

Size prefer_group_workspace(const Use& use) {
  const Type& x = use.graph().values[*use.operand("x")].type;
  return x.rows() * Size(pieces_of(static_cast<uint32_t>(use.size("first").range(use.graph().symbols).most)) *
                         sizeof(float));
}

void top_k(Emitter& out) {
  const ValueId x = out.operand("x");
  Arguments<TopKArgs> node(out);
  node.at(&TopKArgs::values, out.result(0));
  node.at(&TopKArgs::numbers, out.result(1));
  node.at(&TopKArgs::workspace, out.result(2));
  node.at(&TopKArgs::from, x);
  node.set(&TopKArgs::rows, out.rows(x));
  node.set(&TopKArgs::columns, out.columns(x));
  node.set(&TopKArgs::count, out.use().size("count"));
  node.set(&TopKArgs::from_stride, out.stride(x));
  node.finish(Operator::kTopK);
}

Size sample_workspace(const Use& use) { return workspace(use, "logits", operators::sample_workspace); }
Size softmax_workspace(const Use& use) { return workspace(use, "x", operators::softmax_workspace); }
Size top_k_workspace(const Use& use) {
  return workspace(use, "x", [](uint32_t rows, uint32_t columns) {
    return uint64_t{rows} * top_k_parts(columns) * sizeof(float);
  });
}

Size argmax_workspace(const Use& use) {
  const Type& x = use.graph().values[*use.operand("x")].type;
  return x.rows() * ((x.dimensions[1] + (kArgmaxPiece - 1)) / kArgmaxPiece) * Size(sizeof(float));
}

void copy(Emitter& out) {
  const ValueId y = out.result();
  copy_rows(out, {y}, {out.operand("x")}, out.rows(y));
}
void slice(Emitter& out) {
  const ValueId y = out.result();
  copy_rows(out, {y}, {out.operand("x"), out.use().size("first")}, out.rows(y));
}
// Of a vector of words, each a row.
void extend_vector(Emitter& out) {
  const ValueId more = out.operand("rows");
  Arguments<CopyArgs> node(out);
  node.at_word(&CopyArgs::to, out.result(), out.use().size("at"));
  node.at(&CopyArgs::from, more);
  node.set(&CopyArgs::rows, out.type(more).dimensions[0]);
  node->row_bytes = node->to_stride = node->from_stride = sizeof(uint32_t);
  node.finish(Operator::kCopy);
}
void extend(Emitter& out) {
  const ValueId rows = out.operand("rows");
  if (out.type(rows).dimensions.size() == 1) return extend_vector(out);
  copy_rows(out, {out.result(), out.use().size("at")}, {rows}, out.rows(rows));
}
void place(Emitter& out) {
  const ValueId rows = out.operand("rows");
  Arguments<CopyArgs> node = rows_copied(out, {out.result()}, {rows}, out.rows(rows));
  positions(out, node);
  chunks(out, node);
  node.finish(Operator::kCopy);
}
void concat(Emitter& out) {
  const ValueId a = out.operand("a"), b = out.operand("b"), y = out.result();
  copy_rows(out, {y}, {a}, out.rows(a));
  copy_rows(out, {y, out.rows(a)}, {b}, out.rows(b));
}

}  // namespace swai::graph::writers
