// SPDX-License-Identifier: Apache-2.0
#include "verif/host/models/graph/touched.hpp"

#include <algorithm>
#include <stdexcept>

#include "cpe-kernels/operators/attention/plan.hpp"
#include "cpe-kernels/operators/sample/plan.hpp"
#include "cpe-kernels/operators/softmax/plan.hpp"
#include "cpe-kernels/operators/top_k/plan.hpp"

namespace swai::graph {
namespace {

using namespace operators;

template <typename Args>
Args arguments_of(const node::Node& node) {
  Args args;
  std::memcpy(&args, node.arguments.data(), sizeof args);
  return args;
}

// Most operators have one matrix on each side.
template <typename Args>
std::vector<Touched> one_each(const Args& args) {
  return {{args.to, args.rows * uint64_t{args.to_stride}, true},
          {args.from, args.rows * uint64_t{args.from_stride}}};
}

bool meet(const Touched& a, const Touched& b) {
  return (a.written || b.written) && a.at.segment() == b.at.segment() &&
         a.at.offset() < b.at.offset() + b.bytes && b.at.offset() < a.at.offset() + a.bytes;
}

// Rows at positions may be anywhere in their segment.
constexpr uint64_t kAnywhere = uint64_t{1} << 40;
template <typename Args>
void add_places(std::vector<Touched>& all, const Args& args) {
  if (!args.positions) return;
  all.push_back({args.positions, args.rows * uint64_t{4}});
  if (args.chunks) all.push_back({args.chunks, args.rows * uint64_t{args.chunks_stride} + 4});
}

template <typename Args>
std::vector<Touched> of_product(const Args& args) {
  const uint64_t groups = (args.depth + args.group - 1) / args.group;
  return {{args.to, args.rows * uint64_t{args.to_stride}, true},
          {args.x, args.rows * uint64_t{args.x_stride}},
          {args.x_scales, (groups - 1) * args.x_scales_stride + args.rows * 4},
          {args.residual, args.residual ? args.rows * uint64_t{args.residual_stride} : 0}};
}

}  // namespace

std::vector<Touched> touched(const node::Node& node) {
  switch (Operator{node.operation}) {
    case Operator::kCopy: {
      const auto args = arguments_of<CopyArgs>(node);
      std::vector<Touched> all = one_each(args);
      if (args.positions) all[0].bytes = kAnywhere;
      add_places(all, args);
      return all;
    }
    case Operator::kAdd:
    case Operator::kMul: {
      const auto args = arguments_of<BinaryArgs>(node);
      return {{args.to, args.rows * uint64_t{args.to_stride}, true},
              {args.a, args.rows * uint64_t{args.a_stride}},
              {args.b, args.rows * uint64_t{args.b_stride}}};
    }
    case Operator::kRelu:
    case Operator::kSilu:
    case Operator::kGeluErf:
    case Operator::kGeluTanh:
    case Operator::kCast:
      return one_each(arguments_of<UnaryArgs>(node));
    case Operator::kLayerNorm:
    case Operator::kRmsNorm:
      return one_each(arguments_of<NormArgs>(node));
    case Operator::kSoftmax:
    case Operator::kLogSoftmax: {
      const auto args = arguments_of<SoftmaxArgs>(node);
      std::vector<Touched> all = one_each(args);
      all.push_back({args.workspace, softmax_workspace(args.rows, args.columns), true});
      return all;
    }
    case Operator::kTopK: {
      const auto args = arguments_of<TopKArgs>(node);
      const uint64_t bytes = args.rows * uint64_t{args.count} * 4;
      return {{args.values, bytes, true},
              {args.numbers, bytes, true},
              {args.from, args.rows * uint64_t{args.from_stride}},
              {args.workspace, args.rows * uint64_t{4} * top_k_parts(args.columns), true}};
    }
    case Operator::kRotary: {
      const auto args = arguments_of<RotaryArgs>(node);
      std::vector<Touched> all = one_each(args);
      all.push_back({args.positions, args.rows * uint64_t{4}});
      return all;
    }
    case Operator::kTranspose: {
      const auto args = arguments_of<TransposeArgs>(node);
      return {{args.to, args.columns * uint64_t{args.to_stride}, true},
              {args.from, args.rows * uint64_t{args.from_stride}}};
    }
    case Operator::kQuantise: {
      const auto args = arguments_of<QuantiseArgs>(node);
      std::vector<Touched> all = one_each(args);
      const uint64_t groups = (args.columns + args.group - 1) / args.group;
      all.push_back({args.scales, (groups - 1) * args.scales_stride + args.rows * 4, true});
      return all;
    }
    case Operator::kDequantise: {
      const auto args = arguments_of<DequantiseArgs>(node);
      std::vector<Touched> all = one_each(args);
      const uint64_t groups = (args.columns + args.group - 1) / args.group;
      all.push_back({args.scales, (groups - 1) * args.scales_stride + args.rows * 4});
      return all;
    }
    case Operator::kEmbedding: {
      const auto args = arguments_of<EmbeddingArgs>(node);
      return {{args.to, args.rows * uint64_t{args.to_stride}, true}, {args.tokens, args.rows * uint64_t{4}}};
    }
    case Operator::kArgmax: {
      const auto args = arguments_of<ArgmaxArgs>(node);
      return {{args.to, args.rows * uint64_t{4}, true},
              {args.from, args.rows * uint64_t{args.from_stride}},
              {args.workspace, args.rows * uint64_t{4} * ((args.columns + 2047) / 2048), true}};
    }
    case Operator::kLinear:
      return of_product(arguments_of<LinearArgs>(node));
    case Operator::kLinearRow: {
      const auto args = arguments_of<LinearRowArgs>(node);
      const uint64_t residual_bytes = args.columns * uint64_t{bytes_of(args.residual_type)};
      return {{args.to, args.columns * uint64_t{bytes_of(args.to_type)}, true},
              {args.x, args.depth * uint64_t{4}},
              {args.residual, args.residual ? residual_bytes : 0}};
    }
    case Operator::kLinearW4:
      return of_product(arguments_of<LinearW4Args>(node));
    case Operator::kLinearSparse: {
      const auto args = arguments_of<LinearSparseArgs>(node);
      return {{args.to, args.rows * uint64_t{args.to_stride}, true},
              {args.x, args.rows * uint64_t{args.x_stride}},
              {args.x_scales, args.rows * uint64_t{4}},
              {args.residual, args.residual ? args.rows * uint64_t{args.residual_stride} : 0}};
    }
    case Operator::kLinearFp32: {
      const auto args = arguments_of<LinearFp32Args>(node);
      return {{args.to, args.rows * uint64_t{args.to_stride}, true},
              {args.x, args.rows * uint64_t{args.x_stride}},
              {args.residual, args.residual ? args.rows * uint64_t{args.residual_stride} : 0}};
    }
    case Operator::kMatmul: {
      const auto args = arguments_of<MatmulArgs>(node);
      const uint64_t before = args.products - 1, b_rows = args.transposed != 0 ? args.columns : args.depth;
      return {{args.to, before * args.to_step + args.rows * uint64_t{args.to_stride}, true},
              {args.a, before * args.a_step + args.rows * uint64_t{args.a_stride}},
              {args.b, before * args.b_step + b_rows * args.b_stride}};
    }
    case Operator::kAttention: {
      const auto args = arguments_of<AttentionArgs>(node);
      const uint64_t kv_bytes = args.positions ? kAnywhere : args.keys * uint64_t{args.kv_stride};
      std::vector<Touched> all = {
          {args.to, args.rows * uint64_t{args.to_stride}, true},
          {args.q, args.rows * uint64_t{args.q_stride}},
          {args.k, kv_bytes},
          {args.v, kv_bytes},
          {args.workspace,
           attention_workspace_bytes(args.rows, args.heads, args.kv_heads, args.width, args.keys), true}};
      add_places(all, args);
      return all;
    }
    case Operator::kAttentionInt8: {
      const auto args = arguments_of<AttentionInt8Args>(node);
      const uint64_t scales = (args.kv_heads - 1) * uint64_t{args.scales_stride} + args.keys * uint64_t{4};
      return {{args.to, args.rows * uint64_t{args.to_stride}, true},
              {args.q, args.rows * uint64_t{args.q_stride}},
              {args.k, args.keys * uint64_t{args.kv_stride}},
              {args.v, args.keys * uint64_t{args.kv_stride}},
              {args.k_scales, scales},
              {args.v_scales, scales}};
    }
    case Operator::kSample: {
      const auto args = arguments_of<SampleArgs>(node);
      return {{args.to, args.rows * uint64_t{4}, true},
              {args.log_probabilities, args.rows * uint64_t{4}, true},
              {args.from, args.rows * uint64_t{args.from_stride}},
              {args.positions, args.rows * uint64_t{4}},
              {args.workspace, sample_workspace(args.rows, args.columns), true}};
    }
    case Operator::kPenalise: {
      const auto args = arguments_of<PenaliseArgs>(node);
      return {{args.to, args.rows * uint64_t{args.to_stride}, true}, {args.tokens, args.count * uint64_t{4}}};
    }
    case Operator::kMask: {
      const auto args = arguments_of<MaskArgs>(node);
      return {{args.to, args.rows * uint64_t{args.to_stride}, true},
              {args.from, args.rows * uint64_t{args.from_stride}},
              {args.bits, (args.columns + 31) / 32 * uint64_t{4}},
              {args.ranges, args.range_count * uint64_t{8}}};
    }
    case Operator::kPreferGroup: {
      const auto args = arguments_of<PreferGroupArgs>(node);
      return {{args.to, args.rows * uint64_t{args.to_stride}, true},
              {args.workspace, args.rows * uint64_t{4} * pieces_of(args.first), true}};
    }
    default:
      throw std::logic_error("nobody has said here what this operator touches");
  }
}

bool is_unordered(const std::vector<node::Node>& list) {
  std::vector<Touched> since;
  for (const node::Node& node : list) {
    if (node.barrier == node::Barrier::kAll) since.clear();
    const std::vector<Touched> now = touched(node);
    for (const Touched& one : now) {
      if (std::ranges::any_of(since, [&](const Touched& before) { return meet(one, before); })) return true;
    }
    since.insert(since.end(), now.begin(), now.end());
  }
  return false;
}

}  // namespace swai::graph
