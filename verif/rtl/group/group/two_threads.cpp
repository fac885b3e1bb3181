// SPDX-License-Identifier: Apache-2.0
// The group of this program is stepped by two threads, also on a machine with one processor.
#include "sim/seam/threads.hpp"

namespace {

swai::common::Workers workers(2);
[[maybe_unused]] const bool kSet = (swai::array::workers = &workers) != nullptr;

}  // namespace
