// The names that kernels written for CUDA use, so that such a kernel becomes one for the cores by renaming:
//
//   const float* in     ->  Global<const float> in     (parameters; the body stays as it is)
//
// The kernel runs once for each thread of the grid that the launch asks for. A block's threads run on one
// core, one after the other, from one __syncthreads() to the next; what is __shared__ lies in the core's
// local memory. Every use of an element of Global<T> goes to memory and the core waits for it: bring into
// __shared__ what is used often, as on a GPU. dma.hpp is the fast way. docs/cuda-kernels.md tells what
// differs.
#pragma once

#include <concepts>

#include "swai/cpe.hpp"
#include "swai/grid.hpp"

namespace swai::cpe {

// An element of global memory: what is read is loaded, what is assigned is stored, through the data window.
template <typename T>
requires std::is_arithmetic_v<T>
class Element {
 public:
  using Value = std::remove_cv_t<T>;

  constexpr explicit Element(GlobalPtr<T> at) : at_(at) {}

  operator Value() const {
    const Window<T> window(at_);
    return *window;
  }
  Value operator=(Value value) const {
    const Window<T> window(at_);
    *window = value;
    return value;
  }
  Value operator=(const Element& other) const { return *this = Value{other}; }
  Value operator+=(Value value) const { return *this = static_cast<Value>(*this + value); }
  Value operator-=(Value value) const { return *this = static_cast<Value>(*this - value); }
  Value operator*=(Value value) const { return *this = static_cast<Value>(*this * value); }

 private:
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

using uint3 = swai::cpe::Extent;

struct dim3 {
  unsigned int x;
  unsigned int y;
  unsigned int z;

  constexpr dim3(unsigned int x_ = 1, unsigned int y_ = 1, unsigned int z_ = 1) : x(x_), y(y_), z(z_) {}
};

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
#define __device__
#define __host__
#define __forceinline__ inline __attribute__((always_inline))
#define __restrict__ __restrict

using swai::cpe::Global;
