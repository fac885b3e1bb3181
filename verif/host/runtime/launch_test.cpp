// SPDX-License-Identifier: Apache-2.0
// Modules and launches, against a played card.
#include "host/runtime/launch.hpp"

#include <array>
#include <cstring>
#include <fstream>
#include <numeric>

#include "verif/host/runtime/kernels.hpp"
#include "verif/host/runtime/tools.hpp"

using namespace swai;
using namespace swai::sdaa;

TEST_CASE("modules: from memory and file, kernels, what is refused") {
  const Fakes fakes;
  const auto file = fake_module(2'500'000);
  sdaaModule_t module = nullptr;
  CHECK_OK(sdaaModuleLoadBytes(&module, file.data(), file.size()));
  unsigned count = 0;
  CHECK_OK(sdaaModuleGetFunctionCount(&count, module));
  CHECK(count == 16);
  sdaaFunction_t function = nullptr;
  CHECK_ERROR(sdaaModuleGetFunction(&function, module, "not there"), sdaaErrorNotFound);
  CHECK_ERROR(sdaaModuleGetFunction(nullptr, module, "who"), sdaaErrorInvalidValue);
  CHECK_ERROR(sdaaModuleGetFunction(&function, module, nullptr), sdaaErrorInvalidValue);
  CHECK_ERROR(sdaaModuleGetFunction(&function, reinterpret_cast<sdaaModule_t>(12), "who"),
              sdaaErrorInvalidHandle);
  CHECK_OK(sdaaModuleGetFunction(&function, module, "many_arguments"));
  sdaaFuncAttributes attributes;
  CHECK_OK(sdaaFuncGetAttributes(&attributes, function));
  CHECK(std::string(attributes.name) == "many_arguments");
  CHECK(attributes.argumentBytes == sizeof(ManyArgs));
  CHECK_ERROR(sdaaFuncGetAttributes(nullptr, function), sdaaErrorInvalidValue);
  CHECK_ERROR(sdaaFuncGetAttributes(&attributes, nullptr), sdaaErrorInvalidHandle);
  CHECK_OK(sdaaModuleUnload(module));
  CHECK_ERROR(sdaaModuleUnload(module), sdaaErrorInvalidHandle);
  CHECK_ERROR(sdaaFuncGetAttributes(&attributes, function), sdaaErrorInvalidHandle);
  ManyArgs args = {};
  CHECK_ERROR(sdaaLaunchKernel(function, &args, 0, nullptr), sdaaErrorInvalidDeviceFunction);

  const auto small = fake_module();
  CHECK_OK(sdaaModuleLoadData(&module, small.data()));
  CHECK_OK(sdaaModuleUnload(module));
  const std::string path = "build/sdaa-test-module.elf";
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(small.data()), static_cast<long>(small.size()));
  CHECK_OK(sdaaModuleLoad(&module, path.c_str()));
  CHECK_OK(sdaaModuleUnload(module));
  CHECK_ERROR(sdaaModuleLoad(&module, "/not/there"), sdaaErrorFileNotFound);
  CHECK(std::string(sdaaGetLastErrorMessage()).find("/not/there") != std::string::npos);
  CHECK_ERROR(sdaaModuleLoad(&module, "build"), sdaaErrorFileNotFound);
  CHECK_ERROR(sdaaModuleLoad(&module, nullptr), sdaaErrorInvalidValue);
  CHECK_ERROR(sdaaModuleLoad(nullptr, path.c_str()), sdaaErrorInvalidValue);
  const std::vector<uint8_t> garbage(1000, 3);
  CHECK_ERROR(sdaaModuleLoadBytes(&module, garbage.data(), garbage.size()), sdaaErrorInvalidKernelFile);
  CHECK_ERROR(sdaaModuleLoadData(&module, garbage.data()), sdaaErrorInvalidKernelFile);
  CHECK_ERROR(sdaaModuleLoadBytes(&module, small.data(), 100), sdaaErrorInvalidImage);
  CHECK_ERROR(sdaaModuleLoadBytes(&module, small.data(), 0), sdaaErrorInvalidValue);
}

