// SPDX-License-Identifier: Apache-2.0
// What makes a function a kernel: the markers, and its entry in the module's table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "abi/module.hpp"

// Marks a function as a kernel: it gets an entry in the module's table (sdaacc sees to that), by its name
// without namespaces. It has one of these forms:
//
//   void name()
//   void name(const Args*)     a structure, which lies in global memory behind the argument window: every
//                              load from it takes as long as memory does, so load each member once
//   void name(A, B, ...)       up to 16 values of 1, 2, 4 or 8 bytes: numbers, GlobalPtr<T>
#define __kernel__ extern "C" [[gnu::section(".kernel"), gnu::used, gnu::noinline, gnu::aligned(64)]]
#define __global__ __kernel__

namespace swai::cpe {

// A table entry as the compiler can initialise it; module::Kernel is how it is read.
template <typename Pc>
struct KernelEntry {
  char name[sizeof(module::Kernel::name)];
  Pc pc;
  uint32_t argument_bytes;
  uint64_t parameters;
};

// Where a kernel begins and what it takes.
template <auto* kFunction, typename Type = decltype(kFunction)>
struct Start {
  static_assert(sizeof(Type) == 0, "a kernel returns nothing: __global__ void name(...)");
};

template <auto* kFunction>
struct Start<kFunction, void (*)()> {
  static constexpr auto kPc = kFunction;
  static constexpr uint32_t kArgumentBytes = 0;
  static constexpr uint64_t kParameters = 0;
};

template <auto* kFunction, typename Args>
struct Start<kFunction, void (*)(const Args*)> {
  static_assert(std::is_class_v<Args>, "a kernel's pointer is to a structure; memory is GlobalPtr<T>");
  static constexpr auto kPc = kFunction;
  static constexpr uint32_t kArgumentBytes = sizeof(Args);
  static constexpr uint64_t kParameters = 0;
};

// The values that a kernel takes, as they lie in memory.
template <typename... Values>
struct Taken {
  static_assert(sizeof...(Values) <= module::Parameters::kMax, "a kernel takes at most 16 values");
  static_assert((!std::is_pointer_v<Values> && ...),
                "a kernel's parameter is a pointer of the core; "
                "memory is GlobalPtr<T>, or Global<T> in kernels for CUDA");
  static_assert((std::is_trivially_copyable_v<Values> && ...) && ((sizeof(Values) <= 8) && ...) &&
                    ((sizeof(Values) == alignof(Values)) && ...),
                "a kernel's parameters are values of 1, 2, 4 or 8 bytes");

  static constexpr module::Parameters kLayout = [] {
    module::Parameters layout;
    ((layout = layout.with(sizeof(Values))), ...);
    return layout;
  }();

  // Each is loaded once, here.
  template <typename User>
  [[gnu::always_inline]] static void give(const std::byte* arguments, User user) {
    [&]<size_t... kIndex>(std::index_sequence<kIndex...>) {
      user(*reinterpret_cast<const Values*>(arguments + kLayout.offset(kIndex))...);
    }
    (std::index_sequence_for<Values...>());
  }
};

template <auto* kFunction, typename... Values>
struct Start<kFunction, void (*)(Values...)> {
  static constexpr module::Parameters kLayout = Taken<Values...>::kLayout;

  [[gnu::aligned(64)]] static void unpack(const std::byte* arguments) {
    Taken<Values...>::give(arguments, kFunction);
  }

  static constexpr auto kPc = &unpack;
  static constexpr uint32_t kArgumentBytes = kLayout.bytes();
  static constexpr uint64_t kParameters = kLayout.bits();
};

}  // namespace swai::cpe

// Used by sdaacc. The second is how it starts.
#define SWAI_ENTRY(function, ...)                                                                          \
  static_assert(sizeof(#function) <= sizeof(swai::module::Kernel::name), "the kernel's name is too long"); \
  [[gnu::section(".swai.kernels"),                                                                         \
    gnu::used]] constinit const swai::cpe::KernelEntry<decltype(__VA_ARGS__::kPc)>                         \
      swai_entry_##function = {#function, __VA_ARGS__::kPc, __VA_ARGS__::kArgumentBytes,                   \
                               __VA_ARGS__::kParameters}
#define SWAI_KERNEL_ENTRY(function) SWAI_ENTRY(function, swai::cpe::Start<&function>)
