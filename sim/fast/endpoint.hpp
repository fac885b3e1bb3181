// SPDX-License-Identifier: Apache-2.0
// The PCIe endpoint without its wire: what a request of the host to the BARs and to configuration space does,
// who may go where, interrupts, and device `pcie`.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "sim/fast/card_memory.hpp"
#include "sim/fast/config_space.hpp"
#include "sim/fast/msix.hpp"
#include "sim/fast/register_block.hpp"

namespace swai::fast {

class Endpoint final : public RegisterBlock {
 public:
  struct Sizes {
    unsigned groups = 1;
    unsigned rows = 0;
    unsigned columns = 0;
  };
  struct Outside {
    std::function<uint32_t()> boot_status;
    std::function<void(unsigned number)> doorbell;
    std::function<void(bool processor, unsigned groups)> reset;
    // Registers of the other devices in BAR4.
    std::function<bool(uint64_t offset, unsigned size, uint64_t& value)> read;
    std::function<bool(uint64_t offset, unsigned size, uint64_t value)> write;
    std::function<void()> function_reset;
  };

  Endpoint(CardMemory& memory, const Sizes& sizes, Outside outside);

  ConfigSpace& config() { return config_; }
  Msix& msix() { return msix_; }
  // The host, by bus addresses. False: refused; a read then gives nothing.
  bool host_read(uint64_t address, std::span<uint8_t> bytes);
  void host_write(uint64_t address, std::span<const uint8_t> bytes);
  void config_read(uint64_t offset, std::span<uint8_t> bytes) const;
  void config_write(uint64_t offset, std::span<const uint8_t> bytes);

  // Not for the host's eyes: the function's state after a reset of it or of the link.
  void reset_function(bool link);
  void interrupt(unsigned vector);
  // The next message that may be sent.
  std::optional<Msix::Message> message();

  // The host may not write the registers of the DMA engine.
  bool dma_closed() const;
  void visit(Archive& archive) override;

 protected:
  uint64_t load(uint64_t offset, uint64_t value) override;
  void stored(uint64_t offset, uint64_t data, uint64_t mask) override;

 private:
  bool denied(uint64_t card_address, bool write) const;
  uint8_t* window(uint64_t offset, uint64_t bytes, bool write, bool& denied) const;
  bool read_registers(uint64_t offset, std::span<uint8_t> bytes);
  bool write_registers(uint64_t offset, std::span<const uint8_t> bytes);
  bool register_write(uint64_t offset, unsigned size, uint64_t value);
  void count(uint64_t offset, uint64_t by = 1) { at(offset) += by; }
  bool may_interrupt() const {
    return config_.msix_enabled() && !config_.msix_masked() && config_.bus_master();
  }

  CardMemory& memory_;
  Sizes sizes_;
  Outside outside_;
  ConfigSpace config_;
  Msix msix_;
};

}  // namespace swai::fast
