// SPDX-License-Identifier: Apache-2.0
// Vector types, as CUDA has them: float2, int4, make_float4(x, y, z, w) ...
#pragma once

#include "abi/grid.hpp"

namespace swai::cpe::cuda {

template <typename T>
struct alignas(2 * sizeof(T)) Vector2 {
  T x, y;
};
template <typename T>
struct Vector3 {
  T x, y, z;
};
template <typename T>
struct alignas(4 * sizeof(T)) Vector4 {
  T x, y, z, w;
};

}  // namespace swai::cpe::cuda

using float2 = swai::cpe::cuda::Vector2<float>;
using float3 = swai::cpe::cuda::Vector3<float>;
using float4 = swai::cpe::cuda::Vector4<float>;
using int2 = swai::cpe::cuda::Vector2<int>;
using int3 = swai::cpe::cuda::Vector3<int>;
using int4 = swai::cpe::cuda::Vector4<int>;
using uint2 = swai::cpe::cuda::Vector2<unsigned int>;
using uint3 = swai::cpe::Extent;
using uint4 = swai::cpe::cuda::Vector4<unsigned int>;

constexpr float2 make_float2(float x, float y) { return {x, y}; }
constexpr float3 make_float3(float x, float y, float z) { return {x, y, z}; }
constexpr float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }
constexpr int2 make_int2(int x, int y) { return {x, y}; }
constexpr int3 make_int3(int x, int y, int z) { return {x, y, z}; }
constexpr int4 make_int4(int x, int y, int z, int w) { return {x, y, z, w}; }
constexpr uint2 make_uint2(unsigned int x, unsigned int y) { return {x, y}; }
constexpr uint3 make_uint3(unsigned int x, unsigned int y, unsigned int z) { return {x, y, z}; }
constexpr uint4 make_uint4(unsigned int x, unsigned int y, unsigned int z, unsigned int w) {
  return {x, y, z, w};
}

struct dim3 {
  unsigned int x;
  unsigned int y;
  unsigned int z;

  constexpr dim3(unsigned int x_ = 1, unsigned int y_ = 1, unsigned int z_ = 1) : x(x_), y(y_), z(z_) {}
};
