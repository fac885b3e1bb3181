// SPDX-License-Identifier: Apache-2.0
// A kernel that serves nobody: tests of the hardware have memory, DMA engine and core groups to themselves,
// also the memory in which its cold code lies, which nothing needs after the boot.
#include "card_regs.hpp"
#include "firmware/common/csr.hpp"
#include "firmware/common/mmio.hpp"
#include "firmware/kernel/service.hpp"

namespace swai::kernel::service {

bool init() {
  fw::write_reg(regs::pcie::deny0_limit::kAddr, 0);
  return false;
}
void serve() { csr::wait_for_interrupt(); }

}  // namespace swai::kernel::service
