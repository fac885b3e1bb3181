// SPDX-License-Identifier: Apache-2.0
// What a kernel leaves in a CPE, and what the next one finds there.
#include "abi/kernel_arguments.hpp"
#include "swai/cpe.hpp"

using namespace swai::cpe;

namespace {

auto* const local = reinterpret_cast<uint32_t*>(kLdmBase);
static_assert(kRemainsLdm == kLdmBytes);
constexpr uint32_t kWords = kLdmBytes / sizeof(uint32_t);

// Of all sums; with `keep` what they were is stored there.
[[gnu::always_inline]] inline void use_accumulators(uint32_t* to, bool keep) {
  systolic::activations(local, 0, 8);
  systolic::weights(local, 0, 8);
  systolic::column_strides(0, 0);
  systolic::size({1, 1, 1, systolic::kRows});
  for (uint32_t half = 0; half < 2; ++half) {
    if (keep) systolic::output(to + half * systolic::kRows * systolic::kTile, 32);
    systolic::wait(systolic::run({.keep = keep, .drain = keep, .half = half}));
  }
}

}  // namespace

// It does not return, for what its stack held is the secret, too.
__kernel__ void leave(const RemainsArgs* args) {
  const uint32_t secret = args->secret;
  for (uint32_t i = 0; i < kWords; ++i) *const_cast<volatile uint32_t*>(local + i) = secret;
  use_accumulators(nullptr, false);
  vector::a(vector::value(std::bit_cast<float>(secret)));
  vector::c(vector::value(0));
  asm volatile(
      "mv s1, %0; mv s2, %0; mv s3, %0; mv s4, %0; mv s5, %0; mv s6, %0; mv s7, %0; mv s8, %0; mv s9, %0;"
      "mv s10, %0; mv s11, %0; mv t3, %0; mv t4, %0; mv t5, %0; mv t6, %0; mv gp, %0; mv tp, %0;"
      "lui ra, %1; jr ra" ::"r"(secret),
      "i"(swai::module::base(swai::module::Space::kDaemon) >> 12));
  __builtin_unreachable();
}

// For a transfer that never comes: its first row many times, into each block of memory below it.
__kernel__ void leave_shape(const RemainsArgs*) {
  dma::detail::set_shape({.rows = 8192, .ldm_stride = 0, .global_stride = -(2 << 20)});
}

// Registers take the place of some words of local memory, which goes to `to` as it is; then sums and what the
// vector unit has as an operand.
__kernel__ void look(const RemainsArgs* args) {
  asm volatile(
      "lui ra, %0; sw s1, 0(ra); sw s2, 4(ra); sw s3, 8(ra); sw s4, 12(ra); sw s5, 16(ra); sw s6, 20(ra);"
      "sw s7, 24(ra); sw s8, 28(ra); sw s9, 32(ra); sw s10, 36(ra); sw s11, 40(ra); sw t3, 44(ra);"
      "sw t4, 48(ra); sw t5, 52(ra); sw t6, 56(ra); sw gp, 60(ra); sw tp, 64(ra)"
      :
      : "i"(kLdmBase >> 12)
      : "ra", "memory");
  const GlobalPtr<void> to = args->to.plus_bytes(number() * kRemainsBytes);
  dma::wait(dma::store(to, local, kLdmBytes));
  for (uint32_t i = 0; i < 1024; ++i) *const_cast<volatile uint32_t*>(local + i) = 0;
  uint32_t* const sums = local + 1024;
  use_accumulators(sums, true);
  vector::result(reinterpret_cast<float*>(local));
  vector::size(vector::kLanes, 1);
  vector::wait(vector::run(vector::Op::kAdd));
  dma::store(to.plus_bytes(kLdmBytes), sums, kRemainsBytes - kLdmBytes - kLine);
  dma::wait(dma::store(to.plus_bytes(kRemainsBytes - kLine), local, kLine));
}
