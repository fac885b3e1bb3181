// SPDX-License-Identifier: Apache-2.0
// Threads that step the CPEs of a group together, in a program whose models of CPEs call nothing of it (DPI).
#pragma once

#include "sim/common/workers.hpp"

namespace swai::array {

// With more nobody has measured it.
constexpr unsigned kMostThreads = 2;

// Null: the caller's alone. CPEs of a group may be linked without who sets it.
inline common::Workers* workers = nullptr;

}  // namespace swai::array
