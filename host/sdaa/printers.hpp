// SPDX-License-Identifier: Apache-2.0
// What kernels print: a buffer on the card for each module whose kernels may (abi/print.hpp). Whoever has
// waited takes what is there; it goes to standard output, core after core.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "abi/module_text.hpp"
#include "host/sdaa/waiting.hpp"

namespace swai::sdaa {

class Device;

class Printers {
 public:
  // Of the device that they belong to; after a reset there are none.
  void clear() { all_.clear(); }
  // From now on the buffer belongs to it. `module`: the card's handle.
  void add(unsigned module, std::shared_ptr<const module::ModuleText> text, uint64_t buffer);
  // The buffer of a module that is to go, given back; 0: it had none.
  uint64_t drop(unsigned module);

  void drain(Device& device, Waiting::Lock& lock);
  // The same when waiting has failed, and that is what counts.
  void drain_quietly(Device& device, Waiting::Lock& lock) noexcept;

 private:
  struct Printer {
    unsigned module = 0;
    std::shared_ptr<const module::ModuleText> text;
    uint64_t buffer = 0;
    std::vector<uint32_t> lost;  // by core, as far as it was told
  };

  static std::string take(Device& device, Waiting::Lock& lock, Printer& printer);

  std::vector<std::shared_ptr<Printer>> all_;
  bool draining_ = false;  // copies let other threads in
};

}  // namespace swai::sdaa
