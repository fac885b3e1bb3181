// SPDX-License-Identifier: Apache-2.0
#include "card_regs.hpp"
#include "sim/iss/mpe/memory.hpp"

namespace swai::iss {

Pma pma(uint64_t paddr) {
  // Nearly all accesses go here.
  if (regs::kLocalRegion.contains(paddr)) return Pma::kMemory;
  const regs::Pma attributes = regs::pma(paddr);
  if (attributes.memory) return Pma::kMemory;
  return attributes.io ? Pma::kIo : Pma::kVacant;
}

}  // namespace swai::iss
