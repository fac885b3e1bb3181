/* SPDX-License-Identifier: Apache-2.0 */
/* Launches of grids: kernels that run once for each thread, as those written for CUDA do (swai/cuda.hpp). */
#ifndef SDAA_LAUNCH_H
#define SDAA_LAUNCH_H

#include "base.h"
#include "module.h"

SDAA_C_BEGIN

/* Every thread of every block runs `function`. `params`: a pointer for each of its parameters, as for
 * sdaaLaunchKernel. `sharedMem`: bytes of what the kernel declares `extern __shared__`. `extra` is null. */
SDAA_API sdaaError_t sdaaModuleLaunchKernel(sdaaFunction_t function, unsigned int gridX, unsigned int gridY,
                                            unsigned int gridZ, unsigned int blockX, unsigned int blockY,
                                            unsigned int blockZ, unsigned int sharedMem, sdaaStream_t stream,
                                            void** params, void** extra);

/* The same for those who know how many values they give, and of how many bytes each: `bytes`. Both must be what
 * the kernel takes. */
SDAA_API sdaaError_t sdaaLaunchValues(sdaaFunction_t function, const dim3* grid, const dim3* block,
                                      size_t sharedMem, sdaaStream_t stream, const void* const* values,
                                      const size_t* bytes, size_t count);

SDAA_C_END

#ifdef __cplusplus
namespace sdaa {

/* kernel<<<grid, block, shared, stream>>>(args...). The arguments have the sizes of the kernel's parameters: a
 * pointer is one of the card's, and an int is not a long. */
template <typename... Args>
sdaaError_t launch(sdaaFunction_t kernel, dim3 grid, dim3 block, size_t shared, sdaaStream_t stream,
                   const Args&... args) {
  const void* const values[] = {&args..., nullptr};
  const size_t bytes[] = {sizeof(args)..., 0};
  return sdaaLaunchValues(kernel, &grid, &block, shared, stream, values, bytes, sizeof...(args));
}

}  // namespace sdaa
#endif

#endif
