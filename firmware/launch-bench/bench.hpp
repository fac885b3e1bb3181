// SPDX-License-Identifier: Apache-2.0
// What is measured.
#pragma once

#include <array>
#include <cstdint>

#include "abi/group/group.hpp"
#include "abi/module_reader.hpp"
#include "firmware/common/direct_machine.hpp"
#include "firmware/launch-bench/console.hpp"
#include "firmware/launch-bench/programs.hpp"

namespace swai::launch_bench {

class Bench {
 public:
  Bench();

  // Loads daemon and modules and starts the CPEs; false, after a line that says why, when that fails.
  bool init();

  unsigned cpes() const { return group_.cpes(); }
  // The CPEs of the launches that follow.
  void use_mask(uint32_t mask) { mask_ = mask & group_.all(); }

  // Doorbell store to done seen, empty kernel: the first, the first after the group has forgotten all code,
  // and many warm ones.
  void launch_empty();
  // 100 launches, as many queued at a time as there is room for.
  void launch_chain();
  // The classic way.
  void launch_classic();

  // From the processor's first store to its having a line back from the CPEs that have read the `bytes`
  // (in two parts of whole KiB, as many lines of each for each CPE): each its share, or each all of them. In
  // memory that both sides see; or copied between memory of one side and of the other.
  enum class Sharing { kShared, kCopied };
  void handover(uint32_t bytes, uint32_t samples, bool whole, Sharing sharing);

  // Kernels of their own sizes (arguments.hpp).
  void stream(uint32_t bytes, uint32_t piece, uint32_t mode, uint32_t rounds);
  void broadcast(uint32_t bytes, uint32_t rounds);
  void sync(uint32_t rounds, uint32_t scope);
  void scalar(uint32_t rounds);
  void copy(uint32_t bytes);

  // The arithmetic units of all CPEs of the launch, out of local memory: as many rounds of the same.
  void systolic(uint32_t rounds, uint32_t k_tiles);
  void sparse(uint32_t rounds, uint32_t k_tiles);
  void vector(uint32_t rounds, uint32_t elements);
  void softmax(uint32_t rounds);
  // Weights from memory through all systolic units.
  void gemv(uint32_t depth, uint32_t columns);
  void gemm(uint32_t rows, uint32_t depth, uint32_t columns);

  // The processor at work in its caches, the CPEs asleep.
  void spin(uint32_t rounds);

  // Every faulty kernel, run by all with CPE `culprit` as the one that misbehaves: what record it leaves, and
  // what an empty launch costs behind it.
  void faults(uint32_t culprit);

 private:
  using Group = group::Group<group::DirectMachine>;

  struct Run {
    Group::Result result;
    bool ended;
  };

  static void add_fault(JsonLine& line, unsigned cpe, const launch::Fault& fault);
  void prepare(Program program, bool notify = false);
  uint32_t pc_of(Program program, std::string_view kernel);
  // Launches a kernel of its module with these arguments and waits for its end; reports faults and what did
  // not end.
  Run run(Program program, std::string_view kernel, const void* arguments, uint32_t bytes);
  // The same for a measurement: once with nothing to do, so that its code is in all caches; then a line.
  template <typename Args>
  void measure(Program program, std::string_view kernel, Args arguments, std::string_view name,
               uint64_t work);
  void report_faults();
  // Words in a CPE's local memory that are not what was written from address `written` on, of a part.
  uint64_t wrong_share(unsigned cpe, unsigned part, uint64_t written, uint64_t lines, uint64_t round);
  uint64_t bytes_written();

  group::DirectMachine machine_;
  Group group_;
  uint32_t mask_ = 0;
  std::array<module::Module, kPrograms> modules_;
};

}  // namespace swai::launch_bench
