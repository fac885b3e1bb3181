// SPDX-License-Identifier: Apache-2.0
/* For C++: what knows the types of pointers, so that sdaaMalloc(&numbers, bytes) needs no cast. */
#ifndef SDAA_OVERLOADS_HPP
#define SDAA_OVERLOADS_HPP

#include "copy.h"
#include "graph.h"
#include "launch.h"
#include "memory.h"
#include "module.h"
#include "pool.h"
#include "stream.h"
#include "symbol.h"

template <typename T>
inline sdaaError_t sdaaMalloc(T** pointer, size_t bytes) {
  return sdaaMalloc(reinterpret_cast<void**>(pointer), bytes);
}
template <typename T>
inline sdaaError_t sdaaMallocWithFlags(T** pointer, size_t bytes, unsigned int flags,
                                       int group = sdaaAnyGroup) {
  return sdaaMallocWithFlags(reinterpret_cast<void**>(pointer), bytes, flags, group);
}
template <typename T>
inline sdaaError_t sdaaMallocPitch(T** pointer, size_t* pitch, size_t width, size_t height) {
  return sdaaMallocPitch(reinterpret_cast<void**>(pointer), pitch, width, height);
}
template <typename T>
inline sdaaError_t sdaaMallocManaged(T** pointer, size_t bytes, unsigned int flags = sdaaMemAttachGlobal) {
  return sdaaMallocManaged(reinterpret_cast<void**>(pointer), bytes, flags);
}
template <typename T>
inline sdaaError_t sdaaMallocAsync(T** pointer, size_t bytes, sdaaStream_t stream) {
  return sdaaMallocAsync(reinterpret_cast<void**>(pointer), bytes, stream);
}
template <typename T>
inline sdaaError_t sdaaMallocAsync(T** pointer, size_t bytes, sdaaMemPool_t pool, sdaaStream_t stream) {
  return sdaaMallocFromPoolAsync(reinterpret_cast<void**>(pointer), bytes, pool, stream);
}
template <typename T>
inline sdaaError_t sdaaMallocFromPoolAsync(T** pointer, size_t bytes, sdaaMemPool_t pool,
                                           sdaaStream_t stream) {
  return sdaaMallocFromPoolAsync(reinterpret_cast<void**>(pointer), bytes, pool, stream);
}

/* Flags may be left out, of pinned memory of any kind. */
inline sdaaError_t sdaaMallocHost(void** pointer, size_t bytes, unsigned int flags) {
  return sdaaHostMalloc(pointer, bytes, flags);
}
template <typename T>
inline sdaaError_t sdaaMallocHost(T** pointer, size_t bytes, unsigned int flags = sdaaHostMallocDefault) {
  return sdaaHostMalloc(reinterpret_cast<void**>(pointer), bytes, flags);
}
template <typename T>
inline sdaaError_t sdaaHostMalloc(T** pointer, size_t bytes, unsigned int flags = sdaaHostMallocDefault) {
  return sdaaHostMalloc(reinterpret_cast<void**>(pointer), bytes, flags);
}
template <typename T>
inline sdaaError_t sdaaHostAlloc(T** pointer, size_t bytes, unsigned int flags = sdaaHostAllocDefault) {
  return sdaaHostAlloc(reinterpret_cast<void**>(pointer), bytes, flags);
}
template <typename T>
inline sdaaError_t sdaaHostGetDevicePointer(T** device, void* host, unsigned int flags = 0) {
  return sdaaHostGetDevicePointer(reinterpret_cast<void**>(device), host, flags);
}

template <typename T>
inline sdaaError_t sdaaGetSymbolAddress(T** pointer, const char* symbol) {
  return sdaaGetSymbolAddress(reinterpret_cast<void**>(pointer), symbol);
}
template <typename T>
inline sdaaError_t sdaaModuleGetGlobal(T** pointer, size_t* bytes, sdaaModule_t module, const char* name) {
  return sdaaModuleGetGlobal(reinterpret_cast<void**>(pointer), bytes, module, name);
}
template <typename T>
inline sdaaError_t sdaaLibraryGetGlobal(T** pointer, size_t* bytes, sdaaLibrary_t library, const char* name) {
  return sdaaLibraryGetGlobal(reinterpret_cast<void**>(pointer), bytes, library, name);
}

/* Kernels with threads, as CUDA launches them. */
inline sdaaError_t sdaaLaunchKernel(sdaaFunction_t function, dim3 grid, dim3 block, void** args,
                                    size_t sharedMem = 0, sdaaStream_t stream = NULL) {
  return sdaaModuleLaunchKernel(function, grid.x, grid.y, grid.z, block.x, block.y, block.z,
                                static_cast<unsigned int>(sharedMem), stream, args, NULL);
}

inline sdaaError_t sdaaStreamCreate(sdaaStream_t* stream, unsigned int flags) {
  return sdaaStreamCreateWithFlags(stream, flags);
}
inline sdaaError_t sdaaEventCreate(sdaaEvent_t* event, unsigned int flags) {
  return sdaaEventCreateWithFlags(event, flags);
}

/* As CUDA had it before its twelfth version. What goes wrong is told by sdaaGetLastErrorMessage. */
inline sdaaError_t sdaaGraphInstantiate(sdaaGraphExec_t* exec, sdaaGraph_t graph, sdaaGraphNode_t* node,
                                        char* log, size_t room) {
  if (node != NULL) *node = NULL;
  if (log != NULL && room != 0) *log = 0;
  return sdaaGraphInstantiate(exec, graph, 0ull);
}
/* As CUDA has it since. */
struct sdaaGraphExecUpdateResultInfo {
  sdaaGraphExecUpdateResult result;
  sdaaGraphNode_t errorNode;
  sdaaGraphNode_t errorFromNode;
};
inline sdaaError_t sdaaGraphExecUpdate(sdaaGraphExec_t exec, sdaaGraph_t graph,
                                       sdaaGraphExecUpdateResultInfo* info) {
  info->errorFromNode = NULL;
  return sdaaGraphExecUpdate(exec, graph, &info->errorNode, &info->result);
}

#endif
