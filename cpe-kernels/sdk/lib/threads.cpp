// SPDX-License-Identifier: Apache-2.0
// Runs a grid on the cores of a launch: blocks one after the other on each core, and the threads of a block
// one after the other as far as the next barrier.
//
// Where threads wait for each other (__syncthreads), each has a stack in local memory and keeps its registers
// there while others run. They take turns: when it is a thread's turn again, all the others that have not
// ended are at the barrier, too.
#include "abi/grid.hpp"
#include "swai/control.hpp"
#include "swai/dma.hpp"
#include "swai/grid.hpp"
#include "swai/ldm.hpp"
#include "swai/switch.hpp"

using namespace swai::cpe;

// What kernels know as constants (cuda.hpp). A thread finds its own there whenever it runs.
extern "C" {
LDM Extent threadIdx;
LDM Extent blockIdx;
LDM Extent blockDim;
LDM Extent gridDim;

extern std::byte swai_shared[];
// What is __constant__, and where in the card's memory hosts write it: who loads the module says so here. 0:
// nobody does.
extern std::byte swai_constants[], swai_constants_end[];
[[gnu::section(".rodata.swai.constants")]] extern const uint64_t swai_constants_memory = 0;
// Likewise what is __device__, which the data window shows.
extern std::byte swai_device[], swai_device_end[];
[[gnu::section(".rodata.swai.device")]] extern const uint64_t swai_device_memory = 0;

void __syncthreads();
void swai_run_thread();
void swai_on_one_core();
void swai_atomic_on_device();
}

namespace {

LDM std::byte* stacks;
LDM uint32_t stack_bytes;
LDM uint32_t threads;  // of the block
LDM uint32_t current;
LDM uint32_t alive;
LDM void* scheduler;
LDM const void* kernel_values;
LDM void (*kernel_thread)(const void*);

// The lowest word of a thread's stack: where it goes on; null when it has ended.
void*& pointer_of(uint32_t thread) { return *reinterpret_cast<void**>(stacks + thread * stack_bytes); }

void count_up() {
  if (++threadIdx.x != blockDim.x) return;
  threadIdx.x = 0;
  if (++threadIdx.y != blockDim.y) return;
  threadIdx.y = 0;
  if (++threadIdx.z == blockDim.z) threadIdx.z = 0;
}

// The next one that has not ended, perhaps the same.
void go_to_next() {
  do {
    count_up();
    if (++current == threads) current = 0;
  } while (pointer_of(current) == nullptr);
}

[[noreturn]] void end_thread() {
  void* unused;
  pointer_of(current) = nullptr;
  if (--alive == 0) {
    swai_switch(&unused, scheduler);
  } else {
    go_to_next();
    swai_switch(&unused, pointer_of(current));
  }
  __builtin_unreachable();
}

void run_with_stacks() {
  for (uint32_t i = 0; i < threads; ++i)
    pointer_of(i) = begin_of_stack(stacks + (i + 1) * stack_bytes, &swai_run_thread);
  current = 0;
  alive = threads;
  swai_switch(&scheduler, pointer_of(0));
}

// The compiler does not see who writes there.
uint64_t written(const uint64_t& by_loader) {
  const volatile uint64_t* place = &by_loader;
  asm("" : "+r"(place));
  return *place;
}

void show_device_variables() {
  if (swai_device_end - swai_device == 0) return;
  const uint64_t memory = written(swai_device_memory);
  isa::write_csr<isa::csr::kWindowLow>(static_cast<uint32_t>(memory));
  isa::write_csr<isa::csr::kWindowHigh>(static_cast<uint32_t>(memory >> 32));
}

void bring_constants() {
  const auto bytes = static_cast<uint32_t>(swai_constants_end - swai_constants);
  if (bytes == 0) return;
  if (const GlobalPtr<const void> memory(written(swai_constants_memory)); memory) {
    dma::wait(dma::load(swai_constants, memory, bytes));
  } else {
    __builtin_memset(swai_constants, 0, bytes);
  }
}

void run_in_turn() {
  for (uint32_t i = 0; i < threads; ++i) {
    kernel_thread(kernel_values);
    count_up();
  }
}

}  // namespace

// On the thread's own stack: what is above it there, sdaacc counts (stack_use.py).
void swai_run_thread() {
  kernel_thread(kernel_values);
  end_thread();
}

void __syncthreads() {
  const uint32_t here = current;
  go_to_next();
  if (current != here) swai_switch(&pointer_of(here), pointer_of(current));
}

// What must not run on two cores at once calls it: sdaacc sees the call.
void swai_on_one_core() {}
void swai_atomic_on_device() {}

void swai::cpe::run_blocks(const Grid& grid, void (*thread)(const void* values), const void* values,
                           uint32_t needs) {
  const uint32_t stack = needs & ~15u;
  const bool alone = (needs & 1) != 0;
  if (alone && rank() != 0) return;
  const uint32_t cores = alone ? 1 : count();
  // __shared__ variables are what C++ calls thread_local: one for each core, which runs one block at a time.
  asm volatile("lla tp, swai_shared" ::: "memory");
  gridDim = grid.blocks.x != 0 ? grid.blocks : Extent{count(), 1, 1};
  blockDim = grid.blocks.x != 0 ? grid.threads : Extent{1, 1, 1};
  threads = static_cast<uint32_t>(blockDim.product());
  stack_bytes = stack;
  stacks = __ldm_free + (grid.shared_bytes + kSharedAlignment - 1) / kSharedAlignment * kSharedAlignment;
  // The runtime library has looked, unless it was not told (a module without its tables).
  if (grid.shared_bytes > free_ldm().size() ||
      threads > (stack == 0 ? kMaxThreads : static_cast<uint32_t>(__ldm_free_end - stacks) / stack))
    __builtin_trap();
  bring_constants();
  show_device_variables();
  kernel_values = values;
  kernel_thread = thread;
  const auto blocks = static_cast<uint32_t>(gridDim.product());
  for (uint32_t block = rank(); block < blocks; block += cores) {
    const uint32_t row = block / gridDim.x;
    blockIdx = {block - row * gridDim.x, row % gridDim.y, row / gridDim.y};
    threadIdx = {0, 0, 0};
    if (stack == 0) {
      run_in_turn();
    } else {
      run_with_stacks();
    }
    if (blocks - block <= cores) break;  // or the sum may pass 2^32
  }
}
