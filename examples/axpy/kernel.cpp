// SPDX-License-Identifier: Apache-2.0
// y = a * x + y, on all cores of a group: each brings pieces of its share into local memory, where its vector
// unit computes.
#include <algorithm>

#include "swai/cpe.hpp"
#include "swai/share.hpp"

using namespace swai::cpe;

constexpr uint32_t kPiece = 16384;  // bytes
LDM alignas(64) static float xs[kPiece / sizeof(float)];
LDM alignas(64) static float ys[kPiece / sizeof(float)];

__global__ void axpy(GlobalPtr<float> y, GlobalPtr<const float> x, uint32_t count, float a) {
  const Share share = my_share(count * sizeof(float));
  vector::a(vector::rows(xs));
  vector::b(vector::value(a));
  vector::c(vector::rows(ys));
  vector::result(ys);
  for (uint32_t at = 0; at < share.bytes; at += kPiece) {
    const uint32_t bytes = std::min(kPiece, share.bytes - at);
    dma::load(xs, x.plus_bytes(share.first + at), bytes);
    dma::wait(dma::load(ys, y.plus_bytes(share.first + at), bytes));
    vector::size(bytes / sizeof(float));
    vector::wait(vector::run(vector::Op::kFma));
    dma::wait(dma::store(y.plus_bytes(share.first + at), ys, bytes));
  }
}
