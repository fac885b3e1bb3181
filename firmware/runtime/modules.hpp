// SPDX-License-Identifier: Apache-2.0
// Modules that are loaded: where their code lies and what kernels they have. The table of kernels is kept in
// memory of the runtime's own, one page for each module, because a launch needs it at once and the file may
// be gone.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "abi/module.hpp"
#include "abi/protocol.hpp"
#include "firmware/memory/memory.hpp"
#include "firmware/runtime/machine.hpp"

namespace swai::runtime {

using protocol::Status;

struct Kernel {
  uint32_t pc = 0;
  uint32_t argument_bytes = 0;
};

struct Module {
  bool loaded = false;
  uint8_t context = 0;
  uint16_t segment = 0;  // of its code
  uint16_t kernels = 0;
  uint64_t code = 0;  // pointer of its memory
  uint32_t code_bytes = 0;
};

template <Machine M>
class Modules {
 public:
  static constexpr uint64_t kTableBytes = module::kMaxKernels * sizeof(uint64_t);
  static constexpr uint64_t kBytes = protocol::kModules * kTableBytes;

  Modules(M& machine, memory::Memory<M>& memory) : machine_(machine), memory_(memory) {}

  void init(uint64_t tables) {
    tables_ = tables;
    modules_.fill({});
    counts_ = {};
  }

  // Of a module that is to come; kNone: there are as many as there can be.
  static constexpr unsigned kNone = ~0u;
  unsigned free_handle() const {
    const auto free = std::ranges::find(modules_, false, &Module::loaded);
    return free == modules_.end() ? kNone : static_cast<unsigned>(free - modules_.begin());
  }
  void set_kernel(unsigned handle, unsigned index, const Kernel& kernel) {
    machine_.store(entry_of(handle, index), kernel.pc | uint64_t{kernel.argument_bytes} << 32);
  }
  // Behind all its kernels.
  void add(unsigned handle, const Module& module) {
    modules_[handle] = module;
    ++counts_[module.context % protocol::kContexts];
    ++changes_;
  }

  // Not while launches of it are under way.
  Status unload(unsigned handle, uint8_t context) {
    Module* found = find(handle, context);
    if (found == nullptr) return Status::kBadHandle;
    memory_.free(found->code, context);
    forget(*found);
    return Status::kOk;
  }
  // Their memory goes with that of the context.
  void forget(uint8_t context) {
    for (Module& module : modules_) {
      if (module.loaded && module.context == context) forget(module);
    }
  }

  [[gnu::always_inline]] Module* find(unsigned handle, uint8_t context) {
    if (handle >= modules_.size() || !modules_[handle].loaded || modules_[handle].context != context)
      return nullptr;
    return &modules_[handle];
  }
  [[gnu::always_inline]] Kernel kernel(unsigned handle, unsigned index) const {
    const uint64_t word = machine_.load(entry_of(handle, index));
    return {static_cast<uint32_t>(word), static_cast<uint32_t>(word >> 32)};
  }
  unsigned count_of(uint8_t context) const { return counts_[context % protocol::kContexts]; }
  // Changes when modules come or go.
  uint64_t changes() const { return changes_; }

 private:
  void forget(Module& module) {
    --counts_[module.context % protocol::kContexts];
    module = {};
    ++changes_;
  }
  uint64_t entry_of(unsigned handle, unsigned index) const {
    return tables_ + handle * kTableBytes + index * sizeof(uint64_t);
  }

  M& machine_;
  memory::Memory<M>& memory_;
  uint64_t tables_ = 0;
  std::array<Module, protocol::kModules> modules_ = {};
  std::array<uint32_t, protocol::kContexts> counts_ = {};
  uint64_t changes_ = 0;
};

}  // namespace swai::runtime
