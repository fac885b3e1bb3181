// Graphs as lists of nodes, walked by the functional model of a core group, against double precision: types
// and places of every argument, barriers, and memory that is used again.
#include "host/graph/list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "operators.hpp"
#include "verif/common/doctest_main.hpp"
#include "verif/graph/evaluate.hpp"
#include "verif/graph/text.hpp"
#include "verif/operators/card.hpp"

namespace swai::graph {
namespace {

using operators::test::Tensor;

// Random graphs of what the card has: matrices of n rows and a width that grows and shrinks by rows only.
class RandomText {
 public:
  explicit RandomText(std::mt19937_64& random) : random_(random) {}

  std::string text(size_t nodes) {
    text_ = "graph g\nsize n in 1 .. 9\nsize past in 0 .. 6\n";
    text_ += fmt::format("size d = {}\n", 1 + random_() % 40);
    text_ += "input x: f32[n, d]\nweight gamma: f32[d]\nweight beta: f32[d]\nstate kept: f32[20, d]\n";
    text_ += "output last: f32[n, d]\nbuffer m: f32[9, d]\n";
    rows_ = {{"x", "n"}};
    std::string state = "kept";
    for (size_t i = 0; i < nodes; ++i) add(fmt::format("v{}", i), state);
    text_ += fmt::format("last = add({}, x)\n", of_rows("n"));
    return text_;
  }

 private:
  const std::string& any() { return rows_[random_() % rows_.size()].first; }
  std::string of_rows(const std::string& rows) {
    std::vector<std::string> fitting;
    for (const auto& [name, its] : rows_) {
      if (its == rows) fitting.push_back(name);
    }
    return fitting[random_() % fitting.size()];
  }
  const std::string& rows_of(const std::string& name) {
    return std::ranges::find(rows_, name, &std::pair<std::string, std::string>::first)->second;
  }

  void add(const std::string& name, std::string& state) {
    const std::string a = any(), rows = rows_of(a);
    std::string made = rows, call;
    switch (random_() % 12) {
      case 0:
        call = fmt::format("add({}, {})", a, of_rows(rows));
        break;
      case 1:
        call = fmt::format("multiply({}, {})", a, of_rows(rows));
        break;
      case 2:
        call = fmt::format("relu({})", a);
        break;
      case 3:
        call = fmt::format("silu({})", a);
        break;
      case 4:
        call = fmt::format("gelu({}, form: {})", a, random_() % 2 ? "erf" : "tanh");
        break;
      case 5:
        call = fmt::format("layer_norm({}, gamma, beta, epsilon: 1e-3)", a);
        break;
      case 6:
        call = fmt::format("rms_norm({}, gamma, epsilon: 1e-3)", a);
        break;
      case 7:
        call = fmt::format("softmax({})", a);
        break;
      case 8:
        call = fmt::format("log_softmax({})", a);
        break;
      case 9:
        call = fmt::format("slice({}, first: 0, rows: 1)", a);
        made = "1";
        break;
      case 10:
        call = fmt::format("concat({}, {})", of_rows("n"), of_rows("n"));
        made = "2 * n";
        break;
      default:
        if (state.empty()) {
          call = fmt::format("copy({})", a);
          break;
        }
        call = fmt::format("extend({}, {}, at: past)", state, of_rows("n"));
        made = "past + n";
        state.clear();
    }
    text_ += fmt::format("{} = {}\n", name, call);
    rows_.emplace_back(name, made);
  }

