// A kernel that serves nobody: tests of the hardware have memory, DMA engine and core groups to themselves.
#include "firmware/common/csr.hpp"
#include "firmware/kernel/service.hpp"

namespace swai::kernel::service {

bool init() { return false; }
void serve() { csr::wait_for_interrupt(); }

}  // namespace swai::kernel::service