TEST_CASE("variables of modules: found by name, written in the order of a stream, seen by launches") {
  const Fakes fakes;
  const auto load = [] {
    const auto file = fake_module_with_variables();
    sdaaModule_t loaded = nullptr;
    REQUIRE_OK(sdaaModuleLoadBytes(&loaded, file.data(), file.size()));
    return loaded;
  };
  sdaaModule_t module = load();
  void* scale = nullptr;
  void* counts = nullptr;
  size_t bytes = 0;
  REQUIRE_OK(sdaaModuleGetGlobal(&scale, &bytes, module, "scale"));
  CHECK(bytes == 4);
  REQUIRE_OK(sdaaLibraryGetGlobal(&counts, nullptr, module, "counts"));
  CHECK(counts == beyond(scale, 4));
  CHECK_OK(sdaaModuleGetGlobal(nullptr, &bytes, module, "counts"));
  CHECK(bytes == 12);
  CHECK_ERROR(sdaaModuleGetGlobal(&scale, &bytes, module, "other"), sdaaErrorNotFound);
  CHECK_ERROR(sdaaModuleGetGlobal(&scale, &bytes, module, nullptr), sdaaErrorInvalidValue);
  CHECK_ERROR(sdaaModuleGetGlobal(&scale, &bytes, nullptr, "scale"), sdaaErrorInvalidHandle);
  void* same = nullptr;
  CHECK_OK(sdaaGetSymbolAddress(&same, "scale"));
  CHECK(same == scale);
  CHECK_OK(sdaaGetSymbolSize(&bytes, "counts"));
  CHECK(bytes == 12);
  // With the type of what the kernel has.
  uint32_t* number = nullptr;
  CHECK_OK(sdaaGetSymbolAddress(&number, "scale"));
  CHECK(number == scale);
  CHECK_OK(sdaaModuleGetGlobal(&number, &bytes, module, "counts"));
  CHECK(number == counts);
  number = nullptr;
  CHECK_OK(sdaaLibraryGetGlobal(&number, &bytes, module, "counts"));
  CHECK(number == counts);
  CHECK_ERROR(sdaaGetSymbolAddress(&same, "other"), sdaaErrorInvalidSymbol);
  CHECK_ERROR(sdaaGetSymbolAddress(&same, nullptr), sdaaErrorInvalidSymbol);
  CHECK_ERROR(sdaaGetSymbolAddress(nullptr, "scale"), sdaaErrorInvalidValue);
  CHECK_ERROR(sdaaGetSymbolSize(nullptr, "scale"), sdaaErrorInvalidValue);
  // The module's, not the program's.
  CHECK_ERROR(sdaaFree(scale), sdaaErrorInvalidDevicePointer);
  sdaaFuncAttributes attributes;
  const sdaaFunction_t function = kernel(module, "constants");
  CHECK_OK(sdaaFuncGetAttributes(&attributes, function));
  CHECK(attributes.constSizeBytes == 16);

  using Four = std::array<uint32_t, 4>;
  const auto seen = [&](sdaaStream_t stream) {
    auto* const out = allocate(sizeof(Four));
    const WhoArgs args = {cpe::GlobalPtr<uint32_t>(bits(out))};
    REQUIRE_OK(sdaaLaunchKernel(function, &args, 0, stream));
    Four four = {};
    REQUIRE_OK(sdaaMemcpyWithStream(four.data(), out, sizeof four, sdaaMemcpyDeviceToHost, stream));
    CHECK_OK(sdaaFree(out));
    return four;
  };
  CHECK(seen(nullptr) == Four{});
  const uint32_t five = 5;
  const std::array<uint32_t, 3> three = {7, 8, 9};
  CHECK_OK(sdaaMemcpyToSymbol("scale", &five, sizeof five));
  CHECK_OK(sdaaMemcpyToSymbol("counts", three.data(), 8, 4));
  CHECK(seen(nullptr) == Four{5, 0, 7, 8});
  const sdaaStream_t stream = new_stream();
  CHECK_OK(sdaaMemcpyToSymbolAsync("counts", three.data(), 12, 0, sdaaMemcpyHostToDevice, stream));
  CHECK(seen(stream) == Four{5, 7, 8, 9});
  std::array<uint32_t, 2> two = {};
  CHECK_OK(sdaaMemcpyFromSymbol(two.data(), "counts", 8, 4));
  CHECK(two == std::array<uint32_t, 2>{8, 9});
  CHECK_OK(sdaaMemcpyFromSymbolAsync(two.data(), "scale", 4, 0, sdaaMemcpyDeviceToHost, stream));
  CHECK_OK(sdaaStreamSynchronize(stream));
  CHECK(two[0] == 5);

  CHECK_ERROR(sdaaMemcpyToSymbol("counts", three.data(), 12, 4), sdaaErrorInvalidValue);
  CHECK_ERROR(sdaaMemcpyFromSymbol(two.data(), "scale", 4, 5), sdaaErrorInvalidValue);
  CHECK_ERROR(sdaaMemcpyToSymbol("other", &five, 4), sdaaErrorInvalidSymbol);
  // Two modules have it.
  sdaaModule_t second = load();
  CHECK_ERROR(sdaaMemcpyToSymbol("scale", &five, 4), sdaaErrorInvalidSymbol);
  CHECK_OK(sdaaModuleUnload(second));
  CHECK_OK(sdaaMemcpyToSymbol("scale", &five, 4));
  CHECK_OK(sdaaModuleUnload(module));
  CHECK_ERROR(sdaaMemcpyToSymbol("scale", &five, 4), sdaaErrorInvalidSymbol);
  CHECK_ERROR(sdaaMemset(scale, 0, 4), sdaaErrorInvalidDevicePointer);
}

