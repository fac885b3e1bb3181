// SPDX-License-Identifier: Apache-2.0
// What must work before an image confirms itself.
#pragma once

#include <string_view>

namespace swai::kernel::selftest {

// The name of the first check that fails; empty when all pass. Interrupts must be on.
std::string_view run();

}  // namespace swai::kernel::selftest
