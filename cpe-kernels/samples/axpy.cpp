// SPDX-License-Identifier: Apache-2.0
// The vector unit: a * x + y in global memory, and its inner loop by itself.
#include <algorithm>

#include "abi/kernel_arguments.hpp"
#include "swai/arena.hpp"
#include "swai/cpe.hpp"
#include "swai/share.hpp"

using namespace swai::cpe;

namespace {

constexpr uint32_t kPiece = 8192;  // bytes
constexpr uint32_t kBuffers = 4;
constexpr uint32_t kAhead = 2;

// One vector lies so in local memory that another one of the same loop begins in a different bank.
float* in_bank(Arena& arena, uint32_t bytes, uint32_t number) {
  return arena.take<float>(bytes + kLine * number) + kLine / sizeof(float) * number;
}

}  // namespace

// While a piece is computed, the next ones are loaded and the one before it is stored.
__kernel__ void axpy(const AxpyArgs* args) {
  const GlobalPtr<float> y = args->y;
  const GlobalPtr<const float> x = args->x;
  const Share share = my_share(args->count * sizeof(float));
  Arena arena;
  float* const xs = in_bank(arena, kBuffers * kPiece, 0);
  float* const ys = in_bank(arena, kBuffers * kPiece, 1);
  vector::b(vector::value(args->a));

  const uint32_t pieces = (share.bytes + kPiece - 1) / kPiece;
  const auto bytes_of = [&](uint32_t piece) { return std::min(kPiece, share.bytes - piece * kPiece); };
  const auto place = [&](uint32_t piece) { return share.first + piece * kPiece; };
  const auto buffer = [](float* buffers, uint32_t piece) {
    return buffers + piece % kBuffers * (kPiece / sizeof(float));
  };
  dma::Ticket loaded[kBuffers] = {};
  dma::Ticket stored[kBuffers] = {};
  vector::Ticket before = {};
  const auto load = [&](uint32_t piece) {
    if (piece >= kBuffers) dma::wait(stored[piece % kBuffers]);
    dma::load(buffer(xs, piece), x.plus_bytes(place(piece)), bytes_of(piece));
    loaded[piece % kBuffers] = dma::load(buffer(ys, piece), y.plus_bytes(place(piece)), bytes_of(piece));
  };
  const auto store = [&](uint32_t piece) {
    stored[piece % kBuffers] = dma::store(y.plus_bytes(place(piece)), buffer(ys, piece), bytes_of(piece));
  };
  for (uint32_t piece = 0; piece < std::min(pieces, kAhead); ++piece) load(piece);
  for (uint32_t piece = 0; piece < pieces; ++piece) {
    dma::wait(loaded[piece % kBuffers]);
    vector::a(vector::rows(buffer(xs, piece)));
    vector::c(vector::rows(buffer(ys, piece)));
    vector::result(buffer(ys, piece));
    vector::size(bytes_of(piece) / sizeof(float));
    const auto run = vector::run(vector::Op::kFma, {.overlap = true});
    if (piece != 0) {
      vector::wait(before);
      store(piece - 1);
    }
    before = run;
    if (piece + kAhead < pieces) load(piece + kAhead);
  }
  if (pieces != 0) {
    vector::wait(before);
    store(pieces - 1);
    dma::wait(stored[(pieces - 1) % kBuffers]);
  }
}

__kernel__ void fma_loop(const FmaLoopArgs* args) {
  const GlobalPtr<float> to = args->to;
  const GlobalPtr<const float> from = args->from;
  const uint32_t elements = args->elements;
  const uint32_t rounds = args->rounds;
  const uint32_t bytes = elements * sizeof(float);
  Arena arena;
  float* operands[3];
  for (uint32_t i = 0; i < 3; ++i) {
    operands[i] = in_bank(arena, bytes, i);
    if (from) dma::wait(dma::load(operands[i], from + int64_t{i} * elements, bytes));
  }
  float* const result = in_bank(arena, bytes, 3);
  vector::a(vector::rows(operands[0]));
  vector::b(vector::rows(operands[1]));
  vector::c(vector::rows(operands[2]));
  vector::result(result);
  vector::size(elements);
  vector::Ticket last = {};
  for (uint32_t round = 0; round < rounds; ++round) last = vector::run(vector::Op::kFma, {.overlap = true});
  vector::wait(last);
  if (to) dma::wait(dma::store(to + int64_t{number()} * elements, result, bytes));
}
