// SPDX-License-Identifier: Apache-2.0
#include "host/models/graph/demand.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <initializer_list>

#include "build/gen/operators.hpp"
#include "cpe-kernels/operators/common/limits.hpp"
#include "cpe-kernels/operators/linear/plan.hpp"
#include "cpe-kernels/operators/linear_sparse/plan.hpp"
#include "cpe-kernels/operators/linear_w4/plan.hpp"
#include "host/models/graph/layout.hpp"

namespace swai::graph {
namespace {

using operators::bytes_of, operators::Operator;

constexpr double kProductsOfCpe = 64;
constexpr double kSlotsOfCpe = 8;
constexpr double kHbm = 64 * 0.981;

// Steps of the vector units for each number.
double slots_of(Operator operation) {
  switch (operation) {
    case Operator::kRotary:
      return 3;
    case Operator::kRmsNorm:
    case Operator::kSoftmax:
    case Operator::kQuantise:
      return 4;
    case Operator::kLayerNorm:
      return 5;
    case Operator::kGeluTanh:
      return 7;
    default:
      return 1;
  }
}

template <typename Args>
Args arguments_of(const node::Node& node) {
  Args arguments;
  std::memcpy(&arguments, node.arguments.data(), sizeof arguments);
  return arguments;
}

// As the walker adds them.
void add_parameters(node::Node& node, const std::vector<uint64_t>& parameters) {
  for (const node::Patch& patch : node.patches) {
    if (patch.target == 0) continue;
    const bool pointer = (patch.target & node::Patch::kPointer) == node::Patch::kPointer;
    std::byte* const at = node.arguments.data() + sizeof(uint32_t) * (patch.target & node::Patch::kNumber);
    uint64_t word = 0;
    const size_t bytes = pointer ? sizeof word : sizeof(uint32_t);
    std::memcpy(&word, at, bytes);
    word += parameters.at(patch.parameter);
    std::memcpy(at, &word, bytes);
  }
}

// Read and written for each number that one is made of.
template <typename Args>
double through(const Args& args) {
  return bytes_of(args.from_type) + bytes_of(args.to_type);
}

// Of a product, but for the weights.
template <typename Args>
double activations(const Args& args, double x_bytes) {
  const double rows = args.rows, results = rows * args.columns;
  return rows * args.depth * x_bytes + results * bytes_of(args.to_type) +
         (args.residual.bits() != 0 ? results * bytes_of(args.residual_type) : 0);
}

class Reader {
 public:
  explicit Reader(const node::Node& node) : node_(node) {}

