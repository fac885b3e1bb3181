// SPDX-License-Identifier: Apache-2.0
// Everything that a kernel for the CPEs needs. docs/program/kernels.md is the introduction.
//
//   #include "swai/cpe.hpp"
//
//   struct FillArgs {
//     swai::cpe::GlobalPtr<uint32_t> out;
//     uint32_t value;
//   };
//
//   __global__ void fill(const FillArgs* args) { ... }
//   __global__ void fill_too(swai::cpe::GlobalPtr<uint32_t> out, uint32_t value) { ... }
//
// All CPEs of a launch run the kernel, each with the same arguments. Its code and constants lie in global
// memory behind caches (loading a constant goes to memory itself), its variables in local memory.
#pragma once

#include "abi/global_ptr.hpp"
#include "swai/channel.hpp"
#include "swai/control.hpp"
#include "swai/dma.hpp"
#include "swai/isa.hpp"
#include "swai/kernel.hpp"
#include "swai/ldm.hpp"
#include "swai/systolic.hpp"
#include "swai/vector.hpp"
#include "swai/window.hpp"
