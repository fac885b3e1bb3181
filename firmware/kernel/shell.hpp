// A few commands on the console, for people.
#pragma once

namespace swai::kernel::shell {

// Handles the bytes that came in; returns when there are none.
void poll();

}  // namespace swai::kernel::shell
