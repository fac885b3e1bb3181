// A kernel that serves nobody: tests of the hardware have memory, DMA engine and core groups to themselves.
#include "firmware/kernel/service.hpp"

namespace swai::kernel::service {

bool init() { return false; }
bool poll() { return false; }
void listen() {}
void stop_listening() {}

}  // namespace swai::kernel::service
