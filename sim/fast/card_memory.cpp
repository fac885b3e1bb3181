#include "sim/fast/card_memory.hpp"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>

#include "card_regs.hpp"

namespace swai::fast {
namespace {

uint8_t* reserve(uint64_t bytes) {
  void* const memory =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    throw std::runtime_error(std::string("no room for the card's memory: ") + std::strerror(errno));
  }
  return static_cast<uint8_t*>(memory);
}

uint8_t* inside(uint8_t* memory, uint64_t base, uint64_t size, uint64_t address, uint64_t bytes) {
  const uint64_t offset = address - base;
  return address >= base && offset < size && bytes <= size - offset ? memory + offset : nullptr;
}

}  // namespace

CardMemory::CardMemory(unsigned groups)
    : groups_(groups), hbm_(reserve(groups * kGroupBytes)), sram_(reserve(regs::kSramBytes)) {}

CardMemory::~CardMemory() {
  ::munmap(hbm_, groups_ * kGroupBytes);
  ::munmap(sram_, regs::kSramBytes);
}

uint8_t* CardMemory::hbm(uint64_t address, uint64_t bytes) const {
  return inside(hbm_, regs::kHbmRegion.base, groups_ * kGroupBytes, address, bytes);
}

uint8_t* CardMemory::sram(uint64_t address, uint64_t bytes) const {
  return inside(sram_, regs::kLocalRegion.base, regs::kSramBytes, address, bytes);
}

uint8_t* CardMemory::at(uint64_t address, uint64_t bytes) const {
  uint8_t* const found = hbm(address, bytes);
  return found != nullptr ? found : sram(address, bytes);
}

}  // namespace swai::fast
