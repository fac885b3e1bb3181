// SPDX-License-Identifier: Apache-2.0
// What is known about kernels before they are launched.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "abi/module.hpp"
#include "host/runtime/call.hpp"
#include "host/runtime/launch.hpp"

using namespace swai::sdaa;

namespace {

constexpr int kRegisters = 32;

std::shared_ptr<Function> find_function(sdaaFunction_t handle) {
  auto found = Runtime::get().functions.find(handle);
  require(found != nullptr, "no such kernel", sdaaErrorInvalidDeviceFunction);
  return found;
}

size_t room_for_block(const Function& function, int threads = 1) {
  return most_shared(function.info(), static_cast<uint64_t>(threads));
}

sdaaFuncAttributes attributes_of(const Function& function) {
  sdaaFuncAttributes fresh = {};
  const auto& info = function.info();
  std::copy_n(info.name.begin(), std::min(info.name.size(), sizeof fresh.name - 1), fresh.name);
  fresh.argumentBytes = info.argument_bytes;
  fresh.localSizeBytes = function.module->local_bytes;
  fresh.maxDynamicLocalBytes = room_for_block(function);
  fresh.sharedSizeBytes = fresh.localSizeBytes;
  fresh.constSizeBytes = function.module->constants.table.values().size();
  fresh.maxThreadsPerBlock = static_cast<int>(most_threads(info, 0));
  fresh.numRegs = kRegisters;
  fresh.binaryVersion = swai::module::kCardAbi * 10;
  fresh.maxDynamicSharedSizeBytes = static_cast<int>(fresh.maxDynamicLocalBytes);
  fresh.preferredShmemCarveout = sdaaSharedmemCarveoutDefault;
  return fresh;
}

int attribute_of(const sdaaFuncAttributes& of, sdaaFunctionAttribute attribute) {
  switch (attribute) {
    case sdaaFunctionAttributeMaxThreadsPerBlock:
      return of.maxThreadsPerBlock;
    case sdaaFunctionAttributeSharedSizeBytes:
      return static_cast<int>(of.sharedSizeBytes);
    case sdaaFunctionAttributeConstSizeBytes:
      return static_cast<int>(of.constSizeBytes);
    case sdaaFunctionAttributeLocalSizeBytes:
      return static_cast<int>(of.localSizeBytes);
    case sdaaFunctionAttributeNumRegs:
      return of.numRegs;
    case sdaaFunctionAttributePtxVersion:
      return of.ptxVersion;
    case sdaaFunctionAttributeBinaryVersion:
      return of.binaryVersion;
    case sdaaFunctionAttributeCacheModeCA:
      return of.cacheModeCA;
    case sdaaFunctionAttributeMaxDynamicSharedSizeBytes:
      return of.maxDynamicSharedSizeBytes;
    case sdaaFunctionAttributePreferredSharedMemoryCarveout:
      return of.preferredShmemCarveout;
  }
  fail(sdaaErrorInvalidValue, "an attribute that does not exist");
}

void count_active(int* blocks, sdaaFunction_t handle, int threads, size_t shared, unsigned flags) {
  require(blocks != nullptr, "a null pointer");
  require((flags & ~sdaaOccupancyDisableCachingOverride) == 0, "flags that do not exist");
  require(threads > 0, "a block has one thread at least");
  const auto function = find_function(handle);
  const bool fits = static_cast<uint64_t>(threads) <= most_threads(function->info(), shared);
  *blocks = fits && shared <= room_for_block(*function, threads) ? 1 : 0;
}

}  // namespace

sdaaError_t sdaaFuncGetAttributes(sdaaFuncAttributes* attributes, sdaaFunction_t function) {
  return call("sdaaFuncGetAttributes", [&] {
    require(attributes != nullptr, "a null pointer");
    *attributes = attributes_of(*Runtime::get().functions.get(function, "no such kernel"));
  });
}

sdaaError_t sdaaFuncGetAttribute(int* value, sdaaFunctionAttribute attribute, sdaaFunction_t function) {
  return call("sdaaFuncGetAttribute", [&] {
    require(value != nullptr, "a null pointer");
    *value = attribute_of(attributes_of(*find_function(function)), attribute);
  });
}

