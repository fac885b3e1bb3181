// What handles of the C interface stand for. All of it is guarded by the lock of its device; `alive` is false
// from the moment on in which it was destroyed.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "firmware/abi/module.hpp"
#include "host/sdaa/queue.hpp"

namespace swai::sdaa {

class Device;

struct Object {
  std::shared_ptr<Device> device;
  std::atomic<bool> alive = true;
};

struct Stream : Object {
  Queue* queue = nullptr;
  unsigned flags = 0;
  bool is_default = false;
  Point last;  // command; queue == nullptr: there was none

  bool ordered() const { return flags == 0; }
};

struct Event : Object {
  unsigned number = 0;
  bool timed = true;
  uint64_t count = 0;  // of the card's event when this one is complete; 0: never recorded
  Point recorded;
};

struct KernelInfo {
  std::string name;
  uint32_t argument_bytes = 0;
  module::Parameters parameters;
};

struct Module : Object {
  unsigned handle = 0;  // the card's
  std::string name;
  uint32_t local_bytes = 0;
  std::vector<KernelInfo> kernels;
};

struct Function : Object {
  std::shared_ptr<Module> module;
  unsigned index = 0;

  const KernelInfo& info() const { return module->kernels[index]; }
};

}  // namespace swai::sdaa
