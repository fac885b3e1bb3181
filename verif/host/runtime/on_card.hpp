// SPDX-License-Identifier: Apache-2.0
// The runtime library on the card that all cases of a program share.
#pragma once

#include "host/runtime/runtime.hpp"
#include "verif/system/rig.hpp"

namespace swai::sdaa {

class OnCard {
 public:
  OnCard() {
    Runtime::get().use({[this] { return rig_->open(); }});
    Runtime::current_number() = 0;
  }
  ~OnCard() { Runtime::get().use({}); }
  OnCard(const OnCard&) = delete;
  OnCard& operator=(const OnCard&) = delete;

 private:
  system::SharedRig rig_;
};

}  // namespace swai::sdaa
