// SPDX-License-Identifier: Apache-2.0
// What handles of the C interface stand for. All of it is guarded by the lock of its device; `alive` is false
// from the moment on in which it was destroyed.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "host/lib/variables.hpp"
#include "host/runtime/queue.hpp"

namespace swai::sdaa {

class Device;
class Capture;

// Nodes of a graph that what comes next waits for.
using Frontier = std::set<size_t>;

struct Object {
  std::shared_ptr<Device> device;
  std::atomic<bool> alive = true;
};

struct Stream : Object {
  Queue* queue = nullptr;
  unsigned flags = 0;
  uint64_t number = 0;  // of the device's, since there is one; a new one after a failure
  bool is_default = false;
  Point last;                        // command; queue == nullptr: there was none
  std::shared_ptr<Capture> capture;  // nullptr: what it is given is run
  Frontier frontier;                 // of the capture: what it has been given last

  bool ordered() const { return flags == 0; }
};

struct Event : Object {
  unsigned number = 0;
  bool timed = true;
  uint64_t count = 0;  // of the card's event when this one is complete; 0: never recorded
  Point recorded;
  std::shared_ptr<Capture> captured;  // nullptr: it was not recorded in a capture last
  Frontier frontier;
};

struct VariablesOnCard {
  module::Variables table;
  uint64_t at = 0;  // of VariableMemory; 0: there are none
};

struct Module : Object {
  unsigned handle = 0;         // the card's
  uintptr_t name_of_user = 0;  // the user's handle
  std::string name;
  uint32_t local_bytes = 0;
  Kernels kernels;
  VariablesOnCard constants;
  VariablesOnCard device_variables;
};

struct Function : Object {
  std::shared_ptr<Module> module;
  unsigned index = 0;
  std::shared_ptr<const Kernels> kernels;  // that one

  const KernelInfo& info() const { return *kernels->front(); }
};

}  // namespace swai::sdaa
