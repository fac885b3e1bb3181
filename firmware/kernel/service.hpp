// The runtime's card side in the kernel: what it manages, where it keeps what, and the loop that serves.
#pragma once

#include <cstdint>

namespace swai::kernel::service {

// Starts the core groups and tells the host that commands are served. False: the card has no groups.
bool init();

// Does what there is to do; false: nothing is left until inbox.work has a bit.
bool poll();

// Lets inbox.work wake the processor. With interrupts locked out, before wfi; ends with stop_listening().
void listen();
void stop_listening();

}  // namespace swai::kernel::service
