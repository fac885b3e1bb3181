// SPDX-License-Identifier: Apache-2.0
// The classic way to start a kernel, which launch hardware replaces: the processor prepares the CPEs one
// after the other, starts each by itself, and then asks each in turn whether it has ended. It is here as the
// baseline of measurements; all of its work is real.
#pragma once

#include <array>
#include <cstdint>

#include "abi/group/group.hpp"
#include "abi/group/load.hpp"

namespace swai::group {

// What the classic start costs, in cycles, all CPEs together.
struct ClassicTerms {
  uint64_t init = 0;   // reset, clear local memory, load code, set up segments
  uint64_t start = 0;  // mask, setup, doorbell
  uint64_t query = 0;  // polling until all have ended
  uint64_t total = 0;
  bool ok = false;  // false: something took longer than the limit, or a launch failed
};

struct ClassicPlan {
  const module::Module* module;
  uint32_t pc;
  uint32_t argument;
  uint16_t argument_segment;
  uint16_t first_code_segment;  // CPE i has first_code_segment + i
  uint64_t code;                // memory for code, as much for each CPE as a code segment of the module takes
  uint64_t limit;               // cycles that any single step may take
};

template <Machine M>
class ClassicStart {
 public:
  explicit ClassicStart(Group<M>& group) : group_(group) {}

  // All CPEs must be enabled and without work. The group runs one launch at a time: a CPE runs its kernel
  // while the next ones are prepared.
  ClassicTerms run(const ClassicPlan& plan) {
    ClassicTerms terms;
    M& machine = group_.machine();
    const uint64_t begin = machine.cycles();
    bool ok = true;
    for (unsigned cpe = 0; cpe < group_.cpes() && ok; ++cpe) {
      const uint64_t before = machine.cycles();
      ok = init(cpe, plan);
      const uint64_t between = machine.cycles();
      terms.init += between - before;
      ok = ok && start(cpe, plan);
      terms.start += machine.cycles() - between;
    }
    const uint64_t started = machine.cycles();
    ok = ok && query(plan.limit);
    const uint64_t end = machine.cycles();
    terms.query = end - started;
    terms.total = end - begin;
    terms.ok = ok;
    return terms;
  }

 private:
  bool init(unsigned cpe, const ClassicPlan& plan) {
    const uint32_t bit = uint32_t{1} << cpe;
    // It counts as stopped from the first store on, until what it asked for has been answered, it has been
    // reset, and it is up.
    group_.enable(group_.all() & ~bit);
    group_.enable(group_.all());
    if (!group_.wait_ready(bit, plan.limit)) return false;
    if (!group_.clear_ldm(cpe, plan.limit)) return false;

    M& machine = group_.machine();
    const uint64_t code = plan.code + cpe * code_segment_bytes(*plan.module);
    group_.set_segment(code_segment(cpe, plan), load_code(machine, *plan.module, code));
    group_.forget(Group<M>::kSegments | Group<M>::kCode);
    return true;
  }

  bool start(unsigned cpe, const ClassicPlan& plan) {
    if (!group_.wait([&] { return group_.room() != 0; }, plan.limit)) return false;
    group_.prepare({uint32_t{1} << cpe, code_segment(cpe, plan), plan.argument_segment});
    group_.start(plan.pc, plan.argument);
    return true;
  }

  // A launch that still waits does not show in cpe_running, so the queue must be empty before that means
  // anything.
  bool query(uint64_t limit) {
    if (!group_.wait([&] { return regs::cg::launch_status::kQueued.get(group_.status()) == 0; }, limit))
      return false;
    for (unsigned cpe = 0; cpe < group_.cpes(); ++cpe) {
      if (!group_.wait([&] { return (group_.running() >> cpe & 1) == 0; }, limit)) return false;
    }
    return true;
  }

  uint16_t code_segment(unsigned cpe, const ClassicPlan& plan) const {
    return static_cast<uint16_t>(plan.first_code_segment + cpe);
  }

  Group<M>& group_;
};

}  // namespace swai::group
