// SPDX-License-Identifier: Apache-2.0
// Kernels that run once for each thread of a grid, as those written for CUDA do: how one starts on a core.
// cuda.hpp is for those who write them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <tuple>

#include "abi/grid.hpp"
#include "swai/kernel.hpp"

namespace swai::cpe {

// Runs this core's blocks (lib/threads.cpp): block b of the grid is that of core b modulo their number.
// `thread` runs the kernel for the thread that threadIdx names. `threads` is what sdaacc found out:
// bytes of each thread's own stack, a multiple of 16 (0: none waits for the others of its block, and they run
// one after the other on the core's), and in bit 0 whether one core must run all blocks.
void run_blocks(const Grid& grid, void (*thread)(const void* values), const void* values, uint32_t threads);

// `kStack` is no object: its address is that number, which sdaacc knows before it links.
template <auto* kFunction, auto* kStack, typename Type = decltype(kFunction)>
struct GridStart {
  static_assert(sizeof(Type) == 0, "a kernel returns nothing: __global__ void name(...)");
};

template <auto* kFunction, auto* kStack, typename... Values>
struct GridStart<kFunction, kStack, void (*)(Values...)> {
  static constexpr module::Parameters kValues = Taken<Values...>::kLayout;
  static constexpr module::Parameters kLayout = kValues.with(module::Parameters::kGridBytes);
  static_assert(sizeof...(Values) < module::Parameters::kMax,
                "a kernel with threads takes at most 15 values");

  static void thread(const void* values) {
    std::apply(kFunction, *static_cast<const std::tuple<Values...>*>(values));
  }

  [[gnu::aligned(64)]] static void run(const std::byte* arguments) {
    Taken<Values...>::give(arguments, [=](Values... each) {
      const std::tuple<Values...> values(each...);
      const auto grid = *reinterpret_cast<const Grid*>(arguments + kLayout.offset(sizeof...(Values)));
      run_blocks(grid, &thread, &values, static_cast<uint32_t>(reinterpret_cast<uintptr_t>(kStack)));
    });
  }

  static constexpr auto kPc = &run;
  static constexpr uint32_t kArgumentBytes = kLayout.bytes();
  static constexpr uint64_t kParameters = kLayout.bits();
};

}  // namespace swai::cpe

// Used by sdaacc.
#define SWAI_GRID_ENTRY(function)                            \
  extern "C" const std::byte swai_thread_stack_##function[]; \
  SWAI_ENTRY(function, swai::cpe::GridStart<&function, swai_thread_stack_##function>)
