// SPDX-License-Identifier: Apache-2.0
// Graphs of decoders.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/models/files/decoder/card.hpp"
#include "host/models/graph/builder.hpp"
#include "host/models/graph/program.hpp"

namespace swai::models {

struct Step {
  uint32_t rows = 1;       // tokens of a run: so many; with more than one, up to so many (size `rows`)
  uint32_t room = 0;       // tokens whose keys and values can be kept
  bool judge = false;      // gives logits behind every token, and chooses none
  bool penalises = false;  // tokens of the text become less probable; whoever launches puts those behind it
  // Each row is of a text of its own, and goes on with the token that was found last. `rows` are so many, and
  // `room` is each text's, in whole chunks.
  bool own_texts = false;
};

// Names that all these graphs have.
inline constexpr const char* kRotary = "rotary";
inline constexpr const char* kLocalRotary = "local_rotary";
inline constexpr const char* kLogits = "logits";
// Of each row in its text, and where that text's keys and values lie.
inline constexpr const char* kPositions = "positions";
inline constexpr const char* kChunks = "chunks";
inline constexpr const char* kText = "text";  // all tokens of it, of which a step takes some
// How many of them there are: the one that is chosen last stands behind the room.
constexpr uint32_t text_tokens(uint32_t room) { return room + 1; }
inline constexpr uint32_t kNoToken = UINT32_MAX;  // where nothing stands yet

// Computes some tokens behind `past` others, whose keys and values lie in states, and chooses the one that
// follows, as `settings` say (operators::SampleSettings). Throws GraphError or SizeError for more than graphs
// take.
graph::Graph decoder_graph(const CardDecoder& model, const Step& step);
// Throws InputError, with the model's file, when it is more than graphs or the card's operators take.
graph::Program decoder_program(const CardDecoder& model, const Step& step);

// The graph while it is built, for an architecture's layer: weights are declared as they are used, under the
// names that the architecture has for them.
class DecoderGraph {
 public:
  DecoderGraph(const CardDecoder& model, const Step& step);
  graph::Graph whole();

  // RMS norm. `kind`: of the weight.
  graph::Tensor norm(const std::string& kind, graph::Tensor x);

  struct AttentionOptions {
    bool head_norms = false;  // queries and keys are normalised head by head
    std::optional<graph::Tensor> residual = {};
  };
  graph::Tensor attention(graph::Tensor x, const AttentionOptions& options);

  struct GatedOptions {
    const char* activation = "silu";  // of the gate
    std::optional<graph::Tensor> residual = {};
  };
  // down(activation(gate(x)) * up(x))
  graph::Tensor gated(graph::Tensor x, const GatedOptions& options);

  graph::Tensor add(graph::Tensor a, graph::Tensor b);

 private:
  using Arguments = std::vector<graph::Argument>;
  // What linear layers take of x.
  struct Prepared {
    graph::Tensor x;
    std::optional<graph::Tensor> scales;  // of eight bits
  };
  struct Matrix {
    graph::Tensor weight;
    std::optional<graph::Tensor> scale;  // of few bits
  };

  bool reads_text() const;
  bool few_bits() const { return model_.precision != Precision::kFp32; }
  // One text keeps the logits that follow its last token only, unless all are judged.
  bool all_rows() const { return step_.judge || step_.own_texts; }
  void declare_inputs();
  void declare_results();
  graph::Tensor embedded();
  void choose(graph::Tensor x);

  // Within a layer names begin with it.
  std::string named(const std::string& name) const { return layer_ + name; }
  uint32_t size_of(Axis axis) const;
  Matrix matrix(const std::string& name, const std::string& kind, uint32_t rows, uint32_t columns);
  Prepared prepare(graph::Tensor x);
  graph::Tensor linear(const graph::Target& result, const Prepared& x, const Matrix& matrix,
                       Arguments arguments = {});
  graph::Tensor projection(const std::string& result, const Prepared& x, const std::string& kind,
                           const std::optional<graph::Tensor>& residual = {},
                           const char* activation = nullptr);
  graph::Tensor rms_norm(const std::string& result, graph::Tensor x, graph::Tensor weight,
                         uint32_t heads = 1);
  graph::Tensor head_norm(const std::string& kind, graph::Tensor x, uint32_t heads);
  graph::Tensor turned(const std::string& result, graph::Tensor rows, uint32_t heads);
  graph::Tensor kept(const std::string& name, graph::Tensor rows);

  const CardDecoder& model_;
  const Step& step_;
  graph::Builder b_;
  uint32_t number_ = 0;  // of the layer
  std::string layer_;    // "layer[3]."
  graph::Size rows_, past_;
  // Those that the step has.
  graph::Tensor text_, tokens_, positions_, chunks_, embedding_, rotary_, local_rotary_, norm_, logits_,
      settings_, token_, log_probability_;
  Matrix head_;
};

}  // namespace swai::models
