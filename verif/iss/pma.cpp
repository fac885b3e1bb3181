#include "verif/iss/memory.hpp"

namespace swai::iss {

Pma pma(uint64_t paddr) {
  if (paddr >= 0x8000'0000 && paddr <= 0xFFFF'FFFF) return Pma::kMemory;
  if (paddr >= 0x80'0000'0000 && paddr <= 0xFF'FFFF'FFFF) return Pma::kMemory;
  if (paddr >= 0x0001'0000 && paddr <= 0x0001'FFFF) return Pma::kMemory;
  if (paddr >= 0x0200'0000 && paddr <= 0x1FFF'FFFF) return Pma::kIo;
  if (paddr >= 0x10'0000'0000 && paddr <= 0x1F'FFFF'FFFF) return Pma::kIo;
  return Pma::kVacant;
}

}  // namespace swai::iss
