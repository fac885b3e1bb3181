// SPDX-License-Identifier: Apache-2.0
// Kernels for the tests of the runtime library. They need no arithmetic unit.
#include "verif/host/runtime/kernels.hpp"

#include "swai/cpe.hpp"
#include "swai/share.hpp"

using namespace swai::cpe;
using namespace swai::sdaa;

LDM alignas(64) static int32_t xs[1024];
LDM alignas(64) static int32_t ys[1024];

__kernel__ void axpy_int(const AxpyIntArgs* args) {
  const auto y = args->y;
  const auto x = args->x;
  const int32_t a = args->a;
  const Share share = my_share(args->count * sizeof(int32_t));
  for (uint32_t done = 0; done < share.bytes; done += sizeof xs) {
    const uint32_t left = share.bytes - done;
    const uint32_t bytes = left < sizeof xs ? left : sizeof xs;
    dma::load(xs, x.plus_bytes(share.first + done), bytes);
    dma::wait(dma::load(ys, y.plus_bytes(share.first + done), bytes));
    for (uint32_t i = 0; i < bytes / sizeof(int32_t); ++i) ys[i] += a * xs[i];
    dma::wait(dma::store(y.plus_bytes(share.first + done), ys, bytes));
  }
}

__kernel__ void who(const WhoArgs* args) {
  xs[0] = static_cast<int32_t>(number());
  dma::wait(dma::store(args->to.plus_bytes(number() * 64), xs, 4));
}

__kernel__ void many_arguments(const ManyArgs* args) {
  if (number() != 0) return;
  int32_t sum = 0;
  for (const uint32_t value : args->values) sum += static_cast<int32_t>(value);
  xs[0] = sum;
  dma::wait(dma::store(args->to, xs, 4));
}

__global__ void values(int8_t least, GlobalPtr<Values> to, int16_t narrow, float single, uint8_t most,
                       int64_t wide, double real) {
  if (number() != 0) return;
  auto* const out = reinterpret_cast<Values*>(xs);
  *out = {wide, real, single, narrow, least, most};
  dma::wait(dma::store(to, out, sizeof *out));
}

__kernel__ void hang() {
  for (;;) asm volatile("");
}

__kernel__ void nothing() {}

namespace {

constexpr uint16_t kDaemonSegment = 1;  // everybody's to read

void end_launch(const OutlivesArgs& args) {
  for (uint32_t i = 0; i < args.rounds; ++i) asm volatile("");
  isa::issue<isa::unit::kControl, isa::control_op::kDone>();
}

}  // namespace

__kernel__ void outlives(const OutlivesArgs* args) {
  if (number() != 0) return;
  const OutlivesArgs mine = *args;
  end_launch(mine);
  dma::load(ys, GlobalPtr<const void>(kDaemonSegment, 0), 64,
            {.rows = 4000, .ldm_stride = 0, .global_stride = 0});
  dma::wait(dma::store(mine.to, xs, 64, {.rows = mine.rows, .ldm_stride = 0, .global_stride = mine.stride}));
}

__kernel__ void leaves_shape(const OutlivesArgs* args) {
  dma::detail::set_shape({.rows = args->rows, .ldm_stride = 0, .global_stride = args->stride});
}

__kernel__ void takes_launch(const OutlivesArgs* args) {
  if (number() != 0) return;
  const OutlivesArgs mine = *args;
  end_launch(mine);
  isa::ask<isa::unit::kControl, isa::control_op::kLaunch>();
  dma::wait(dma::store(mine.to, xs, 64, {.rows = mine.rows, .ldm_stride = 0, .global_stride = mine.stride}));
}
