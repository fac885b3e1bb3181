// Modules, kernels, launches.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "abi/module.hpp"
#include "host/sdaa/call.hpp"
#include "host/sdaa/files.hpp"
#include "host/sdaa/launch.hpp"

using namespace swai::sdaa;

namespace {

void load(sdaaModule_t* module, std::span<const uint8_t> file) {
  auto loaded = load_module(Runtime::get().current(), file);
  *module = reinterpret_cast<sdaaModule_t>(Runtime::get().modules.add(std::move(loaded)));
}

std::span<const uint8_t> argument_bytes(const void* args, size_t bytes) {
  require(args != nullptr || bytes == 0, "the kernel takes arguments, and there are none");
  return {static_cast<const uint8_t*>(args), bytes};
}

// The structure that a kernel of values finds, made of what the pointers of `args` point to.
std::vector<uint8_t> pack(const KernelInfo& kernel, const void* args) {
  require(args != nullptr, "the kernel takes arguments, and there are none");
  const auto* values = static_cast<const void* const*>(args);
  std::vector<uint8_t> packed(kernel.argument_bytes);
  for (unsigned i = 0; i < kernel.parameters.count(); ++i) {
    if (values[i] == nullptr)
      fail(sdaaErrorInvalidValue, fmt::format("argument {} of kernel {} is a null pointer", i, kernel.name));
    std::memcpy(packed.data() + kernel.parameters.offset(i), values[i], kernel.parameters.size(i));
  }
  return packed;
}

}  // namespace

sdaaError_t sdaaModuleLoad(sdaaModule_t* module, const char* path) {
  return call("sdaaModuleLoad", [&] {
    require(module != nullptr && path != nullptr, "a null pointer");
    load(module, read_file("module", path));
  });
}

sdaaError_t sdaaModuleLoadData(sdaaModule_t* module, const void* image) {
  return call("sdaaModuleLoadData", [&] {
    require(module != nullptr && image != nullptr, "a null pointer");
    load(module, {static_cast<const uint8_t*>(image), length_of_image(image)});
  });
}

sdaaError_t sdaaModuleLoadBytes(sdaaModule_t* module, const void* image, size_t bytes) {
  return call("sdaaModuleLoadBytes", [&] {
    require(module != nullptr && image != nullptr && bytes != 0, "no image");
    load(module, {static_cast<const uint8_t*>(image), bytes});
  });
}

sdaaError_t sdaaModuleUnload(sdaaModule_t module) {
  return call("sdaaModuleUnload", [&] {
    const auto found = Runtime::get().modules.get(module, "no such module");
    Device& device = *found->device;
    {
      Device::Lock lock = device.enter();
      // Launches of it may be under way.
      device.wait_idle(lock);
      require(found->alive.exchange(false), "the module was unloaded", sdaaErrorInvalidHandle);
      swai::command::ModuleUnload command = {};
      command.module = found->handle;
      device.wait(lock,
                  device.send(lock, device.service_queue(), swai::command::Type::kModuleUnload, command));
    }
    auto& runtime = Runtime::get();
    runtime.modules.remove(module);
    runtime.functions.remove_if([&](const Function& function) { return function.module == found; });
  });
}

sdaaError_t sdaaModuleGetFunction(sdaaFunction_t* function, sdaaModule_t module, const char* name) {
  return call("sdaaModuleGetFunction", [&] {
    require(function != nullptr && name != nullptr, "a null pointer");
    const auto found = Runtime::get().modules.get(module, "no such module");
    const auto kernel = std::ranges::find(found->kernels, name, [](const auto& one) { return one->name; });
    if (kernel == found->kernels.end())
      fail(sdaaErrorNotFound, fmt::format("module {} has no kernel {}", found->name, name));
    auto fresh = std::make_shared<Function>();
    fresh->device = found->device;
    fresh->module = found;
    fresh->index = static_cast<unsigned>(kernel - found->kernels.begin());
    fresh->kernels = std::make_shared<const Kernels>(Kernels{*kernel});
    *function = reinterpret_cast<sdaaFunction_t>(Runtime::get().functions.add(std::move(fresh)));
  });
}

sdaaError_t sdaaModuleGetFunctionCount(unsigned int* count, sdaaModule_t module) {
  return call("sdaaModuleGetFunctionCount", [&] {
    require(count != nullptr, "a null pointer");
    *count = static_cast<unsigned>(Runtime::get().modules.get(module, "no such module")->kernels.size());
  });
}

sdaaError_t sdaaFuncGetAttributes(sdaaFuncAttributes* attributes, sdaaFunction_t function) {
  return call("sdaaFuncGetAttributes", [&] {
    require(attributes != nullptr, "a null pointer");
    const auto found = Runtime::get().functions.get(function, "no such kernel");
    sdaaFuncAttributes fresh = {};
    const auto& info = found->info();
    std::copy_n(info.name.begin(), std::min(info.name.size(), sizeof fresh.name - 1), fresh.name);
    fresh.argumentBytes = info.argument_bytes;
    fresh.localSizeBytes = found->module->local_bytes;
    fresh.maxDynamicLocalBytes = swai::module::kLdmBytes - found->module->local_bytes;
    *attributes = fresh;
  });
}

sdaaError_t sdaaLaunchKernel(sdaaFunction_t function, const void* args, size_t sharedMem,
                             sdaaStream_t stream) {
  return call("sdaaLaunchKernel", [&] {
    const auto found = Runtime::get().functions.find(function);
    require(found != nullptr, "no such kernel", sdaaErrorInvalidDeviceFunction);
    LaunchWish wish;
    wish.local_bytes = sharedMem;
    const KernelInfo& kernel = found->info();
    std::vector<uint8_t> packed;
    if (kernel.parameters.count() != 0) packed = pack(kernel, args);
    const auto arguments = argument_bytes(packed.empty() ? args : packed.data(), kernel.argument_bytes);
    auto use = Runtime::get().use_stream(stream);
    launch(*use.device, use.lock, *use.stream, *found, wish, arguments);
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
    launch(*use.device, use.lock, *use.stream, *found, wish, arguments);
  });
}