TEST_CASE("variables of modules: what they hold first; those of the card's memory") {
  const Fakes fakes;
  const auto first = [](std::string_view values) {
    const auto file = fake_module_with_variables(values);
    sdaaModule_t module = nullptr;
    REQUIRE_OK(sdaaModuleLoadBytes(&module, file.data(), file.size()));
    std::string found(12, 'x');
    CHECK_OK(sdaaMemcpyFromSymbol(found.data(), "counts", found.size()));
    uint32_t total = 0;
    size_t bytes = 0;
    CHECK_OK(sdaaMemcpyFromSymbol(&total, "total", sizeof total));
    CHECK(total == 7);
    total = 9;
    CHECK_OK(sdaaMemcpyToSymbol("total", &total, sizeof total));
    uint32_t* at = nullptr;
    CHECK_OK(sdaaModuleGetGlobal(&at, &bytes, module, "total"));
    CHECK(bytes == 4);
    total = 0;
    CHECK_OK(sdaaMemcpy(&total, at, sizeof total, sdaaMemcpyDeviceToHost));
    CHECK(total == 9);
    CHECK_ERROR(sdaaFree(at), sdaaErrorInvalidDevicePointer);
    CHECK_ERROR(sdaaMemcpyToSymbol("total", &total, 5), sdaaErrorInvalidValue);
    CHECK_OK(sdaaModuleUnload(module));
    CHECK_ERROR(sdaaMemset(at, 0, 4), sdaaErrorInvalidDevicePointer);
    CHECK_ERROR(sdaaGetSymbolAddress(&at, "total"), sdaaErrorInvalidSymbol);
    return found;
  };
  CHECK(first("0123456789abcdef") == "456789abcdef");
  CHECK(first("") == std::string(12, '\0'));
  // One that does not fit is damaged.
  const auto file = fake_module_with_variables("too short");
  sdaaModule_t module = nullptr;
  REQUIRE_OK(sdaaModuleLoadBytes(&module, file.data(), file.size()));
  uint32_t* at = nullptr;
  CHECK_ERROR(sdaaGetSymbolAddress(&at, "counts"), sdaaErrorInvalidSymbol);
  CHECK_OK(sdaaGetSymbolAddress(&at, "total"));
}

TEST_CASE("as many modules as the card takes, and one more") {
  const Fakes fakes;
  std::vector<sdaaModule_t> all;
  for (unsigned i = 0; i < protocol::kModules; ++i) {
    const auto file = fake_module();
    sdaaModule_t module = nullptr;
    const sdaaError_t result = sdaaModuleLoadBytes(&module, file.data(), file.size());
    if (result == sdaaErrorOutOfMemory) break;
    REQUIRE_OK(result);
    all.push_back(module);
  }
  CHECK(all.size() > 20);
  const auto file = fake_module();
  sdaaModule_t module = nullptr;
  CHECK_ERROR(sdaaModuleLoadBytes(&module, file.data(), file.size()), sdaaErrorOutOfMemory);
  CHECK_OK(sdaaModuleUnload(all.back()));
  CHECK_OK(sdaaModuleLoadBytes(&module, file.data(), file.size()));
}

