// SPDX-License-Identifier: Apache-2.0
// A few commands on the console, for people.
#pragma once

namespace swai::kernel::shell {

// A byte that came in.
void take(char byte);

}  // namespace swai::kernel::shell
