// SPDX-License-Identifier: Apache-2.0
// Requests of a card to the host's memory.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

#include "sim/board/rootport/counters.hpp"
#include "sim/board/rootport/faults.hpp"
#include "sim/board/rootport/iommu.hpp"
#include "sim/board/rootport/options.hpp"
#include "sim/board/rootport/ring.hpp"
#include "sim/board/rootport/tlp.hpp"
#include "sim/common/random.hpp"

namespace swai::rootport {

class MemoryRequests {
 public:
  // What belongs to the card's port.
  struct Port {
    const PortOptions& options;
    Iommu& iommu;
    FaultKnobs& faults;
    PortCounters& counters;
    std::function<void(const Tlp&)> send;     // puts an answer on its way to the card
    std::function<void(const Tlp&)> release;  // gives back the credits of a request
  };

  explicit MemoryRequests(Port port);

  // A read joins those that wait for the memory.
  void read(const Tlp& tlp, uint64_t cycle);
  // Starts a write, or goes on with it. False: its memory has not answered; to be called again.
  [[nodiscard]] bool write(const Tlp& tlp, uint64_t cycle);
  // Does what is due. False: a memory has not answered; to be called again.
  [[nodiscard]] bool run(uint64_t cycle);

  uint64_t next_event() const;
  bool idle() const { return reads_.empty() && answers_.empty() && !busy_; }
  // A memory has been asked and has not answered.
  bool waiting() const { return busy_ && transfer_.waiting(); }
  size_t clear();

 private:
  struct Read {
    uint64_t cycle = 0;
    Tlp tlp;
  };
  struct Answer {
    uint64_t cycle = 0;
    uint64_t order = 0;
    Tlp tlp;
    bool operator<(const Answer& other) const {
      return cycle != other.cycle ? cycle > other.cycle : order > other.order;
    }
  };

  Iommu::Transfer::State transfer(uint64_t cycle, Access access, uint64_t address, std::span<uint8_t> buffer);
  bool read_now(const Tlp& request, uint64_t cycle);
  void answer(const Tlp& request, uint64_t cycle);
  void refuse(const Tlp& request, CplStatus status, uint64_t cycle);
  uint64_t queue(const Tlp& tlp, uint64_t cycle, uint64_t not_before);
  unsigned piece(uint64_t address, unsigned left);

  const Port port_;
  Ring<Read> reads_;
  std::priority_queue<Answer> answers_;
  uint64_t order_ = 0;
  Iommu::Transfer transfer_;
  bool busy_ = false;        // transfer_ is of a request that is not finished
  unsigned write_done_ = 0;  // bytes of the write under way that have been seen to
  verif::Random split_;
  verif::Random reorder_;
  std::array<uint8_t, 4096> buffer_;
};

}  // namespace swai::rootport