  std::mt19937_64& random_;
  std::string text_;
  std::vector<std::pair<std::string, std::string>> rows_;
};

// What a node touches, as its arguments say.
struct Touched {
  cpe::GlobalPtr<const void> at;
  uint64_t bytes = 0;
  bool written = false;
};

template <typename Args>
Args arguments_of(const node::Node& node) {
  Args args;
  std::memcpy(&args, node.arguments.data(), sizeof args);
  return args;
}

std::vector<Touched> touched(const node::Node& node) {
  using namespace operators;
  switch (Operator{node.operation}) {
    case Operator::kCopy: {
      const auto args = arguments_of<CopyArgs>(node);
      return {{args.to, args.rows * uint64_t{args.to_stride}, true},
              {args.from, args.rows * uint64_t{args.from_stride}}};
    }
    case Operator::kAdd:
    case Operator::kMul: {
      const auto args = arguments_of<BinaryArgs>(node);
      return {{args.to, args.rows * uint64_t{args.to_stride}, true},
              {args.a, args.rows * uint64_t{args.a_stride}},
              {args.b, args.rows * uint64_t{args.b_stride}}};
    }
    case Operator::kLayerNorm:
    case Operator::kRmsNorm: {
      const auto args = arguments_of<NormArgs>(node);
      return {{args.to, args.rows * uint64_t{args.to_stride}, true},
              {args.from, args.rows * uint64_t{args.from_stride}}};
    }
    default: {
      // The others begin alike.
      const auto args = arguments_of<UnaryArgs>(node);
      return {{args.to, args.rows * uint64_t{args.to_stride}, true},
              {args.from, args.rows * uint64_t{args.from_stride}}};
    }
  }
}

bool meet(const Touched& a, const Touched& b) {
  return (a.written || b.written) && a.at.segment() == b.at.segment() &&
         a.at.offset() < b.at.offset() + b.bytes && b.at.offset() < a.at.offset() + a.bytes;
}

// Between two nodes that touch the same bytes, one of them writing, there is a barrier.
void check_barriers(const std::vector<node::Node>& list) {
  std::vector<Touched> since;
  for (size_t number = 0; number < list.size(); ++number) {
    CAPTURE(number);
    if (list[number].barrier == node::Barrier::kAll) since.clear();
    const std::vector<Touched> now = touched(list[number]);
    for (const Touched& one : now) {
      CHECK(std::ranges::none_of(since, [&](const Touched& before) { return meet(one, before); }));
    }
    since.insert(since.end(), now.begin(), now.end());
  }
}

// Everything of a run, in memory of the model.
class Run {
 public:
  Run(const Graph& graph, const std::map<std::string, int64_t>& symbols, uint64_t seed)
      : graph_(graph), symbols_(symbols), random_(seed), card_(random_, 2, 4) {
    for (const auto& [name, value] : symbols) ranges_[name] = {value, value};
    const Plan planned = plan(graph);
    block_ = card_.tensor(1, static_cast<uint32_t>(std::max<int64_t>(planned.bytes, 1)), 1);
    for (ValueId id = 0; id < graph.values.size(); ++id) {
      const ValueKind kind = graph.values[id].kind;
      if (kind != ValueKind::kTemporary && kind != ValueKind::kBuffer) place(id);
    }
    pattern_ = template_of(graph, planned);
  }

  const Template& pattern() const { return pattern_; }

  void walk() {
    const Addresses addresses = {[&](ValueId id) { return tensors_.at(id).at(); }, block_.at()};
    std::vector<Tensor*> all = {&block_};
    for (auto& [id, tensor] : tensors_) all.push_back(&tensor);
    const std::vector<node::Node> list = list_of(pattern_, graph_, addresses, symbols_);
    check_barriers(list);
    const auto result = card_.walk(list, card_.all(), all);
    REQUIRE(result.ok());
    evaluate(graph_, symbols_, values_);
    for (auto& [id, tensor] : tensors_) {
      const Value& value = graph_.values[id];
      CAPTURE(value.name);
      if (value.kind == ValueKind::kOutput || value.kind == ValueKind::kState) {
        compare(id, tensor);
      } else {
        CHECK(card_.difference(tensor) == "");
      }
    }
  }

 private:
  void place(ValueId id) {
    const std::vector<Size>& sizes = graph_.values[id].type.dimensions;
    const auto size = [&](size_t index) { return static_cast<uint32_t>(sizes[index].range(ranges_).most); };
    const uint32_t rows = sizes.size() == 1 ? 1 : size(0), columns = size(sizes.size() - 1);
    Tensor tensor = card_.tensor(rows, columns, sizeof(float));
    Matrix matrix = {rows, columns, {}};
    for (uint32_t row = 0; row < rows; ++row) {
      for (uint32_t column = 0; column < columns; ++column) {
        const auto number = static_cast<float>(random_.below(4001)) / 1000 - 2;
        tensor.set(row, column, number);
        matrix.numbers.push_back(number);
      }
    }
    tensors_.emplace(id, std::move(tensor));
    if (graph_.values[id].kind != ValueKind::kOutput) values_.emplace(id, std::move(matrix));
  }

  void compare(ValueId id, Tensor& tensor) {
    card_.take(tensor);
    const Matrix& right = values_.at(id);
    for (uint32_t row = 0; row < tensor.rows; ++row) {
      for (uint32_t column = 0; column < tensor.columns; ++column) {
        const double expected = right.at(row, column);
        CAPTURE(row);
        CAPTURE(column);
        CHECK(tensor.get<float>(row, column) ==
              doctest::Approx(expected).epsilon(2e-4).scale(1 + std::abs(expected)));
      }
    }
  }

