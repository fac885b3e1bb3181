// SPDX-License-Identifier: Apache-2.0
// The daemon's entry in its module's table.
#include "swai/cpe.hpp"

extern "C" void daemon();

SWAI_KERNEL_ENTRY(daemon);