  NodeDemand read() {
    const char* const name = operators::name(node_.operation);
    made_.operation = name == nullptr ? "a user's" : name;
    operation_ = static_cast<Operator>(node_.operation);
    switch (operation_) {
      case Operator::kLinear:
        linear(arguments_of<operators::LinearArgs>(node_));
        break;
      case Operator::kLinearRow:
        linear_row(arguments_of<operators::LinearRowArgs>(node_));
        break;
      case Operator::kLinearW4:
        linear_w4(arguments_of<operators::LinearW4Args>(node_));
        break;
      case Operator::kLinearSparse:
        linear_sparse(arguments_of<operators::LinearSparseArgs>(node_));
        break;
      case Operator::kLinearFp32:
        linear_fp32(arguments_of<operators::LinearFp32Args>(node_));
        break;
      case Operator::kMatmul:
        matmul(arguments_of<operators::MatmulArgs>(node_));
        break;
      case Operator::kAttention:
        attention_of(arguments_of<operators::AttentionArgs>(node_));
        break;
      case Operator::kAttentionInt8:
        attention(arguments_of<operators::AttentionInt8Args>(node_), 1, false);
        break;
      case Operator::kCopy: {
        const auto args = arguments_of<operators::CopyArgs>(node_);
        shape({args.rows, args.row_bytes});
        made_.needs.bytes = 2.0 * args.rows * args.row_bytes;
        break;
      }
      case Operator::kAdd:
      case Operator::kMul: {
        const auto args = arguments_of<operators::BinaryArgs>(node_);
        rows_of(args, bytes_of(args.a_type) + bytes_of(args.b_type) + bytes_of(args.to_type));
        break;
      }
      case Operator::kRmsNorm:
      case Operator::kLayerNorm: {
        const auto args = arguments_of<operators::NormArgs>(node_);
        rows_of(args, through(args));
        break;
      }
      case Operator::kRelu:
      case Operator::kSilu:
      case Operator::kGeluErf:
      case Operator::kGeluTanh:
      case Operator::kCast: {
        const auto args = arguments_of<operators::UnaryArgs>(node_);
        rows_of(args, through(args));
        break;
      }
      case Operator::kArgmax: {
        const auto args = arguments_of<operators::ArgmaxArgs>(node_);
        rows_of(args, sizeof(float));
        break;
      }
      case Operator::kSoftmax:
      case Operator::kLogSoftmax: {
        const auto args = arguments_of<operators::SoftmaxArgs>(node_);
        rows_of(args, through(args));
        break;
      }
      case Operator::kQuantise: {
        const auto args = arguments_of<operators::QuantiseArgs>(node_);
        rows_of(args, bytes_of(args.from_type) + 1 + 4.0 / std::max(1U, args.group));
        break;
      }
      case Operator::kDequantise: {
        const auto args = arguments_of<operators::DequantiseArgs>(node_);
        rows_of(args, through(args) + 4.0 / std::max(1U, args.group));
        break;
      }
      case Operator::kEmbedding: {
        const auto args = arguments_of<operators::EmbeddingArgs>(node_);
        rows_of(args, bytes_of(args.table_type) + bytes_of(args.to_type));
        break;
      }
      case Operator::kRotary: {
        const auto args = arguments_of<operators::RotaryArgs>(node_);
        const double numbers = 1.0 * args.rows * args.heads * args.width;
        shape({args.rows, args.heads, args.width});
        made_.needs = {0, numbers * slots_of(operation_), numbers * through(args)};
        break;
      }
      case Operator::kTranspose: {
        const auto args = arguments_of<operators::TransposeArgs>(node_);
        rows_of(args, 2.0 * args.element_bytes);
        break;
      }
      case Operator::kSample: {
        // Logits are read once; what is chosen from is small.
        const auto args = arguments_of<operators::SampleArgs>(node_);
        rows_of(args, sizeof(float));
        break;
      }
      case Operator::kPenalise: {
        const auto args = arguments_of<operators::PenaliseArgs>(node_);
        shape({args.rows, args.columns});
        made_.needs.bytes = 4.0 * args.rows * args.count;
        break;
      }
      default:
        break;
    }
    return std::move(made_);
  }

 private:
  void shape(std::initializer_list<uint32_t> sizes) {
    for (const uint32_t size : sizes)
      made_.shape += fmt::format("{}{}", made_.shape.empty() ? "" : " x ", size);
  }

  // `bytes`: read and written for each number.
  template <typename Args>
  void rows_of(const Args& args, double bytes) {
    const double numbers = 1.0 * args.rows * args.columns;
    shape({args.rows, args.columns});
    made_.needs = {0, numbers * slots_of(operation_), numbers * bytes};
  }

