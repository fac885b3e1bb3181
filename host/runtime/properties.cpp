// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/properties.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>

#include "abi/command.hpp"
#include "abi/grid.hpp"
#include "abi/module.hpp"

namespace swai::sdaa {
namespace {

template <size_t kTo, size_t kFrom>
void copy_text(char (&to)[kTo], const std::array<char, kFrom>& from) {
  static_assert(kTo > kFrom);
  std::copy(from.begin(), from.end(), to);
}

// A core runs one thread after the other, and has the registers of RV32.
constexpr int kRegisters = 32;
constexpr int kThreads = cpe::kMaxThreads;

void tell_by_cuda_names(sdaaDeviceProp_t& to) {
  to.major = module::kCardAbi;
  to.minor = 0;
  to.warpSize = 1;
  to.maxThreadsPerBlock = kThreads;
  std::fill_n(to.maxThreadsDim, 3, kThreads);
  std::fill_n(to.maxGridSize, 3, std::numeric_limits<int>::max());
  to.maxThreadsPerMultiProcessor = kThreads;
  to.maxBlocksPerMultiProcessor = 1;
  to.sharedMemPerBlock = to.localMemPerCore;
  to.sharedMemPerMultiprocessor = to.localMemPerCore;
  to.sharedMemPerBlockOptin = to.localMemPerCore;
  to.regsPerBlock = to.regsPerMultiprocessor = kRegisters;
  to.totalConstMem = module::kMaxCodeBytes;
  to.memPitch = std::numeric_limits<int>::max();
  to.deviceOverlap = 1;
  to.kernelExecTimeoutEnabled = 1;
  to.computeMode = sdaaComputeModeDefault;
  to.unifiedAddressing = 1;
  to.memoryClockRate = to.clockRate;
  constexpr int kBitsPerGroup = 512;
  to.memoryBusWidth = kBitsPerGroup * to.groups;
  to.hostRegisterSupported = 1;
  to.hostRegisterReadOnlySupported = 1;
  to.memoryPoolsSupported = 1;
}

}  // namespace

sdaaDeviceProp_t properties_of(Device& device) {
  const protocol::Info& info = device.info();
  sdaaDeviceProp_t fresh = {};
  const std::string name = "SWAI " + device.connection().card().describe().configuration;
  std::copy_n(name.begin(), std::min(name.size(), sizeof fresh.name - 1), fresh.name);
  copy_text(fresh.firmware, info.version_text);
  copy_text(fresh.firmwareCommit, info.git_hash);
  fresh.totalGlobalMem = info.memory_per_group * info.groups;
  fresh.memoryPerGroup = info.memory_per_group;
  fresh.groups = static_cast<int>(info.groups);
  fresh.rows = info.rows;
  fresh.columns = info.columns;
  fresh.multiProcessorCount = fresh.groups * fresh.rows * fresh.columns;
  fresh.localMemPerCore = module::kLdmBytes;
  fresh.clockRate = 1'000'000;
  fresh.asyncEngineCount = 7;
  fresh.concurrentKernels = fresh.groups;
  fresh.streams = static_cast<int>(info.queues) - 1;
  fresh.maxArgumentBytes = command::kMaxArgumentBytes;
  fresh.managementSharedMemory = (info.capabilities & protocol::kSharedMemory) != 0;
  fresh.capabilities = info.capabilities;
  tell_by_cuda_names(fresh);
  return fresh;
}

int attribute_of(const sdaaDeviceProp_t& of, sdaaDeviceAttr attribute) {
  const auto bytes = [](size_t value) { return static_cast<int>(value); };
  switch (attribute) {
    case sdaaDevAttrMaxThreadsPerBlock:
      return of.maxThreadsPerBlock;
    case sdaaDevAttrMaxBlockDimX:
    case sdaaDevAttrMaxBlockDimY:
    case sdaaDevAttrMaxBlockDimZ:
      return of.maxThreadsDim[attribute - sdaaDevAttrMaxBlockDimX];
    case sdaaDevAttrMaxGridDimX:
    case sdaaDevAttrMaxGridDimY:
    case sdaaDevAttrMaxGridDimZ:
      return of.maxGridSize[attribute - sdaaDevAttrMaxGridDimX];
    case sdaaDevAttrMaxSharedMemoryPerBlock:
      return bytes(of.sharedMemPerBlock);
    case sdaaDevAttrTotalConstantMemory:
      return bytes(of.totalConstMem);
    case sdaaDevAttrWarpSize:
      return of.warpSize;
    case sdaaDevAttrMaxPitch:
      return bytes(of.memPitch);
    case sdaaDevAttrMaxRegistersPerBlock:
      return of.regsPerBlock;
    case sdaaDevAttrClockRate:
      return of.clockRate;
    case sdaaDevAttrTextureAlignment:
      return bytes(of.textureAlignment);
    case sdaaDevAttrGpuOverlap:
      return of.deviceOverlap;
    case sdaaDevAttrMultiProcessorCount:
      return of.multiProcessorCount;
    case sdaaDevAttrKernelExecTimeout:
      return of.kernelExecTimeoutEnabled;
    case sdaaDevAttrIntegrated:
      return of.integrated;
    case sdaaDevAttrCanMapHostMemory:
      return of.canMapHostMemory;
    case sdaaDevAttrComputeMode:
      return of.computeMode;
    case sdaaDevAttrConcurrentKernels:
      return of.concurrentKernels;
    case sdaaDevAttrEccEnabled:
      return of.ECCEnabled;
    case sdaaDevAttrPciBusId:
      return of.pciBusID;
    case sdaaDevAttrPciDeviceId:
      return of.pciDeviceID;
    case sdaaDevAttrTccDriver:
      return of.tccDriver;
    case sdaaDevAttrMemoryClockRate:
      return of.memoryClockRate;
    case sdaaDevAttrGlobalMemoryBusWidth:
      return of.memoryBusWidth;
    case sdaaDevAttrL2CacheSize:
      return of.l2CacheSize;
    case sdaaDevAttrMaxThreadsPerMultiProcessor:
      return of.maxThreadsPerMultiProcessor;
    case sdaaDevAttrAsyncEngineCount:
      return of.asyncEngineCount;
    case sdaaDevAttrUnifiedAddressing:
      return of.unifiedAddressing;
    case sdaaDevAttrPciDomainId:
      return of.pciDomainID;
    case sdaaDevAttrComputeCapabilityMajor:
      return of.major;
    case sdaaDevAttrComputeCapabilityMinor:
      return of.minor;
    case sdaaDevAttrStreamPrioritiesSupported:
      return of.streamPrioritiesSupported;
    case sdaaDevAttrGlobalL1CacheSupported:
      return of.globalL1CacheSupported;
    case sdaaDevAttrLocalL1CacheSupported:
      return of.localL1CacheSupported;
    case sdaaDevAttrMaxSharedMemoryPerMultiprocessor:
      return bytes(of.sharedMemPerMultiprocessor);
    case sdaaDevAttrMaxRegistersPerMultiprocessor:
      return of.regsPerMultiprocessor;
    case sdaaDevAttrManagedMemory:
      return of.managedMemory;
    case sdaaDevAttrIsMultiGpuBoard:
      return of.isMultiGpuBoard;
    case sdaaDevAttrMultiGpuBoardGroupID:
      return of.multiGpuBoardGroupID;
    case sdaaDevAttrHostNativeAtomicSupported:
      return of.hostNativeAtomicSupported;
    case sdaaDevAttrPageableMemoryAccess:
      return of.pageableMemoryAccess;
    case sdaaDevAttrConcurrentManagedAccess:
      return of.concurrentManagedAccess;
    case sdaaDevAttrComputePreemptionSupported:
      return of.computePreemptionSupported;
    case sdaaDevAttrCooperativeLaunch:
      return of.cooperativeLaunch;
    case sdaaDevAttrCooperativeMultiDeviceLaunch:
      return of.cooperativeMultiDeviceLaunch;
    case sdaaDevAttrMaxSharedMemoryPerBlockOptin:
      return bytes(of.sharedMemPerBlockOptin);
    case sdaaDevAttrHostRegisterSupported:
      return of.hostRegisterSupported;
    case sdaaDevAttrMaxBlocksPerMultiprocessor:
      return of.maxBlocksPerMultiProcessor;
    case sdaaDevAttrMaxPersistingL2CacheSize:
      return of.persistingL2CacheMaxSize;
    case sdaaDevAttrReservedSharedMemoryPerBlock:
      return bytes(of.reservedSharedMemPerBlock);
    case sdaaDevAttrHostRegisterReadOnlySupported:
      return of.hostRegisterReadOnlySupported;
    case sdaaDevAttrMemoryPoolsSupported:
      return of.memoryPoolsSupported;
    case sdaaDevAttrIpcEventSupport:
      return of.ipcEventSupported;
  }
  fail(sdaaErrorInvalidValue, fmt::format("there is no attribute {}", static_cast<int>(attribute)));
}

unsigned agreement(const sdaaDeviceProp_t& has, const sdaaDeviceProp_t& wish) {
  unsigned fields = 0;
  const auto compare = [&fields](auto wished, auto there) { fields += wished != 0 && there >= wished; };
  compare(wish.totalGlobalMem, has.totalGlobalMem);
  compare(wish.groups, has.groups);
  compare(wish.multiProcessorCount, has.multiProcessorCount);
  compare(wish.major * 1000 + wish.minor, has.major * 1000 + has.minor);
  compare(wish.sharedMemPerBlock, has.sharedMemPerBlock);
  compare(wish.maxThreadsPerBlock, has.maxThreadsPerBlock);
  compare(wish.totalConstMem, has.totalConstMem);
  compare(wish.concurrentKernels, has.concurrentKernels);
  return fields;
}

}  // namespace swai::sdaa
