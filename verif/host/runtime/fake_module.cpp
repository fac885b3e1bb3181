// SPDX-License-Identifier: Apache-2.0
// A module for played cards.
#include <fmt/format.h>

#include "verif/abi/module_file.hpp"
#include "verif/host/runtime/fake_card.hpp"
#include "verif/host/runtime/kernels.hpp"

namespace swai::sdaa {

namespace {

module::ModuleFile with_all_kernels() {
  module::ModuleFile file;
  file.kernels.clear();
  file.symbols.clear();
  constexpr uint32_t kBase = module::base(module::Space::kKernel);
  auto& code = file.segments[0].data;
  const auto add = [&](const char* name, Operation operation, uint32_t argument_bytes) {
    const auto offset = static_cast<uint32_t>(file.kernels.size()) * 16;
    module::poke(code, offset, static_cast<uint64_t>(operation));
    file.add_kernel(name, kBase + offset, argument_bytes);
    file.symbols.push_back({name});
  };
  add("nothing", Operation::kNothing, 0);
  add("axpy_int", Operation::kAxpyInt, sizeof(AxpyIntArgs));
  add("who", Operation::kWho, sizeof(WhoArgs));
  add("many_arguments", Operation::kMany, sizeof(ManyArgs));
  add("axpy_values", Operation::kAxpyInt, sizeof(AxpyIntArgs));
  file.kernels.back().parameters = module::Parameters().with(8).with(8).with(4).with(4).bits();
  add("hang", Operation::kHang, 0);
  add("breakpoint", Operation::kBreakpoint, 0);
  add("slow", Operation::kSlow, 0);
  add("dead", Operation::kDead, 0);
  add("in_threads", Operation::kNothing, 48);
  file.kernels.back().parameters = module::Parameters().with(8).with(4).with(32).bits();
  // 400 threads with a stack each have room.
  add("meeting_threads", Operation::kNothing, 32);
  file.kernels.back().parameters = module::Parameters().with(32).bits();
  file.sections.push_back({".debug_swai_arguments", "SWAI-ARG\nthreads\tmeeting_threads\t160\t64000\n"});
  add("word", Operation::kWord, sizeof(uint32_t));
  // Cores refuse what these do; played ones have no instructions.
  add("outlives", Operation::kCommand, sizeof(OutlivesArgs));
  add("takes_launch", Operation::kCommand, sizeof(OutlivesArgs));
  add("leaves_shape", Operation::kNothing, sizeof(OutlivesArgs));
  // The last one: behind it lies where its constants are.
  add("constants", Operation::kConstants, sizeof(WhoArgs));
  return file;
}

}  // namespace

std::vector<uint8_t> fake_module(size_t padding) {
  auto bytes = with_all_kernels().make();
  bytes.resize(bytes.size() + padding);
  return bytes;
}

std::vector<uint8_t> fake_module_with_variables(std::string_view values) {
  auto file = with_all_kernels();
  // The pointer to them stands behind the operation.
  const uint32_t place = file.kernels.back().pc + sizeof(uint64_t);
  file.sections.push_back(
      {".debug_swai_constants",
       fmt::format("SWAI-VAR\n{}\t{}\n0\t4\tscale\n4\t12\tcounts\n", place, kConstantBytes)});
  if (!values.empty()) file.sections.push_back({".debug_swai_constants_values", std::string(values)});
  // That to the others stands behind that of `nothing`, which does not look.
  const uint32_t others = file.kernels.front().pc + sizeof(uint64_t);
  file.sections.push_back({".debug_swai_device", fmt::format("SWAI-VAR\n{}\t8\n4\t4\ttotal\n", others)});
  file.sections.push_back({".debug_swai_device_values", std::string("\0\0\0\0\7\0\0\0", 8)});
  return file.make();
}

}  // namespace swai::sdaa