TEST_CASE("launches: arguments, masks, groups, local memory") {
  const Fakes fakes;
  const sdaaModule_t module = load_fake_module();
  constexpr uint32_t kCount = 4096;
  void* x = allocate(kCount * 4);
  void* y = allocate(kCount * 4);
  std::vector<int32_t> xs(kCount);
  std::iota(xs.begin(), xs.end(), -5);
  std::vector<int32_t> ys(kCount, 100);
  REQUIRE_OK(sdaaMemcpy(x, xs.data(), kCount * 4, sdaaMemcpyHostToDevice));
  REQUIRE_OK(sdaaMemcpy(y, ys.data(), kCount * 4, sdaaMemcpyHostToDevice));
  const sdaaFunction_t axpy = kernel(module, "axpy_int");
  const AxpyIntArgs args = {global<int32_t>(y), global<const int32_t>(x), kCount, -3};
  for (int i = 0; i < 100; ++i) REQUIRE_OK(sdaaLaunchKernel(axpy, &args, 0, nullptr));
  REQUIRE_OK(sdaaMemcpy(ys.data(), y, kCount * 4, sdaaMemcpyDeviceToHost));
  for (uint32_t i = 0; i < kCount; ++i) REQUIRE(ys[i] == 100 - 300 * xs[i]);

  CHECK_ERROR(sdaaLaunchKernel(axpy, nullptr, 0, nullptr), sdaaErrorInvalidValue);
  CHECK_ERROR(sdaaLaunchKernel(nullptr, &args, 0, nullptr), sdaaErrorInvalidDeviceFunction);
  CHECK_ERROR(sdaaLaunchKernel(axpy, &args, 1 << 20, nullptr), sdaaErrorLaunchOutOfResources);
  CHECK_OK(sdaaLaunchKernel(axpy, &args, 1000, nullptr));
  CHECK_ERROR(sdaaLaunch(axpy, nullptr, &args, sizeof args - 4, nullptr), sdaaErrorInvalidValue);
  CHECK_OK(sdaaLaunch(axpy, nullptr, &args, sizeof args, nullptr));
  sdaaLaunchConfig_t config = {sizeof config, 0x10, sdaaAnyGroup, 0, 0};
  CHECK_ERROR(sdaaLaunch(axpy, &config, &args, sizeof args, nullptr), sdaaErrorInvalidConfiguration);
  config = {sizeof config, 0, 2, 0, 0};
  CHECK_ERROR(sdaaLaunch(axpy, &config, &args, sizeof args, nullptr), sdaaErrorInvalidConfiguration);
  config = {sizeof config - 8, 0, 0, 0, 0};
  CHECK_ERROR(sdaaLaunch(axpy, &config, &args, sizeof args, nullptr), sdaaErrorInvalidValue);
  config = {sizeof config, 0x5, 1, 0, 0};
  REQUIRE_OK(sdaaMemset(y, 0xff, 256));
  const WhoArgs who = {global<uint32_t>(y)};
  REQUIRE_OK(sdaaLaunch(kernel(module, "who"), &config, &who, sizeof who, nullptr));
  REQUIRE_OK(sdaaMemcpy(ys.data(), y, 256, sdaaMemcpyDeviceToHost));
  CHECK(ys[0] == 0);
  CHECK(ys[16] == -1);
  CHECK(ys[32] == 2);
  CHECK_OK(sdaaDeviceSynchronize());
}

TEST_CASE("kernels of values: a pointer to each argument, or the structure") {
  const Fakes fakes;
  const sdaaFunction_t axpy = kernel(load_fake_module(), "axpy_values");
  constexpr uint32_t kCount = 64;
  void* x = allocate(kCount * 4);
  void* y = allocate(kCount * 4);
  std::vector<int32_t> numbers(kCount, 5);
  REQUIRE_OK(sdaaMemcpy(x, numbers.data(), kCount * 4, sdaaMemcpyHostToDevice));
  REQUIRE_OK(sdaaMemcpy(y, numbers.data(), kCount * 4, sdaaMemcpyHostToDevice));
  int32_t a = 3;
  const void* args[] = {&y, &x, &kCount, &a};
  CHECK_OK(sdaaLaunchKernel(axpy, args, 0, nullptr));
  // The values are taken when the kernel is launched.
  a = 100;
  const AxpyIntArgs structure = {global<int32_t>(y), global<const int32_t>(x), kCount, 2};
  CHECK_OK(sdaaLaunch(axpy, nullptr, &structure, sizeof structure, nullptr));
  REQUIRE_OK(sdaaMemcpy(numbers.data(), y, kCount * 4, sdaaMemcpyDeviceToHost));
  for (const int32_t number : numbers) REQUIRE(number == 5 + 5 * 5);

  CHECK_ERROR(sdaaLaunchKernel(axpy, nullptr, 0, nullptr), sdaaErrorInvalidValue);
  args[2] = nullptr;
  CHECK_ERROR(sdaaLaunchKernel(axpy, args, 0, nullptr), sdaaErrorInvalidValue);
  CHECK(std::string(sdaaGetLastErrorMessage()) == "argument 3 of kernel axpy_values is a null pointer");
}

