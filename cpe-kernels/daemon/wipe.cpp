// SPDX-License-Identifier: Apache-2.0
// Leaves nothing in a CPE that the next kernel could read, or that would change what it does: local memory,
// accumulators, settings of the units, registers. The firmware launches it on all CPEs of a group between
// kernels of different clients.
#include "abi/kernel_arguments.hpp"
#include "card_regs.hpp"
#include "swai/cpe.hpp"

using namespace swai::cpe;
namespace regs = swai::regs;

namespace {

// A unit keeps what it was told until it is told something else. A shape is for the next transfer, so there
// is one.
void set_units(uint16_t code) {
  dma::wait(dma::load(free_ldm().data(), GlobalPtr<const void>(code, 0), kLine, {1, 0, 0}));
  const auto* const numbers = reinterpret_cast<const float*>(kLdmBase);
  vector::a(vector::value(0));
  vector::b(vector::value(0));
  vector::c(vector::value(0));
  vector::no_result();
  vector::reductions(reinterpret_cast<float*>(kLdmBase));
  vector::size(1, 1);
  systolic::groups(numbers, 0, 1);
  systolic::output(reinterpret_cast<float*>(kLdmBase), 0);
  systolic::factors(numbers);
  systolic::row_factors(numbers);
  systolic::clamp(0, 0);
}

// Each CPE has registers of its own among the group's: there local memory is told to clear itself, which
// takes it 512 cycles.
void clear_ldm(uint16_t registers) {
  const uint64_t own = group_number() * regs::cg::kSize + regs::kCgAccess + number() * regs::kCgAccessStride;
  const uint64_t control = GlobalPtr<uint32_t>(registers, own + regs::kCgAccessControl).bits();
  isa::write_csr<isa::csr::kWindowLow>(static_cast<uint32_t>(control));
  isa::write_csr<isa::csr::kWindowHigh>(static_cast<uint32_t>(control >> 32));
  *reinterpret_cast<volatile uint32_t*>(kWindowBase) = 1;
  isa::write_csr<isa::csr::kWindowLow>(0);
  isa::write_csr<isa::csr::kWindowHigh>(0);
}

// With products of what local memory holds. Its reads wait until that is clear.
void clear_accumulators() {
  const auto* const zeros = reinterpret_cast<const std::byte*>(kLdmBase);
  systolic::activations(zeros, 0, 8);
  systolic::weights(zeros, 0, 8);
  systolic::column_strides(0, 0);
  systolic::size({.column_tiles = 1, .k_tiles = 1, .block = 1, .rows = systolic::kRows});
  systolic::run({.drain = false, .half = 0});
  systolic::wait(systolic::run({.drain = false, .half = 1}));
}

}  // namespace

__kernel__ void wipe(const WipeWord* argument) {
  const WipeWord word(static_cast<uint32_t>(reinterpret_cast<uintptr_t>(argument)));
  set_units(word.code());
  clear_ldm(word.registers());
  clear_accumulators();
  // The end, also for the compiler: nothing comes back from the stack. The daemon sets sp, t0 and a0.
  asm volatile(
      "li gp, 0; li tp, 0; li t1, 0; li t2, 0; li t3, 0; li t4, 0; li t5, 0; li t6, 0;"
      "li s0, 0; li s1, 0; li s2, 0; li s3, 0; li s4, 0; li s5, 0; li s6, 0; li s7, 0;"
      "li s8, 0; li s9, 0; li s10, 0; li s11, 0;"
      "li a1, 0; li a2, 0; li a3, 0; li a4, 0; li a5, 0; li a6, 0; li a7, 0;"
      "lui ra, %0; jr ra" ::"i"(swai::module::base(swai::module::Space::kDaemon) >> 12));
  __builtin_unreachable();
}
