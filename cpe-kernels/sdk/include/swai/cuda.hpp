// SPDX-License-Identifier: Apache-2.0
// The names that kernels written for CUDA use, so that such a kernel becomes one for the cores by renaming:
//
//   const float* in     ->  Global<const float> in     (parameters; the body stays as it is)
//
// The kernel runs once for each thread of the grid that the launch asks for. A block's threads run on one
// core, one after the other, from one __syncthreads() to the next; what is __shared__ lies in the core's
// local memory. Every use of an element of Global<T> goes to memory and the core waits for it: bring into
// __shared__ what is used often, as on a GPU. dma.hpp is the fast way. docs/program/cuda-kernels.md tells
// what differs.
#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <type_traits>

#include "swai/cpe.hpp"
#include "swai/cuda_math.hpp"
#include "swai/cuda_types.hpp"
#include "swai/grid.hpp"

namespace swai::cpe {

// An element of global memory: what is read is loaded, what is assigned is stored, through the data window.
template <typename T>
class Global;

template <typename T>
class Element {
 public:
  using Value = std::remove_cv_t<T>;
  static constexpr bool kNumber = std::is_arithmetic_v<Value>;
  // Others, float4 for instance, are moved word by word.
  static_assert(kNumber || (std::is_trivially_copyable_v<Value> && alignof(Value) % sizeof(uint32_t) == 0),
                "an element of global memory is a number, or made of words");

  constexpr explicit Element(GlobalPtr<T> at) : at_(at) {}
  // Of `a[i]` and an int the compiler would make an int, also where a[i] is a float: `0` in place of `0.0f`.
  template <typename Other>
  requires kNumber && std::is_arithmetic_v<Other> &&
      (!std::is_same_v<std::common_type_t<Value, Other>, Other>)Element(Other) = delete;

  // Not what has a name: after `auto kept = a[i]` that would read a[i] whenever it is used. Write
  // `float kept = a[i]`.
  operator Value() const&& { return load(); }
  operator Value() const& = delete;
  Value operator=(Value value) const {
    if constexpr (kNumber) {
      const Window<T> window(at_);
      *window = value;
    } else {
      const auto words = std::bit_cast<Words>(value);
      const Window<uint32_t> window(at_.template as<uint32_t>());
      for (size_t i = 0; i < words.size(); ++i) window[i] = words[i];
    }
    return value;
  }
  Value operator=(Element&& other) const { return *this = other.load(); }
  Value operator=(const Element&) const = delete;
  Global<T> operator&() const { return at_; }

  Value operator+=(Value value) const { return *this = static_cast<Value>(load() + value); }
  Value operator-=(Value value) const { return *this = static_cast<Value>(load() - value); }
  Value operator*=(Value value) const { return *this = static_cast<Value>(load() * value); }
  Value operator/=(Value value) const { return *this = static_cast<Value>(load() / value); }
  Value operator%=(Value value) const { return *this = static_cast<Value>(load() % value); }
  Value operator&=(Value value) const { return *this = static_cast<Value>(load() & value); }
  Value operator|=(Value value) const { return *this = static_cast<Value>(load() | value); }
  Value operator^=(Value value) const { return *this = static_cast<Value>(load() ^ value); }
  Value operator<<=(int bits) const { return *this = static_cast<Value>(load() << bits); }
  Value operator>>=(int bits) const { return *this = static_cast<Value>(load() >> bits); }
  Value operator++() const { return *this += 1; }
  Value operator--() const { return *this -= 1; }
  Value operator++(int) const { return static_cast<Value>((*this += 1) - 1); }
  Value operator--(int) const { return static_cast<Value>((*this -= 1) + 1); }

 private:
  using Words = std::array<uint32_t, (sizeof(Value) + 3) / 4>;

  Value load() const {
    if constexpr (kNumber) {
      const Window<T> window(at_);
      return *window;
    } else {
      Words words;
      const Window<const uint32_t> window(at_.template as<const uint32_t>());
      for (size_t i = 0; i < words.size(); ++i) words[i] = window[i];
      return std::bit_cast<Value>(words);
    }
  }

  GlobalPtr<T> at_;
};

// A pointer to global memory that looks like an ordinary one.
template <typename T>
class Global : public GlobalPtr<T> {
 public:
  using GlobalPtr<T>::GlobalPtr;
  constexpr Global(GlobalPtr<T> pointer) : GlobalPtr<T>(pointer) {}

  constexpr Element<T> operator[](int64_t index) const { return *(*this + index); }
  constexpr Element<T> operator*() const { return Element<T>(*this); }
  constexpr Global operator+(int64_t count) const { return GlobalPtr<T>::operator+(count); }
  constexpr Global operator-(int64_t count) const { return GlobalPtr<T>::operator-(count); }
  constexpr Global& operator+=(int64_t count) { return *this = *this + count; }
};

}  // namespace swai::cpe

// What differs from thread to thread differs by who asks, so to each they are constants.
extern "C" {
extern const uint3 threadIdx;
extern const uint3 blockIdx;
extern const dim3 blockDim;
extern const dim3 gridDim;

// Waits for all threads of the block.
void __syncthreads();
}

// Runs once for each thread of the grid.
#undef __global__
#define __global__ extern "C" [[gnu::section(".kernel.grid"), gnu::used, gnu::noinline]]
// A block's: what is declared `extern` without a size is as large as the launch says.
#define __shared__ thread_local
// Written by the host program (sdaaMemcpyToSymbol); each core finds it in its local memory when a launch
// begins.
#define __constant__ __attribute__((section(".swai.constants"), used))
// A function, or a variable in the card's memory, which lives as long as the module and which the host
// program knows by its name. All cores see it, each use goes to memory.
#define __device__
#define __host__
#define __forceinline__ inline __attribute__((always_inline))
#define __restrict__ __restrict
// Of a GPU's registers.
#define __launch_bounds__(...)

