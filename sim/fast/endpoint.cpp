// SPDX-License-Identifier: Apache-2.0
#include "sim/fast/endpoint.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "card_regs.hpp"

namespace swai::fast {
namespace {

namespace pcie = regs::pcie;

// BAR0 shows the HBM from its start, the SRAM from here on.
constexpr uint64_t kSramInBar0 = uint64_t{64} << 30;
constexpr uint64_t kDmaInBar4 = regs::dma::kBase - regs::kCardRegion.base;

// A request never crosses such a page.
constexpr uint64_t kPage = 4096;

// The accesses of which a piece of the register space is made: aligned, as large as can be.
template <typename Function>
bool by_access(uint64_t offset, uint64_t bytes, Function access) {
  bool good = true;
  for (uint64_t done = 0; done < bytes;) {
    const uint64_t at = offset + done;
    unsigned size = at % 8 == 0 ? 8 : 1U << std::countr_zero(at);
    while (size > bytes - done) size /= 2;
    good = access(at, size, done) && good;
    done += size;
  }
  return good;
}

}  // namespace

Endpoint::Endpoint(CardMemory& memory, const Sizes& sizes, Outside outside)
    : RegisterBlock("pcie"), memory_(memory), sizes_(sizes), outside_(std::move(outside)) {
  repeat(pcie::shared::kOffset, regs::kPcieSharedWords);
}

// ------------------------------------------------------------------------------------------------- registers

uint64_t Endpoint::load(uint64_t offset, uint64_t value) {
  switch (offset) {
    case pcie::card::kOffset:
      return pcie::card::kGroups.put(sizes_.groups) | pcie::card::kRows.put(sizes_.rows) |
             pcie::card::kColumns.put(sizes_.columns) |
             pcie::card::kHbmGib.put(CardMemory::kGroupBytes >> 30) |
             pcie::card::kSramKib.put(regs::kSramBytes / 1024);
    case pcie::boot_status::kOffset:
      return outside_.boot_status();
    case pcie::reset_status::kOffset:  // a reset has ended when its request returns
      return 0;
    case pcie::link::kOffset:
      return pcie::link::kUp.put(config_.link_up() ? 1 : 0) |
             pcie::link::kMemory.put(config_.memory() ? 1 : 0) |
             pcie::link::kBusMaster.put(config_.bus_master() ? 1 : 0) |
             pcie::link::kMsix.put(config_.msix_enabled() ? 1 : 0) |
             pcie::link::kD3.put(config_.d3() ? 1 : 0) | pcie::link::kMps.put(config_.max_payload()) |
             pcie::link::kMrrs.put(config_.max_read());
    case pcie::bar0::kOffset:
      return config_.bar0();
    default:
      return value;
  }
}

void Endpoint::stored(uint64_t offset, uint64_t data, uint64_t mask) {
  switch (offset) {
    case pcie::doorbell::kOffset:
      if ((mask & 0xFF) != 0) outside_.doorbell(static_cast<unsigned>(pcie::doorbell::kNumber.get(data)));
      break;
    case pcie::interrupt::kOffset:
      if ((mask & 0xFF) != 0) interrupt(static_cast<unsigned>(pcie::interrupt::kNumber.get(data)));
      break;
    case pcie::reset_request::kOffset:
      if (~mask == 0 && pcie::reset_request::kKey.get(data) == pcie::reset_request::kKeyGo) {
        outside_.reset(pcie::reset_request::kProcessor.get(data) != 0,
                       static_cast<unsigned>(pcie::reset_request::kGroups.get(data)));
      }
      break;
    default:
      break;
  }
}

bool Endpoint::dma_closed() const {
  return pcie::dma_access::kClosed.get(at(pcie::dma_access::kOffset)) != 0;
}

// ------------------------------------------------------------------------------------------------ interrupts

void Endpoint::interrupt(unsigned vector) {
  if (config_.msix_enabled()) msix_.raise(vector);
}

std::optional<Msix::Message> Endpoint::message() {
  if (!config_.msix_enabled()) msix_.drop();
  return may_interrupt() ? msix_.take() : std::nullopt;
}

void Endpoint::reset_function(bool link) {
  link ? config_.reset_link() : config_.reset_function();
  msix_.reset();
}

// --------------------------------------------------------------------------------------------------- the
// host

bool Endpoint::denied(uint64_t address, bool write) const {
  const auto in = [&](uint64_t base, uint64_t limit) { return address >= at(base) && address < at(limit); };
  if (regs::kLocalRegion.contains(address) && (!in(pcie::sram_base::kOffset, pcie::sram_limit::kOffset) ||
                                               (write && address >= at(pcie::sram_fixed::kOffset))))
    return true;
  return in(pcie::deny0_base::kOffset, pcie::deny0_limit::kOffset) ||
         in(pcie::deny1_base::kOffset, pcie::deny1_limit::kOffset) ||
         in(pcie::deny2_base::kOffset, pcie::deny2_limit::kOffset) ||
         in(pcie::deny3_base::kOffset, pcie::deny3_limit::kOffset);
}

// A piece of BAR0 within a page.
uint8_t* Endpoint::window(uint64_t offset, uint64_t bytes, bool write, bool& denied) const {
  const bool hbm = offset < kSramInBar0;
  const uint64_t address =
      hbm ? regs::kHbmRegion.base + offset : regs::kLocalRegion.base + (offset - kSramInBar0);
  if (!hbm && offset - kSramInBar0 >= regs::kSramBytes) return nullptr;
  denied = this->denied(address & ~(kPage - 1), write);
  return denied ? nullptr : memory_.at(address, bytes);
}

bool Endpoint::read_registers(uint64_t offset, std::span<uint8_t> bytes) {
  return by_access(offset, bytes.size(), [&](uint64_t at, unsigned size, uint64_t done) {
    uint64_t value = 0;
    const bool own = at < pcie::kSize;
    const bool good = own ? read(at, size, value) : outside_.read(at, size, value);
    std::memcpy(bytes.data() + done, &value, size);
    return good;
  });
}

bool Endpoint::register_write(uint64_t offset, unsigned size, uint64_t value) {
  const bool kept = (offset >= pcie::sram_base::kOffset && offset < pcie::sram_fixed::kOffset + 8);
  if (offset < pcie::kSize) return !kept && write(offset, size, value);
  const bool closed = offset - kDmaInBar4 < regs::dma::kSize && dma_closed();
  return !closed && outside_.write(offset, size, value);
}

bool Endpoint::write_registers(uint64_t offset, std::span<const uint8_t> bytes) {
  return by_access(offset, bytes.size(), [&](uint64_t at, unsigned size, uint64_t done) {
    uint64_t value = 0;
    std::memcpy(&value, bytes.data() + done, size);
    return register_write(at, size, value);
  });
}

bool Endpoint::host_read(uint64_t address, std::span<uint8_t> bytes) {
  bool good = config_.memory();
  bool denied = false;
  if (good && address - config_.bar0() < ConfigSpace::kBar0Bytes) {
    for (uint64_t done = 0; good && done < bytes.size();) {
      const uint64_t offset = address - config_.bar0() + done;
      const uint64_t count = std::min(bytes.size() - done, kPage - offset % kPage);
      const uint8_t* const from = window(offset, count, false, denied);
      good = from != nullptr;
      if (good) std::memcpy(bytes.data() + done, from, count);
      done += count;
    }
  } else if (good && address - config_.bar2() < ConfigSpace::kBar2Bytes) {
    for (uint64_t i = 0; i < bytes.size(); ++i) {
      const uint64_t offset = address - config_.bar2() + i;
      bytes[i] = static_cast<uint8_t>(msix_.read(offset & ~uint64_t{3}) >> (8 * (offset % 4)));
    }
  } else if (good && address - config_.bar4() < ConfigSpace::kBar4Bytes) {
    good = read_registers(address - config_.bar4(), bytes);
  } else {
    good = false;
  }
  if (!good) count(pcie::errors_unsupported_nonposted::kOffset);
  if (denied) count(pcie::errors_denied::kOffset);
  return good;
}

void Endpoint::host_write(uint64_t address, std::span<const uint8_t> bytes) {
  bool good = config_.memory();
  bool denied = false;
  if (good && address - config_.bar0() < ConfigSpace::kBar0Bytes) {
    for (uint64_t done = 0; done < bytes.size();) {
      const uint64_t offset = address - config_.bar0() + done;
      const uint64_t count = std::min(bytes.size() - done, kPage - offset % kPage);
      bool kept = false;
      uint8_t* const into = window(offset, count, true, kept);
      if (into != nullptr) std::memcpy(into, bytes.data() + done, count);
      // What may be there and is not, nobody tells the host: the write had been taken.
      const bool meant = offset < kSramInBar0 && !kept;
      if (into == nullptr && meant) this->count(pcie::errors_write_failed::kOffset);
      good = good && (into != nullptr || meant);
      denied = denied || kept;
      done += count;
    }
  } else if (good && address - config_.bar2() < ConfigSpace::kBar2Bytes) {
    for (uint64_t i = 0; i < bytes.size(); ++i) {
      const uint64_t offset = address - config_.bar2() + i;
      const auto shift = static_cast<unsigned>(8 * (offset % 4));
      msix_.write(offset & ~uint64_t{3}, uint32_t{bytes[i]} << shift, uint32_t{0xFF} << shift);
    }
  } else if (good && address - config_.bar4() < ConfigSpace::kBar4Bytes) {
    good = write_registers(address - config_.bar4(), bytes);
  } else {
    good = false;
  }
  if (!good) count(pcie::errors_unsupported_posted::kOffset);
  if (denied) count(pcie::errors_denied::kOffset);
}

void Endpoint::config_read(uint64_t offset, std::span<uint8_t> bytes) const {
  for (uint64_t i = 0; i < bytes.size(); ++i) {
    const uint64_t at = offset + i;
    bytes[i] = static_cast<uint8_t>(config_.read(at & ~uint64_t{3}) >> (8 * (at % 4)));
  }
}

void Endpoint::config_write(uint64_t offset, std::span<const uint8_t> bytes) {
  for (uint64_t done = 0; done < bytes.size();) {
    const uint64_t at = offset + done;
    uint32_t data = 0;
    uint32_t mask = 0;
    for (; done < bytes.size() && (offset + done) / 4 == at / 4; ++done) {
      const auto shift = static_cast<unsigned>(8 * ((offset + done) % 4));
      data |= uint32_t{bytes[done]} << shift;
      mask |= uint32_t{0xFF} << shift;
    }
    if (config_.write(at & ~uint64_t{3}, data, mask)) outside_.function_reset();
  }
}

}  // namespace swai::fast
