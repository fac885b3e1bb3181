// SPDX-License-Identifier: Apache-2.0
// What each operator makes of memory, bit by bit: the definition that the card is held to. The tests of
// operators compare kernels with it, on the functional model and on RTL; `walk` is a whole list, so that a
// model can be computed on the host without anything of the card.
//
// Arguments are those that a kernel accepts; others are none of this. Memory that is only a kernel's
// workspace stays as it is, unless it is said.
#pragma once

#include <functional>
#include <span>

#include "operators.hpp"
#include "verif/cpe-kernels/operators/golden/memory.hpp"

namespace swai::operators::golden {

// Gets each result as it was before residuals and conversion, for those who know how exact it is to be.
using Seen = std::function<void(uint32_t row, uint32_t column, Real result)>;
// Likewise, of several products.
using SeenProduct = std::function<void(uint32_t product, uint32_t row, uint32_t column, Real result)>;

void copy(const CopyArgs& args, const Memory& memory);
// relu, silu, gelu_erf, gelu_tanh, cast.
void unary(Operator function, const UnaryArgs& args, const Memory& memory);
void add(const BinaryArgs& args, const Memory& memory, const Seen& seen = {});
void mul(const BinaryArgs& args, const Memory& memory, const Seen& seen = {});
void embedding(const EmbeddingArgs& args, const Memory& memory);
void layer_norm(const NormArgs& args, const Memory& memory, const Seen& seen = {});
void rms_norm(const NormArgs& args, const Memory& memory, const Seen& seen = {});
void softmax(const SoftmaxArgs& args, const Memory& memory, const Seen& seen = {});
void log_softmax(const SoftmaxArgs& args, const Memory& memory, const Seen& seen = {});
void quantise(const QuantiseArgs& args, const Memory& memory);
void linear(const LinearArgs& args, const Memory& memory, const Seen& seen = {});
// A norm, quantise and linear, one after the other.
void linear_row(const LinearRowArgs& args, const Memory& memory);
void linear_fp32(const LinearFp32Args& args, const Memory& memory, const Seen& seen = {});
void matmul(const MatmulArgs& args, const Memory& memory, const SeenProduct& seen = {});
void linear_w4(const LinearW4Args& args, const Memory& memory, const Seen& seen = {});
void attention(const AttentionArgs& args, const Memory& memory, const Seen& seen = {});
void attention_int8(const AttentionInt8Args& args, const Memory& memory, const Seen& seen = {});
void argmax(const ArgmaxArgs& args, const Memory& memory);
void mask(const MaskArgs& args, const Memory& memory);
// The workspace has the largest of each piece then.
void prefer_group(const PreferGroupArgs& args, const Memory& memory);
void sample(const SampleArgs& args, const Memory& memory);
// Likewise.
void top_k(const TopKArgs& args, const Memory& memory);

// With what its patches add.
node::Node patched(node::Node node, std::span<const uint64_t> parameters);
// Nodes one after the other, each patched. Throws std::logic_error for an operator that
// is not above.
void walk(std::span<const node::Node> list, std::span<const uint64_t> parameters, const Memory& memory);

}  // namespace swai::operators::golden
