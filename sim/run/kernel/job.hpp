// SPDX-License-Identifier: Apache-2.0
// A kernel with all that it needs: module, daemon, arguments, and where each lies in the memory of a core
// group.
//
// Segment 0 is never used, 1 holds the daemon, 2 the code, 3 the arguments, the buffers follow. Between
// segments lies memory that belongs to none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "abi/module_reader.hpp"
#include "host/lib/argument_text.hpp"
#include "host/lib/grid_check.hpp"
#include "host/lib/module_text.hpp"
#include "host/lib/variables.hpp"
#include "sim/run/kernel/device.hpp"

namespace swai::kernel_run {

// What of a module counts here.
class Program {
 public:
  // Throws common::InputError with the reason, and the symbol if it is about one.
  explicit Program(const std::string& path, module::Space space = module::Space::kKernel);
  // The least daemon there is.
  static Program plain_daemon();

  struct Kernel {
    std::string name;
    uint32_t pc = 0;
    uint32_t argument_bytes = 0;
    module::Parameters parameters{};
    std::optional<module::ThreadStacks> stacks{};
  };

  const std::string& path() const { return path_; }
  const std::vector<uint8_t>& code() const { return code_; }
  // Where what its kernels print goes.
  void print_to(uint64_t pointer) { point(text_.prints.place(), pointer); }
  // What its kernels know as variables, and where each kind lies.
  const std::vector<module::Variables>& variables() const { return variables_; }
  void place_variables(const module::Variables& variables, uint64_t pointer) {
    point(variables.place(), pointer);
  }
  const std::vector<Kernel>& kernels() const { return kernels_; }
  // Throws common::InputError that names those that there are.
  const Kernel& kernel(const std::string& name) const;
  module::GridKernel grid_kernel(const std::string& name) const;
  const module::ModuleText& text() const { return text_; }

 private:
  Program() = default;
  void point(uint32_t place, uint64_t pointer);

  std::string path_;
  std::vector<uint8_t> code_;  // from the start of its space
  std::vector<Kernel> kernels_;
  uint64_t free_bytes_ = module::kLdmBytes;
  module::ModuleText text_;
  std::vector<module::Variables> variables_;  // of each kind that there are some of
};

class Job {
 public:
  struct Setup {
    std::string kernel;
    std::vector<Argument> arguments;
    cpe::Grid grid = {};  // of a kernel that runs in threads
    uint32_t mask = 0;
    uint8_t context = 1;
  };
  // Throws common::InputError when the arguments do not fit the kernel or the memory.
  Job(Program program, Program daemon, Setup setup);

  // Puts everything into the memory of the device and starts its CPEs.
  void load(Device& device, uint64_t limit) const;
  const Launch& launch() const { return launch_; }

  unsigned buffers() const { return static_cast<unsigned>(buffers_.size()); }
  std::vector<uint8_t> read_buffer(Device& device, unsigned number) const;
  // What the kernel has printed since the last time, core after core.
  std::string take_prints(Device& device) const;

  const Program& program() const { return program_; }
  const std::string& kernel() const { return setup_.kernel; }

 private:
  struct Placed {
    uint64_t address;
    uint64_t bytes;
  };
  Placed place(uint64_t bytes);
  uint16_t add_segment(const Placed& placed, uint8_t permissions, uint8_t owner);
  void build_arguments(const Program::Kernel& kernel);

  Program program_;
  Program daemon_;
  Setup setup_;
  Launch launch_;
  std::vector<uint64_t> table_;      // entries
  std::vector<uint64_t> addresses_;  // where segments lie
  std::vector<uint8_t> arguments_;
  std::vector<Placed> buffers_;
  Placed prints_ = {};
  std::vector<Placed> variables_;  // as the program has them
  uint64_t next_;
};

}  // namespace swai::kernel_run