using swai::cpe::Global;

// --- Atomics. Threads of a block run on one core and change places at barriers only, so in shared memory
// they need nothing. In global memory cores have no atomic accesses: a kernel that uses them there runs on
// one core alone. Where a module has __device__ variables, a pointer may be to one of them.

extern "C" void swai_on_one_core();
extern "C" void swai_atomic_on_device();

namespace swai::cpe::cuda {

template <typename T, typename New>
T change(T* at, New fresh) {
  if (reinterpret_cast<uintptr_t>(at) >= kWindowBase) swai_atomic_on_device();
  const T before = *at;
  *at = fresh(before);
  return before;
}
template <typename T, typename New>
T change(Global<T> at, New fresh) {
  swai_on_one_core();
  const T before = *at;
  *at = fresh(before);
  return before;
}

// What a pointer of either kind points to.
template <typename Pointer>
using Pointed =
    std::remove_cvref_t<decltype(change(std::declval<Pointer>(), [](auto value) { return value; }))>;

}  // namespace swai::cpe::cuda

template <typename Pointer, typename T = swai::cpe::cuda::Pointed<Pointer>>
T atomicAdd(Pointer at, std::type_identity_t<T> value) {
  return swai::cpe::cuda::change(at, [=](T before) { return static_cast<T>(before + value); });
}
template <typename Pointer, typename T = swai::cpe::cuda::Pointed<Pointer>>
T atomicSub(Pointer at, std::type_identity_t<T> value) {
  return swai::cpe::cuda::change(at, [=](T before) { return static_cast<T>(before - value); });
}
template <typename Pointer, typename T = swai::cpe::cuda::Pointed<Pointer>>
T atomicMin(Pointer at, std::type_identity_t<T> value) {
  return swai::cpe::cuda::change(at, [=](T before) { return value < before ? value : before; });
}
template <typename Pointer, typename T = swai::cpe::cuda::Pointed<Pointer>>
T atomicMax(Pointer at, std::type_identity_t<T> value) {
  return swai::cpe::cuda::change(at, [=](T before) { return before < value ? value : before; });
}
template <typename Pointer, typename T = swai::cpe::cuda::Pointed<Pointer>>
T atomicAnd(Pointer at, std::type_identity_t<T> value) {
  return swai::cpe::cuda::change(at, [=](T before) { return before & value; });
}
template <typename Pointer, typename T = swai::cpe::cuda::Pointed<Pointer>>
T atomicOr(Pointer at, std::type_identity_t<T> value) {
  return swai::cpe::cuda::change(at, [=](T before) { return before | value; });
}
template <typename Pointer, typename T = swai::cpe::cuda::Pointed<Pointer>>
T atomicXor(Pointer at, std::type_identity_t<T> value) {
  return swai::cpe::cuda::change(at, [=](T before) { return before ^ value; });
}
template <typename Pointer, typename T = swai::cpe::cuda::Pointed<Pointer>>
T atomicExch(Pointer at, std::type_identity_t<T> value) {
  return swai::cpe::cuda::change(at, [=](T) { return value; });
}
// Counts up to `last` and begins again, or down to 0.
template <typename Pointer, typename T = swai::cpe::cuda::Pointed<Pointer>>
T atomicInc(Pointer at, std::type_identity_t<T> last) {
  return swai::cpe::cuda::change(at, [=](T before) { return before >= last ? T{0} : before + 1; });
}
template <typename Pointer, typename T = swai::cpe::cuda::Pointed<Pointer>>
T atomicDec(Pointer at, std::type_identity_t<T> last) {
  return swai::cpe::cuda::change(at,
                                 [=](T before) { return before == 0 || before > last ? last : before - 1; });
}
template <typename Pointer, typename T = swai::cpe::cuda::Pointed<Pointer>>
T atomicCAS(Pointer at, std::type_identity_t<T> expected, std::type_identity_t<T> value) {
  return swai::cpe::cuda::change(at, [=](T before) { return before == expected ? value : before; });
}

// Every access has been done when the next one begins; the compiler may keep variables in registers.
inline void __threadfence() { asm volatile("" ::: "memory"); }
inline void __threadfence_block() { asm volatile("" ::: "memory"); }

// There is one way to read.
template <typename T>
std::remove_cv_t<T> __ldg(Global<T> at) {
  return *at;
}

// --- Warps: there are none.

#define SWAI_NO_WARPS [[gnu::error("there are no warps here: use __syncthreads() and shared memory")]]
SWAI_NO_WARPS void __syncwarp(unsigned int mask = ~0u);
template <typename T>
SWAI_NO_WARPS T __shfl_sync(unsigned int mask, T value, int lane, int width = 32);
template <typename T>
SWAI_NO_WARPS T __shfl_up_sync(unsigned int mask, T value, unsigned int delta, int width = 32);
template <typename T>
SWAI_NO_WARPS T __shfl_down_sync(unsigned int mask, T value, unsigned int delta, int width = 32);
template <typename T>
SWAI_NO_WARPS T __shfl_xor_sync(unsigned int mask, T value, int lanes, int width = 32);
SWAI_NO_WARPS unsigned int __ballot_sync(unsigned int mask, int predicate);
SWAI_NO_WARPS int __all_sync(unsigned int mask, int predicate);
SWAI_NO_WARPS int __any_sync(unsigned int mask, int predicate);
#undef SWAI_NO_WARPS
