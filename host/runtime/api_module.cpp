// SPDX-License-Identifier: Apache-2.0
// Modules, kernels, launches.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>

#include "abi/module.hpp"
#include "host/runtime/call.hpp"
#include "host/runtime/files.hpp"
#include "host/runtime/launch.hpp"
#include "host/runtime/printing.hpp"
#include "host/runtime/variable_memory.hpp"

using namespace swai::sdaa;
namespace cpe = swai::cpe;
namespace module = swai::module;

namespace {

void load(sdaaModule_t* module, std::span<const uint8_t> file) {
  const auto loaded = load_module(Runtime::get().current(), file);
  loaded->name_of_user = Runtime::get().modules.add(loaded);
  *module = reinterpret_cast<sdaaModule_t>(loaded->name_of_user);
}

void load_file(sdaaModule_t* module, const char* path) {
  require(module != nullptr && path != nullptr, "a null pointer");
  load(module, read_file("module", path));
}

void load_image(sdaaModule_t* module, const void* image) {
  require(module != nullptr && image != nullptr, "a null pointer");
  load(module, {static_cast<const uint8_t*>(image), length_of_image(image)});
}

void refuse_options(unsigned count) {
  require(count == 0, "options for a compiler that is not there", sdaaErrorNotSupported);
}

void unload(sdaaModule_t module) {
  const auto found = Runtime::get().modules.get(module, "no such module");
  Device& device = *found->device;
  {
    Device::Lock lock = device.enter();
    // Launches of it may be under way.
    wait_and_print(device, lock, [&] { device.waiting().until_idle(lock); });
    require(found->alive.exchange(false), "the module was unloaded", sdaaErrorInvalidHandle);
    swai::command::ModuleUnload command = {};
    command.module = found->handle;
    device.service_writer(lock).run(swai::command::Type::kModuleUnload, command);
    if (const uint64_t buffer = device.printers().drop(found->handle); buffer != 0)
      device.connection().ask(swai::protocol::Operation::kFree, {buffer});
    for (const uint64_t at : {found->constants.at, found->device_variables.at})
      if (at != 0) VariableMemory::give_back(device, lock, at);
  }
  auto& runtime = Runtime::get();
  runtime.modules.remove(module);
  runtime.functions.remove_if([&](const Function& function) { return function.module == found; });
}

sdaaFunction_t add_function(const std::shared_ptr<Module>& module, size_t index) {
  auto fresh = std::make_shared<Function>();
  fresh->device = module->device;
  fresh->module = module;
  fresh->index = static_cast<unsigned>(index);
  fresh->kernels = std::make_shared<const Kernels>(Kernels{module->kernels[index]});
  return reinterpret_cast<sdaaFunction_t>(Runtime::get().functions.add(std::move(fresh)));
}

void get_function(sdaaFunction_t* function, sdaaModule_t module, const char* name) {
  require(function != nullptr && name != nullptr, "a null pointer");
  const auto found = Runtime::get().modules.get(module, "no such module");
  const auto kernel = std::ranges::find(found->kernels, name, [](const auto& one) { return one->name; });
  if (kernel == found->kernels.end())
    fail(sdaaErrorNotFound, fmt::format("module {} has no kernel {}", found->name, name));
  *function = add_function(found, static_cast<size_t>(kernel - found->kernels.begin()));
}

void count_functions(unsigned* count, sdaaModule_t module) {
  require(count != nullptr, "a null pointer");
  *count = static_cast<unsigned>(Runtime::get().modules.get(module, "no such module")->kernels.size());
}

void enumerate(sdaaFunction_t* functions, unsigned count, sdaaModule_t module) {
  require(functions != nullptr, "a null pointer");
  const auto found = Runtime::get().modules.get(module, "no such module");
  for (size_t i = 0; i < std::min<size_t>(count, found->kernels.size()); ++i)
    functions[i] = add_function(found, i);
}

std::span<const uint8_t> argument_bytes(const void* args, size_t bytes) {
  require(args != nullptr || bytes == 0, "the kernel takes arguments, and there are none");
  return {static_cast<const uint8_t*>(args), bytes};
}

void launch_grid(sdaaFunction_t function, cpe::Extent blocks, cpe::Extent threads, size_t shared,
                 sdaaStream_t stream, const void* values,
                 const std::function<void(const KernelInfo&)>& check_values) {
  const auto found = Runtime::get().functions.find(function);
  require(found != nullptr, "no such kernel", sdaaErrorInvalidDeviceFunction);
  const KernelInfo& kernel = found->info();
  LaunchWish wish;
  ask_for_grid(wish, kernel, blocks, threads, shared);
  check_values(kernel);
  const auto packed = arguments_of(kernel, values, wish.grid);
  auto use = Runtime::get().use_stream(stream);
  launch(use.writer(), *found, wish, packed);
}

cpe::Extent extent(const dim3* size) {
  require(size != nullptr, "a null pointer");
  return {size->x, size->y, size->z};
}

}  // namespace

sdaaError_t sdaaModuleLoad(sdaaModule_t* module, const char* path) {
  return call("sdaaModuleLoad", [&] { load_file(module, path); });
}

sdaaError_t sdaaModuleLoadData(sdaaModule_t* module, const void* image) {
  return call("sdaaModuleLoadData", [&] { load_image(module, image); });
}

sdaaError_t sdaaModuleLoadDataEx(sdaaModule_t* module, const void* image, unsigned int option_count,
                                 sdaaJitOption*, void**) {
  return call("sdaaModuleLoadDataEx", [&] {
    refuse_options(option_count);
    load_image(module, image);
  });
}

