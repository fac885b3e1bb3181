// SPDX-License-Identifier: Apache-2.0
// The runtime's card side in the kernel: what it manages, where it keeps what, and the loop that serves.
#pragma once

#include <cstdint>

namespace swai::kernel::service {

// Starts the core groups and tells the host that commands are served. False: the card has no groups.
bool init();

// Sleeps until something is to be done, and does what inbox.work asks for; comes back when another interrupt
// has woken the processor, or may have. To be called with interrupts locked out.
void serve();

}  // namespace swai::kernel::service