sdaaError_t sdaaFuncSetAttribute(sdaaFunction_t function, sdaaFuncAttribute attribute, int value) {
  return call("sdaaFuncSetAttribute", [&] {
    const auto found = find_function(function);
    if (attribute == sdaaFuncAttributePreferredSharedMemoryCarveout) {
      require(value >= sdaaSharedmemCarveoutDefault && value <= sdaaSharedmemCarveoutMaxShared,
              "shares are from 0 to 100, or -1");
      return;
    }
    require(attribute == sdaaFuncAttributeMaxDynamicSharedMemorySize, "an attribute that does not exist");
    if (value < 0 || static_cast<size_t>(value) > room_for_block(*found)) {
      fail(sdaaErrorInvalidValue, fmt::format("{} bytes of local memory, where kernel {} leaves {}", value,
                                              found->info().name, room_for_block(*found)));
    }
  });
}

sdaaError_t sdaaFuncSetCacheConfig(sdaaFunction_t function, sdaaFuncCache config) {
  return call("sdaaFuncSetCacheConfig", [&] {
    require(config >= sdaaFuncCachePreferNone && config <= sdaaFuncCachePreferEqual,
            "a preference that does not exist");
    find_function(function);
  });
}

sdaaError_t sdaaFuncSetSharedMemConfig(sdaaFunction_t function, sdaaSharedMemConfig config) {
  return call("sdaaFuncSetSharedMemConfig", [&] {
    require(config >= sdaaSharedMemBankSizeDefault && config <= sdaaSharedMemBankSizeEightByte,
            "a bank size that does not exist");
    find_function(function);
  });
}

sdaaError_t sdaaFuncGetName(const char** name, sdaaFunction_t function) {
  return call("sdaaFuncGetName", [&] {
    require(name != nullptr, "a null pointer");
    *name = find_function(function)->info().name.c_str();
  });
}

sdaaError_t sdaaFuncGetModule(sdaaModule_t* module, sdaaFunction_t function) {
  return call("sdaaFuncGetModule", [&] {
    require(module != nullptr, "a null pointer");
    *module = reinterpret_cast<sdaaModule_t>(find_function(function)->module->name_of_user);
  });
}

sdaaError_t sdaaFuncGetParamInfo(sdaaFunction_t function, size_t index, size_t* offset, size_t* bytes) {
  return call("sdaaFuncGetParamInfo", [&] {
    require(offset != nullptr, "a null pointer");
    const auto found = find_function(function);
    const auto& parameters = found->info().parameters;
    require(index < parameters.values(), "the kernel has no such parameter, or takes a structure");
    *offset = parameters.offset(static_cast<unsigned>(index));
    if (bytes != nullptr) *bytes = parameters.size(static_cast<unsigned>(index));
  });
}

sdaaError_t sdaaOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, sdaaFunction_t function, int blocks,
                                                      int threads) {
  return call("sdaaOccupancyAvailableDynamicSMemPerBlock", [&] {
    require(bytes != nullptr, "a null pointer");
    require(blocks == 1, "a core runs one block at a time");
    const auto found = find_function(function);
    require(threads > 0 && static_cast<uint64_t>(threads) <= most_threads(found->info(), 0),
            "a block cannot have so many threads");
    *bytes = room_for_block(*found, threads);
  });
}

sdaaError_t sdaaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, sdaaFunction_t function, int threads,
                                                          size_t sharedMem) {
  return call("sdaaOccupancyMaxActiveBlocksPerMultiprocessor",
              [&] { count_active(blocks, function, threads, sharedMem, sdaaOccupancyDefault); });
}

sdaaError_t sdaaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, sdaaFunction_t function,
                                                                   int threads, size_t sharedMem,
                                                                   unsigned int flags) {
  return call("sdaaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags",
              [&] { count_active(blocks, function, threads, sharedMem, flags); });
}

sdaaError_t sdaaOccupancyMaxPotentialBlockSize(int* blocks, int* threads, sdaaFunction_t function,
                                               size_t sharedMem, int limit) {
  return call("sdaaOccupancyMaxPotentialBlockSize", [&] {
    require(blocks != nullptr && threads != nullptr, "a null pointer");
    require(limit >= 0, "fewer threads than none");
    const auto found = find_function(function);
    require(sharedMem <= room_for_block(*found), "the kernel leaves less local memory",
            sdaaErrorLaunchOutOfResources);
    const Device::Lock lock = found->device->enter();
    // A launch runs on one group.
    const auto& info = found->device->info();
    *blocks = int{info.rows} * info.columns;
    const int most = static_cast<int>(most_threads(found->info(), sharedMem));
    *threads = limit == 0 ? most : std::min(limit, most);
  });
}
