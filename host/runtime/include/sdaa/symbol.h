/* SPDX-License-Identifier: Apache-2.0 */
/* Variables of modules: what kernels declare as __constant__ or __device__. The host program knows them by
 * their names: sdaaMemcpyToSymbol("filter", filter, sizeof filter). A name stands for the variable of the one
 * module of the current device that has it; with several of them, sdaaModuleGetGlobal says which. */
#ifndef SDAA_SYMBOL_H
#define SDAA_SYMBOL_H

#include "copy.h"
#include "error.h"
#include "module.h"
#include "stream.h"

SDAA_C_BEGIN

/* Either result may be NULL. The memory is the module's: copies take it, sdaaFree does not. */
SDAA_API sdaaError_t sdaaModuleGetGlobal(void** pointer, size_t* bytes, sdaaModule_t module,
                                         const char* name);
SDAA_API sdaaError_t sdaaLibraryGetGlobal(void** pointer, size_t* bytes, sdaaLibrary_t library,
                                          const char* name);
SDAA_API sdaaError_t sdaaGetSymbolAddress(void** pointer, const char* symbol);
SDAA_API sdaaError_t sdaaGetSymbolSize(size_t* bytes, const char* symbol);

/* What is launched behind the copy finds what it wrote. */
SDAA_API sdaaError_t sdaaMemcpyToSymbol(const char* symbol, const void* from, size_t bytes,
                                        size_t offset SDAA_DEFAULT(0),
                                        sdaaMemcpyKind kind SDAA_DEFAULT(sdaaMemcpyHostToDevice));
SDAA_API sdaaError_t sdaaMemcpyToSymbolAsync(const char* symbol, const void* from, size_t bytes,
                                             size_t offset, sdaaMemcpyKind kind,
                                             sdaaStream_t stream SDAA_DEFAULT(NULL));
SDAA_API sdaaError_t sdaaMemcpyFromSymbol(void* to, const char* symbol, size_t bytes,
                                          size_t offset SDAA_DEFAULT(0),
                                          sdaaMemcpyKind kind SDAA_DEFAULT(sdaaMemcpyDeviceToHost));
SDAA_API sdaaError_t sdaaMemcpyFromSymbolAsync(void* to, const char* symbol, size_t bytes, size_t offset,
                                               sdaaMemcpyKind kind, sdaaStream_t stream SDAA_DEFAULT(NULL));

SDAA_C_END

#endif