  template <typename Args>
  void product(const Args& args, double weight_bytes, double x_bytes) {
    made_.part = Part::kLinear;
    shape({args.rows, args.depth, args.columns});
    made_.needs.bytes = weight_bytes + activations(args, x_bytes);
  }
  void linear(const operators::LinearArgs& args) {
    product(args, operators::packed_linear_bytes(args.depth, args.columns) + 4.0 * args.columns, 1);
    made_.needs.products = 1.0 * args.rows * args.depth * args.columns;
  }
  // What its norm and its quantise need counts as if one CPE did it.
  void linear_row(const operators::LinearRowArgs& args) {
    made_.part = Part::kLinear;
    shape({1, args.depth, args.columns});
    const bool normal = args.gamma.bits() != 0, layer = args.beta.bits() != 0;
    made_.needs = {
        1.0 * args.depth * args.columns,
        1.0 * args.depth *
            (slots_of(Operator::kQuantise) +
             (normal ? slots_of(layer ? Operator::kLayerNorm : Operator::kRmsNorm) : 0)),
        operators::packed_linear_bytes(args.depth, args.columns) +
            4.0 * (args.depth * (1 + normal + layer) + args.columns) +
            1.0 * args.columns *
                (bytes_of(args.to_type) + (args.residual.bits() != 0 ? bytes_of(args.residual_type) : 0))};
  }
  void linear_w4(const operators::LinearW4Args& args) {
    const operators::W4Layout layout = operators::layout_of(args);
    product(args, static_cast<double>(layout.bytes()) + 4.0 * args.columns, 1);
    made_.needs.products = 1.0 * args.rows * args.depth * args.columns;
  }
  // As if all columns had the most blocks that any have: how many they have is in their table.
  void linear_sparse(const operators::LinearSparseArgs& args) {
    const operators::SparseLayout layout = operators::layout_of(args);
    const double tiles = 1.0 * args.tiles * layout.pieces() * layout.column_tiles();
    product(
        args,
        static_cast<double>(layout.table_bytes()) + tiles * operators::kSparseTileBytes + 4.0 * args.columns,
        1);
    made_.needs.products = args.rows * tiles * operators::kSparseBlocks * 8;
  }
  // By the vector units.
  void linear_fp32(const operators::LinearFp32Args& args) {
    product(args, 1.0 * args.depth * args.columns * bytes_of(args.w_type), bytes_of(args.x_type));
    made_.needs.slots = 1.0 * args.rows * args.depth * args.columns;
  }
  // Likewise. Part of attention, as graphs use it; each operand is read once.
  void matmul(const operators::MatmulArgs& args) {
    made_.part = Part::kAttention;
    shape({args.products, args.rows, args.depth, args.columns});
    const double rows = args.rows, depth = args.depth, columns = args.columns, products = args.products;
    made_.needs = {
        0, products * rows * depth * columns,
        products * (rows * depth * bytes_of(args.a_type) + depth * columns * bytes_of(args.b_type) +
                    rows * columns * bytes_of(args.to_type))};
  }

  // `own_texts`: each row sees keys of its own.
  template <typename Args>
  void attention(const Args& args, double kv_bytes, bool own_texts) {
    made_.part = Part::kAttention;
    shape({args.rows, args.keys, args.heads, args.width});
    const double rows = args.rows, keys = args.keys, width = 1.0 * args.heads * args.width;
    const double seen = rows * keys - (args.causal != 0 && !own_texts ? rows * (rows - 1) / 2 : 0);
    const double kept = 2 * keys * args.kv_heads * args.width * kv_bytes;
    made_.needs.products = 2 * seen * width;
    made_.needs.bytes =
        kept * (own_texts ? rows : 1) + rows * width * (bytes_of(args.q_type) + bytes_of(args.to_type));
  }
  void attention_of(const operators::AttentionArgs& args) {
    attention(args, bytes_of(args.kv_type), args.positions.bits() != 0);
  }

  const node::Node& node_;
  Operator operation_ = Operator::kNothing;
  NodeDemand made_;
};

}  // namespace

Limits limits_of(unsigned cpes) { return {kProductsOfCpe * cpes, kSlotsOfCpe * cpes, kHbm}; }

double NodeDemand::cycles(const Limits& limits) const {
  return std::max({needs.products / limits.products, needs.slots / limits.slots, needs.bytes / limits.bytes});
}

std::vector<NodeDemand> demand_of(const Template& pattern, const std::map<std::string, int64_t>& symbols) {
  // Places that are none, so that pointers which are given differ from those which are not.
  const std::vector<cpe::GlobalPtr<void>> somewhere(pattern.bases.size(), cpe::GlobalPtr<void>(kPage));
  const std::vector<uint64_t> parameters = parameters_of(pattern, symbols);
  std::vector<NodeDemand> all;
  for (node::Node& node : list_of(pattern, somewhere)) {
    add_parameters(node, parameters);
    all.push_back(Reader(node).read());
  }
  return all;
}

}  // namespace swai::graph