TEST_CASE("grids: the kernel's arguments and one more; what is refused, in words") {
  const Fakes fakes;
  const sdaaModule_t module = load_fake_module();
  const sdaaFunction_t threads = kernel(module, "in_threads");
  int count = 3;
  void* memory = allocate(64);
  CHECK_OK(::sdaa::launch(threads, 7, dim3(16, 64), 100, nullptr, memory, count));
  const dim3 most(1024);
  CHECK_OK(::sdaa::launch(threads, dim3(65535, 65535), most, 0, nullptr, memory, count));
  void* args[] = {&memory, &count};
  CHECK_OK(sdaaModuleLaunchKernel(threads, 1, 2, 3, 4, 5, 6, 0, nullptr, args, nullptr));
  CHECK_OK(sdaaLaunchKernel(threads, dim3(2), 64, args));
  CHECK_OK(sdaaDeviceSynchronize());

  const auto message = [] { return std::string(sdaaGetLastErrorMessage()); };
  const auto invalid = sdaaErrorInvalidConfiguration;
  // It would be one thread for each core.
  CHECK_ERROR(sdaaLaunchKernel(threads, args, 0, nullptr), invalid);
  CHECK(message().find("launch it with sdaaModuleLaunchKernel") != std::string::npos);
  CHECK_ERROR(::sdaa::launch(threads, dim3(1, 0), 1, 0, nullptr, memory, count), invalid);
  CHECK_ERROR(::sdaa::launch(threads, 1, dim3(1, 1, 0), 0, nullptr, memory, count), invalid);
  CHECK_ERROR(::sdaa::launch(threads, dim3(65536, 65536), 1, 0, nullptr, memory, count), invalid);
  CHECK_ERROR(::sdaa::launch(threads, 1, dim3(1u << 31, 1u << 31, 4), 0, nullptr, memory, count), invalid);
  CHECK_ERROR(::sdaa::launch(threads, 1, dim3(33, 32), 0, nullptr, memory, count), invalid);
  CHECK(message() == "kernel in_threads: a block of 33 x 32 x 1 threads; 1024 are the most");
  CHECK_ERROR(::sdaa::launch(threads, 1, 1, 200'000, nullptr, memory, count), sdaaErrorLaunchOutOfResources);
  CHECK_ERROR(::sdaa::launch(threads, 1, 1, 0, nullptr, memory), sdaaErrorInvalidValue);
  CHECK(message() == "kernel in_threads takes 2 arguments, not 1");
  CHECK_ERROR(::sdaa::launch(threads, 1, 1, 0, nullptr, memory, size_t{3}), sdaaErrorInvalidValue);
  CHECK(message() == "argument 2 of kernel in_threads has 8 bytes, not 4: give it the parameter's type");
  CHECK_ERROR(::sdaa::launch(kernel(module, "nothing"), 1, 1, 0, nullptr), invalid);
  CHECK(message().starts_with("kernel nothing: it has no threads"));
  CHECK_ERROR(::sdaa::launch(nullptr, 1, 1, 0, nullptr), sdaaErrorInvalidDeviceFunction);
  CHECK_ERROR(sdaaModuleLaunchKernel(threads, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr),
              sdaaErrorInvalidValue);
  CHECK_ERROR(sdaaModuleLaunchKernel(threads, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, args),
              sdaaErrorNotSupported);
  CHECK_ERROR(sdaaLaunchValues(threads, nullptr, &most, 0, nullptr, nullptr, nullptr, 0),
              sdaaErrorInvalidValue);
}

TEST_CASE("grids: as many threads as have room for a stack each") {
  KernelInfo kernel;
  kernel.name = "meet";
  kernel.parameters = module::Parameters().with(32);
  kernel.thread_stacks = {.bytes = 160, .room = 64'000};
  const auto fits = [&](unsigned threads, size_t shared) {
    LaunchWish wish;
    try {
      ask_for_grid(wish, kernel, {1, 1, 1}, {threads, 1, 1}, shared);
    } catch (const Failure& failure) {
      CHECK(failure.code() == sdaaErrorLaunchOutOfResources);
      return std::string(failure.what());
    }
    CHECK(wish.grid.shared_bytes == shared);
    return std::string();
  };
  CHECK(fits(400, 0) == "");
  CHECK(fits(401, 0).find("at most 400 threads") != std::string::npos);
  // 65 bytes take 128.
  CHECK(fits(399, 65) == "");
  CHECK(fits(400, 65).find("at most 399 threads") != std::string::npos);
}

TEST_CASE("failed launches: the stream keeps the error until it is reset, others go on") {
  const Fakes fakes;
  const sdaaModule_t module = load_fake_module();
  const sdaaStream_t good = new_stream(sdaaStreamNonBlocking);
  const sdaaStream_t bad = new_stream(sdaaStreamNonBlocking);
  void* memory = allocate(64);
  ManyArgs many = {global<uint32_t>(memory), {1}};
  const sdaaFunction_t function = kernel(module, "many_arguments");
  struct Expected {
    const char* kernel;
    sdaaError_t error;
  };
  for (const auto& [name, error] :
       {Expected{"breakpoint", sdaaErrorAssert}, Expected{"hang", sdaaErrorLaunchTimeOut}}) {
    const sdaaLaunchConfig_t config = {sizeof config, 0, 0, 3000, 0};
    REQUIRE_OK(sdaaLaunch(kernel(module, name), &config, nullptr, 0, bad));
    for (int i = 0; i < 50; ++i) {
      REQUIRE_OK(sdaaLaunchKernel(function, &many, 0, good));
      if (const auto result = sdaaLaunchKernel(function, &many, 0, bad); result != sdaaSuccess)
        CHECK(result == error);
    }
    CHECK_ERROR(sdaaStreamSynchronize(bad), error);
    CHECK(std::string(sdaaGetLastErrorMessage()).starts_with(std::string(name) + ", "));
    CHECK_ERROR(sdaaStreamSynchronize(bad), error);
    CHECK_ERROR(sdaaStreamQuery(bad), error);
    CHECK_OK(sdaaStreamSynchronize(good));
    CHECK_ERROR(sdaaDeviceSynchronize(), error);
    CHECK_ERROR(sdaaMemcpyAsync(memory, &many, 4, sdaaMemcpyHostToDevice, bad), error);
    CHECK_OK(sdaaStreamReset(bad));
    CHECK_OK(sdaaStreamSynchronize(bad));
    CHECK_OK(sdaaLaunchKernel(function, &many, 0, bad));
    CHECK_OK(sdaaDeviceSynchronize());
  }
  // Memory that nobody has.
  many.to = cpe::GlobalPtr<uint32_t>(uint64_t{5000} << 48);
  REQUIRE_OK(sdaaLaunchKernel(function, &many, 0, bad));
  CHECK_ERROR(sdaaStreamSynchronize(bad), sdaaErrorIllegalAddress);
  CHECK(std::string(sdaaGetLastErrorMessage()).find("no such segment") != std::string::npos);
  CHECK(std::string(sdaaGetLastErrorMessage()).starts_with("many_arguments, failed on core "));
  // The queue of a stream that failed is good for the next one.
  CHECK_OK(sdaaStreamDestroy(bad));
  CHECK_OK(sdaaDeviceSynchronize());
  many.to = global<uint32_t>(memory);
  for (int i = 0; i < 15; ++i) {
    const sdaaStream_t fresh = new_stream();
    REQUIRE_OK(sdaaLaunchKernel(function, &many, 0, fresh));
    REQUIRE_OK(sdaaStreamSynchronize(fresh));
    REQUIRE_OK(sdaaStreamDestroy(fresh));
  }
}

TEST_CASE("the default stream's failure is over with a reset of it or of the device") {
  const Fakes fakes;
  const sdaaModule_t module = load_fake_module();
  REQUIRE_OK(sdaaLaunchKernel(kernel(module, "breakpoint"), nullptr, 0, nullptr));
  CHECK_ERROR(sdaaDeviceSynchronize(), sdaaErrorAssert);
  CHECK_ERROR(sdaaMemset(allocate(64), 0, 64), sdaaErrorAssert);
  CHECK_OK(sdaaStreamReset(nullptr));
  CHECK_OK(sdaaMemset(allocate(64), 0, 64));
  REQUIRE_OK(sdaaLaunchKernel(kernel(module, "breakpoint"), nullptr, 0, nullptr));
  CHECK_ERROR(sdaaDeviceSynchronize(), sdaaErrorAssert);
  CHECK_OK(sdaaDeviceReset());
  CHECK_OK(sdaaDeviceSynchronize());
  CHECK_OK(sdaaMemset(allocate(64), 0, 64));
}
