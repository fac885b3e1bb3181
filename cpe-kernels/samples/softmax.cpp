// SPDX-License-Identifier: Apache-2.0
// Rows of scores to probabilities, in two passes of the vector unit: the largest of scale * score; then 2 to
// the power of what is left of it, summed up and rounded to int8.
#include <algorithm>

#include "abi/kernel_arguments.hpp"
#include "swai/arena.hpp"
#include "swai/cpe.hpp"

using namespace swai::cpe;

namespace {

constexpr float kLog2Of127 = 6.988684686772166f;

struct Buffer {
  int32_t* scores;
  int8_t* to;
  float* largest;
  float* sums;
  dma::Ticket loaded;
  dma::Ticket stored;
};

// The first pass subtracts log2(127) from what it compares, so that the second one gives 127 for the largest.
// Without a result it only reads: it may go on beside the second pass of the batch before.
vector::Ticket softmax_runs(const Buffer& buffer, float scale, uint32_t columns, uint32_t rows) {
  const auto stride = static_cast<int32_t>(columns * sizeof(int32_t));
  vector::a(vector::rows(buffer.scores, stride));
  vector::b(vector::value(scale));
  vector::c(vector::value(-kLog2Of127));
  vector::no_result();
  vector::reductions(buffer.largest);
  vector::size(columns, rows);
  vector::run(vector::Op::kFma, {.reduce = vector::Reduce::kMax, .overlap = true});
  vector::c(vector::each_row(buffer.largest).negated());
  vector::result(buffer.to, static_cast<int32_t>(columns));
  vector::reductions(buffer.sums);
  return vector::run(vector::Op::kFma, {.special = vector::Special::kExp2, .reduce = vector::Reduce::kSum});
}

}  // namespace

__kernel__ void softmax(const SoftmaxArgs* args) {
  const uint32_t all = args->rows;
  const uint32_t columns = args->columns;
  const uint32_t batch = args->batch;
  const float scale = args->scale;
  const uint32_t rounds = args->rounds;
  const int64_t first = int64_t{rank()} * all;
  const GlobalPtr<int8_t> to = args->to + first * columns;
  const GlobalPtr<float> sums = args->sums + first;
  const GlobalPtr<const int32_t> scores = args->scores + first * columns;
  if (all == 0 || columns == 0 || batch == 0) return;

  Arena arena;
  Buffer buffers[2] = {};
  for (Buffer& buffer : buffers) {
    buffer.scores = arena.take<int32_t>(batch * columns * sizeof(int32_t));
    buffer.to = arena.take<int8_t>(batch * columns);
    buffer.largest = arena.take<float>(batch * sizeof(float));
    buffer.sums = arena.take<float>(batch * sizeof(float));
  }
  const auto rows_of = [&](uint32_t row) { return std::min(batch, all - row); };
  const auto load = [&](Buffer& buffer, uint32_t row) {
    buffer.loaded = dma::load(buffer.scores, scores + int64_t{row} * columns,
                              rows_of(row) * columns * uint32_t{sizeof(int32_t)});
  };
  load(buffers[0], 0);
  unsigned turn = 0;
  for (uint32_t row = 0; row < all; row += batch, turn ^= 1) {
    Buffer& buffer = buffers[turn];
    const uint32_t rows = rows_of(row);
    dma::wait(buffer.loaded);
    if (row + batch < all) load(buffers[turn ^ 1], row + batch);
    if (row >= 2 * batch) dma::wait(buffer.stored);
    vector::Ticket last = {};
    for (uint32_t round = 0; round < rounds; ++round) last = softmax_runs(buffer, scale, columns, rows);
    vector::wait(last);
    dma::store(to + int64_t{row} * columns, buffer.to, rows * columns);
    buffer.stored = dma::store(sums + row, buffer.sums, rows * uint32_t{sizeof(float)});
  }
  dma::wait(buffers[turn ^ 1].stored);
}
