// Everything that a kernel for the CPEs needs. docs/kernels.md is the introduction.
//
//   #include "swai/cpe.hpp"
//
//   struct FillArgs {
//     swai::cpe::GlobalPtr<uint32_t> out;
//     uint32_t value;
//   };
//
//   __kernel__ void fill(const FillArgs* args) { ... }
//
// All CPEs of a launch run the kernel, each with the same arguments. Its code and constants lie in global
// memory behind caches (loading a constant goes to memory itself), its variables in local memory.
#pragma once

#include "firmware/abi/module.hpp"
#include "swai/channel.hpp"
#include "swai/control.hpp"
#include "swai/dma.hpp"
#include "swai/global.hpp"
#include "swai/isa.hpp"
#include "swai/ldm.hpp"
#include "swai/systolic.hpp"
#include "swai/vector.hpp"
#include "swai/window.hpp"

// Marks a function as a kernel: it gets an entry in the module's table (make-module.py sees to that). It has
// the form void name(const Args*) or void name(), and is not in a namespace. The arguments lie in global
// memory, seen through the argument window: every load from them takes as long as memory does, so load each
// once.
#define __kernel__ extern "C" [[gnu::section(".kernel"), gnu::used, gnu::noinline, gnu::aligned(64)]]
#define __global__ __kernel__

namespace swai::cpe {

// A table entry as the compiler can initialise it; module::Kernel is how it is read.
template <typename Function>
struct KernelEntry {
  char name[sizeof(module::Kernel::name)];
  Function* pc;
  uint32_t argument_bytes;
  uint32_t flags;
  uint32_t reserved;
};

template <typename Args>
constexpr uint32_t argument_bytes(void (*)(const Args*)) {
  if constexpr (std::is_void_v<Args>) {
    return 0;
  } else {
    return sizeof(Args);
  }
}
constexpr uint32_t argument_bytes(void (*)()) { return 0; }

}  // namespace swai::cpe

// Used by make-module.py.
#define SWAI_KERNEL_ENTRY(function)                                                                        \
  static_assert(sizeof(#function) <= sizeof(swai::module::Kernel::name), "the kernel's name is too long"); \
  [[gnu::section(".swai.kernels"), gnu::used]] constinit const swai::cpe::KernelEntry<decltype(function)>  \
      swai_entry_##function = {#function, &function, swai::cpe::argument_bytes(&function), 0, 0}
