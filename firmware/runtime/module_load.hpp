// SPDX-License-Identifier: Apache-2.0
// Loads a module in steps, one module at a time: others have their turn between any two. What the file and
// the memory for the code are is asked anew at each step, because their client may have freed them meanwhile.
#pragma once

#include <algorithm>
#include <cstdint>

#include "abi/group/load.hpp"
#include "abi/module_reader.hpp"
#include "firmware/memory/memory.hpp"
#include "firmware/runtime/modules.hpp"

namespace swai::runtime {

template <Machine M>
class ModuleLoad {
 public:
  ModuleLoad(M& machine, memory::Memory<M>& memory, Modules<M>& modules)
      : machine_(machine), memory_(memory), modules_(modules) {}

  void init() { active_ = false; }

  struct File {
    uint64_t pointer;
    uint64_t bytes;
    uint8_t context;
  };
  // Status kOk and where the file is, or what is wrong with it.
  struct Found {
    Status status = Status::kOk;
    memory::Range range = {};
    uint64_t physical = 0;
  };
  bool active() const { return active_; }
  // While no other one is active.
  [[gnu::cold, gnu::noinline]] Status begin(const File& file) {
    const Found found = find(file);
    if (found.status != Status::kOk) return found.status;
    file_ = file;
    physical_ = found.physical;
    group_ = found.range.group;
    if (modules_.free_handle() == Modules<M>::kNone) return Status::kNoModule;
    active_ = true;
    code_ = {};
    done_ = 0;
    phase_ = Phase::kLook;
    return Status::kOk;
  }

  enum class State : uint8_t { kRuns, kLacksMemory, kOver };
  // The next step. After kOver `result` is what came of it; after kLacksMemory nothing has been done.
  [[gnu::cold, gnu::noinline]] State step() {
    const Found found = find(file_);
    if (found.status != Status::kOk || found.physical != physical_) return end(Status::kBadPointer);
    machine_.touch();
    switch (phase_) {
      case Phase::kLook:
        return look();
      case Phase::kJudge:
        return judge();
      case Phase::kMemory:
        return take_memory();
      case Phase::kCode:
        return owns_code() ? copy_code() : end(Status::kBadPointer);
      default:
        return owns_code() ? fill_table() : end(Status::kBadPointer);
    }
  }
  struct Result {
    Status status = Status::kOk;
    uint16_t detail = 0;  // module::Error
    unsigned handle = 0;
    uint16_t segment = 0;  // of its code
  };
  const Result& result() const { return result_; }
  // Nobody wants it any more.
  [[gnu::cold, gnu::noinline]] void drop() { end(Status::kRefused); }

 private:
  enum class Phase : uint8_t { kLook, kJudge, kMemory, kCode, kTable };
  static constexpr uint64_t kMostBytes = 4 << 20;

  [[gnu::cold, gnu::noinline]] Found find(const File& file) const {
    const memory::Range range = memory_.find(file.pointer, file.context);
    if (range.bytes == 0) return {Status::kBadPointer};
    if (file.bytes == 0) return {Status::kBadOperation};
    const uint64_t offset = segment::offset(file.pointer) - segment::offset(range.pointer);
    if (file.bytes > range.bytes - offset) return {Status::kBadRange};
    // The processor has no pages for it.
    if (range.usage == memory::Usage::kCpe) return {Status::kBadPointer};
    if (file.bytes > kMostBytes) return {Status::kBadRange};
    return {Status::kOk, range, range.physical + offset};
  }
  [[gnu::cold]] bool owns_code() const {
    const memory::Range now = memory_.find(code_.pointer, file_.context);
    return now.physical == code_.physical && now.bytes >= code_.bytes && now.usage == memory::Usage::kShared;
  }
  [[gnu::cold]] State end(Status status, uint16_t detail = 0, unsigned handle = 0, uint16_t segment = 0) {
    if (status != Status::kOk && code_.bytes != 0 && owns_code()) memory_.free(code_.pointer, file_.context);
    result_ = {status, detail, handle, segment};
    active_ = false;
    return State::kOver;
  }

  // What others wrote there is seen from now on.
  State look() {
    constexpr uint64_t kSome = 1 << 10;
    const uint64_t some = std::min(kSome, file_.bytes - done_);
    machine_.look(physical_ + done_, some);
    done_ += some;
    if (done_ == file_.bytes) {
      module_.begin({machine_.bytes(physical_), file_.bytes});
      phase_ = Phase::kJudge;
    }
    return State::kRuns;
  }
  [[gnu::cold]] State judge() {
    if (!module_.step()) return State::kRuns;
    const module::Verdict& verdict = module_.verdict();
    if (!verdict.ok()) return end(Status::kModuleRefused, static_cast<uint16_t>(verdict.error));
    phase_ = Phase::kMemory;
    return State::kRuns;
  }
  // A segment of its own: at least half a block. Code may only be read and run, by this context.
  [[gnu::cold]] State take_memory() {
    const uint64_t bytes = std::max(group::code_segment_bytes(module_), memory::kLargeBytes);
    const memory::Allocation room = memory_.allocate(bytes, memory::Usage::kShared, group_, file_.context);
    if (room.status == Status::kAgain) return State::kLacksMemory;
    if (room.status != Status::kOk) return end(room.status);
    code_ = room.range;
    memory_.set_permissions(code_.pointer, group::code_entry(module_, code_.physical).permissions);
    copy_.begin(code_.physical);
    phase_ = Phase::kCode;
    return State::kRuns;
  }
  State copy_code() {
    if (!copy_.step(machine_, module_)) return State::kRuns;
    done_ = 0;
    phase_ = Phase::kTable;
    return State::kRuns;
  }
  [[gnu::cold]] State fill_table() {
    constexpr uint64_t kSome = 4;
    const unsigned handle = modules_.free_handle();
    const uint64_t stop = std::min<uint64_t>(done_ + kSome, module_.kernel_count());
    for (; done_ < stop; ++done_) {
      const module::KernelView kernel = module_.kernel(static_cast<uint32_t>(done_));
      modules_.set_kernel(handle, static_cast<unsigned>(done_), {kernel.pc, kernel.argument_bytes});
    }
    if (done_ < module_.kernel_count()) return State::kRuns;
    modules_.add(handle,
                 {true, file_.context, segment::number(code_.pointer),
                  static_cast<uint16_t>(module_.kernel_count()), code_.pointer, module_.code_bytes()});
    return end(Status::kOk, 0, handle, segment::number(code_.pointer));
  }

  M& machine_;
  memory::Memory<M>& memory_;
  Modules<M>& modules_;
  bool active_ = false;
  Phase phase_ = Phase::kLook;
  File file_ = {};
  uint64_t physical_ = 0;  // where the file lies
  unsigned group_ = 0;
  uint64_t done_ = 0;  // of the phase
  module::Module module_ = {};
  memory::Range code_ = {};
  group::CodeLoad copy_ = {};
  Result result_ = {};
};

}  // namespace swai::runtime
