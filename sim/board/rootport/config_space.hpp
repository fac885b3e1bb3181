// SPDX-License-Identifier: Apache-2.0
// A card's configuration space, and what the host knows of it.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "sim/board/rootport/host_requests.hpp"

namespace swai::rootport {

struct Bar {
  uint64_t address = 0;  // as the card's register holds it
  uint64_t size = 0;     // 0: there is none
  bool wide = false;     // takes two registers
};
inline constexpr unsigned kBars = 6;
using Bars = std::array<Bar, kBars>;

class ConfigSpace {
 public:
  // `may_ask`: the card's link is up, or comes up.
  ConfigSpace(HostRequests& requests, std::function<bool()> may_ask)
      : requests_(requests), may_ask_(std::move(may_ask)) {}

  // Within 4096 bytes. Writes of BARs and of the command register are noted.
  void read(unsigned offset, unsigned bytes, ReadDone done);
  void write(unsigned offset, std::span<const uint8_t> data, WriteDone done);

  // The first 256 bytes, as they were read when the card was enumerated.
  void set_header(std::span<const uint8_t> header) { header_.assign(header.begin(), header.end()); }
  std::span<const uint8_t> header() const { return header_; }
  // The place of a capability; 0: none.
  unsigned capability(uint8_t id) const;

  void set_bars(const Bars& bars) { bars_ = bars; }
  const Bar& bar(unsigned index) const { return bars_[index]; }
  [[nodiscard]] bool is_inside(unsigned bar, uint64_t offset, uint64_t bytes) const;
  bool memory_enabled() const { return (command_ & 2) != 0; }

  // The card has been reset.
  void clear();

 private:
  void snoop(unsigned offset, std::span<const uint8_t> data);

  HostRequests& requests_;
  const std::function<bool()> may_ask_;
  std::vector<uint8_t> header_;
  Bars bars_;
  std::array<uint32_t, kBars> bar_registers_{};
  uint16_t command_ = 0;
};

}  // namespace swai::rootport