  const Graph& graph_;
  std::map<std::string, int64_t> symbols_;
  std::map<std::string, Range> ranges_;
  verif::Random random_;
  operators::test::Card card_;
  Tensor block_;
  std::map<ValueId, Tensor> tensors_;
  std::map<ValueId, Matrix> values_;
  Template pattern_;
};

}  // namespace

TEST_CASE("random graphs on the card's model, against double precision") {
  std::mt19937_64 random(test_seed());
  for (int round = 0; round < 25; ++round) {
    const std::string text = RandomText(random).text(2 + random() % 14);
    CAPTURE(text);
    const Graph graph = graph_of(text);
    const std::map<std::string, int64_t> symbols = {{"n", 1 + random() % 9}, {"past", random() % 7}};
    Run(graph, symbols, random()).walk();
  }
}

TEST_CASE("barriers stand where somebody's data are met, and nowhere else") {
  const Graph graph = graph_of(
      "graph g\ninput x: f32[4, 8]\ninput y: f32[4, 8]\noutput p: f32[4, 8]\noutput q: f32[4, 8]\noutput r: "
      "f32[4, 8]\n"
      "p = relu(x)\nq = silu(y)\nr = add(p, q)\n");
  const Template pattern = template_of(graph, plan(graph));
  REQUIRE(pattern.nodes.size() == 3);
  CHECK((pattern.nodes[0].barrier == node::Barrier::kNone));
  CHECK((pattern.nodes[1].barrier == node::Barrier::kNone));
  CHECK((pattern.nodes[2].barrier == node::Barrier::kAll));
}

TEST_CASE("a barrier, too, where a value begins in the middle of one that is still read") {
  const Graph graph = graph_of(
      "graph g\ninput x: f32[4, 16]\ninput y: f32[4, 16]\noutput e: f32[4, 16]\noutput t: f32[4, 16]\n"
      "output m: f32[4, 16]\noutput l: f32[8, 16]\n"
      "a = softmax(x)\nb = softmax(y)\ne = copy(a)\nt = relu(e)\nm = copy(b)\nc = concat(x, y)\nl = "
      "copy(c)\n");
  const Plan planned = plan(graph);
  REQUIRE(planned.bytes == 512);  // c takes the place of a and b
  const Template pattern = template_of(graph, planned);
  CHECK((pattern.nodes[4].barrier == node::Barrier::kNone));
  CHECK((pattern.nodes[5].barrier == node::Barrier::kAll));
}

TEST_CASE("only what depends on symbols and addresses is patched") {
  const Graph fixed = graph_of("graph g\ninput x: f32[4, 8]\noutput y: f32[4, 8]\ny = gelu(x)\n");
  for (const Patch& patch : template_of(fixed, plan(fixed)).patches) CHECK(patch.base.has_value());
  const Graph open =
      graph_of("graph g\nsize n in 1 .. 4\ninput x: f32[n, 8]\noutput y: f32[n, 8]\ny = gelu(x)\n");
  const Template pattern = template_of(open, plan(open));
  CHECK(std::ranges::count_if(pattern.patches,
                              [](const Patch& patch) { return !patch.base && !patch.in_block; }) == 1);
}

TEST_CASE("symbols have values within their bounds") {
  const Graph graph =
      graph_of("graph g\nsize n in 2 .. 4\ninput x: f32[n, 8]\noutput y: f32[n, 8]\ny = gelu(x)\n");
  const Template pattern = template_of(graph, plan(graph));
  const Addresses nowhere = {[](ValueId) { return cpe::GlobalPtr<void>(); }, {}};
  CHECK_NOTHROW(list_of(pattern, graph, nowhere, {{"n", 4}}));
  CHECK_THROWS_WITH_AS(list_of(pattern, graph, nowhere, {{"n", 5}}), "size n is 5; it goes from 2 to 4",
                       SizeError);
  CHECK_THROWS_WITH_AS(list_of(pattern, graph, nowhere, {}), "size n has no value", SizeError);
}

TEST_CASE("what the card does not have yet") {
  const Graph graph = graph_of("graph g\ninput x: f32[4, 8]\noutput y: f32[8, 4]\ny = transpose(x)\n");
  CHECK_THROWS_WITH_AS(template_of(graph, plan(graph)), "transpose: the card has no such operator yet",
                       GraphError);
}

}  // namespace swai::graph
