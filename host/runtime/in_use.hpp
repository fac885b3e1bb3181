// SPDX-License-Identifier: Apache-2.0
// An object of the C interface in a call's hands, with its device's lock.
#pragma once

#include <memory>
#include <utility>

#include "host/runtime/runtime.hpp"

namespace swai::sdaa {

template <typename T>
struct InUse {
  std::shared_ptr<T> object;
  Device::Lock lock;
};

// Waits for the lock. Throws sdaaErrorInvalidHandle, with `gone` as message, when the object has died.
template <typename T>
InUse<T> use_object(std::shared_ptr<T> object, const char* gone) {
  Device::Lock lock = object->device->enter();
  require(object->alive, gone, sdaaErrorInvalidHandle);
  return {std::move(object), std::move(lock)};
}

}  // namespace swai::sdaa
