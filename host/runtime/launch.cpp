// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/launch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <vector>

#include "abi/elf32.hpp"
#include "abi/launch.hpp"
#include "abi/loaded_module.hpp"
#include "abi/module_reader.hpp"
#include "host/lib/grid_check.hpp"
#include "host/runtime/card_memory.hpp"
#include "host/runtime/graph.hpp"
#include "host/runtime/kernel_names.hpp"
#include "host/runtime/recorder.hpp"
#include "host/runtime/variable_memory.hpp"

namespace swai::sdaa {
namespace {

using command::Type;

Failure refused(const module::Verdict& verdict) {
  const auto code =
      verdict.error == module::Error::kNotElf ? sdaaErrorInvalidKernelFile : sdaaErrorInvalidImage;
  std::string what = fmt::format("the module is not good: {}", module::text(verdict.error));
  if (!verdict.name.empty()) what += fmt::format(" ({})", verdict.name);
  return {verdict.error == module::Error::kWrongCardAbi ? sdaaErrorNoBinaryForDevice : code, what};
}

module::GridKernel grid_kernel(const KernelInfo& kernel) {
  return {kernel.name, kernel.parameters, kernel.thread_stacks, kernel.free_bytes};
}

}  // namespace

uint64_t length_of_image(const void* image) {
  namespace elf = module::elf;
  elf::Header header;
  std::memcpy(&header, image, sizeof header);
  static constexpr uint8_t kMagic[] = {0x7f, 'E', 'L', 'F'};
  if (std::memcmp(&header, kMagic, sizeof kMagic) != 0)
    fail(sdaaErrorInvalidKernelFile, "the image is no ELF file");
  const auto* bytes = static_cast<const uint8_t*>(image);
  uint64_t end =
      std::max(header.section_headers + uint64_t{header.section_header_count} * header.section_header_bytes,
               header.program_headers + uint64_t{header.program_header_count} * header.program_header_bytes);
  for (unsigned i = 0; i < header.section_header_count; ++i) {
    elf::SectionHeader section;
    std::memcpy(&section, bytes + header.section_headers + i * header.section_header_bytes, sizeof section);
    constexpr uint32_t kNoBits = 8;
    if (section.type != kNoBits) end = std::max(end, uint64_t{section.offset} + section.bytes);
  }
  for (unsigned i = 0; i < header.program_header_count; ++i) {
    elf::ProgramHeader program;
    std::memcpy(&program, bytes + header.program_headers + i * header.program_header_bytes, sizeof program);
    end = std::max(end, uint64_t{program.offset} + program.file_bytes);
  }
  return end;
}

std::shared_ptr<Module> load_module(const std::shared_ptr<Device>& device, std::span<const uint8_t> file) {
  module::Module parsed;
  const module::Verdict verdict = parsed.open(file);
  if (!verdict.ok()) throw refused(verdict);
  auto result = std::make_shared<Module>();
  result->name = parsed.name();
  result->local_bytes = parsed.ldm_bytes();
  const auto text = std::make_shared<const module::ModuleText>(file);
  const module::ArgumentTypes types(file);
  for (uint32_t i = 0; i < parsed.kernel_count(); ++i) {
    const auto kernel = parsed.kernel(i);
    result->kernels.push_back(std::make_shared<const KernelInfo>(
        KernelInfo{std::string(kernel.name), kernel.argument_bytes, module::Parameters(kernel.parameters),
                   types.stacks_of(kernel.name), module::kLdmBytes - parsed.ldm_bytes(), text}));
  }
  result->device = device;
  result->constants.table = {module::VariableKind::kConstant, file, parsed};
  result->device_variables.table = {module::VariableKind::kDevice, file, parsed};

  // A queue tells one value, that of the last command that gave one.
  const std::lock_guard one_at_a_time(device->value_mutex());
  Device::Lock lock = device->enter();
  std::vector<uint8_t> changed;
  const auto write = [&](size_t place, uint64_t pointer) {
    if (changed.empty()) changed.assign(file.begin(), file.end());
    std::memcpy(&changed[place], &pointer, sizeof pointer);
    file = changed;
  };
  std::optional<CardMemory> prints;
  if (text->prints.any()) {
    prints.emplace(*device, lock, std::vector<uint8_t>(print::kBufferBytes));
    write(text->prints.place_in_file(), prints->pointer());
  }
  std::optional<VariableMemory> constants;
  std::optional<VariableMemory> device_variables;
  const auto place = [&](std::optional<VariableMemory>& memory, const module::Variables& variables) {
    if (variables.values().empty()) return;
    memory.emplace(*device, lock, variables.values());
    write(variables.place_in_file(), memory->pointer());
  };
  place(constants, result->constants.table);
  place(device_variables, result->device_variables.table);
  CardMemory memory(*device, lock, file);
  Queue& queue = device->queues().service();
  memory.guard([&] {
    command::ModuleLoad command = {};
    command.file = memory.pointer();
    command.bytes = file.size();
    device->queue_writer(lock, queue).run(Type::kModuleLoad, command);
  });
  const auto loaded = protocol::LoadedModule::decode(queue.line.value);
  result->handle = loaded.handle;
  name_kernels(device->connection().card(), loaded.segment, parsed);
  memory.give_back();
  if (prints) device->printers().add(result->handle, text, prints->release());
  if (constants) result->constants.at = constants->release();
  if (device_variables) result->device_variables.at = device_variables->release();
  device->adopt(result);
  return result;
}

std::vector<uint8_t> arguments_of(const KernelInfo& kernel, const void* args, const cpe::Grid& grid) {
  const module::Parameters parameters = kernel.parameters;
  std::vector<uint8_t> packed(kernel.argument_bytes);
  if (packed.empty()) return packed;
  const bool alone = parameters.has_grid() && parameters.values() == 0;
  require(args != nullptr || alone, "the kernel takes arguments, and there are none");
  if (parameters.count() == 0) std::memcpy(packed.data(), args, packed.size());
  const auto* values = static_cast<const void* const*>(args);
  for (unsigned i = 0; i < parameters.values(); ++i) {
    if (values[i] == nullptr)
      fail(sdaaErrorInvalidValue,
           fmt::format("argument {} of kernel {} is a null pointer", i + 1, kernel.name));
    std::memcpy(packed.data() + parameters.offset(i), values[i], parameters.size(i));
  }
  if (parameters.has_grid()) module::place_grid(packed, parameters, grid);
  return packed;
}

uint64_t most_threads(const KernelInfo& kernel, uint64_t shared) {
  return module::most_threads(grid_kernel(kernel), shared);
}

uint64_t most_shared(const KernelInfo& kernel, uint64_t threads) {
  return module::most_shared(grid_kernel(kernel), threads);
}

LaunchWish wish_of(const sdaaLaunchConfig_t* config) {
  if (config == nullptr) return {};
  require(config->structBytes == sizeof *config, "the launch's configuration is of another version");
  return {config->coreMask, config->group, config->timeoutCycles, config->sharedMem};
}

void ask_for_grid(LaunchWish& wish, const KernelInfo& kernel, cpe::Extent blocks, cpe::Extent threads,
                  size_t shared) {
  using Kind = module::GridRefusal::Kind;
  if (const auto refusal = module::refuse_grid(grid_kernel(kernel), blocks, threads, shared)) {
    const bool other = refusal->kind == Kind::kNoThreads;
    fail(refusal->kind == Kind::kNoRoom ? sdaaErrorLaunchOutOfResources : sdaaErrorInvalidConfiguration,
         other ? refusal->why + ": sdaaLaunchKernel launches this one" : refusal->why);
  }
  wish.local_bytes = shared;
  wish.grid = {blocks, threads, static_cast<uint32_t>(shared), 0};
}

void require_no_threads(const KernelInfo& kernel) {
  if (!kernel.parameters.has_grid()) return;
  fail(
      sdaaErrorInvalidConfiguration,
      fmt::format("kernel {}: it runs once for each thread of a grid, and this call has none: launch it with "
                  "sdaaModuleLaunchKernel, or in C++ with sdaaLaunchKernel(kernel, grid, block, arguments)",
                  kernel.name));
}

command::Launch launch_of(const Device& device, const Function& function, const LaunchWish& wish) {
  const KernelInfo& kernel = function.info();
  require(function.module->alive, "the module of the kernel was unloaded", sdaaErrorInvalidHandle);
  require(function.module->device.get() == &device, "the kernel and the stream are of different devices",
          sdaaErrorInvalidHandle);
  if (wish.local_bytes > kernel.free_bytes) {
    fail(sdaaErrorLaunchOutOfResources,
         fmt::format("{} bytes of local memory are wanted, kernel {} leaves {}", wish.local_bytes,
                     kernel.name, kernel.free_bytes));
  }
  const protocol::Info& info = device.info();
  const unsigned cores = unsigned{info.rows} * info.columns;
  const auto all = static_cast<uint32_t>((uint64_t{1} << cores) - 1);
  if ((wish.mask & ~all) != 0) {
    fail(sdaaErrorInvalidConfiguration,
         fmt::format("core mask {:#x} names cores that a group of {} does not have", wish.mask, cores));
  }
  if (wish.group != sdaaAnyGroup && (wish.group < 0 || static_cast<unsigned>(wish.group) >= info.groups))
    fail(sdaaErrorInvalidConfiguration, fmt::format("there is no group {}", wish.group));
  command::Launch command = {};
  command.module = static_cast<uint16_t>(function.module->handle);
  command.kernel = static_cast<uint16_t>(function.index);
  command.argument_bytes = static_cast<uint16_t>(kernel.argument_bytes);
  command.group =
      static_cast<uint8_t>(wish.group == sdaaAnyGroup ? protocol::kAnyGroup : unsigned(wish.group));
  command.mask = wish.mask == 0 ? ~uint32_t{0} : wish.mask;
  command.watchdog = wish.timeout != 0 ? wish.timeout : device.limits().launch_cycles;
  return command;
}

void launch(StreamWriter stream, const Function& function, const LaunchWish& wish,
            std::span<const uint8_t> arguments) {
  const command::Launch command = launch_of(stream.device(), function, wish);
  const KernelInfo& kernel = function.info();
  if (arguments.size() != kernel.argument_bytes) {
    fail(sdaaErrorInvalidValue, fmt::format("kernel {} takes {} bytes of arguments, not {}", kernel.name,
                                            kernel.argument_bytes, arguments.size()));
  }
  if (Profile::get() != nullptr || Recorder::get() != nullptr) name_launch(kernel.name);
  const Point point = stream.submit(Type::kLaunch, command, arguments);
  if (const auto& capture = stream.stream().capture; capture != nullptr) {
    capture->name_last(function.kernels->front());
  } else {
    point.queue->note(point.begin, function.kernels);
  }
}

}  // namespace swai::sdaa
