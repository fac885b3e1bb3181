// The names that kernels written for CUDA use, so that such a kernel becomes one for the cores by renaming:
//
//   const float* in     ->  Global<const float> in     (parameters; the body stays as it is)
//
// A core is a block of one thread, and the grid has as many blocks as the launch has cores. So a kernel must
// take any number of blocks and threads, as those with loops in strides do:
//
//   for (int image = blockIdx.x; image < images; image += gridDim.x)
//     for (int i = threadIdx.x; i < pixels; i += blockDim.x) ...
//
// What is __shared__ lies in the core's local memory. Every use of an element of Global<T> goes to memory and
// the core waits for it: bring into __shared__ what is used often, as on a GPU. dma.hpp is the fast way.
#pragma once

#include <concepts>

#include "swai/cpe.hpp"

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

namespace cuda {

struct Index {
  uint32_t x = 0;
  uint32_t y = 0;
  uint32_t z = 0;
};

}  // namespace cuda
}  // namespace swai::cpe

inline constexpr swai::cpe::cuda::Index threadIdx = {0, 0, 0};
inline constexpr swai::cpe::cuda::Index blockDim = {1, 1, 1};
#define blockIdx (swai::cpe::cuda::Index{swai::cpe::rank(), 0, 0})
#define gridDim (swai::cpe::cuda::Index{swai::cpe::count(), 1, 1})

#define __shared__ LDM static
#define __device__

// All threads of the block, which is one.
inline void __syncthreads() {}

using swai::cpe::Global;