sdaaError_t sdaaModuleLoadBytes(sdaaModule_t* module, const void* image, size_t bytes) {
  return call("sdaaModuleLoadBytes", [&] {
    require(module != nullptr && image != nullptr && bytes != 0, "no image");
    load(module, {static_cast<const uint8_t*>(image), bytes});
  });
}

sdaaError_t sdaaModuleUnload(sdaaModule_t module) {
  return call("sdaaModuleUnload", [&] { unload(module); });
}

sdaaError_t sdaaModuleGetFunction(sdaaFunction_t* function, sdaaModule_t module, const char* name) {
  return call("sdaaModuleGetFunction", [&] { get_function(function, module, name); });
}

sdaaError_t sdaaModuleGetFunctionCount(unsigned int* count, sdaaModule_t module) {
  return call("sdaaModuleGetFunctionCount", [&] { count_functions(count, module); });
}

sdaaError_t sdaaModuleEnumerateFunctions(sdaaFunction_t* functions, unsigned int count, sdaaModule_t module) {
  return call("sdaaModuleEnumerateFunctions", [&] { enumerate(functions, count, module); });
}

sdaaError_t sdaaLibraryLoadData(sdaaLibrary_t* library, const void* code, sdaaJitOption*, void**,
                                unsigned int jit_count, sdaaLibraryOption*, void**, unsigned int count) {
  return call("sdaaLibraryLoadData", [&] {
    refuse_options(jit_count + count);
    load_image(library, code);
  });
}

sdaaError_t sdaaLibraryLoadFromFile(sdaaLibrary_t* library, const char* path, sdaaJitOption*, void**,
                                    unsigned int jit_count, sdaaLibraryOption*, void**, unsigned int count) {
  return call("sdaaLibraryLoadFromFile", [&] {
    refuse_options(jit_count + count);
    load_file(library, path);
  });
}

sdaaError_t sdaaLibraryUnload(sdaaLibrary_t library) {
  return call("sdaaLibraryUnload", [&] { unload(library); });
}

sdaaError_t sdaaLibraryGetKernel(sdaaKernel_t* kernel, sdaaLibrary_t library, const char* name) {
  return call("sdaaLibraryGetKernel", [&] { get_function(kernel, library, name); });
}

sdaaError_t sdaaLibraryGetKernelCount(unsigned int* count, sdaaLibrary_t library) {
  return call("sdaaLibraryGetKernelCount", [&] { count_functions(count, library); });
}

sdaaError_t sdaaLibraryEnumerateKernels(sdaaKernel_t* kernels, unsigned int count, sdaaLibrary_t library) {
  return call("sdaaLibraryEnumerateKernels", [&] { enumerate(kernels, count, library); });
}

sdaaError_t sdaaLaunchKernel(sdaaFunction_t function, const void* args, size_t sharedMem,
                             sdaaStream_t stream) {
  return call("sdaaLaunchKernel", [&] {
    const auto found = Runtime::get().functions.find(function);
    require(found != nullptr, "no such kernel", sdaaErrorInvalidDeviceFunction);
    require_no_threads(found->info());
    LaunchWish wish;
    wish.local_bytes = sharedMem;
    const auto arguments = arguments_of(found->info(), args);
    auto use = Runtime::get().use_stream(stream);
    launch(use.writer(), *found, wish, arguments);
  });
}

sdaaError_t sdaaLaunch(sdaaFunction_t function, const sdaaLaunchConfig_t* config, const void* args,
                       size_t bytes, sdaaStream_t stream) {
  return call("sdaaLaunch", [&] {
    const auto found = Runtime::get().functions.find(function);
    require(found != nullptr, "no such kernel", sdaaErrorInvalidDeviceFunction);
    const LaunchWish wish = wish_of(config);
    const auto arguments = argument_bytes(args, bytes);
    auto use = Runtime::get().use_stream(stream);
    launch(use.writer(), *found, wish, arguments);
  });
}

sdaaError_t sdaaModuleLaunchKernel(sdaaFunction_t function, unsigned int gridX, unsigned int gridY,
                                   unsigned int gridZ, unsigned int blockX, unsigned int blockY,
                                   unsigned int blockZ, unsigned int sharedMem, sdaaStream_t stream,
                                   void** params, void** extra) {
  return call("sdaaModuleLaunchKernel", [&] {
    require(extra == nullptr, "extra: arguments come as params", sdaaErrorNotSupported);
    launch_grid(function, {gridX, gridY, gridZ}, {blockX, blockY, blockZ}, sharedMem, stream, params,
                [](const KernelInfo&) {});
  });
}

sdaaError_t sdaaLaunchValues(sdaaFunction_t function, const dim3* grid, const dim3* block, size_t sharedMem,
                             sdaaStream_t stream, const void* const* values, const size_t* bytes,
                             size_t count) {
  return call("sdaaLaunchValues", [&] {
    launch_grid(function, extent(grid), extent(block), sharedMem, stream, values,
                [&](const KernelInfo& kernel) {
                  const module::Parameters parameters = kernel.parameters;
                  if (count != parameters.values()) {
                    fail(sdaaErrorInvalidValue, fmt::format("kernel {} takes {} arguments, not {}",
                                                            kernel.name, parameters.values(), count));
                  }
                  require(count == 0 || (values != nullptr && bytes != nullptr), "a null pointer");
                  for (unsigned i = 0; i < count; ++i) {
                    if (bytes[i] == parameters.size(i)) continue;
                    fail(sdaaErrorInvalidValue,
                         fmt::format("argument {} of kernel {} has {} bytes, not {}: give it the "
                                     "parameter's type",
                                     i + 1, kernel.name, bytes[i], parameters.size(i)));
                  }
                });
  });
}
