// SPDX-License-Identifier: Apache-2.0
// Where a card's interrupts go: the eventfds of DEVICE_SET_IRQS, and what is masked.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "host/transport/channel.hpp"
#include "host/transport/vfio_user.hpp"

namespace swai::socket {

class IrqTable {
 public:
  // Holds at most so many descriptors.
  IrqTable(uint32_t vectors, unsigned max_fds);

  uint32_t count(link::vfio_user::Irq type) const;
  uint32_t flags(link::vfio_user::Irq type) const;

  // DEVICE_SET_IRQS; `data` is what follows the structure. Returns 0 or an errno, and then nothing has
  // changed. `triggered` is called for each MSI-X vector that the client itself fires.
  int set(const link::vfio_user::IrqSet& request, std::span<const uint8_t> data, std::vector<link::Fd>& fds,
          const std::function<void(unsigned)>& triggered);

  // Signals the eventfd, or remembers it until the line is unmasked.
  void raise(link::vfio_user::Irq type, uint32_t index);
  // No eventfds, nothing masked.
  void clear();

 private:
  struct Line {
    link::Fd trigger;
    link::Fd on_mask;
    link::Fd on_unmask;
    bool masked = false;
    bool waiting = false;
  };

  static link::Fd& place(Line& line, uint32_t action);
  size_t held() const;
  int check(const link::vfio_user::IrqSet& request, size_t data_bytes, const std::vector<link::Fd>& fds);
  std::vector<Line>& lines(link::vfio_user::Irq type) { return lines_[static_cast<uint32_t>(type)]; }
  void mask(Line& line, bool masked);

  const unsigned max_fds_;
  std::vector<Line> lines_[link::vfio_user::kIrqs];
};

}  // namespace swai::socket
