/* SPDX-License-Identifier: Apache-2.0 */
/* What all headers of the SDAA runtime begin with. */
#ifndef SDAA_BASE_H
#define SDAA_BASE_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define SDAA_API __attribute__((visibility("default")))
#else
#define SDAA_API
#endif

#ifdef __cplusplus
#define SDAA_C_BEGIN extern "C" {
#define SDAA_C_END }
/* The value of an argument that is left out. */
#define SDAA_DEFAULT(value) = value
#else
#define SDAA_C_BEGIN
#define SDAA_C_END
#define SDAA_DEFAULT(value)
#endif

#define SDAA_VERSION_MAJOR 1
#define SDAA_VERSION_MINOR 0
#define SDAA_VERSION (SDAA_VERSION_MAJOR * 1000 + SDAA_VERSION_MINOR * 10)

/* Blocks of a grid, threads of a block. */
typedef struct dim3 {
  uint32_t x;
  uint32_t y;
  uint32_t z;
#ifdef __cplusplus
  constexpr dim3(uint32_t x_ = 1, uint32_t y_ = 1, uint32_t z_ = 1) : x(x_), y(y_), z(z_) {}
#endif
} dim3;

#endif
