// SPDX-License-Identifier: Apache-2.0
#include "host/models/text/judge.hpp"

#include <algorithm>
#include <cmath>

namespace swai::generate {

using graph::ValueKind;
using models::Token;

namespace {

double log_probability(std::span<const float> logits, Token token) {
  const double most = *std::ranges::max_element(logits);
  double sum = 0;
  for (const float logit : logits) sum += std::exp(logit - most);
  return logits[token] - most - std::log(sum);
}

}  // namespace

Judge::Judge(walk::Walker& walker, const LoadedModel& model, const graph::Program& program)
    : walker_(walker),
      model_(model),
      states_("keys and values", program.pattern, ValueKind::kState),
      logits_("logits", size_t{kChunk} * model.card().shape.vocabulary * sizeof(float)),
      between_("what lies between", program.between_bytes),
      list_(program.pattern, [&](const auto& base) { return address(base); }) {}

cpe::GlobalPtr<void> Judge::address(const graph::Template::Base& base) const {
  if (model_.has(base)) return model_.address(base);
  switch (base.kind) {
    case ValueKind::kState:
      return states_.address(base.name);
    case ValueKind::kOutput:
      return logits_.address();
    default:
      return between_.address();
  }
}

double Judge::judge(std::span<const Token> text) {
  const size_t vocabulary = model_.card().shape.vocabulary;
  std::vector<float> logits;
  double sum = 0;
  states_.write(models::kText, walk::bytes_of(text), 0);
  // Behind the last token nothing follows that could be judged.
  for (size_t past = 0; past + 1 < text.size(); past += kChunk) {
    const size_t rows = std::min<size_t>(kChunk, text.size() - 1 - past);
    list_.walk(walker_, {{"past", static_cast<int64_t>(past)}, {"rows", static_cast<int64_t>(rows)}});
    logits.resize(rows * vocabulary);
    logits_.get({reinterpret_cast<uint8_t*>(logits.data()), logits.size() * sizeof(float)});
    for (size_t i = 0; i < rows; ++i)
      sum += log_probability(std::span(logits).subspan(i * vocabulary, vocabulary), text[past + i + 1]);
  }
  return sum;
}

}  // namespace swai::generate
